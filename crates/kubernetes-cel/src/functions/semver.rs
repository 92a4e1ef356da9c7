//! Semantic versions.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::value::{Inner, Opaque, Value};

use super::{Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("semver", |call| match version(call)? {
        Ok(version) => Ok(Value::Opaque(Opaque(Inner::Semver(Arc::new(version))))),
        Err(message) => Err(Failure::Error(message)),
    }),
    ("isSemver", |call| version(call).map(|version| Value::Bool(version.is_ok()))),
    ("major", |call| part(call, |version| version.numbers[0])),
    ("minor", |call| part(call, |version| version.numbers[1])),
    ("patch", |call| part(call, |version| version.numbers[2])),
];

/// A version. Build metadata has no order.
#[derive(Debug)]
pub(crate) struct Version {
    numbers: [u64; 3],
    pre: Vec<Identifier>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
}

impl Version {
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| {
            match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => self.pre.cmp(&other.pre),
            }
        })
    }
}

fn version(call: &Call) -> Result<Result<Version, String>, Failure> {
    match call.arguments {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => Ok(parse(text)),
        [Value::String(text), Value::Bool(true)] => {
            Ok(normalized(text).and_then(|text| parse(&text)))
        }
        _ => Err(Failure::NoOverload),
    }
}

fn part(call: &Call, of: fn(&Version) -> u64) -> Result<Value, Failure> {
    match call.arguments {
        [Value::Opaque(Opaque(Inner::Semver(version)))] => {
            Ok(Value::Int(of(version).cast_signed()))
        }
        _ => Err(Failure::NoOverload),
    }
}

/// The order of two versions.
pub(super) fn order(call: &Call) -> Result<Ordering, Failure> {
    match call.arguments {
        [
            Value::Opaque(Opaque(Inner::Semver(left))),
            Value::Opaque(Opaque(Inner::Semver(right))),
        ] => Ok(left.cmp(right)),
        _ => Err(Failure::NoOverload),
    }
}

/// The version with `v` and leading zeros taken away and missing parts added.
fn normalized(text: &str) -> Result<String, String> {
    let parts = text.strip_prefix('v').unwrap_or(text).splitn(3, '.');
    let mut parts: Vec<String> = parts
        .map(|part| {
            let trimmed = part.trim_start_matches('0');
            let is_number = trimmed.starts_with(|first: char| first.is_ascii_digit());
            if part.len() <= 1 || is_number {
                if part.len() <= 1 { part } else { trimmed }.to_owned()
            } else {
                format!("0{trimmed}")
            }
        })
        .collect();
    if parts.len() < 3 && parts.last().is_some_and(|last| last.contains(['+', '-'])) {
        return Err("short version cannot contain PreRelease/Build meta data".to_owned());
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn parse(text: &str) -> Result<Version, String> {
    if text.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<_> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts[..] else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let (rest, build) =
        rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    let numbers = [
        number(major, "Major", "major")?,
        number(minor, "Minor", "minor")?,
        number(patch, "Patch", "patch")?,
    ];
    let pre: Result<_, _> = pre.iter().flat_map(|pre| pre.split('.')).map(identifier).collect();
    let pre = pre?;
    for part in build.iter().flat_map(|build| build.split('.')) {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !is_identifier(part) {
            return Err(format!("Invalid character(s) found in build meta data {part:?}"));
        }
    }
    Ok(Version { numbers, pre })
}

fn number(text: &str, upper: &str, lower: &str) -> Result<u64, String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("Invalid character(s) found in {lower} number {text:?}"));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{upper} number must not contain leading zeroes {text:?}"));
    }
    integer(text)
}

fn integer(text: &str) -> Result<u64, String> {
    let why = if text.is_empty() { "invalid syntax" } else { "value out of range" };
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {text:?}: {why}"))
}

fn is_identifier(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {text:?}"
            ));
        }
        return integer(text).map(Identifier::Number);
    }
    if !is_identifier(text) {
        return Err(format!("Invalid character(s) found in prerelease {text:?}"));
    }
    Ok(Identifier::Text(text.to_owned()))
}
