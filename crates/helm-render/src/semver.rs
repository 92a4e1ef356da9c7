//! ChartVersions and constraints as Masterminds/semver 3.5 parses them: lenient versions (`v1.2`), and
//! constraints with `,`, spaces, `||`, ranges, `~`, `^` and wildcards.

mod constraint;

use std::{cmp::Ordering, fmt};

pub(crate) use constraint::Constraint;

/// A version; missing numbers are 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    /// Without its `-`; may be empty.
    pub pre: String,
    /// Without its `+`; may be empty.
    pub metadata: String,
    /// The text as parsed.
    pub original: String,
}

const MAX_LEN: usize = 256;

const INVALID: &str = "invalid semantic version";
const STARTS_ZERO: &str = "version segment starts with 0";

impl Version {
    /// `semver.NewVersion`; the error is Go's message.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LEN {
            return Err(format!("version string is too long (max {MAX_LEN} bytes)"));
        }
        let is_digit = |c: char| c.is_ascii_digit();
        let (major, rest) = take(text.strip_prefix('v').unwrap_or(text), is_digit);
        let (minor, rest) = after(rest, '.', is_digit);
        let (patch, rest) = if minor.is_empty() { ("", rest) } else { after(rest, '.', is_digit) };
        let (pre, rest) = identifiers(rest, '-');
        let (metadata, rest) = identifiers(rest, '+');
        if major.is_empty() || !rest.is_empty() {
            return Err(INVALID.into());
        }
        let version = Self {
            major: segment(major)?,
            minor: segment(minor)?,
            patch: segment(patch)?,
            pre: pre.strip_prefix('-').unwrap_or(pre).into(),
            metadata: metadata.strip_prefix('+').unwrap_or(metadata).into(),
            original: text.into(),
        };
        let starts_zero = |part: &str| {
            part.len() > 1 && part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit())
        };
        if version.pre.split('.').any(starts_zero) {
            return Err(STARTS_ZERO.into());
        }
        Ok(version)
    }

    /// `Version.Compare`: the precedence, which ignores metadata.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| {
            match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_pre(&self.pre, &other.pre),
            }
        })
    }
}

/// Whether a version takes precedence over another; false if either does not parse.
pub fn is_newer(version: &str, other: &str) -> bool {
    let parsed = Version::parse(version).ok().zip(Version::parse(other).ok());
    parsed.is_some_and(|(version, other)| version.compare(&other) == Ordering::Greater)
}

/// Whether a version satisfies a constraint; false if either does not parse.
pub(crate) fn is_compatible(constraint: &str, version: &str) -> bool {
    let parsed = Version::parse(version).ok().zip(Constraint::parse(constraint).ok());
    parsed.is_some_and(|(version, constraint)| constraint.check(&version))
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

/// The number of a segment that may start with a point.
fn segment(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('.').unwrap_or(text);
    if digits.is_empty() {
        return Ok(0);
    }
    digits.parse().map_err(|_| {
        let problem = format!("strconv.ParseUint: parsing \"{digits}\": value out of range");
        format!("error parsing version segment: {problem}")
    })
}

fn compare_pre(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) if a == b => Ordering::Equal,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

fn take(text: &str, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()))
}

/// A mark followed by at least one character, or nothing.
fn after(text: &str, mark: char, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    let Some(rest) = text.strip_prefix(mark) else { return ("", text) };
    let (part, _) = take(rest, is_part);
    text.split_at(if part.is_empty() { 0 } else { mark.len_utf8() + part.len() })
}

/// Dotted identifiers after a mark.
fn identifiers(text: &str, mark: char) -> (&str, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let (first, mut rest) = after(text, mark, is_part);
    while !first.is_empty() {
        let (next, beyond) = after(rest, '.', is_part);
        if next.is_empty() {
            break;
        }
        rest = beyond;
    }
    text.split_at(text.len() - rest.len())
}
