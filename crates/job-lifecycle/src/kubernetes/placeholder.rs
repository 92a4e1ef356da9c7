//! Placeholders: text that another tool or a person replaces before the API server sees it.

/// True for text that contains a placeholder of envsubst, Flux, a template engine, kustomize or a person:
/// `${TAG}`, `$TAG`, `{{ .Values.tag }}`, `{TAG}`, `$(TAG)`, `<% tag %>`, `#{TAG}#`, `<your-tag>`, `__TAG__`,
/// `@TAG@`, `restore-TIMESTAMP`. The API server gets other text, so validation does not apply.
pub fn is_placeholder(text: &str) -> bool {
    let opens = |open: char, next: fn(char) -> bool| {
        text.match_indices(open).any(|(at, _)| text[at + 1..].chars().next().is_some_and(next))
    };
    opens('$', |c| matches!(c, '{' | '(' | '_') || c.is_ascii_alphabetic())
        || opens('{', |c| c == '{' || c.is_ascii_alphabetic())
        || opens('<', |c| c == '%' || c.is_ascii_alphabetic())
        || ["__", "@"].iter().any(|mark| is_between(text, mark))
        || text.split('-').any(|word| TO_REPLACE.contains(&word))
}

/// Words in capitals between dashes that a person replaces.
const TO_REPLACE: [&str; 20] = [
    "BRANCH",
    "BUILD",
    "CHANGEME",
    "COMMIT",
    "DATE",
    "ENVIRONMENT",
    "HASH",
    "ID",
    "NAME",
    "NAMESPACE",
    "NUMBER",
    "PLACEHOLDER",
    "RANDOM",
    "RELEASE",
    "REPLACEME",
    "SHA",
    "TAG",
    "TIMESTAMP",
    "UUID",
    "VERSION",
];

/// `__TAG__`: a word in capitals between two marks.
fn is_between(text: &str, mark: &str) -> bool {
    let mut parts = text.split(mark);
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    parts
        .nth(1)
        .is_some_and(|word| parts.next().is_some() && !word.is_empty() && word.chars().all(capital))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_placeholders() {
        for text in [
            "${A}",
            "x-$A",
            "{{ a }}",
            "$(A)",
            "<% a %>",
            "#{A}#",
            "$_a",
            "{A}",
            "x-<name>",
            "__A_B__",
            "a-@VERSION@",
            "restore-TIMESTAMP",
            "app-TAG-restore",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in [
            "",
            "a",
            "5",
            "$",
            "a$5",
            "1 * * * *",
            "{}",
            "a < b",
            "a__b__c",
            "@daily",
            "me@home",
            "@every 1h@",
            "restore-PROD",
            "restore-timestamp",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
