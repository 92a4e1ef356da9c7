//! A chart that cannot be loaded or rendered as a problem: where, why, and whose fault it is.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use go_template::provenance::Step;
use helm_render::{Chart, Error, Reason};
use job_lifecycle::kubernetes::is_placeholder;
use yaml_spans::{Location, Source, Span};

use super::{limits, unrendered};
use crate::unit::{Failure, Loaded, Problem};

/// A result that holds only a failure of the whole chart.
pub(super) fn failed(path: &Path, shown: &str, error: &Error) -> Loaded {
    let here = || {
        let is_folder = path.is_dir() && !shown.ends_with("Chart.yaml");
        let file = if is_folder { format!("{shown}/Chart.yaml") } else { shown.to_owned() };
        let source = Arc::new(Source::read_only(file.trim_start_matches('/'), String::new()));
        Location { source, span: Span::default() }
    };
    let Location { source, span } = error.at.clone().unwrap_or_else(here);
    let failure = match error.reason {
        Reason::Chart | Reason::Link => Failure::Unreadable,
        Reason::Limit(_) => Failure::TooLarge,
        _ if lacks_values(error) => Failure::LacksValues,
        _ => Failure::Unrenderable,
    };
    let reason = match error.reason {
        Reason::Limit(limit) => limits::not_rendered(limit),
        _ if error.is_too_deep() => limits::TOO_DEEP.to_owned(),
        _ if error.is_for_helm_3() => for_helm_3(error).to_owned(),
        _ => unrendered::core(error),
    };
    let span = first_line(&source, span);
    // What a limit cut off is unknown.
    let misses_work = matches!(error.reason, Reason::Limit(_)) || error.is_too_deep();
    let name = path.file_name().map(|name| format!("chart `{}`", name.to_string_lossy()));
    let name = name.unwrap_or_else(|| "this chart".to_owned());
    let fails = matches!(failure, Failure::Unrenderable | Failure::LacksValues);
    let headline = fails.then(|| format!("cannot render {name}: {reason}"));
    let help = match error.reason {
        Reason::Limit(_) => Some("Check the chart alone, or with the values that you deploy"),
        _ if error.is_for_helm_3() => Some("Use `apiVersion: v2`"),
        // No values bring a template.
        _ if lacks(error, |name| name.contains('/')) => {
            Some("Correct the path: the chart has no such template")
        }
        _ if lacks(error, |_| true) => {
            Some("Define the template, in a `_helpers.tpl` of the chart or of a dependency")
        }
        _ => None,
    };
    let at = Location { source, span };
    let help = help.map(str::to_owned);
    let problem = Problem { misses_work, headline, help, ..Problem::new(failure, at, reason) };
    Loaded::of_problem(problem)
}

/// Whether the chart has no template of a name that another one takes in.
pub(super) fn lacks_template(error: &Error) -> bool {
    lacks(error, |_| true)
}

/// Whether the chart has no template of such a name, which another one takes in.
fn lacks(error: &Error, is_such: impl Fn(&str) -> bool) -> bool {
    let name =
        error.message.split_once("no template \"").and_then(|(_, rest)| rest.split_once('"'));
    name.is_some_and(|(name, _)| is_such(name))
}

/// What to say about a chart that only one version of Helm loads.
pub(crate) fn for_helm_3(error: &Error) -> &'static str {
    match error.is_of_separator() {
        true => "Helm 4 refuses this line, which Helm 3 takes for text",
        false => "Helm 4 refuses this `apiVersion`, which Helm 3 ignores",
    }
}

/// What Go says of a value that is not there. A function that takes a string gets `interface {}` or nothing instead.
const OF_NIL: [&str; 6] = [
    "nil pointer evaluating",
    "index of nil pointer",
    "index of untyped nil",
    "can't iterate over nil",
    "; got interface {}",
    "invalid value; expected",
];

/// Returns whether a chart fails because nobody set a value that it needs. Whoever deploys it sets that.
fn lacks_values(error: &Error) -> bool {
    match error.reason {
        Reason::Required | Reason::Fail | Reason::Unset => true,
        Reason::Execution => {
            OF_NIL.iter().any(|text| error.message.contains(text)) && !is_beside_root(error)
                || range_over(error).is_some_and(is_placeholder)
        }
        Reason::Schema => asks_for_values(error),
        _ => false,
    }
}

/// What a template takes for a list that is none.
fn range_over(error: &Error) -> Option<&str> {
    let (_, text) = error.message.rsplit_once("range can't iterate over ")?;
    text.lines().next()
}

/// Whether a template fails because it takes a value for a list.
pub(super) fn wants_list(error: &Error) -> bool {
    range_over(error).is_some()
}

/// The objects of Helm that are always there (<https://helm.sh/docs/chart_template_guide/builtin_objects/>).
const BUILT_IN: [&str; 5] = ["Capabilities", "Chart", "Files", "Release", "Template"];

/// Whether a template asks the dot of a `range` or `with` for what only the root has: no value helps, `$` does.
fn is_beside_root(error: &Error) -> bool {
    // at <.Release.Name>: nil pointer evaluating interface {}.Name
    let text = error.message.rsplit_once("<.").or_else(|| error.message.rsplit_once("`."));
    let nil = error.message.rsplit_once("interface {}.").map(|(_, field)| field);
    text.zip(nil).is_some_and(|((_, text), nil)| {
        let mut fields = text.split(['.', '>', '`', ' ']);
        fields.next().is_some_and(|name| BUILT_IN.contains(&name)) && fields.next() == Some(nil)
    })
}

