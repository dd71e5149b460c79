//! Reads the secrets and the authorities that a configuration names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use affinity_hash::Key;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::error::Problem;
use super::sections::{Channel, Config};
use super::values::Secret;

/// Fills in each key from its variable or file. Files are relative to `directory`.
pub(super) fn read(
    config: &mut Config,
    directory: &Path,
    environment: &BTreeMap<String, String>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut problem = |key: String, what: String| {
        problems.push(Problem {
            at: None,
            key,
            what,
        });
    };
    if let Some(variable) = &config.affinity.key_env {
        let text = environment.get(variable).map(|text| text.trim());
        match text.map(Key::from_hex) {
            Some(Ok(key)) => config.affinity.key = Some(key),
            Some(Err(_)) => problem(
                "affinity.key_env".into(),
                format!("the variable {variable} does not hold 32 hex digits"),
            ),
            None => problem("affinity.key_env".into(), unset(variable)),
        }
    }
    for (i, channel) in config.channels.iter_mut().enumerate() {
        match channel_key(channel, directory, environment) {
            Ok(key) => channel.key = key,
            Err((name, what)) => problem(format!("channels[{i}].{name}"), what),
        }
        if let Some(file) = &channel.ca_file {
            match authorities(&directory.join(file)) {
                Ok(roots) => channel.ca = Some(Arc::new(roots)),
                Err(what) => problem(format!("channels[{i}].ca_file"), what),
            }
        }
    }
    problems
}

fn channel_key(
    channel: &Channel,
    directory: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<Option<Secret>, (&'static str, String)> {
    let (name, text) = match (&channel.key_env, &channel.key_file) {
        (Some(variable), _) => {
            let found = environment.get(variable).cloned();
            ("key_env", found.ok_or_else(|| unset(variable)))
        }
        (None, Some(file)) => {
            let found = fs::read_to_string(directory.join(file));
            (
                "key_file",
                found.map_err(|error| format!("cannot be read: {error}")),
            )
        }
        (None, None) => return Ok(None),
    };
    let text = text.map_err(|what| (name, what))?;
    match Secret::new(text.trim()) {
        Some(secret) => Ok(Some(secret)),
        None => Err((name, "is empty or holds what a header cannot".into())),
    }
}

/// The certificates of a PEM file.
fn authorities(file: &Path) -> Result<RootCertStore, String> {
    let text = fs::read(file).map_err(|error| format!("cannot be read: {error}"))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let added = certificate.map(|certificate| roots.add(certificate));
        if !matches!(added, Ok(Ok(()))) {
            return Err("holds a certificate that cannot be read".into());
        }
    }
    if roots.is_empty() {
        return Err("holds no certificate in PEM".into());
    }
    Ok(roots)
}

/// A key may stand where its variable should: only what is spelled as variables are, and keys are not, is
/// repeated.
fn unset(variable: &str) -> String {
    let spelled = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = variable.contains('_') && variable.starts_with(|c: char| c.is_ascii_uppercase());
    if words && variable.chars().all(spelled) {
        format!("the environment variable {variable} is not set")
    } else {
        "the environment variable of this name is not set".into()
    }
}
