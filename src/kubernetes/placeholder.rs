//! Values that another tool fills in before the API server sees them.

/// True for text with a mark of envsubst, Flux substitution, a template or a kustomize variable:
/// `${TAG}`, `$TAG`, `{{ .Values.tag }}`, `$(TAG)`, `<% tag %>`, `#{TAG}#`. What stands there is not
/// what the API server gets, so nothing can be said about it.
pub fn is_placeholder(text: &str) -> bool {
    let dollar = |(at, _)| {
        let next = text[at + 1..].chars().next();
        next.is_some_and(|c| matches!(c, '{' | '(' | '_') || c.is_ascii_alphabetic())
    };
    ["{{", "<%", "#{"].iter().any(|mark| text.contains(mark)) || text.match_indices('$').any(dollar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_marks() {
        for text in ["${A}", "x-$A", "{{ a }}", "$(A)", "<% a %>", "#{A}#", "$_a"] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["", "a", "5", "$", "a$5", "1 * * * *", "{a}", "<name>"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
