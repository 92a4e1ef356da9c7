//! "Did you mean …?" for options of the form `Key=value`, as Argo CD's sync options are.

use crate::suggest::{nearest, rank, words};

/// The known option that a wrong one means; `None` if that is uncertain. The key may be in another case, have other
/// separators, be misspelt, or lack some of its words; the value is never the opposite of what is written.
pub fn meant_option<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (key, value) = parts(wrong);
    let known: Vec<_> = known.into_iter().collect();
    if let Some(negated) = known.iter().find(|option| negates(key, option)) {
        return Some(negated).filter(|_| matches!(value, "" | "true")).copied();
    }
    let rated = known.into_iter().filter_map(|option| {
        let (known_key, known_value) = parts(option);
        Some(((rate_key(key, known_key)?, rate_value(value, known_value)?), option))
    });
    let mut rated: Vec<_> = rated.collect();
    rated.sort_by_key(|(rating, _)| *rating);
    match rated.as_slice() {
        [first, second, ..] if first.0 == second.0 => None,
        [first, ..] => Some(first.1),
        [] => None,
    }
}

/// Words that say no to what follows.
const NO: [&str; 3] = ["disable", "no", "skip"];

/// Whether a key says no to what an option sets to `false`: `SkipPrune` for `Prune=false`.
fn negates(key: &str, option: &str) -> bool {
    let (known, value) = parts(option);
    let own = words(key);
    let rest = own.split_first().filter(|(first, _)| NO.contains(&&***first));
    value == "false" && rest.is_some_and(|(_, rest)| rest.concat() == words(known).concat())
}

fn parts(option: &str) -> (&str, &str) {
    let (key, value) = option.split_once(['=', ':']).unwrap_or((option, ""));
    (key.trim(), value.trim())
}

/// How far a key is from a known one: 0 for the same letters, then the edits, then 9 if words are missing.
fn rate_key(key: &str, known: &str) -> Option<usize> {
    let (own, all) = (words(key), words(known));
    if own.concat() == all.concat() {
        return Some(0);
    }
    if let Some(rank) = rank(key, known) {
        return Some(rank);
    }
    let mut rest = all.iter();
    let is_part = own.len() > 1 && own.iter().all(|word| rest.any(|other| other == word));
    is_part.then_some(9)
}

/// How far a value is from a known one; `None` for an opposite or another one.
fn rate_value(value: &str, known: &str) -> Option<usize> {
    match (truth(value), truth(known)) {
        _ if value.eq_ignore_ascii_case(known) => Some(0),
        (Some(one), Some(other)) => (one == other).then_some(1),
        _ if value.is_empty() => Some(2),
        _ => nearest(value, [known]).map(|_| 1),
    }
}

/// Whether a value says yes or no.
fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" | "enabled" => Some(true),
        "false" | "no" | "off" | "0" | "disabled" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::APP_OPTIONS, *};

    #[test]
    fn options_are_recognised_by_key_and_value() {
        for (wrong, expected) in [
            ("createNamespace=true", Some("CreateNamespace=true")),
            ("create-namespace=True", Some("CreateNamespace=true")),
            ("Create Namespace: true", Some("CreateNamespace=true")),
            ("CreateNamepsace=true", Some("CreateNamespace=true")),
            ("CreateNamespace", Some("CreateNamespace=true")),
            ("ServerSide=true", Some("ServerSideApply=true")),
            ("SkipDryRun=yes", Some("SkipDryRunOnMissingResource=true")),
            ("ClientSideMigration=false", Some("ClientSideApplyMigration=false")),
            ("PrunePropagationPolicy=Foreground", Some("PrunePropagationPolicy=foreground")),
            ("PropagationPolicy=orphans", Some("PrunePropagationPolicy=orphan")),
            // The opposite, or one of several.
            ("CreateNamespace=no", None),
            ("Prune", None),
            ("Apply=true", None),
            ("ForceSync=true", None),
        ] {
            assert_eq!(meant_option(wrong, APP_OPTIONS.iter().copied()), expected, "{wrong}");
        }
    }

    #[test]
    fn a_word_that_says_no_means_false() {
        let known = ["Delete=false", "Prune=false", "Replace=true"];
        for (wrong, expected) in [
            ("SkipPrune", Some("Prune=false")),
            ("no-prune=true", Some("Prune=false")),
            ("DisableDelete=true", Some("Delete=false")),
            ("SkipPrune=false", None),
            ("SkipReplace=true", None),
        ] {
            assert_eq!(meant_option(wrong, known), expected, "{wrong}");
        }
    }
}
