//! Where the facts behind a forecast are published: `docs/facts`, cited as file and section.

use crate::rules::SITE;

/// The address of a cited fact: `helm A.11` is `https://joblint.dev/facts/helm#a.11`.
pub(crate) fn url(citation: &str) -> String {
    let (file, section) = citation.split_once(' ').unwrap_or((citation, ""));
    format!("{SITE}/facts/{file}#{}", section.to_lowercase())
}
