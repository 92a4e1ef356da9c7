//! Strings between dollar signs that do not reach PostgreSQL as they are meant: `DO $ … $`, `DO \$\$ … \$\$`.

use std::ops::Range;

use crate::{analysis::BrokenQuote, text::Text};

/// The words in front of a body between dollar signs: `DO $$`, `AS $$`, `LANGUAGE plpgsql $$`.
const BEFORE: [&str; 3] = ["AS", "DO", "PLPGSQL"];

/// The first broken opening quote in the text that a client sends, with the word in front of it.
///
/// Source: <https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-DOLLAR-QUOTING>
pub(super) fn broken(text: &Text) -> Option<(Range<usize>, BrokenQuote)> {
    let value = text.value.as_str();
    let mut before = "";
    value.split_whitespace().find_map(|word| {
        let first = std::mem::replace(&mut before, word);
        let opens = BEFORE.iter().any(|known| first.eq_ignore_ascii_case(known));
        let at = |word: &str| word.as_ptr() as usize - value.as_ptr() as usize;
        let (length, how) = match word {
            "$" => (1, BrokenQuote::Halved),
            _ if word.starts_with("\\$\\$") => (4, BrokenQuote::Escaped),
            _ if is_replaced_quote(text, at(word)) => (2, BrokenQuote::ProcessId),
            _ => return None,
        };
        opens.then(|| (at(first)..at(word) + length, how))
    })
}

/// Whether the shell replaces the `$$` at an offset, and another one that would end the body. A single one may be meant.
fn is_replaced_quote(text: &Text, at: usize) -> bool {
    let rest = text.value[at..].strip_prefix("$$").filter(|_| text.is_expanded(at));
    rest.is_some_and(|rest| {
        let mut later = rest.match_indices("$$").map(|(offset, _)| at + 2 + offset);
        later.any(|at| text.is_expanded(at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_stands_between_two_dollar_signs() {
        let of = |text| broken(&Text::element(0, text)).map(|(range, how)| (range.start, how));
        for (text, found) in [
            ("DO $\nBEGIN END $;", Some((0, BrokenQuote::Halved))),
            (
                "create function a() returns int as \\$\\$ select 1 \\$\\$",
                Some((32, BrokenQuote::Escaped)),
            ),
            ("DO LANGUAGE plpgsql $ BEGIN END $", Some((12, BrokenQuote::Halved))),
            ("DO $$ BEGIN END $$", None),
            ("DO $body$ BEGIN END $body$", None),
            ("SELECT '$ 5', price || ' $ '", None),
        ] {
            assert_eq!(of(text), found, "{text}");
        }
    }
}
