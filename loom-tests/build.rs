//! Writes a faulted copy of the shipped protocol for each entry of `faults.diff`, and with the feature
//! `mutants` for each of `mutants.diff`.
//!
//! An entry is `== name: what is wrong`, then for each change `@@ file` and lines that begin with a
//! space (kept), a minus (taken out) or a plus (put in). The kept and taken lines must stand in the
//! file exactly once, compared without their indentation; if not, the build fails, so that a fault
//! never silently falls behind the text that ships.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const SHIPPED: &str = "../crates/affinity-table/src";
const FILES: [&str; 4] = ["protocol.rs", "ring.rs", "filter.rs", "lifetime.rs"];
/// What the tests plant.
const FAULTS: &str = "faults.diff";
/// What ci/mutants.sh plants besides.
const MUTANTS: &str = "mutants.diff";
/// The shell around a copy, which each copy needs its own of.
const SHELL: &str = "src/subject.rs";

struct Fault {
    name: String,
    about: String,
    changes: Vec<Change>,
}

struct Change {
    file: String,
    lines: Vec<String>,
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let shipped: Vec<String> = FILES
        .iter()
        .map(|file| read(&Path::new(SHIPPED).join(file)))
        .collect();
    let shell = read(Path::new(SHELL));
    println!("cargo::rerun-if-changed=build.rs");

    let mut modules = String::new();
    let mut table = String::new();
    let mut entries = read(Path::new(FAULTS));
    if env::var_os("CARGO_FEATURE_MUTANTS").is_some() {
        entries.push_str(&read(Path::new(MUTANTS)));
    }
    for fault in parse(&entries) {
        let home = out.join(&fault.name);
        fs::create_dir_all(&home).expect("OUT_DIR is ours");
        for (file, text) in FILES.iter().zip(&shipped) {
            write(&home.join(file), &relocate(&apply(&fault, file, text)));
        }
        write(&home.join("subject.rs"), &relocate(&shell));
        declare(&mut modules, &fault, &home);
        let Fault { name, about, .. } = &fault;
        writeln!(
            table,
            "Fault {{ name: {name:?}, about: {about:?}, copy: Copy {{ build: {name}::subject::build }} }},"
        )
        .expect("a string takes it");
    }
    let all = format!("{modules}\n/// All of them.\npub const FAULTS: &[Fault] = &[\n{table}];\n");
    write(&out.join("faults.rs"), &all);
}

fn read(path: &Path) -> String {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// The copy's own files are its siblings.
fn relocate(text: &str) -> String {
    ["filter", "lifetime", "protocol", "ring"]
        .iter()
        .fold(text.to_owned(), |text, module| {
            text.replace(&format!("crate::{module}"), &format!("super::{module}"))
        })
}

fn declare(modules: &mut String, fault: &Fault, home: &Path) {
    writeln!(modules, "#[allow(warnings)]\nmod {} {{", fault.name).expect("a string takes it");
    for module in ["filter", "lifetime", "protocol", "ring", "subject"] {
        let path = home.join(format!("{module}.rs"));
        writeln!(modules, "#[path = {path:?}]\npub(super) mod {module};")
            .expect("a string takes it");
    }
    modules.push_str("}\n");
}

fn parse(text: &str) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("== ") {
            let (name, about) = head.split_once(": ").expect("`== name: what is wrong`");
            faults.push(Fault {
                name: name.to_owned(),
                about: about.to_owned(),
                changes: Vec::new(),
            });
        } else if let Some(file) = line.strip_prefix("@@ ") {
            assert!(
                FILES.contains(&file),
                "{}: no file {file}",
                faults.last().map_or("", |fault| &fault.name)
            );
            let fault = faults.last_mut().expect("a fault before its changes");
            fault.changes.push(Change {
                file: file.to_owned(),
                lines: Vec::new(),
            });
        } else if line.starts_with([' ', '-', '+']) {
            let fault = faults.last_mut().expect("a fault before its lines");
            let change = fault
                .changes
                .last_mut()
                .expect("`@@ file` before its lines");
            change.lines.push(line.to_owned());
        } else {
            assert!(
                line.is_empty() || line.starts_with('#'),
                "not understood: {line}"
            );
        }
    }
    faults
}

/// `text` of `file` with the changes of `fault`.
fn apply(fault: &Fault, file: &str, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for change in fault.changes.iter().filter(|change| change.file == file) {
        let side = |drop: char| -> Vec<&str> {
            change
                .lines
                .iter()
                .filter(|line| !line.starts_with(drop))
                .map(|line| &line[1..])
                .collect()
        };
        let (old, new) = (side('+'), side('-'));
        let places: Vec<usize> = (0..=lines.len().saturating_sub(old.len()))
            .filter(|&start| {
                let window = &lines[start..start + old.len()];
                window
                    .iter()
                    .zip(&old)
                    .all(|(line, old)| line.trim() == old.trim())
            })
            .collect();
        let [start] = places[..] else {
            panic!(
                "fault {}: the lines stand {} times in {file}, not once:\n{}",
                fault.name,
                places.len(),
                old.join("\n")
            );
        };
        lines.splice(
            start..start + old.len(),
            new.iter().map(|line| (*line).to_owned()),
        );
    }
    lines.join("\n") + "\n"
}
