//! Reports the parts of a chart that nothing renders: once for dependencies missing from `charts/`, and once
//! for Jobs that no value set enables.

use std::collections::{BTreeMap, BTreeSet};

use helm_render::{Chart, Dependency, Error, guards::GuardedObject};
use yaml_spans::{Location, Span};

use super::{failure::first_line, required_inputs::is_unmet};
use crate::{
    unit::{Failure, Loaded, Problem, Rendering},
    words::{HEADLINE, listed, one_line},
};

/// The most labels to show in one problem.
const MOST: usize = 8;

/// Failures under explored values: template path → (values, what fails as a clause).
pub(super) type Failures = BTreeMap<String, (String, String)>;

/// Reports unrendered Jobs with the reason. If a dependency is missing or the chart fails, the Jobs become
/// labels of that problem instead.
pub(super) fn report(
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
    let problems = &mut loaded[0].problems;
    let fails = problems.iter().position(Problem::is_of_whole);
    match fails.or_else(|| problems.iter().position(Problem::lacks_dependency)) {
        Some(index) => label(&mut problems[index], failing),
        None => off.splice(0..0, failing).for_each(drop),
    }
    let mut off = off.into_iter();
    let Some((job, reason)) = off.next() else { return };
    let others = match off.len() {
        0 => String::new(),
        1 => " or another Job".to_owned(),
        count => format!(" or {count} other Jobs"),
    };
    let headline = format!("no values file renders this Job{others}");
    let whole = format!("{headline}: {reason}");
    let (headline, note) = match whole.chars().count() > HEADLINE {
        true => (headline, reason.clone()),
        false => (whole, String::new()),
    };
    let reason = format!("no values file renders this{others}: {reason}");
    let mut problem = Problem {
        headline: Some(headline),
        note,
        help: Some("Add a `ci/NAME-values.yaml` that enables it".to_owned()),
        ..Problem::new(Failure::NotRendered, job.at.clone(), reason)
    };
    label(&mut problem, off);
    // The problem belongs to no particular value set.
    loaded.push(Loaded { problems: vec![problem], ..Loaded::default() });
}

fn label<'a>(problem: &mut Problem, jobs: impl IntoIterator<Item = (&'a GuardedObject, String)>) {
    let room = MOST.saturating_sub(problem.labels.len());
    let labels = jobs.into_iter().map(|(job, reason)| (job.at.clone(), reason));
    problem.labels.extend(labels.take(room));
}

fn why_off(job: &GuardedObject, base: &Rendering, tried: &Failures) -> String {
    if let Some((values, words)) = tried.get(template(job)) {
        return format!("with {values} {words}");
    }
    let mut asked: Vec<_> = job.conditions.iter().collect();
    // Some conditions cannot be judged on their own; then all are listed.
    if asked.iter().any(|condition| is_unmet(base, job, condition)) {
        asked.retain(|condition| is_unmet(base, job, condition));
    }
    let asked: Vec<_> = asked.iter().map(|condition| format!("`{}`", condition.text)).collect();
    match &asked[..] {
        [] => "it has no known condition, and yet it is not rendered".to_owned(),
        all => format!("it requires {}", all.join(" and ")),
    }
}

/// The failure of the template that contains a Job.
pub(super) fn failure_of<'e>(job: &GuardedObject, failures: &'e [Error]) -> Option<&'e Error> {
    failures.iter().find(|error| error.message.contains(template(job)))
}

/// The template's path inside the chart.
pub(super) fn template(job: &GuardedObject) -> &str {
    let path = &*job.template;
    path.find("templates/").map_or(path, |start| &path[start..])
}

/// The innermost part of a Helm error, without the chain of template calls that leads there.
pub(super) fn core(error: &Error) -> String {
    let words = one_line(&error.message);
    let inner = words.rfind(" at <").map(|at| &words[at + " at <".len()..]);
    match inner.and_then(|inner| inner.split_once(">: ")) {
        Some((place, problem)) => format!("`{place}`: {problem}"),
        None => words,
    }
}

/// One problem for all dependencies missing from `charts/`.
pub(super) fn missing(rendering: &Rendering) -> Option<Problem> {
    absent(&rendering.chart, &rendering.rendered.missing)
}

/// The problem of the first dependency that itself lacks dependencies.
pub(super) fn missing_below(chart: &Chart) -> Option<Problem> {
    chart.dependencies.iter().find_map(|sub| {
        let missing: Vec<_> = sub.missing_dependencies().into_iter().map(str::to_owned).collect();
        absent(sub, &missing).or_else(|| missing_below(sub))
    })
}

/// The problem of dependencies that a chart declares and that are not in its `charts/`.
fn absent(chart: &Chart, missing: &[String]) -> Option<Problem> {
    let whole = || Location { source: chart.chart_yaml.clone(), span: Span::default() };
    let Location { source, span } = chart.declares(missing.first()?).unwrap_or_else(whole);
    let span = first_line(&source, span);
    let mut seen = BTreeSet::new();
    let names: Vec<_> = missing.iter().filter(|name| seen.insert(*name)).cloned().collect();
    let is_in_lfs = names.len() <= chart.lfs_pointers.len();
    let state = if is_in_lfs { "fetched from Git LFS" } else { "vendored" };
    let (headline, reason) = match &names[..] {
        [one] => {
            let place = if is_in_lfs { "only a Git LFS pointer" } else { "not in `charts/`" };
            let reason = format!("`{one}` is {place}: what it renders was not checked");
            (format!("dependency `{one}` is not {state}"), reason)
        }
        all => {
            let place = if is_in_lfs { "only Git LFS pointers" } else { "not in `charts/`" };
            let all = listed(all);
            let reason = format!("{all} are {place}: what they render was not checked");
            (format!("dependencies {all} are not {state}"), reason)
        }
    };
    let (failure, help) = match is_in_lfs {
        true => (Failure::Absent, "Run `git lfs pull`".to_owned()),
        false => vendoring(chart, missing),
    };
    Some(Problem {
        headline: Some(headline),
        help: Some(help),
        ..Problem::new(failure, Location { source, span }, reason)
    })
}

/// How the missing dependencies come into `charts/`: from where the chart declares them.
fn vendoring(chart: &Chart, missing: &[String]) -> (Failure, String) {
    let declared = chart.metadata.dependencies.iter().flatten();
    let of = |one: &&Dependency| missing.iter().any(|name| **name == *one.name);
    let repositories: Vec<_> = declared.filter(of).map(|one| &*one.repository).collect();
    let local = repositories.iter().find_map(|one| one.strip_prefix("file://"));
    match local {
        Some(path) if repositories.iter().all(|one| one.starts_with("file://")) => {
            (Failure::Misdeclared, format!("Correct the path: `{path}` holds no chart that loads"))
        }
        _ if !repositories.is_empty() && repositories.iter().all(|one| one.is_empty()) => {
            let help = "Put the chart into `charts/`, or declare its `repository`";
            (Failure::Misdeclared, help.to_owned())
        }
        _ => (Failure::Absent, "Run `helm dependency build`".to_owned()),
    }
}
