//! What the READMEs of a repository say of its state: that nobody maintains or deploys what they describe any more, or that it
//! is wrong on purpose.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    discover::{absolute, relative, shown},
    unit::{Boundary, Unit},
};

/// What the READMEs say of the folders that were looked into: that in the folder or the nearest above it that says something.
#[derive(Debug, Default)]
pub(crate) struct Readmes(Mutex<HashMap<PathBuf, Option<Arc<str>>>>);

impl Readmes {
    /// What the README in the folder of a chart or file, or in one above it, says that makes its findings idle.
    pub(crate) fn said_of(&self, path: &str, unit: &Unit) -> Option<Arc<str>> {
        let file = unit.files.iter().find(|file| file.shown == path);
        let folder = file.and_then(|file| file.path.parent()).unwrap_or(&unit.root);
        let folder = absolute(folder);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&folder) {
            return found.clone();
        }
        let mut above = folder.ancestors().take(MOST);
        let found = above.find_map(|above| read(above, &folder, &unit.boundary));
        known.insert(folder, found.clone());
        found
    }
}

/// The most folders to look into.
const MOST: usize = 8;

const NAMES: [&str; 6] =
    ["README.md", "readme.md", "Readme.md", "ReadMe.md", "README.rst", "README"];

/// What the README of a folder says of one in it, with the README as shown.
fn read(folder: &Path, of: &Path, boundary: &Boundary) -> Option<Arc<str>> {
    let mut files = NAMES.iter().map(|name| folder.join(name));
    let (file, text) =
        files.find_map(|file| boundary.read_to_string(&file).ok().map(|text| (file, text)))?;
    let named = of.strip_prefix(folder).ok()?.iter().next_back();
    let named = named.map(|name| name.to_string_lossy().to_lowercase());
    let said = match () {
        () if is_deprecation(&text) => "calls what it describes deprecated",
        () if is_switched_off(&text) => "says that what it describes is not deployed",
        () if is_exercise(&text, named.as_deref()) => "asks its readers what is wrong",
        () if is_reproducer(&text) => "calls what it describes a reproducer of a bug",
        () => return None,
    };
    let here = absolute(Path::new(""));
    Some(format!("{} {said}", shown(&relative(&file, &here))).into())
}

/// How a line begins that says of a folder that nothing of it runs.
const OFF: [&str; 4] =
    ["currently not deployed", "no longer deployed", "not currently deployed", "not deployed"];

/// Whether one of the first lines of a README says that nothing of its folder is deployed: `Currently not deployed.`
fn is_switched_off(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(FIRST).any(|line| {
        let line = line.trim_start_matches(['>', '*', '_', ' ']).to_lowercase();
        OFF.iter().any(|start| line.starts_with(start))
    })
}

/// What people call what is wrong, and what they point at.
const FAULTS: [&str; 4] = ["broken", "error", "mistake", "wrong"];
const POINTS: [&str; 4] = ["each of", "following", "these", "this"];

/// Whether a README asks its reader what is wrong with a folder: in a section with its name, or anywhere if it is that of the
/// folder.
fn is_exercise(text: &str, named: Option<&str>) -> bool {
    let mut is_of_folder = named.is_none();
    text.lines().any(|line| {
        let line = line.trim().to_lowercase();
        if let (Some(named), true) = (named, line.starts_with('#')) {
            is_of_folder = line.contains(named);
        }
        let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let asks =
            line.ends_with('?') && line.trim_start_matches(['-', '*', ' ']).starts_with("what");
        is_of_folder && asks && has(&FAULTS) && has(&POINTS)
    })
}

/// Whether a README begins with the report of a bug that the files show: `This is a reproducer for …/issues/4183`.
fn is_reproducer(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.take(FIRST).collect::<Vec<_>>().join(" ").to_lowercase();
    first.split("reproducer").nth(1).is_some_and(|behind| behind.contains("/issues/"))
}

/// The most lines of text before a README comes to its subject.
const FIRST: usize = 12;

/// Whether the title of a README, or one of its first lines, ends the life of what it describes.
fn is_deprecation(text: &str) -> bool {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.take(FIRST).any(|line| {
        let is_title = line.starts_with("# ") || line.starts_with("<h1");
        let plain: String = line.chars().filter(|c| !"*_`>#:!".contains(*c)).collect();
        let is_named = is_title && (is_marked(&plain) || is_labelled(&plain));
        is_named || is_label(plain.trim()) || tells_end(&plain)
    })
}

/// What a label says of something that is not maintained.
const STATES: [&str; 4] = ["archived", "deprecated", "obsolete", "unmaintained"];

/// Whether a title is a state, or has one in brackets: `# Shop (deprecated)`.
fn is_marked(title: &str) -> bool {
    let title = title.to_lowercase();
    STATES.iter().any(|state| {
        title.trim() == *state
            || [("[", "]"), ("(", ")")]
                .iter()
                .any(|(open, close)| title.contains(&format!("{open}{state}{close}")))
    })
}

/// Whether a title begins with a state in capitals: `# DEPRECATED: shop`.
fn is_labelled(title: &str) -> bool {
    title.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).is_some_and(is_label)
}

