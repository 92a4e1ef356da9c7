//! Validation of names, labels and annotation keys.
//!
//! Sources: `k8s.io/apimachinery/pkg/util/validation` and `…/api/validate/content` (1.36). Every check
//! returns the API server's messages; empty means valid.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// Validates a DNS-1123 label: the name of a namespace, container or volume, a host name. Returns the API server's
/// messages; empty means valid.
pub fn dns_label(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 63, "characters");
    if !is_label(value) {
        wrong.push(if value.split('.').all(is_label) {
            "must not contain dots".into()
        } else {
            pattern(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                 start and end with an alphanumeric character",
                LABEL,
                &["my-name", "123-abc"],
            )
        });
    }
    wrong
}

/// Validates a DNS-1123 subdomain, the name of most objects. Returns the API server's messages, such as `must
/// be no more than 253 characters`; empty means valid.
pub fn dns_subdomain(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 253, "characters");
    if !value.split('.').all(is_label) {
        wrong.push(pattern(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
             must start and end with an alphanumeric character",
            &format!("{LABEL}(\\.{LABEL})*"),
            &["example.com"],
        ));
    }
    wrong
}

/// Validates a label key, also called qualified name: annotation keys, resource names and condition types too. Returns
/// the API server's messages; empty means valid.
pub fn label_key(value: &str) -> Vec<String> {
    const RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                        alphanumeric character";
    let examples = ["MyName", "my.name", "123-abc"];
    let mut wrong = Vec::new();
    let name = match value.split('/').collect::<Vec<_>>()[..] {
        [name] => name,
        ["", name] => {
            wrong.push("prefix part must be non-empty".to_owned());
            name
        }
        [prefix, name] => {
            wrong.extend(
                dns_subdomain(prefix).into_iter().map(|text| format!("prefix part {text}")),
            );
            name
        }
        _ => {
            let rule = pattern(&format!("a valid label key {RULE}"), KEY, &examples);
            return vec![format!(
                "{rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".into());
    }
    wrong.extend(too_long(name, 63, "bytes").into_iter().map(|text| format!("name part {text}")));
    if !is_key(name) {
        wrong.push(pattern(&format!("name part {RULE}"), KEY, &examples));
    }
    wrong
}

/// A label value.
pub(super) fn label_value(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 63, "bytes");
    if !value.is_empty() && !is_key(value) {
        wrong.push(pattern(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
             must start and end with an alphanumeric character",
            &format!("({KEY})?"),
            &["MyValue", "my_value", "12345"],
        ));
    }
    wrong
}

/// The name of a container port.
pub(super) fn port_name(value: &str) -> Vec<String> {
    let mut wrong = too_long(value, 15, "characters");
    let allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    let rules = [
        (
            !value.is_empty() && value.bytes().all(allowed),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (value.bytes().any(|c| c.is_ascii_lowercase()), "must contain at least one letter (a-z)"),
        (!value.contains("--"), "must not contain consecutive hyphens"),
        (!value.starts_with('-') && !value.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    wrong.extend(rules.iter().filter(|(holds, _)| !holds).map(|(_, text)| (*text).to_owned()));
    wrong
}

/// The name of an environment variable, as relaxed in Kubernetes 1.32.
pub(super) fn env_name(value: &str) -> Vec<String> {
    if value.bytes().all(|c| (0x20..0x7F).contains(&c) && c != b'=') {
        return Vec::new();
    }
    vec![
        "a valid environment variable name must consist only of printable ASCII characters other than '='"
            .into(),
    ]
}

fn is_label(value: &str) -> bool {
    let ends = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let inner = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    ends(value.bytes().next()) && ends(value.bytes().last()) && value.bytes().all(inner)
}

fn is_key(value: &str) -> bool {
    let ends = |c: Option<u8>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let inner = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
    ends(value.bytes().next()) && ends(value.bytes().last()) && value.bytes().all(inner)
}

fn too_long(value: &str, limit: usize, unit: &str) -> Vec<String> {
    let wrong = value.len() > limit;
    wrong.then(|| format!("must be no more than {limit} {unit}")).into_iter().collect()
}

fn pattern(rule: &str, regex: &str, examples: &[&str]) -> String {
    let examples: Vec<_> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{regex}')", examples.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases from the tests of the upstream functions.
    #[test]
    fn accepts_and_rejects_as_the_api_server() {
        for good in ["a", "a-1", "1234", "a--b"] {
            assert_eq!(dns_label(good), [""; 0], "{good}");
        }
        assert_eq!(dns_label("a.b"), ["must not contain dots"]);
        assert!(dns_label("A")[0].contains("a lowercase RFC 1123 label"));
        assert_eq!(dns_subdomain("a.b-c.d"), [""; 0]);
        for bad in ["", "a_b", "a..b", "-a", "a.", "Ab"] {
            assert_eq!(dns_subdomain(bad).len(), 1, "{bad}");
        }
        for good in ["simple", "1.2.3.4/5678", "example.com/Uppercase_Is_OK_123"] {
            assert_eq!(label_key(good), [""; 0], "{good}");
        }
        for bad in ["only/one/slash", "Example.com/abc", "example.com/", "/simple", "-a", ""] {
            assert!(!label_key(bad).is_empty(), "{bad}");
        }
        for good in ["", "1234", "a.b_c"] {
            assert_eq!(label_value(good), [""; 0], "{good}");
        }
        for bad in ["a+b", "ends-with-dash-", ".a", "a b"] {
            assert_eq!(label_value(bad).len(), 1, "{bad}");
        }
        assert_eq!(port_name("http-1"), [""; 0]);
        assert_eq!(port_name("80"), ["must contain at least one letter (a-z)"]);
        assert_eq!(env_name("a b"), [""; 0]);
        assert_eq!(env_name("a=b").len(), 1);
    }
}
