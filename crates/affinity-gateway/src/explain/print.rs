//! Accounts as text.

use std::io::{Result, Write};

use super::account::{Account, Entry};
use super::difference::{Aside, Difference};

pub(super) fn account(out: &mut impl Write, account: &Account, show_text: bool) -> Result<()> {
    match account.dialect.zip(account.told()) {
        Some((dialect, told)) => writeln!(out, "dialect  {dialect}, {told}")?,
        None => writeln!(out, "dialect  none")?,
    }
    match &account.model {
        // Escaped: a body must not steer the terminal.
        Some(model) => writeln!(out, "model    {}", model.escape_debug())?,
        None => writeln!(out, "model    none")?,
    }
    writeln!(out, "stream   {}", yes(account.stream))?;
    writeln!(out, "bound    {}", yes(account.bound))?;
    match &account.session {
        Some(session) => writeln!(out, "session  {session}")?,
        None => writeln!(out, "session  none")?,
    }
    for (source, reason) in &account.rejected {
        writeln!(out, "rejected {source}: {reason}")?;
    }
    if let Some(reason) = account.no_fingerprint() {
        writeln!(out, "no fingerprint: {reason}")?;
    }
    let Ok(fingerprint) = &account.fingerprint else {
        return Ok(());
    };
    writeln!(out, "turns    {}", fingerprint.turns)?;
    writeln!(out, "prefix   {} bytes", fingerprint.prefix_bytes)?;
    writeln!(out)?;
    writeln!(out, "entry  kind       bytes  link")?;
    for (at, entry) in fingerprint.entries.iter().enumerate() {
        let opener = if at == fingerprint.opener {
            "  opener"
        } else {
            ""
        };
        writeln!(
            out,
            "{at:5}  {:7} {:8}  {:016x}{opener}",
            entry.kind_name(),
            entry.bytes,
            entry.link
        )?;
        if show_text {
            texts(out, entry)?;
        }
    }
    Ok(())
}

pub(super) fn difference(
    out: &mut impl Write,
    a: &Account,
    b: &Account,
    difference: Option<&Difference<'_>>,
    show_text: bool,
) -> Result<()> {
    for Aside { what, a, b } in Aside::all(a, b) {
        let [a, b] = [a, b].map(|value| value.unwrap_or_else(|| "none".to_owned()));
        writeln!(out, "{what}: A {a}, B {b}")?;
    }
    let guess = a.guess().or(b.guess());
    if let Some(guess) = guess.filter(|_| a.dialect != b.dialect) {
        writeln!(out, "{guess}")?;
    }
    for (name, account) in [("A", a), ("B", b)] {
        if let Some(reason) = account.no_fingerprint() {
            return writeln!(out, "{name} has no fingerprint: {reason}");
        }
    }
    let Some(difference) = difference else {
        return writeln!(out, "the same conversation");
    };
    let Difference { entry, kind, .. } = difference;
    let links = match entry {
        0 => "no link".to_owned(),
        1 => "1 link".to_owned(),
        more => format!("{more} links"),
    };
    if let Some(other) = difference.other_kind {
        return writeln!(
            out,
            "they share {links} and part at entry {entry}: {kind} in A, {other} in B"
        );
    }
    if let Some([longer, ended]) = difference.continues {
        return writeln!(
            out,
            "{longer} continues {ended}: they share {links}, then {ended} ends"
        );
    }
    write!(out, "they share {links} and part at entry {entry} ({kind})")?;
    let Some(place) = difference.field(show_text) else {
        return writeln!(out);
    };
    writeln!(out, ", at {place}")?;
    for (name, text) in [("A", difference.a), ("B", difference.b)] {
        if show_text {
            writeln!(out, "{name}: {}", text.unwrap_or("nothing"))?;
        }
    }
    Ok(())
}

fn texts(out: &mut impl Write, entry: &Entry) -> Result<()> {
    for leaf in &entry.leaves {
        writeln!(out, "         {}: {}", leaf.place, leaf.text)?;
    }
    Ok(())
}

const fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}
