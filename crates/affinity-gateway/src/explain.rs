//! `affinity explain`: what a request would be taken for, and why.

mod account;
mod difference;
mod json;
mod print;

use std::fs;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use account::Account;
use affinity_llm::SessionRules;
use anyhow::{Context as _, Result};
use difference::{Difference, shared};

/// Arguments of `affinity explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The request's body; `-` for standard input
    #[arg(
        value_name = "BODY.json",
        required_unless_present = "diff",
        conflicts_with = "diff"
    )]
    body: Option<PathBuf>,

    /// Compare two bodies: the first entry where they part, and which field
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"])]
    diff: Option<Vec<PathBuf>>,

    /// The request's headers, `name: value` a line
    #[arg(long, value_name = "FILE")]
    headers: Option<PathBuf>,

    /// The request's path, which tells the dialect; without one the shape of the body does, but
    /// not of a Responses request with a plain `input`, and a plain Anthropic one has that of Chat
    /// Completions
    #[arg(long, value_name = "P", default_value = "/")]
    path: String,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Show what the messages say, which is private
    #[arg(long)]
    show_text: bool,
}

pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let headers = args
        .headers
        .as_deref()
        .map(read_headers)
        .transpose()?
        .unwrap_or_default();
    let rules = SessionRules::default();
    let account = |body: &[u8], read_back: &dyn Fn(usize) -> bool| {
        Account::of(&headers, &args.path, body, &rules, read_back)
    };
    // A line each for millions of entries: not a system call each.
    let mut out = BufWriter::new(io::stdout().lock());
    let mut malformed = Vec::new();
    match (args.body, args.diff.as_deref()) {
        (Some(file), _) => {
            let account = account(&read(&file)?, &|_| args.show_text);
            if args.json {
                json::account(&mut out, &account, args.show_text)?;
            } else {
                print::account(&mut out, &account, args.show_text)?;
            }
            malformed.extend(account.malformed().map(|reason| (file, *reason)));
        }
        (None, Some([a_file, b_file])) => {
            let (a_body, b_body) = (read(a_file)?, read(b_file)?);
            let nothing = |_| false;
            let parting = shared(&account(&a_body, &nothing), &account(&b_body, &nothing));
            let wanted = |entry| args.json && args.show_text || entry == parting;
            let (a, b) = (account(&a_body, &wanted), account(&b_body, &wanted));
            let difference = Difference::between(&a, &b);
            if args.json {
                json::difference(&mut out, (&a, &b), difference.as_ref(), args.show_text)?;
            } else {
                print::difference(&mut out, &a, &b, difference.as_ref(), args.show_text)?;
            }
            for (file, account) in [(a_file, &a), (b_file, &b)] {
                malformed.extend(account.malformed().map(|reason| (file.clone(), *reason)));
            }
        }
        (None, _) => anyhow::bail!("nothing to explain: give a body, or two with --diff"),
    }
    out.flush()?;
    match malformed.first() {
        Some((file, reason)) => anyhow::bail!("{}: {reason}", file.display()),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn read(body: &Path) -> Result<Vec<u8>> {
    if body.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin()
            .read_to_end(&mut bytes)
            .context("standard input")?;
        return Ok(bytes);
    }
    fs::read(body).with_context(|| body.display().to_string())
}

fn read_headers(file: &Path) -> Result<Vec<(String, String)>> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let (name, value) = line
                .split_once(':')
                .with_context(|| format!("{}:{}: not `name: value`", file.display(), at + 1))?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        })
        .collect()
}
