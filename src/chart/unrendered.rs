//! What is said of the parts of a chart that nothing renders: once for what is not in `charts/`, and once for
//! the Jobs that no set of values reaches.

use std::collections::{BTreeMap, BTreeSet};

use helm_render::{Error, guards::GuardedObject};
use yaml_spans::{Location, Span};

use super::{first_line, guards::is_unmet};
use crate::unit::{Failure, Loaded, Problem, Rendering};

/// More places than these in one finding explain nothing.
const MOST: usize = 8;

/// Why single templates failed under made-up values: those, and Helm's words.
pub(super) type Failures = BTreeMap<String, (String, String)>;

/// Says of Jobs that they were not rendered, and why. Where a dependency is missing or the chart fails, that is
/// why, and they are labels of it.
pub(super) fn tell(
    left: &[GuardedObject],
    base: &Rendering,
    tried: &Failures,
    loaded: &mut Vec<Loaded>,
) {
    let (mut failing, mut off) = (Vec::new(), Vec::new());
    for job in left {
        match failure_of(job, &base.rendered.failures) {
            Some(error) => failing.push((job, format!("its template fails: {}", core(error)))),
            None => off.push((job, why_off(job, base, tried))),
        }
    }
    let mut problems = loaded[0].problems.iter_mut();
    match problems.find(|problem| problem.failure != Failure::Unreadable) {
        Some(whole) => label(whole, failing),
        None => off.splice(0..0, failing).for_each(drop),
    }
    let mut off = off.into_iter();
    let Some((job, reason)) = off.next() else { return };
    let others = match off.len() {
        0 => String::new(),
        1 => ", nor another Job".to_owned(),
        count => format!(", nor {count} other Jobs"),
    };
    let Location { source, span } = job.at.clone();
    let reason = format!("no set of values renders this{others}: {reason}");
    let mut problem =
        Problem { failure: Failure::NotRendered, source, span, reason, labels: Vec::new() };
    label(&mut problem, off);
    // Of no set of values in particular.
    loaded.push(Loaded { problems: vec![problem], ..Loaded::default() });
}

fn label<'a>(problem: &mut Problem, jobs: impl IntoIterator<Item = (&'a GuardedObject, String)>) {
    let room = MOST.saturating_sub(problem.labels.len());
    let labels = jobs.into_iter().map(|(job, reason)| (job.at.clone(), reason));
    problem.labels.extend(labels.take(room));
}

fn why_off(job: &GuardedObject, base: &Rendering, tried: &Failures) -> String {
    if let Some((values, words)) = tried.get(template(job)) {
        return format!("with {values} its template fails: {words}");
    }
    let mut asked: Vec<_> = job.conditions.iter().collect();
    // Not every condition can be judged alone.
    if asked.iter().any(|condition| is_unmet(base, job, condition)) {
        asked.retain(|condition| is_unmet(base, job, condition));
    }
    let asked: Vec<_> = asked.iter().map(|condition| format!("`{}`", condition.text)).collect();
    match &asked[..] {
        [] => "it asks for nothing, and yet it is not printed".to_owned(),
        all => format!("it asks for {}", all.join(" and ")),
    }
}

/// The failure of the template of a Job.
pub(super) fn failure_of<'e>(job: &GuardedObject, failures: &'e [Error]) -> Option<&'e Error> {
    failures.iter().find(|error| error.message.contains(template(job)))
}

/// The path of the template inside the chart.
pub(super) fn template(job: &GuardedObject) -> &str {
    let path = &job.at.source.path;
    path.find("templates/").map_or(path, |start| &path[start..])
}

/// What an error says of the innermost place: all the calls on the way there say nothing more.
pub(super) fn core(error: &Error) -> String {
    let words = super::one_line(&error.message);
    let inner = words.rfind(" at <").map(|at| &words[at + " at <".len()..]);
    match inner.and_then(|inner| inner.split_once(">: ")) {
        Some((place, problem)) => format!("`{place}`: {problem}"),
        None => words,
    }
}

/// The dependencies that are not in the chart, as one problem.
pub(super) fn missing(rendering: &Rendering) -> Option<Problem> {
    let (chart, missing) = (&rendering.chart, &rendering.rendered.missing);
    let whole = || Location { source: chart.chart_yaml.clone(), span: Span::default() };
    let Location { source, span } = chart.declares(missing.first()?).unwrap_or_else(whole);
    let span = first_line(&source, span);
    let mut seen = BTreeSet::new();
    let names: Vec<_> = missing.iter().filter(|name| seen.insert(*name)).cloned().collect();
    let reason = match &names[..] {
        [one] => format!("`{one}` is not in `charts/`: what it renders was not checked"),
        all => format!(
            "{} are not in `charts/`: what they render was not checked",
            crate::words::listed(all)
        ),
    };
    Some(Problem { failure: Failure::NotRendered, source, span, reason, labels: Vec::new() })
}
