use std::path::Path;

use super::read;
use crate::source::Span;
use crate::yaml::{document, parse};

/// Every document of the test data: manifests, values, what real Helm printed, and broken ones.
fn documents() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["testdata", "examples", "rules"].map(|folder| root.join(folder));
    let files = folders.iter().flat_map(|folder| walkdir::WalkDir::new(folder).into_iter());
    let files = files.flatten().filter(|file| {
        let ending = file.path().extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ["golden", "yaml", "yml"].contains(&ending))
    });
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let mut all: Vec<_> = texts
        .flat_map(|text| text.split("\n---\n").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Quick reading agrees with the parser wherever it does not give up; whether it did.
fn agrees(text: &str) -> bool {
    if text.starts_with("---") || text.contains("\n---") || is_refused(text) {
        return false;
    }
    let place = Span::new(0, text.len());
    let Some(quick) = read(text, place) else { return false };
    match document::read(text, place) {
        Ok(Some(parsed)) => assert_eq!(format!("{quick:#?}"), format!("{parsed:#?}"), "{text}"),
        other => panic!("{other:?}\n{text}"),
    }
    true
}

/// Whether nobody reads the text: it is empty, or not even characters.
fn is_refused(text: &str) -> bool {
    parse::is_blank(text) || parse::unprintable(text, Span::new(0, text.len())).is_some()
}

const PIECES: &[&str] = &[
    " ",
    "  ",
    "- ",
    ": ",
    ":",
    "#",
    " #",
    "'",
    "''",
    "\"",
    "\\",
    "\\\"",
    "[",
    "]",
    "{}",
    "[]",
    ",",
    "[a, 'b', 1]",
    "|",
    "|-",
    ">",
    ">-",
    "|\n",
    ">\n\n",
    "\n   # c\n",
    "a\n    \"b\" {c}\n",
    "\n          - b\n",
    "\n          [b]: c\n",
    ":a",
    "|2",
    "&a ",
    "*a",
    "!!str ",
    "!",
    "~",
    "null",
    "? ",
    "<<: ",
    ".inf",
    "1e999",
    "0x1F",
    "\t",
    "\n",
    "\n\n",
    "\n   ",
    "---\n",
    "...\n",
    "kind: y\n",
    "a b: c\n",
    "yes: no\n",
    "é",
    "\u{85}",
    "\u{2028}",
    "\u{FEFF}",
    "\r",
    "%",
    "@",
    "`",
    "=",
    "- - ",
    "-\n",
    "a:\n",
    "\u{A0}",
];

#[test]
fn reads_as_the_parser_does() {
    let documents = documents();
    let quick = documents.iter().filter(|text| agrees(text)).count();
    assert!(quick > 300, "{quick} of {} read", documents.len());
}

/// Lines left out, and pieces put where they do not belong.
#[test]
fn changed_documents_are_read_as_the_parser_does() {
    let mut seed = 1_u64;
    for text in documents().iter().filter(|text| text.len() < 2000) {
        let lines: Vec<&str> = text.lines().collect();
        for line in 0..lines.len().min(60) {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(line as u64 | 1);
            let at = (seed >> 33) as usize % (lines[line].len() + 1);
            let at = (0..=at).rev().find(|at| lines[line].is_char_boundary(*at)).unwrap_or(0);
            let piece = PIECES[(seed >> 21) as usize % PIECES.len()];
            let (before, after) = lines[line].split_at(at);
            let changed = format!("{before}{piece}{after}");
            let ending = if seed & 4 == 0 { "" } else { "\n" };
            agrees(&([&lines[..line], &lines[line + 1..]].concat().join("\n") + ending));
            agrees(
                &([&lines[..line], &[&*changed], &lines[line + 1..]].concat().join("\n") + ending),
            );
        }
    }
}
