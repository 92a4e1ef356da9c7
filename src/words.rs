//! Numbers, names and lists in sentences.

use helm_render::guards::PLACEHOLDER;
use job_lifecycle::{Object, ReleaseChanges};

/// A number with its noun: `1 problem`, `2 problems`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let is_vowel = |one: char| "aeiou".contains(one);
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(is_vowel)) {
        _ if number == 1 => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {noun}s"),
    }
}

/// A path of fields for all items of its lists: `containers[].env[]` for `containers[0].env[1]`.
pub(crate) fn without_indexes(path: &str) -> String {
    let mut parts = path.split('[');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('[');
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str(if rest.starts_with(']') { rest } else { part });
    }
    out
}

/// The kind and name of an object: Job `migrate`.
pub(crate) fn titled(object: &Object) -> String {
    match object.is_unnamed() || object.name().is_some() {
        true => format!("{} `{}`", object.kind(), shown_name(object)),
        false => format!("this {}", object.kind()),
    }
}

/// How the placeholder of an unknown parameter of an ApplicationSet starts and ends. No name of an object may contain
/// either.
pub(crate) const UNKNOWN: (&str, &str) = ("$_", "__");

/// The text with `…` for placeholders, also for one that a chart has cut off.
fn without_unknown(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(UNKNOWN.0) {
        out.push_str(before);
        out.push('…');
        let is_other = |c: char| !c.is_ascii_alphanumeric() && !"._".contains(c);
        let cut = after.find(is_other).unwrap_or(after.len());
        let end = after[..cut].find(UNKNOWN.1).map_or(cut, |end| end + UNKNOWN.1.len());
        rest = &after[end..];
    }
    out + rest
}

/// The name of an object, with `…` for placeholders that joblint filled in.
pub(crate) fn shown_name(object: &Object) -> String {
    let name = without_unknown(&object.display_name());
    let written = object.root.at(&["metadata", "name"]);
    let origin = object.source.origin.as_deref();
    if !origin.zip(written).is_some_and(|(origin, node)| origin.is_placeholder(node.span)) {
        return name;
    }
    match (name.split_once(PLACEHOLDER), name.rsplit_once(PLACEHOLDER)) {
        // `ne .Values.x "a"` is satisfied by `placeholder-not-a`.
        (Some((before, _)), Some((_, after))) if after.starts_with("-not-") => format!("{before}…"),
        (Some((before, _)), Some((_, after))) => format!("{before}…{after}"),
        _ => name,
    }
}

/// The most characters of a headline that a note or reason makes longer.
pub(crate) const HEADLINE: usize = 100;

/// The headline with a note in parentheses, in those at its end if there are some.
pub(crate) fn noted(headline: &str, note: &str) -> String {
    match headline.strip_suffix(')') {
        _ if note.is_empty() => headline.to_owned(),
        Some(start) => format!("{start}; {note})"),
        None => format!("{headline} ({note})"),
    }
}

/// The headline with a note, or alone if that is too long: formats with room for it show the note below.
pub(crate) fn noted_if_short(headline: &str, note: &str) -> String {
    let whole = noted(headline, note);
    if whole.chars().count() > HEADLINE { headline.to_owned() } else { whole }
}

/// The label of the place that sets a value.
pub(crate) fn set_here(value: &str) -> String {
    format!("`{value}` is set here")
}

/// A time for people: 45 s, 10 min, 24 h.
pub(crate) fn duration(seconds: i64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// The text with each run of white space as one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentence with an upper-case letter at its start and no full stop at its end.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

/// A sentence that follows another, behind a word such as "then": with a lower-case letter at its start.
pub(crate) fn continued(sentence: &str) -> String {
    let mut characters = sentence.chars();
    match characters.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + characters.as_str(),
        None => String::new(),
    }
}

/// Inputs as a list for a sentence: the first three, then the number of the others.
pub(crate) fn listed(inputs: &[String]) -> String {
    let named = |name: &String| match name.as_str() {
        "random" => "a random value".to_owned(),
        "time" => "the time".to_owned(),
        name => match of_dependency(name) {
            Some((dependency, "Chart.Version")) => format!("the version of `{dependency}`"),
            Some((dependency, "Chart.AppVersion")) => format!("the app version of `{dependency}`"),
            _ => format!("`{name}`"),
        },
    };
    let names: Vec<_> = inputs.iter().map(named).collect();
    if names.is_empty() { "a release".to_owned() } else { joined(&names) }
}

/// Names as a list for a sentence: the first three, then the number of the others.
pub(crate) fn joined(names: &[String]) -> String {
    const MAX: usize = 3;
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] if names.len() <= MAX => format!("{} and {last}", most.join(", ")),
        _ => format!("{} and {} more", names[..MAX].join(", "), names.len() - MAX),
    }
}

/// Names in code style as a list for a sentence.
pub(crate) fn quoted(names: &[String]) -> String {
    joined(&names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

/// The name of a dependency and its own input: `Subcharts.db.Chart.Version`.
fn of_dependency(input: &str) -> Option<(&str, &str)> {
    let (_, own) = input.rsplit_once("Subcharts.")?;
    let (name, _) = own.split_once(".Chart.")?;
    Some((name, &own[name.len() + 1..]))
}

/// A name with random or time-dependent parts, which are replaced by `*`.
pub(crate) fn varying_name(object: &Object, changes: Option<&ReleaseChanges>) -> Option<String> {
    let changes = changes?;
    let is_generated = |input: &String| input == "random" || input == "time";
    let (name, other) = (object.name()?, changes.render.new_name.as_deref()?);
    if !changes.name_inputs.iter().any(is_generated) {
        return None;
    }
    let is_dated = changes.name_inputs.iter().any(|input| input == "time");
    let separator = |c: char| matches!(c, '-' | '.');
    let parts = name.split_inclusive(separator).zip(other.split_inclusive(separator));
    let shown = parts.map(|(part, next)| match part == next {
        true => part.to_owned(),
        false => format!("*{}", part.trim_start_matches(|c| !separator(c))),
    });
    let shown: Vec<_> = shown.collect();
    Some(if is_dated { without_dates(&shown) } else { shown.concat() })
}

/// The parts of a name with one `*` for a date or time, of which only some numbers differ.
fn without_dates(parts: &[String]) -> String {
    let is_number = |part: &String| {
        part.trim_end_matches(['-', '.']).chars().all(|c| c.is_ascii_digit() || c == '*')
    };
    let runs = parts.chunk_by(|one, other| is_number(one) && is_number(other));
    let run = |run: &[String]| match (run.concat(), run.last()) {
        (text, Some(last)) if text.contains('*') && is_number(last) => {
            format!("*{}", last.trim_start_matches(|c: char| c.is_ascii_digit() || c == '*'))
        }
        (text, _) => text,
    };
    runs.map(run).collect()
}
