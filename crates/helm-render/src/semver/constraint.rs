//! Version constraints.

use std::{cmp::Ordering, sync::LazyLock};

use go_template::quote::quote;
use regex::Regex;

use super::{Version, after, identifiers, take};

/// Alternatives, separated by `||`, of conditions that must all hold.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    alternatives: Vec<Vec<Condition>>,
}

#[derive(Clone, Debug)]
struct Condition {
    operator: Operator,
    version: Version,
    /// The version has a wildcard or lacks a number.
    is_partial: bool,
    /// Which part is missing: the minor version, or only the patch version.
    any_minor: bool,
    any_patch: bool,
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    TildeOrEqual,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Tilde,
    Caret,
}

const MAX_LEN: usize = 512;
const MAX_GROUPS: usize = 32;

const VERSION: &str = "v?([0-9|x|X|\\*]+)(\\.[0-9|x|X|\\*]+)?(\\.[0-9|x|X|\\*]+)?\
                       (-([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?\
                       (\\+([0-9A-Za-z\\-]+(\\.[0-9A-Za-z\\-]+)*))?";
const SPACE: &str = r"[\t\n\f\r ]";

/// Compiled only for constraints that contain a range.
static RANGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("{SPACE}*({VERSION}){SPACE}+-{SPACE}+({VERSION}){SPACE}*")));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant")
}

impl Constraint {
    /// `semver.NewConstraint`; the error is Go's message.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LEN {
            return Err(format!("constraint string is too long (max {MAX_LEN} bytes)"));
        }
        let text = without_ranges(text);
        let groups: Vec<&str> = text.split("||").collect();
        if groups.len() > MAX_GROUPS {
            return Err(format!("too many constraint groups (max {MAX_GROUPS})"));
        }
        let alternatives = groups.into_iter().map(conditions).collect::<Result<_, _>>()?;
        Ok(Self { alternatives })
    }

    /// Whether a version satisfies the constraint. A pre-release does so only if a condition names
    /// a pre-release.
    pub(crate) fn check(&self, version: &Version) -> bool {
        self.alternatives.iter().any(|conditions| {
            let names_pre = conditions.iter().any(|condition| !condition.version.pre.is_empty());
            (names_pre || version.pre.is_empty()) && conditions.iter().all(|c| c.holds(version))
        })
    }
}

/// The conditions of a group, separated by spaces, a comma, or both.
fn conditions(group: &str) -> Result<Vec<Condition>, String> {
    let mut conditions = Vec::new();
    let mut rest = group.trim_start_matches(SPACES);
    loop {
        let (parts, after) = ConditionText::split(rest).ok_or_else(|| improper(group))?;
        conditions.push(Condition::new(&parts)?);
        rest = after.trim_start_matches(SPACES);
        if rest.is_empty() {
            return Ok(conditions);
        }
        match rest.strip_prefix(',') {
            Some(next) => rest = next.trim_start_matches(SPACES),
            None if rest.len() == after.len() => return Err(improper(group)),
            None => {}
        }
    }
}

/// The characters that `\s` matches in Go.
const SPACES: [char; 5] = ['\t', '\n', '\x0C', '\r', ' '];

/// One condition as written.
struct ConditionText<'t> {
    operator: &'t str,
    /// Everything after the operator.
    version: &'t str,
    major: &'t str,
    /// The minor and patch versions include their dots, the pre-release its hyphen.
    minor: &'t str,
    patch: &'t str,
    pre: &'t str,
}

impl<'t> ConditionText<'t> {
    /// The condition at the start of a text, and the rest.
    fn split(text: &'t str) -> Option<(Self, &'t str)> {
        let (operator, rest) = take(text, |c| "=!<>~^".contains(c));
        if !["", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^"].contains(&operator) {
            return None;
        }
        let version = rest.trim_start_matches(SPACES);
        let rest = version.strip_prefix('v').unwrap_or(version);
        let is_number = |c: char| c.is_ascii_digit() || "|xX*".contains(c);
        let (major, rest) = take(rest, is_number);
        if major.is_empty() {
            return None;
        }
        let (minor, rest) = after(rest, '.', is_number);
        let (patch, rest) = if minor.is_empty() { ("", rest) } else { after(rest, '.', is_number) };
        let (pre, rest) = identifiers(rest, '-');
        let (_, rest) = identifiers(rest, '+');
        let version = &version[..version.len() - rest.len()];
        Some((Self { operator, version, major, minor, patch, pre }, rest))
    }
}

fn improper(text: &str) -> String {
    format!("improper constraint: {}", quote(text.as_bytes()))
}

