//! Placeholders: text that another tool or a person replaces before the API server sees it.

/// True for text that contains a placeholder of envsubst, Flux, a template engine, kustomize, sed or a person:
/// `${TAG}`, `$TAG`, `{{ .Values.tag }}`, `{TAG}`, `{ tag }`, `$(TAG)`, `<% tag %>`, `#{TAG}#`, `<your-tag>`, `__TAG__`,
/// `@TAG@`, `%TAG%`, `###TAG###`, `[[TAG]]`, `restore-TIMESTAMP`, `IMAGE_TAG`. The API server gets other text, so validation does not apply.
pub fn is_placeholder(text: &str) -> bool {
    let opens = |open: char, next: fn(char) -> bool| {
        text.match_indices(open).any(|(at, _)| text[at + 1..].chars().next().is_some_and(next))
    };
    opens('$', |c| matches!(c, '{' | '(' | '_') || c.is_ascii_alphabetic())
        || opens('{', |c| c == '{' || c.is_ascii_alphabetic())
        || is_word_in_braces(text)
        || opens('<', |c| c == '%' || c.is_ascii_alphabetic())
        || AROUND.iter().any(|(open, close)| is_between(text, open, close))
        || is_word_left_open(text)
        || is_stand_in(text)
}

/// `{ tag }`, and what a template prints of it, for YAML takes it for a mapping: `map[tag:<nil>]`, or `map[]` as Helm leaves out
/// what is null.
fn is_word_in_braces(text: &str) -> bool {
    let is_word = |word: &str| {
        let mut letters = word.chars();
        !word.is_empty() && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let inside = |open: &str, close: &str| {
        let (_, rest) = text.split_once(open)?;
        Some(rest.split_once(close)?.0)
    };
    text == "map[]"
        || [("{ ", " }"), ("map[", ":<nil>]")]
            .iter()
            .any(|(open, close)| inside(open, close).is_some_and(is_word))
}

/// Words that stand for a value that somebody has yet to choose, without separators and in lower case.
const STAND_INS: [&str; 12] = [
    "changeit",
    "changeme",
    "fillin",
    "fillme",
    "fixme",
    "replaceme",
    "replacethis",
    "tbd",
    "tobechanged",
    "tobefilled",
    "tobereplaced",
    "todo",
];

/// `TBD`, `CHANGE_ME`, `xxx`, and the stars in a record of what was applied: `**********`. An application may well be called `todo`.
fn is_stand_in(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| !"-_ .".contains(*c)).collect();
    let word = letters.to_ascii_lowercase();
    let is_crosses = (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte == b'x');
    let is_masked = text.len() > 3 && text.bytes().all(|byte| byte == b'*');
    is_crosses || is_masked || text != "todo" && STAND_INS.contains(&&*word)
}

/// What stands around a word in capitals that is to be replaced.
const AROUND: [(&str, &str); 10] = [
    ("###", "###"),
    ("##", "##"),
    ("__", "__"),
    ("@@", "@@"),
    ("@", "@"),
    ("%%", "%%"),
    ("%", "%"),
    ("~", "~"),
    ("[[", "]]"),
    ("((", "))"),
];

/// What stands around a token that a tool replaces as a whole.
const MARKS: [(&str, &str); 8] = [
    ("###", "###"),
    ("@@", "@@"),
    ("__", "__"),
    ("${", "}"),
    ("<", ">"),
    ("[", "]"),
    ("%", "%"),
    ("@", "@"),
];

/// The word of a text that is one token: `TAG` of `%TAG%`, `<TAG>` and `@TAG@`. Unlike [`is_placeholder`] it says nothing about
/// the word: `<html>` is none, which depends on where the text is.
pub fn token_word(text: &str) -> Option<&str> {
    let words = MARKS.iter().filter_map(|(open, close)| {
        text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
    });
    words.into_iter().find(|word| !word.is_empty())
}

/// `restore-TIMESTAMP`, `migrate-RELEASE_ID`, `V_ACCOUNT`: names are in lower case, so what is in capitals is to be replaced.
fn is_word_left_open(text: &str) -> bool {
    let is_capital = |word: &str| {
        word.len() > 1
            && word
                .split('_')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase()))
    };
    let is_small = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let is_part = |word: &str| {
        let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        !word.is_empty() && word.bytes().all(is_capital)
    };
    let mut words = text.split('-');
    let is_name = words.clone().all(|word| is_capital(word) || is_small(word));
    is_name && words.clone().any(is_capital) && words.any(is_small)
        || text.contains('_')
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.split('_').all(is_part)
            && text.split('_').any(is_capital)
}

/// `__TAG__`: a word in capitals between two marks.
fn is_between(text: &str, open: &str, close: &str) -> bool {
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let inside = text.split_once(open).and_then(|(_, rest)| rest.split_once(close));
    inside.is_some_and(|(word, _)| !word.is_empty() && word.chars().all(capital))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_tokens() {
        for (text, word) in [
            ("%TAG%", Some("TAG")),
            ("<job image>", Some("job image")),
            ("@version@", Some("version")),
            ("@@name@@", Some("name")),
            ("__name__", Some("name")),
            ("${TAG}", Some("TAG")),
            ("[name]", Some("name")),
            ("x-%TAG%", None),
            ("%TAG", None),
            ("%%", None),
            ("%", None),
            ("", None),
        ] {
            assert_eq!(token_word(text), word, "{text}");
        }
    }

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
            "{ cron }",
            "map[cron:<nil>]",
            "map[]",
            "x-<name>",
            "__A_B__",
            "a-@VERSION@",
            "a-@@TAG@@",
            "%%TAG%%",
            "x-%TAG%-a",
            "x-[[TAG]]",
            "((TAG_2))",
            "~TAG~",
            "migrations-###ZARF_CONST_TAG###",
            "restore-TIMESTAMP",
            "app-TAG-restore",
            "restore-PROD",
            "migrate-RELEASE_ID",
            "**********",
            "SCHEDULE_PLACEHOLDER",
            "V_ACCOUNT",
            "YOUR_ACCOUNT_2",
            "TBD",
            "CHANGE_ME",
            "change-me",
            "FIXME",
            "xxx",
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
            "50%",
            "~/a",
            "[[a b]]",
            "restore-timestamp",
            "***",
            "migrate-_A",
            "MON-FRI",
            "B_",
            "_TAG",
            "A_1",
            "10_MB",
            "Shop_APP",
            "TCP",
            "Asia/Tokyo",
            "todo",
            "todo-app",
            "xx",
            "changeme-not",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