/// What the validator of schemas says of a value that nobody set, and of the schemas around it.
const UNSET: [&str; 3] = [": missing propert", ": minLength: got 0,", ": got null, want "];
const AROUND: &str = "': validation failed";

/// Whether all that a schema asks for are values that nobody set.
fn asks_for_values(error: &Error) -> bool {
    let problems = error.message.lines().map(str::trim).filter(|line| line.starts_with("- at "));
    let mut problems = problems.filter(|line| !line.ends_with(AROUND)).peekable();
    let is_unset = |line: &str| UNSET.iter().any(|text| line.contains(text));
    problems.peek().is_some() && problems.all(is_unset)
}

/// Whether other values may render the chart: some switch off the dependency that lacks a template.
pub(super) fn depends_on_values(error: &Error) -> bool {
    error.reason == Reason::Schema || lacks_values(error) || lacks_template(error)
}

/// Whether a template fails because something that it reads holds nothing.
fn is_of_nil(error: &Error) -> bool {
    let is_nothing = |words: &&str| error.message.contains(*words);
    error.reason == Reason::Execution && ["nil", "zero Value"].iter().any(is_nothing)
}

/// A file that the failing template, or one that hands on what it reads, gets and the chart does not have: a build makes it.
pub(super) fn absent_file(error: &Error, chart: &Chart) -> Option<String> {
    let at = error.at.as_ref().filter(|_| is_of_nil(error))?;
    let is_absent = |path: &&str| !chart.files.iter().any(|file| *file.name == **path);
    let absent = |text: &str| {
        let mut calls = text.split(".Files.Get \"").skip(1);
        calls.find_map(|call| call.split('"').next().filter(is_absent)).map(str::to_owned)
    };
    let others = || {
        let mut texts = chart.templates.iter().map(|file| String::from_utf8_lossy(&file.data));
        texts.find_map(|text| absent(&text))
    };
    absent(&at.source.text).or_else(others)
}

/// The value without which a template fails, as a path below `Values`: `.Values.image.tag` at the place of the error.
pub(super) fn unset_value(error: &Error) -> Option<Vec<Step>> {
    let at =
        error.at.as_ref().filter(|_| error.reason == Reason::Execution && lacks_values(error))?;
    // Go points at the last field of a chain, or at the function that takes it.
    let (before, after) = at.source.text.split_at_checked(at.span.range().end)?;
    let before = before.trim_end_matches([')', ' ']);
    let function = last_chain(before);
    let piped =
        before[..before.len() - function.len()].trim_end().strip_suffix('|').map(str::trim_end);
    let action = after.split(['|', '}', '\n']).next().unwrap_or_default();
    let mut chains = [Some(function), piped.map(last_chain)]
        .into_iter()
        .flatten()
        .chain(action.split([' ', ')']));
    let keys = chains
        .find_map(|chain| chain.strip_prefix('$').unwrap_or(chain).strip_prefix(".Values."))?;
    let keys = keys.split('.');
    let is_name =
        |key: &str| !key.is_empty() && key.chars().all(|one| one.is_alphanumeric() || one == '_');
    if !keys.clone().all(is_name) {
        return None;
    }
    let is_global = keys.clone().next() == Some("global");
    let charts = if is_global { Vec::new() } else { charts_of(error) };
    Some(charts.into_iter().chain(keys).map(|key| Step::Key(key.into())).collect())
}

/// The values beside an unset one, of which the same text reads fields too: `.Values.db.image.tag` beside
/// `.Values.db.image.repository`. Whoever sets one sets the other.
pub(super) fn unset_beside(error: &Error, path: &[Step]) -> Vec<Vec<Step>> {
    let keys = path.iter().filter_map(|step| match step {
        Step::Key(key) => Some(&**key),
        Step::Index(_) | Step::Keys => None,
    });
    let keys: Vec<_> = keys.collect();
    let own = keys.get(charts_of(error).len()..).filter(|own| own.len() > 1).unwrap_or_default();
    let (Some(at), Some((_, above))) = (&error.at, own.split_last()) else { return Vec::new() };
    let start = format!(".Values.{}.", above.join("."));
    let names = at.source.text.split(start.as_str()).skip(1).filter_map(|rest| {
        let end = |one: char| !one.is_alphanumeric() && one != '_';
        rest.split(end).next().filter(|name| !name.is_empty())
    });
    let names: BTreeSet<_> = names.collect();
    let beside = |name: &str| {
        let mut path = path.to_vec();
        path.pop();
        path.push(Step::Key(name.into()));
        path
    };
    names.into_iter().map(beside).collect()
}

/// The fields and variable at the end of a text: `.Values.image.tag`.
fn last_chain(text: &str) -> &str {
    let is_of_chain = |one: char| one.is_alphanumeric() || "._$".contains(one);
    &text[text.trim_end_matches(is_of_chain).len()..]
}

/// The names of the sub-charts that lead to the failing template: `shop/charts/db/templates/job.yaml` is in `db`.
fn charts_of(error: &Error) -> Vec<&str> {
    let mut words = error.message.split([' ', '"', ':', '(', ')']);
    let path = words.find(|word| word.contains("/templates/")).unwrap_or_default();
    let folders: Vec<_> = path.split('/').skip(1).collect();
    let pairs = folders.chunks(2).take_while(|pair| pair[0] == "charts" && pair.len() == 2);
    pairs.map(|pair| pair[1]).collect()
}

/// Cuts a span at the end of its first line.
pub(super) fn first_line(source: &Source, span: Span) -> Span {
    let line = source.line_span(source.line_of(span.start));
    Span { start: span.start, end: span.end.min(line.end).max(span.start) }
}
