//! Computes the next value of a tag, digest, image reference or version.

use std::sync::Arc;

use helm_render::values::Tree;

/// What a value is, which decides on its next value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// `1.4.2` of an image.
    Tag,
    /// `sha256:…`.
    Digest,
    /// `shop/app:1.4.2`.
    Reference,
    /// `16.2` of something other than an image.
    Version,
    /// The part of an image's name that carries a version: `app-1.4` becomes `app-1.5`.
    Inside { from: Arc<str>, to: Arc<str> },
}

/// The value that a release sets; `None` for a value that has no next one.
pub(super) fn next_value(value: &Tree, role: &Role) -> Option<Tree> {
    match value {
        Tree::Str(text) => Some(Tree::Str(
            match role {
                Role::Tag | Role::Digest => next_of(text),
                Role::Reference => {
                    let name = text.split('@').next()?;
                    let (before, _) = reference(name).or_else(|| reference(text))?;
                    format!("{before}{}", next_of(&text[before.len()..]))
                }
                Role::Version => next_version(text),
                Role::Inside { from, to } => text.replace(&**from, to),
            }
            .into(),
        )),
        Tree::Int(number) => Some(Tree::Int(number.checked_add(1)?)),
        Tree::Float(number) => next_version(&number.to_string()).parse().ok().map(Tree::Float),
        Tree::Null | Tree::Bool(_) | Tree::List(_) | Tree::Table(_) => None,
    }
}

/// The next tag or digest, or those of a new version: `1.4.2@sha256:…`.
pub(crate) fn next_of(version: &str) -> String {
    match version.split_once('@') {
        Some((tag, digest)) if is_digest(digest) && !tag.is_empty() => {
            format!("{}@{}", next_version(tag), next_digest(digest))
        }
        _ if is_digest(version) => next_digest(version),
        _ => next_version(version),
    }
}

/// Increments the last number of the first dotted version: `v1.4.9-alpine3` becomes `v1.4.10-alpine3`. Numbers at the end of
/// words count only if there are no others: `dcp1-version_20211108.5` becomes `dcp1-version_20211108.6`. A text without a
/// number gets the suffix `-1`.
pub fn next_version(text: &str) -> String {
    let Some(start) = version_start(text) else { return format!("{text}-1") };
    let run = text[start..].find(|c: char| !c.is_ascii_digit() && c != '.');
    let end = run.map_or(text.len(), |run| start + run);
    let end = start + text[start..end].trim_end_matches('.').len();
    let number = text[start..end].rfind('.').map_or(start, |dot| start + dot + 1);
    match text[number..end].parse::<u128>().ok().and_then(|value| value.checked_add(1)) {
        Some(next) => {
            let width = end - number;
            format!("{}{next:0width$}{}", &text[..number], &text[end..])
        }
        None => format!("{text}-1"),
    }
}

/// Where the version in a text starts: the first number that is a word of its own or has a `v` before it, or else the last
/// number.
fn version_start(text: &str) -> Option<usize> {
    let is_digit = |at: usize| text.as_bytes()[at].is_ascii_digit();
    let is_run = |at: &usize| {
        let before = at.checked_sub(1);
        is_digit(*at) && before.is_none_or(|at| !is_digit(at) && text.as_bytes()[at] != b'.')
    };
    let is_word = |at: &usize| {
        let word = text[..*at].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        matches!(word, "" | "v" | "V")
    };
    let mut words = (0..text.len()).filter(|at| is_digit(*at)).filter(is_word);
    words.next().or_else(|| (0..text.len()).rfind(is_run))
}

fn next_digest(text: &str) -> String {
    let other = if text.ends_with('0') { '1' } else { '0' };
    let mut next = text.to_owned();
    next.pop();
    next.push(other);
    next
}

/// The next value of an image's name in whose last segment somebody wrote a version: `shop/app-1.4`.
pub(super) fn versioned_name(text: &str) -> Option<Role> {
    let start = text.rfind('/').map_or(0, |at| at + 1);
    let last = &text[start..];
    let is_version = |part: &str| is_version(part) && !is_address(part);
    let part = last.split(['-', '_']).find(|part| is_version(part))?;
    let to = last.replacen(part, &next_version(part), 1);
    Some(Role::Inside { from: last.into(), to: to.into() })
}

