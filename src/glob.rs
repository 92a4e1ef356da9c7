//! Compiles globs from settings and GitOps objects. `globset` recurses into braces and panics when the regular
//! expression behind a glob is too large, so globs are limited before they reach it.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

/// The longest glob, in bytes.
const LONGEST: usize = 1024;
/// The longest list of names, in bytes: `{a.yaml,b.yaml}`.
const LONGEST_LIST: usize = 16 * 1024;
/// The most braces and brackets inside each other.
const DEEPEST: usize = 10;

/// Why a glob is not used; displayed as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GlobError {
    /// The glob is longer than [`LONGEST`].
    TooLong,
    /// Braces are nested more than [`DEEPEST`] deep.
    TooDeep,
    /// The glob is not valid, with the reason.
    Invalid(String),
}

impl GlobError {
    /// Whether the glob exceeds a limit of joblint.
    pub(crate) fn is_limit(&self) -> bool {
        !matches!(self, Self::Invalid(_))
    }
}

impl fmt::Display for GlobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "is longer than {LONGEST} bytes"),
            Self::TooDeep => write!(f, "nests more than {DEEPEST} braces"),
            Self::Invalid(reason) => write!(f, "is not a valid glob: {reason}"),
        }
    }
}

impl std::error::Error for GlobError {}

/// Compiles a glob. With `separates`, `*` does not match `/`.
///
/// # Errors
/// The glob is not valid or exceeds a limit.
pub(crate) fn compile(text: &str, separates: bool) -> Result<GlobMatcher, GlobError> {
    if text.len() > LONGEST && !is_list(text) || text.len() > LONGEST_LIST {
        return Err(GlobError::TooLong);
    }
    let mut depth: usize = 0;
    for byte in text.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(GlobError::TooDeep);
        }
    }
    let glob = GlobBuilder::new(text).literal_separator(separates).build();
    let glob = glob.map_err(|error| GlobError::Invalid(error.kind().to_string()))?;
    Ok(glob.compile_matcher())
}

/// Whether a glob is nothing but a list of names, whose regular expression is as long as the list.
fn is_list(text: &str) -> bool {
    let names = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    names.is_some_and(|names| !names.contains(['{', '}', '[', ']', '*', '?', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_limited_before_they_are_compiled() {
        let error = |text: &str| compile(text, true).map(|_| ()).unwrap_err();
        assert_eq!(error(&"a".repeat(LONGEST + 1)), GlobError::TooLong);
        assert!(compile(&format!("{{{}b}}", "a.yaml,".repeat(1000)), true).unwrap().is_match("b"));
        assert_eq!(error(&format!("{{{}b}}", "a*.yaml,".repeat(1000))), GlobError::TooLong);
        assert_eq!(error(&format!("{{{}}}", "a".repeat(LONGEST_LIST))), GlobError::TooLong);
        assert_eq!(error(&format!("{}a{}", "{".repeat(11), "}".repeat(11))), GlobError::TooDeep);
        assert!(!error("{a").is_limit());
        assert!(compile(&"{a,b}".repeat(200), true).is_ok());
        assert!(compile(&format!("{}a{}", "{".repeat(10), "}".repeat(10)), true).is_ok());
        for worst in ["[!a]", "**/", "{**,?}", "*a", "?", "[\u{0}-\u{10ffff}]"] {
            let text = worst.repeat(LONGEST / worst.len());
            assert!(compile(&text, false).is_ok() || compile(&text, false).is_err(), "no panic");
        }
    }
}
