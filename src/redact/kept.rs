//! Names that no mask replaces, because readers and tools look for them: keys of YAML, the segments of paths, and whole
//! paths.
//!
//! Only a secret value that looks like a name or such a path is kept; everything else is masked in these places too.

use std::{collections::BTreeSet, ops::Range, sync::LazyLock};

use job_lifecycle::kubernetes::schema;
use yaml_spans::Span;

/// Longer words are passphrases, not names.
const LONGEST_WORD: usize = 15;

/// How paths in messages and templates begin.
const ROOTS: [&str; 7] =
    ["Values.", ".Values.", "$.Values.", "spec.", "metadata.", "data.", "stringData."];

/// The fields of the batch API, in lower case.
static FIELDS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| schema::field_names().map(str::to_lowercase).collect());

/// True for a field of Jobs and CronJobs, such as `mountPath`.
pub(super) fn is_field(value: &str) -> bool {
    FIELDS.contains(&value.to_lowercase())
}

/// True if the span of a source is in the key of a YAML mapping and looks like a name.
pub(super) fn is_key(text: &str, span: Span) -> bool {
    let Range { start, end } = token(text, span);
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = text[line..start].trim_end_matches(['"', '\'']);
    let starts = before.chars().all(|c| " \t-".contains(c))
        || before.contains('{')
            && before.trim_end().ends_with(['{', ','])
            && !before.contains(['"', '\'', '#']);
    let after = text[end..].trim_start_matches(['"', '\'']);
    let is_key = after
        .strip_prefix(':')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\n', '\r']));
    starts && is_key && is_name(&text[span.range()])
}

/// True if the span is in a path such as `spec.volumes[0].name` or `.Values.auth.user` and looks like a name.
pub(super) fn is_segment(text: &str, span: Span) -> bool {
    let path = &text[token(text, span)];
    ROOTS.iter().any(|root| path.starts_with(root)) && is_name(&text[span.range()])
}

/// What surrounds a span without white space or punctuation other than that of paths.
fn token(text: &str, span: Span) -> Range<usize> {
    let outside = |c: char| !c.is_alphanumeric() && !"_.-$[]/".contains(c);
    let Range { start, end } = span.range();
    let start = text[..start]
        .rfind(outside)
        .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    start..text[end..].find(outside).map_or(text.len(), |at| end + at)
}

/// True for words in lower case that are joined by `-`, `_` or `.`, with at most two digits each: `oauth2-proxy`.
/// A word alone is short and has no digits.
pub(super) fn is_name(value: &str) -> bool {
    let words: Vec<&str> = value.split(['-', '_', '.']).collect();
    let is_word = |word: &&str| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        !word.is_empty()
            && word.len() <= LONGEST_WORD
            && word.len() - letters.len() <= 2
            && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    words.iter().all(is_word) && (words.len() > 1 || !has_digit)
}

/// True for an absolute path of at least two names or versions: `/v1/secret`.
pub(super) fn is_path(value: &str) -> bool {
    let is_version = |part: &str| {
        part.strip_prefix('v').is_some_and(|rest| {
            (1..=2).contains(&rest.len()) && rest.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let Some(path) = value.strip_prefix('/') else { return false };
    let segments: Vec<&str> = path.split('/').collect();
    segments.len() > 1 && segments.iter().all(|part| is_version(part) || is_name(part))
}

/// True for the address of a server by its name, without a user, a query or more of a path: `http://shop-db:8080/`.
pub(super) fn is_address(value: &str) -> bool {
    let Some((scheme, authority)) = value.split_once("://") else { return false };
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    let is_port = (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    is_name(scheme) && is_name(host) && is_port
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str, word: &str) -> Span {
        let at = text.find(word).unwrap();
        Span::new(at, at + word.len())
    }

    #[test]
    fn keys_that_look_like_names() {
        for (text, word, expected) in [
            ("keyring: a", "keyring", true),
            ("a:\n  - \"keyring\": b", "keyring", true),
            ("{a: b, keyring: c}", "keyring", true),
            ("oauth2-proxy:\n  x: y", "oauth2-proxy", true),
            ("open-sesame: 1", "sesame", true),
            ("a: keyring", "keyring", false),
            ("- keyring", "keyring", false),
            ("url: postgres://keyring:5432", "keyring", false),
            ("# keyring: a", "keyring", false),
            ("a: \"b, keyring: c\"", "keyring", false),
            ("a: b, keyring: c", "keyring", false),
            ("hunter2: a", "hunter2", false),
            ("OpenSesame: a", "OpenSesame", false),
            ("correcthorsebattery: a", "correcthorsebattery", false),
            ("summer-2024: a", "summer-2024", false),
        ] {
            assert_eq!(is_key(text, span(text, word)), expected, "{text}");
        }
    }

    #[test]
    fn segments_of_paths() {
        for (text, word, expected) in [
            ("`spec.keyring[0].name` is wrong", "keyring", true),
            ("{{ .Values.auth.keyring }}", "keyring", true),
            ("Values.keyring.user", "keyring", true),
            ("at db.keyring.svc", "keyring", false),
            ("bad keyring", "keyring", false),
            (".Values.hunter2", "hunter2", false),
        ] {
            assert_eq!(is_segment(text, span(text, word)), expected, "{text}");
        }
    }

    #[test]
    fn paths_of_names_and_versions() {
        for (value, expected) in [
            ("/v1/secret", true),
            ("/run/secrets/oauth2-proxy", true),
            ("/hunter", false),
            ("v1/secret", false),
            ("/v1/hunter2", false),
            ("/v123/secret", false),
            ("/a//b", false),
            ("/Ab/cd", false),
        ] {
            assert_eq!(is_path(value), expected, "{value}");
        }
    }

    #[test]
    fn fields() {
        assert!(is_field("mountPath") && is_field("IMAGE") && !is_field("hunter2"));
    }

    #[test]
    fn addresses_of_servers() {
        for (value, expected) in [
            ("http://shop-db.shop.svc:8080/", true),
            ("redis://cache:6379", true),
            ("https://issuers.example.com", true),
            ("https://root:hunter@shop.example.com", false),
            ("https://hunter2@shop", false),
            ("https://hooks.example.com/services/T0/B0/x", false),
            ("https://shop.example.com?key=x", false),
            ("https://a81bc3d2f0.example.com", false),
            ("https://shop:hunter", false),
            ("shop:8080", false),
        ] {
            assert_eq!(is_address(value), expected, "{value}");
        }
    }
}
