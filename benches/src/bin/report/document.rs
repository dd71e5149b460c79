//! Replaces what stands between the markers of docs/benchmarks.md.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::sections::Section;

/// docs/ of this repository.
pub(crate) fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Writes each section between `<!-- report:NAME -->` and `<!-- /report:NAME -->`.
pub(crate) fn write(sections: &[Section]) -> io::Result<()> {
    let path = docs().join("benchmarks.md");
    let mut text = fs::read_to_string(&path)?;
    for section in sections {
        text = replace(&text, section)?;
    }
    fs::write(&path, text)
}

fn replace(text: &str, section: &Section) -> io::Result<String> {
    let (begin, end) = (marker("", section.name), marker("/", section.name));
    let missing = |m: &str| Error::new(ErrorKind::InvalidData, format!("no {m} in benchmarks.md"));
    let (before, rest) = text.split_once(&begin).ok_or_else(|| missing(&begin))?;
    let (_, after) = rest.split_once(&end).ok_or_else(|| missing(&end))?;
    Ok(format!("{before}{begin}\n\n{}\n{end}{after}", section.text))
}

fn marker(slash: &str, name: &str) -> String {
    format!("<!-- {slash}report:{name} -->")
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn only_the_text_between_the_markers_changes() {
        let text = "a <!-- report:x -->\nold\n<!-- /report:x --> b";
        let section = Section {
            name: "x",
            text: "new".to_owned(),
        };
        let replaced = replace(text, &section).expect("both markers are there");
        assert_eq!(replaced, "a <!-- report:x -->\n\nnew\n<!-- /report:x --> b");
        assert_eq!(replace(&replaced, &section).ok(), Some(replaced));
    }

    #[test]
    fn the_page_has_a_place_for_every_section() {
        let page = fs::read_to_string(docs().join("benchmarks.md")).expect("the page is there");
        for section in crate::sections::all(&[], crate::run::Part::value_variants()) {
            replace(&page, &section).expect("its markers are in the page");
        }
    }
}
