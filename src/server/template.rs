//! The actions of Helm templates as they are written, and what stands at a position in them.

use std::ops::Range;

/// The actions of a template, in order: each from its `{{` to behind its `}}`.
pub(super) fn actions(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find("{{").map(|at| from + at) {
        let Some(end) = end_of(text, open + 2) else { break };
        all.push(open..end);
        from = end;
    }
    all
}

/// Where the action ends whose content starts at an offset: strings and comments may hold `}}`.
fn end_of(text: &str, start: usize) -> Option<usize> {
    let rest = text[start..].trim_start_matches('-').trim_start();
    let mut at = text.len() - rest.len();
    if rest.starts_with("/*") {
        at += rest.find("*/")? + 2;
    }
    let mut quote = None;
    let mut escaped = false;
    for (index, c) in text[at..].char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"' | '\''), '\\') => escaped = true,
            (Some(open), _) => quote = Some(open).filter(|open| *open != c),
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '}') if text[at + index..].starts_with("}}") => return Some(at + index + 2),
            _ => {}
        }
    }
    None
}

/// The action at an offset.
pub(super) fn action_at(text: &str, offset: usize) -> Option<Range<usize>> {
    actions(text).into_iter().find(|action| action.start <= offset && offset <= action.end)
}

/// What stands at a position inside of an action.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The name of a template, in quotes.
    Template(String),
    /// A chain of fields, up to the one at the position: `.Values.image`, `$job.image`.
    Fields(Vec<String>),
}

/// The word at an offset inside of an action.
pub(super) fn word_at(text: &str, action: &Range<usize>, offset: usize) -> Option<Word> {
    name_at(text, action, offset).or_else(|| fields_at(text, action, offset))
}

/// The name of a template that `include`, `template`, `define` or `block` names.
fn name_at(text: &str, action: &Range<usize>, offset: usize) -> Option<Word> {
    let content = &text[action.clone()];
    let quotes: Vec<_> =
        content.match_indices(['"', '`']).map(|(at, _)| action.start + at).collect();
    let [open, close] = quotes
        .chunks_exact(2)
        .find_map(|pair| (pair[0] <= offset && offset <= pair[1]).then_some([pair[0], pair[1]]))?;
    let before = text[action.start..open].trim_end();
    let callee = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next()?;
    let is_call = ["include", "template", "define", "block"].contains(&callee);
    is_call.then(|| Word::Template(text[open + 1..close].to_owned()))
}

fn fields_at(text: &str, action: &Range<usize>, offset: usize) -> Option<Word> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
    let before = &text[action.start..offset.clamp(action.start, action.end)];
    let start = action.start + before.trim_end_matches(is_part).len();
    let rest = &text[start..action.end];
    let chain = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    // The field at the position counts as a whole.
    let inside = (offset - start).min(chain.len());
    let end = chain[inside..].find('.').map_or(chain.len(), |dot| inside + dot);
    let (root, fields) = chain[..end].split_once('.')?;
    let is_root = root.is_empty() || root.starts_with('$');
    let fields: Vec<_> = fields.split('.').map(str::to_owned).collect();
    (is_root && fields.iter().all(|field| !field.is_empty())).then_some(Word::Fields(fields))
}

/// The definitions of a named template in a text.
pub(super) fn definitions(text: &str, name: &str) -> Vec<Range<usize>> {
    let defines = |action: &Range<usize>| {
        let content = text[action.clone()].trim_start_matches("{{").trim_start_matches('-');
        let mut words = content.trim_start().splitn(2, char::is_whitespace);
        let is_definition = matches!(words.next(), Some("define" | "block"));
        let rest = words.next().unwrap_or_default().trim_start();
        let quoted = rest.strip_prefix(['"', '`']).and_then(|rest| rest.strip_prefix(name));
        is_definition && quoted.is_some_and(|rest| rest.starts_with(['"', '`']))
    };
    actions(text).into_iter().filter(defines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<Word> {
        let offset = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        word_at(&text, &action_at(&text, offset)?, offset)
    }

    fn fields(names: &[&str]) -> Option<Word> {
        Some(Word::Fields(names.iter().map(|name| (*name).to_owned()).collect()))
    }

    #[test]
    fn actions_end_where_go_ends_them() {
        let text = "a {{ b }} {{- /* }} */ -}} {{ \"}}\" `}}` '\\'' }}{{ open";
        let found: Vec<_> = actions(text).into_iter().map(|action| &text[action]).collect();
        assert_eq!(found, ["{{ b }}", "{{- /* }} */ -}}", "{{ \"}}\" `}}` '\\'' }}"]);
    }

    #[test]
    fn words_are_found() {
        assert_eq!(at("{{ .Values.im|age.tag }}"), fields(&["Values", "image"]));
        assert_eq!(at("{{ $.Values.image.tag| }}"), fields(&["Values", "image", "tag"]));
        assert_eq!(at("{{ $job.na|me }}"), fields(&["name"]));
        assert_eq!(at("{{ pri|nt 1 }}"), None);
        assert_eq!(at("{{ . | }}"), None);
        assert_eq!(at("{{- include \"shop.|name\" . }}"), Some(Word::Template("shop.name".into())));
        assert_eq!(at("{{ printf \"sh|op\" }}"), None);
        assert_eq!(at("a: |b"), None);
    }

    #[test]
    fn definitions_are_found() {
        let text = "{{ define \"a.b\" }}{{ end }}{{- define `a` -}}{{ include \"a\" . }}{{ block \"a\" . }}";
        let found: Vec<_> = definitions(text, "a").into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["{{- define `a` -}}", "{{ block \"a\" . }}"]);
    }
}
