//! Placeholders: text that another tool or a person replaces before the API server sees it.

/// True for text that contains a placeholder of envsubst, Flux, a template engine, kustomize or a person:
/// `${TAG}`, `$TAG`, `{{ .Values.tag }}`, `{TAG}`, `$(TAG)`, `<% tag %>`, `#{TAG}#`, `<your-tag>`, `__TAG__`,
/// `@TAG@`. The API server gets other text, so validation does not apply.
pub(super) fn is_placeholder(text: &str) -> bool {
    let opens = |open: char, next: fn(char) -> bool| {
        text.match_indices(open).any(|(at, _)| text[at + 1..].chars().next().is_some_and(next))
    };
    opens('$', |c| matches!(c, '{' | '(' | '_') || c.is_ascii_alphabetic())
        || opens('{', |c| c == '{' || c.is_ascii_alphabetic())
        || opens('<', |c| c == '%' || c.is_ascii_alphabetic())
        || ["__", "@"].iter().any(|mark| is_between(text, mark))
}

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
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
