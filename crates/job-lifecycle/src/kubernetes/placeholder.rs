//! Values that another tool fills in before the API server sees them.

/// True for text with a mark of envsubst, Flux substitution, a template, a kustomize variable or a
/// person: `${TAG}`, `$TAG`, `{{ .Values.tag }}`, `{TAG}`, `$(TAG)`, `<% tag %>`, `#{TAG}#`, `<your-tag>`,
/// `__TAG__`, `@TAG@`. What stands there is not what the API server gets, so nothing can be said about it.
pub fn is_placeholder(text: &str) -> bool {
    let opens = |open: char, next: fn(char) -> bool| {
        text.match_indices(open).any(|(at, _)| text[at + 1..].chars().next().is_some_and(next))
    };
    opens('$', |c| matches!(c, '{' | '(' | '_') || c.is_ascii_alphabetic())
        || opens('{', |c| c == '{' || c.is_ascii_alphabetic())
        || opens('<', |c| c == '%' || c.is_ascii_alphabetic())
        || ["__", "@"].iter().any(|mark| is_between(text, mark))
}

/// `__TAG__`: a word of capitals between two marks.
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
    fn knows_the_marks() {
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