pub(crate) fn is_digest(text: &str) -> bool {
    let hex = text.rsplit(':').next().unwrap_or_default();
    hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a text is a version: at least two dotted numbers, an optional `v` before and any suffix
/// after a hyphen, plus or underscore.
pub(crate) fn is_version(text: &str) -> bool {
    let core = core(text);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    core.contains('.') && core.split('.').all(is_number)
}

/// Returns whether a text cannot be much else than a version: three dotted numbers.
pub(super) fn is_semantic_version(text: &str) -> bool {
    is_version(text) && core(text).split('.').count() == 3
}

/// Returns whether a text looks like an IP address.
fn is_address(text: &str) -> bool {
    core(text).split('.').count() == 4
}

fn core(text: &str) -> &str {
    let core = text.strip_prefix('v').unwrap_or(text);
    core.split(['-', '+', '_']).next().unwrap_or_default()
}

/// Splits an image reference before its tag or digest.
pub(crate) fn reference(text: &str) -> Option<(&str, &str)> {
    let at = text.find('@').or_else(|| text.rfind(':'))?;
    let (before, after) = text.split_at(at + 1);
    let is_tag = !after.is_empty() && !after.contains('/') && before.len() > 1;
    is_tag.then_some((before, after))
}

/// The text of a scalar that may have a version in it.
pub(super) fn text(value: &Tree) -> Option<String> {
    match value {
        Tree::Str(text) => Some(text.to_string()),
        Tree::Int(number) => Some(number.to_string()),
        Tree::Float(number) => Some(number.to_string()),
        Tree::Null | Tree::Bool(_) | Tree::List(_) | Tree::Table(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_version() {
        for (text, next) in [
            ("1.4.9", "1.4.10"),
            ("v3", "v4"),
            ("2.0-alpine3.14", "2.1-alpine3.14"),
            ("v1.36.0-alpine", "v1.36.1-alpine"),
            ("1.1.0-dev", "1.1.1-dev"),
            ("RELEASE.2024-01-31", "RELEASE.2025-01-31"),
            ("007", "008"),
            ("latest", "latest-1"),
            ("1.", "2."),
            ("dcp1-version_20211108.5", "dcp1-version_20211108.6"),
            ("python3.9", "python3.10"),
            ("alpine3-v2.1", "alpine3-v2.2"),
        ] {
            assert_eq!(next_version(text), next);
        }
    }

    #[test]
    fn a_new_version_has_a_new_digest() {
        let digest =
            |last: char| format!("sha256:{}{last}", "0123456789abcde".repeat(5)[..63].to_owned());
        let (old, new) = (digest('f'), digest('0'));
        let next = |text: String, role| super::text(&next_value(&Tree::Str(text.into()), &role)?);
        let both = Some(format!("1.4.3@{new}"));
        assert_eq!(next(format!("1.4.2@{old}"), Role::Tag), both);
        assert_eq!(next(format!("1.4.2@{old}"), Role::Digest), both);
        assert_eq!(next(old.clone(), Role::Digest), Some(new.clone()));
        for (from, to) in [("app:1.4.2", "app:1.4.3"), ("app", "app"), ("r:5000/app", "r:5000/app")]
        {
            let found = next(format!("{from}@{old}"), Role::Reference);
            assert_eq!(found, Some(format!("{to}@{new}")));
        }
    }

    #[test]
    fn the_next_name() {
        let next = |text: &str| {
            let role = versioned_name(text)?;
            super::text(&next_value(&Tree::Str(text.into()), &role)?)
        };
        assert_eq!(next("shop/app-1.4"), Some("shop/app-1.5".to_owned()));
        assert_eq!(
            next("registry1.example.com/shop/v2.0-app"),
            Some("registry1.example.com/shop/v2.1-app".to_owned())
        );
        for text in
            ["shop/app", "shop2/app", "10.0.0.1", "registry1.example.com/app", "shop/python3"]
        {
            assert_eq!(next(text), None, "{text}");
        }
    }
}
