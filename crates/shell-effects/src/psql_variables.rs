//! Variables of psql in a statement behind `-c`, which the server gets as they are written:
//! `psql -v name=shop -c "SELECT :'name'"`.

use std::ops::Range;

use crate::{
    analysis::{Analysis, Invocation},
    command_line::flag_values,
    effects::{client::inline_texts, statement::opaque},
    text::ElementSpan,
};

/// Options that set a variable: `-v name=shop`.
const SET: [&str; 3] = ["--set", "--variable", "-v"];

/// The variables that commands of psql set, and their statements behind `-c` name in vain: psql replaces variables in files and in
/// its standard input alone.
///
/// Source: <https://www.postgresql.org/docs/current/app-psql.html> (`-c`: "a command string that is completely parsable by the
/// server").
pub fn unreplaced_variables(analysis: &Analysis) -> Vec<ElementSpan> {
    let clients = analysis.invocations.iter().filter(|one| one.program_name() == "psql");
    let found = clients.filter_map(|one| {
        let names = set_by(one);
        let texts = inline_texts(&one.words).into_iter();
        let mut texts = texts.filter(|text| !text.value.trim_start().starts_with('\\'));
        texts.find_map(|text| Some(text.location_of(named_in(&text.value, &names)?)))
    });
    found.collect()
}

/// The names of the variables that a command sets.
fn set_by(one: &Invocation) -> Vec<&str> {
    let values = one.values();
    let set = SET.iter().flat_map(|flag| flag_values(&values, flag));
    let names = set.filter_map(|value| value.split_once('=')).map(|(name, _)| name);
    names.filter(|name| !name.is_empty() && name.chars().all(is_of_name)).collect()
}

fn is_of_name(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_'
}

/// Where a statement names one of the variables: `:'name'`, `:"name"`, or `:name`.
fn named_in(text: &str, names: &[&str]) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_name = !text[..at].ends_with(is_of_name);
        if let Some(length) = variable(rest, names, is_name) {
            return Some(at..at + length);
        }
        at += skipped(rest).unwrap_or(next.len_utf8());
    }
    None
}

/// The length of the variable at the beginning of a text. What follows a name, as in `1:n`, is in quotes.
fn variable(text: &str, names: &[&str], is_name: bool) -> Option<usize> {
    let after = text.strip_prefix(':')?;
    let quote = after.chars().next().filter(|one| matches!(one, '\'' | '"'));
    let inner = &after[usize::from(quote.is_some())..];
    let name = names.iter().find(|name| {
        inner.strip_prefix(**name).is_some_and(|rest| match quote {
            Some(quote) => rest.starts_with(quote),
            None => is_name && !rest.starts_with(is_of_name),
        })
    })?;
    Some(1 + name.len() + 2 * usize::from(quote.is_some()))
}

/// The length of what names no variable at the beginning of a text: a string, a comment, a cast or a subscript.
fn skipped(text: &str) -> Option<usize> {
    let subscript = || text.find(']').map_or(text.len(), |end| end + 1);
    opaque(text)
        .or_else(|| text.starts_with("::").then_some(2))
        .or_else(|| text.starts_with('[').then(subscript))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, Container, analyse_script};

    /// Played with psql and PostgreSQL 15.18: "syntax error at or near ":"", or no error.
    #[test]
    fn psql_replaces_no_variables_behind_c() {
        let found = |script: &str| {
            let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
            let all = unreplaced_variables(&analysis);
            all.first().map(|one| script[one.span.range()].to_owned())
        };
        for (script, named) in [
            ("psql -v x=a -c \"SELECT :'x'\"", Some(":'x'")),
            ("psql -v x=a -c 'SELECT :x'", Some(":x")),
            ("psql --set=x=a -c 'SELECT 1 AS :\"x\"'", Some(":\"x\"")),
            ("psql --variable x=a -tAc \"SELECT :'x'\"", Some(":'x'")),
            ("psql -v x=a -c \"SELECT ':''x'''\"", None),
            ("echo \"SELECT :'x'\" | psql -v x=a -tA", None),
            ("psql -v x=a <<E\nSELECT :'x';\nE", None),
            ("psql -v x=a -c '\\echo :x'", None),
            ("psql -v x=a -c \"SELECT 'a:'x\"", None),
            ("psql -v x=1 -c \"SELECT '{\\\"a\\\":\\\"x\\\"}'::json\"", None),
            ("psql -v text=1 -c \"SELECT a::text\"", None),
            ("psql -c \"SELECT :'x'\"", None),
            ("psql -v x=1 -c 'SELECT 1 -- was :x'", None),
            ("psql -v x=1 -c 'SELECT 1 /* :x */'", None),
            ("psql -v x=1 -c 'SELECT $j${\"a\":\"x\"}$j$::json'", None),
            ("psql -v x=1 -c 'DO $do$ BEGIN PERFORM 1; -- :x\nEND $do$'", None),
            ("psql -v x=1 -c \"SELECT 1 -- don't\n WHERE 'a' = ':x'\"", None),
            ("psql -v x=1 -c 'SELECT (ARRAY[1,2])[1 :x] FROM (SELECT 2 AS x) a'", None),
            ("psql -v x=1 -c 'SELECT 1 AS \"a :x\"'", None),
            ("psql -v x=1 -c \"SELECT 'it''s', ARRAY[1], :x\"", Some(":x")),
        ] {
            assert_eq!(found(script).as_deref(), named, "{script}");
        }
    }
}