/// Whether a text is nothing but a state in capitals. What follows may restrict it: `DEPRECATED: not needed with a newer shop`.
fn is_label(text: &str) -> bool {
    STATES.iter().any(|state| text == state.to_uppercase())
}

/// How many words after "has moved to" its new address may begin: `to the repository: https://…`.
const MOST_WORDS: usize = 5;

/// What a README is about.
const SUBJECTS: [&str; 14] = [
    "application",
    "catalog",
    "chart",
    "charts",
    "directory",
    "folder",
    "image",
    "operator",
    "package",
    "project",
    "repo",
    "repository",
    "service",
    "tool",
];

/// Whether a line tells the end of its subject: `This repository has been deprecated in favor of …`.
fn tells_end(line: &str) -> bool {
    let line = line.to_lowercase();
    let words: Vec<_> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut starts = words.iter().enumerate().filter(|(_, word)| **word == "this");
    starts.any(|(at, _)| {
        // `This Helm chart is …`.
        let rest = &words[at + 1..];
        let subject = rest.iter().take(2).position(|word| SUBJECTS.contains(word));
        subject.is_some_and(|subject| is_end(&rest[subject + 1..]))
    })
}

/// Whether words are what has become of a subject: `is no longer maintained`, `has been archived`.
fn is_end(words: &[&str]) -> bool {
    if let ["has" | "have", "been", rest @ ..] | ["has" | "have" | "was", rest @ ..] = words
        && let ["migrated" | "moved", "to", place @ ..] = rest
    {
        return place.iter().take(MOST_WORDS).any(|word| *word == "https");
    }
    let rest = match words {
        ["has" | "have", "been", rest @ ..] | ["is" | "are" | "was", rest @ ..] => rest,
        _ => return false,
    };
    let rest = match rest {
        ["now" | "officially", rest @ ..] => rest,
        rest => rest,
    };
    match rest {
        ["no", "longer", "maintained" | "supported" | "developed", ..] => true,
        [state, ..] => STATES.contains(state),
        [] => false,
    }
}

/// What to say of READMEs that hide findings.
pub(crate) fn note(said: impl Iterator<Item = impl AsRef<str>>) -> Vec<String> {
    said.map(|said| format!("{}: `--pedantic` shows the findings there", said.as_ref())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_says_that_its_folder_is_not_deployed() {
        let off = "Currently not deployed but revert the change to enable it again.";
        assert!(is_switched_off(&format!("# Demo\n\nA demo of the shop.\n\n> {off}\n")));
        for text in ["The seed is not deployed by default.", "If not deployed, call us."] {
            assert!(!is_switched_off(&format!("# Demo\n\n{text}\n")), "{text}");
        }
    }

    #[test]
    fn only_the_end_of_what_a_readme_describes_counts() {
        for text in [
            "# [[DEPRECATED] moving forward to Stall](https://shop.example)\n",
            "# Shop (deprecated)\n\nSells.\n",
            "# Deprecated\n",
            "# Shop\n\n**DEPRECATED!**\n",
            "# DEPRECATED: shop\n",
            "# Shop\n\n> **_IMPORTANT:_** This repository has been deprecated in favor of the stall.\n",
            "# Shop\n\n> **:exclamation: This Helm Chart is deprecated!**\n",
            "# Shop\n## This service is no longer maintained\n",
            "# Repo Migration\n\nThis project has migrated to the repo: https://git.example/shop\n",
        ] {
            assert!(is_deprecation(text), "{text}");
        }
        for text in [
            "# Remove deprecated versions\n\nFinds deprecated and archived objects.\n",
            "# Shop\n\nA fork of github.com/a/b, which was archived.\n",
            "# Shop\n\nThis chart is not maintained by the upstream project.\n",
            "# Shop\n\nThe repository at https://a.example is deprecated: this project has moved it.\n",
            "# Shop\n\n**DEPRECATED: not needed with a newer stall**\n",
            "# Shop\n\nThis project has moved to a newer Go.\n",
            "# Shop\n\nThe field `a` is deprecated. This project is for shops.\n",
        ] {
            assert!(!is_deprecation(text), "{text}");
        }
        for (text, named) in [
            (
                "# Test\n### Kubernetes folder\nWhat is causing the error on each of these manifests?\n",
                Some("kubernetes"),
            ),
            ("# Jobs\n\n- What is wrong with this manifest?\n", None),
        ] {
            assert!(is_exercise(text, named), "{text}");
        }
        for (text, named) in [
            ("# Test\n## Docker\nWhat is wrong with this image?\n## Jobs\n", Some("jobs")),
            ("# Jobs\n\nWhat happens if this Job ends?\n", None),
            ("# Jobs\n\nThis Job ends with an error.\n", None),
            ("# Jobs\n\nWhat to do about errors?\n", None),
        ] {
            assert!(!is_exercise(text, named), "{text}");
        }
        assert!(is_reproducer(
            "# Bug\nThis is a reproducer for\nhttps://a.example/shop/issues/1.\n"
        ));
        assert!(!is_reproducer("# Shop\nBuilds are reproducible.\n"));
        let late = format!("# Shop\n{}This project is deprecated.\n", "More.\n".repeat(FIRST));
        assert!(!is_deprecation(&late));
    }
}
