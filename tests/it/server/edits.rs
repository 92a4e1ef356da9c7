//! After random edits, an editor shows what `joblint check` reports about the same texts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::{Value, json};
use walkdir::WalkDir;

use super::client::Client;
use crate::support::{copy, joblint, run};

/// The edits of each tree; `JOBLINT_EDITS` asks for more.
fn count() -> usize {
    std::env::var("JOBLINT_EDITS").map_or(12, |count| count.parse().unwrap())
}

/// Path, line and column from 0, rule.
type Shown = BTreeSet<(String, [u64; 2], String)>;

#[test]
fn random_edits_of_a_chart_show_what_check_reports() {
    edited(&[("testdata/charts/hooks/chart", "")], 1);
}

#[test]
fn random_edits_of_an_overlay_show_what_check_reports() {
    edited(&[("testdata/kustomizations/own", "")], 2);
}

/// The chart that is not edited is not checked again.
#[test]
fn random_edits_of_two_charts_show_what_check_reports() {
    let chart = "testdata/charts/hooks/chart";
    edited(&[(chart, "one"), (chart, "two")], 3);
}

/// A chart is checked again when one in another folder changes that it depends on, also through a third.
#[test]
fn random_edits_of_charts_that_share_one_show_what_check_reports() {
    let chart = "testdata/charts/hooks/chart";
    let folder = copied(&[(chart, "a"), (chart, "b"), (chart, "c")]);
    for (own, name, needed) in [("a", "shop", "b"), ("b", "shared", "c")] {
        let path = folder.path().join(own).join("Chart.yaml");
        let text = fs::read_to_string(&path).unwrap();
        let about = text.lines().map(|line| match line.starts_with("name:") {
            true => format!("name: {name}\n"),
            false => format!("{line}\n"),
        });
        let of = if needed == "b" { "shared" } else { "app" };
        let needs = format!(
            "dependencies: [{{name: {of}, version: '>=0', repository: 'file://../{needed}'}}]\n"
        );
        fs::write(&path, about.collect::<String>() + &needs).unwrap();
    }
    edited_in(&folder, 4);
}

/// Edits copies of some folders, each with the name of the copy.
fn edited(trees: &[(&str, &str)], seed: u64) {
    edited_in(&copied(trees), seed);
}

fn copied(trees: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    trees.iter().for_each(|(from, to)| copy(Path::new(from), &folder.path().join(to)));
    folder
}

fn edited_in(folder: &tempfile::TempDir, seed: u64) {
    let _ = fs::remove_file(folder.path().join("golden.yaml"));
    let mut texts = texts(folder.path());
    // The server must take the texts from the protocol, `check` takes them from the copy.
    let copied = tempfile::tempdir().unwrap();
    copy(folder.path(), copied.path());
    let mut client = Client::in_folder(folder.path(), "utf-32");
    texts.iter().for_each(|(path, text)| client.open(path, text));
    let mut random = Random(seed);
    for number in 0..=count() {
        assert_eq!(
            shown(&mut client),
            reported(copied.path()),
            "seed {seed} after {number} edits: {texts:?}"
        );
        let at = random.below(texts.len());
        let (path, text) = texts.iter_mut().nth(at).unwrap();
        let change = random.change(text);
        client.change(path, change);
        fs::write(copied.path().join(path), text).unwrap();
    }
}

fn texts(folder: &Path) -> BTreeMap<String, String> {
    let files = WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| entry.file_type().is_file());
    let text = |path: &Path| {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    files.map(|entry| text(entry.path())).collect()
}

fn shown(client: &mut Client) -> Shown {
    let one = |path: &str, one: &Value| {
        let start = ["line", "character"].map(|key| one["range"]["start"][key].as_u64().unwrap());
        (path.to_owned(), start, one["code"].as_str().unwrap().to_owned())
    };
    let found = client.shown().into_iter();
    found
        .flat_map(|(path, all)| all.iter().map(|own| one(&path, own)).collect::<Vec<_>>())
        .collect()
}

/// What an editor should show: each finding at its place, at its first label in each other file, and at the start of
/// each other object.
fn reported(folder: &Path) -> Shown {
    let (_, output, _) = run(&mut joblint(folder, &["-q", "--output", "json", "."]));
    let report: Value = serde_json::from_str(&output).unwrap();
    let mut shown = Shown::new();
    for finding in report["findings"].as_array().unwrap() {
        let list = |key: &str| finding[key].as_array().into_iter().flatten();
        let mut files = BTreeSet::new();
        let labels = std::iter::once(finding).chain(list("labels"));
        for place in labels.filter(|place| files.insert(place["path"].as_str())).chain(list("also"))
        {
            let start = ["line", "column"].map(|key| place[key].as_u64().unwrap() - 1);
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            shown.insert((text(&place["path"]), start, text(&finding["rule"])));
        }
    }
    shown
}

/// A generator of edits; the same seed makes the same edits.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    /// Changes one line of a text, and returns the change as a client sends it.
    fn change(&mut self, text: &mut String) -> Value {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let at = self.below(lines.len());
        let line = lines.get(at).copied().unwrap_or_default();
        let new = match self.below(5) {
            0 => String::new(),
            1 => line.repeat(2),
            2 => line.replace("Never", "Always").replace("migrate", "ünïcode"),
            3 => format!("# 😀\n{line}"),
            _ => line.replacen(": ", ": x", 1),
        };
        let before: usize = lines[..at].iter().map(|line| line.len()).sum();
        let range = before..before + line.len();
        // The end of a last line without a line break is past its characters.
        let end = if line.ends_with('\n') { [at + 1, 0] } else { [at, line.chars().count()] };
        let end = json!({ "line": end[0], "character": end[1] });
        let range_of = json!({ "start": { "line": at, "character": 0 }, "end": end });
        let change = json!({ "range": range_of, "text": new });
        text.replace_range(range, &new);
        change
    }
}