/// Replaces ranges: `1 - 2` means `>= 1, <= 2`.
fn without_ranges(text: &str) -> String {
    let mut rewritten = text.to_owned();
    if !text.split(SPACES).any(|word| word == "-") {
        return rewritten;
    }
    for captures in RANGE.captures_iter(text) {
        let (low, high) = (&captures[1], captures.get(11).map_or("", |high| high.as_str()));
        rewritten = rewritten.replacen(&captures[0], &format!(">= {low}, <= {high} "), 1);
    }
    rewritten
}

impl Condition {
    fn new(parts: &ConditionText<'_>) -> Result<Self, String> {
        let ConditionText { major, minor, patch, pre, .. } = parts;
        let is_any = |part: &str| matches!(part, "" | "x" | "*" | "X" | ".x" | ".*" | ".X");
        let mut condition = Self {
            operator: operator(parts.operator),
            version: Version::parse("0.0.0")?,
            is_partial: true,
            any_minor: false,
            any_patch: false,
        };
        let version = if is_any(major) {
            format!("0.0.0{pre}")
        } else if is_any(minor) {
            condition.any_minor = true;
            format!("{major}.0.0{pre}")
        } else if is_any(patch) {
            condition.any_patch = true;
            format!("{major}{minor}.0{pre}")
        } else {
            condition.is_partial = false;
            parts.version.to_owned()
        };
        condition.version = Version::parse(&version).map_err(|_| "constraint parser error")?;
        Ok(condition)
    }

    fn holds(&self, version: &Version) -> bool {
        let order = version.compare(&self.version);
        match self.operator {
            Operator::TildeOrEqual if !self.is_partial => order == Ordering::Equal,
            Operator::TildeOrEqual | Operator::Tilde => self.holds_tilde(version, order),
            Operator::NotEqual => self.holds_not_equal(version, order),
            Operator::Greater => self.holds_greater(version, order),
            Operator::Less => order == Ordering::Less,
            Operator::GreaterOrEqual => order != Ordering::Less,
            Operator::LessOrEqual if !self.is_partial => order != Ordering::Greater,
            Operator::LessOrEqual => {
                let limit = &self.version;
                let is_beyond = version.major > limit.major
                    || version.major == limit.major
                        && version.minor > limit.minor
                        && !self.any_minor;
                !is_beyond
            }
            Operator::Caret => self.holds_caret(version, order),
        }
    }

    fn holds_not_equal(&self, version: &Version, order: Ordering) -> bool {
        let other = &self.version;
        if self.is_partial {
            if version.major != other.major {
                return true;
            }
            if self.any_minor {
                return false;
            }
            if version.minor != other.minor {
                return true;
            }
            if self.any_patch {
                let names_pre = !version.pre.is_empty() || !other.pre.is_empty();
                return names_pre && super::compare_pre(&version.pre, &other.pre).is_ne();
            }
            if version.patch != other.patch {
                return true;
            }
        }
        order != Ordering::Equal
    }

    fn holds_greater(&self, version: &Version, order: Ordering) -> bool {
        if !self.is_partial || version.major != self.version.major {
            return order == Ordering::Greater;
        }
        if self.any_minor {
            return false;
        }
        if self.any_patch {
            return version.minor > self.version.minor;
        }
        order == Ordering::Greater
    }

    fn holds_tilde(&self, version: &Version, order: Ordering) -> bool {
        let low = &self.version;
        if order == Ordering::Less {
            return false;
        }
        let is_zero = (low.major, low.minor, low.patch) == (0, 0, 0);
        if is_zero && !self.any_minor && !self.any_patch {
            return true;
        }
        version.major == low.major && (self.any_minor || version.minor == low.minor)
    }

    fn holds_caret(&self, version: &Version, order: Ordering) -> bool {
        let low = &self.version;
        if order == Ordering::Less {
            return false;
        }
        if low.major > 0 || self.any_minor || version.major > 0 {
            return version.major == low.major;
        }
        if low.minor > 0 || self.any_patch || version.minor > 0 {
            return version.minor == low.minor;
        }
        version.patch == low.patch
    }
}

fn operator(text: &str) -> Operator {
    match text {
        "!=" => Operator::NotEqual,
        ">" => Operator::Greater,
        "<" => Operator::Less,
        ">=" | "=>" => Operator::GreaterOrEqual,
        "<=" | "=<" => Operator::LessOrEqual,
        "~" | "~>" => Operator::Tilde,
        "^" => Operator::Caret,
        _ => Operator::TildeOrEqual,
    }
}
