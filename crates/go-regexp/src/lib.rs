#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod translate;

pub use regex::bytes::Regex;
pub use translate::translate;

/// Compiles an expression of Go. The error is that of `regexp.Compile`.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    let translated = translate(pattern)?;
    Regex::new(&translated).map_err(|_| TOO_LARGE.to_owned())
}

/// The error about an expression that takes too much memory.
pub const TOO_LARGE: &str = "error parsing regexp: expression too large";

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn a_brace_that_starts_no_repetition_is_a_literal() {
        for (pattern, text) in [
            ("a{APP}", "a{APP}"),
            ("a{,2}", "a{,2}"),
            ("{{ .Values.name }}", "{{ .Values.name }}"),
            ("a{01}", "a{01}"),
            ("a{2}", "aa"),
        ] {
            let whole = compile(&format!("^(?:{pattern})$")).unwrap();
            assert!(whole.is_match(text.as_bytes()), "{pattern}");
        }
        // Nothing follows the end of the text.
        assert!(!compile("^(?:${APP})$").unwrap().is_match(b"${APP}"));
    }

    #[test]
    fn errors_are_those_of_go() {
        let error = |pattern| compile(pattern).unwrap_err();
        assert_eq!(error("a**"), "error parsing regexp: invalid nested repetition operator: `**`");
        assert_eq!(error("a{2,1}"), "error parsing regexp: invalid repeat count: `{2,1}`");
    }
}
