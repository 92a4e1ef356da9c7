//! Jobs that no set of values renders: the conditions around them are made to hold, and what is still not
//! reached is said.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Parsed, Rendering, ValueSet, render};
use crate::{
    helm::{
        self, Chart, GuardedJob, Override, RenderOptions,
        values::{Setting, Table, Tree},
    },
    object::Object,
    provenance::Step,
    read::{Loaded, Problem},
    source::Location,
};

/// More renders than these are not spent on Jobs that are off.
const MOST_RENDERS: usize = 6;

/// Places of `kind` in templates.
type Places = BTreeSet<(String, u32)>;

/// Adds a view for the Jobs that no view so far holds, with values made up so that the conditions around
/// them hold; says of the rest that it was not rendered.
pub fn explore(chart: &Arc<Chart>, loaded: &mut Vec<Loaded>) {
    let Some(base) = loaded.first().and_then(|first| first.rendering.clone()) else { return };
    let mut reached: Places = loaded.iter().flat_map(kinds).collect();
    let mut left = helm::jobs(chart, &base.rendered);
    left.retain(|job| !reached.contains(&place(&job.at)) && is_own(&base, &job.at));
    for tried in attempts(&base, &left) {
        let is_left = |job: &&GuardedJob| !reached.contains(&place(&job.at));
        let wanted = overrides(&base, tried.into_iter().filter(is_left));
        if wanted.is_empty() {
            continue;
        }
        if let Some(view) = view(chart, &base, wanted, &reached) {
            reached.extend(kinds(&view));
            loaded.push(view);
        }
    }
    left.retain(|job| !reached.contains(&place(&job.at)));
    let said: Vec<_> = loaded[0].problems.iter().map(|problem| problem.reason.clone()).collect();
    let problems: Vec<_> = left.iter().filter_map(|job| not_rendered(job, &base, &said)).collect();
    if !problems.is_empty() {
        // Of no set of values in particular.
        loaded.push(Loaded { problems, ..Loaded::default() });
    }
}

/// What to switch on together: everything, what needs no made-up lists and maps, then one by one.
fn attempts<'a>(base: &Rendering, jobs: &'a [GuardedJob]) -> Vec<Vec<&'a GuardedJob>> {
    let is_plain = |job: &&GuardedJob| {
        let wanted = overrides(base, [*job]);
        !wanted.values().any(|one| matches!(one.value, Tree::List(_) | Tree::Table(_)))
    };
    let plain: Vec<_> = jobs.iter().filter(is_plain).collect();
    let mut attempts = vec![jobs.iter().collect()];
    if plain.len() < jobs.len() {
        attempts.push(plain.clone());
    }
    let others = jobs.iter().filter(|job| !is_plain(job));
    attempts.extend(plain.iter().copied().chain(others).map(|job| vec![job]));
    attempts.truncate(MOST_RENDERS);
    attempts
}

/// The chart rendered with these values; only what was not reached before counts.
fn view(
    chart: &Arc<Chart>,
    base: &Rendering,
    wanted: BTreeMap<Vec<String>, Override>,
    reached: &Places,
) -> Option<Loaded> {
    let name = wanted.iter().map(|(path, one)| {
        let value = match &one.value {
            Tree::Str(text) => text.to_string(),
            tree => Setting::new(tree.clone(), None).to_json().to_string(),
        };
        format!("{}={value}", path.join("."))
    });
    let name = name.collect::<Vec<_>>().join(", ");
    let options = RenderOptions {
        is_lint: true,
        skips_schema: true,
        overrides: wanted.into_values().collect(),
        ..base.options.clone()
    };
    let set = ValueSet::new(name, Table::new(), false);
    let mut rendering = render(chart, options, &set).ok()?;
    rendering.is_explored = true;
    rendering.deployments.clone_from(&base.deployments);
    let mut parsed = Parsed::new(rendering);
    let view = &mut parsed.loaded;
    view.problems.clear();
    let fresh = |object: &Object| kind(object).is_some_and(|at| !reached.contains(&place(&at)));
    let fresh = view.objects.iter().enumerate().filter(|(_, object)| fresh(object));
    let fresh: Vec<_> = fresh.map(|(index, _)| index).collect();
    if fresh.is_empty() {
        return None;
    }
    view.only = Some(fresh);
    parsed.predict();
    Some(parsed.loaded)
}

/// What the conditions around the Jobs want, by path.
fn overrides<'a>(
    base: &Rendering,
    jobs: impl IntoIterator<Item = &'a GuardedJob>,
) -> BTreeMap<Vec<String>, Override> {
    let mut all = BTreeMap::new();
    for job in jobs {
        for wish in job.conditions.iter().flat_map(|condition| &condition.wishes) {
            let Some(path) = job.steps(&wish.path) else { continue };
            let names = path.iter().filter_map(|step| match step {
                Step::Key(key) => Some(key.to_string()),
                Step::Index(_) | Step::Keys => None,
            });
            let names: Vec<_> = names.collect();
            let now = base.value(&names);
            let wanted = helm::guard_value(&wish.value, now.as_ref());
            if now.as_ref().is_some_and(|now| *now == wanted || holds(&wish.value, now)) {
                continue;
            }
            let value = tree(&wanted);
            all.entry(names).or_insert(Override { path, value });
        }
    }
    // A value that stands for a whole table is of no use where something in the table is wanted too.
    let paths: Vec<_> = all.keys().cloned().collect();
    all.retain(|path: &Vec<String>, _| {
        !paths.iter().any(|other| other.len() > path.len() && other.starts_with(path))
    });
    all
}

fn holds(wanted: &helm::Wanted, now: &serde_json::Value) -> bool {
    use serde_json::Value;
    let truth = match now {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    };
    match wanted {
        helm::Wanted::Truth => truth,
        helm::Wanted::Falsehood => !truth,
        helm::Wanted::Text(_) | helm::Wanted::Number(_) => false,
    }
}

fn tree(value: &serde_json::Value) -> Tree {
    use serde_json::Value;
    match value {
        Value::Null => Tree::Null,
        Value::Bool(flag) => Tree::Bool(*flag),
        Value::Number(number) => Tree::Int(number.as_i64().unwrap_or_default()),
        Value::String(text) => Tree::Str(text.as_str().into()),
        Value::Array(items) => {
            Tree::List(items.iter().map(|item| Setting::new(tree(item), None)).collect())
        }
        Value::Object(map) => {
            let entry = |(key, value): (&String, &Value)| {
                (Arc::from(key.as_str()), Setting::new(tree(value), None))
            };
            Tree::Table(map.iter().map(entry).collect())
        }
    }
}

/// Says that a Job was not rendered and why, unless a problem said so of its template.
fn not_rendered(job: &GuardedJob, base: &Rendering, said: &[String]) -> Option<Problem> {
    let Location { source, span } = job.at.clone();
    let name = source.path.find("templates/").map_or(&*source.path, |start| &source.path[start..]);
    if said.iter().any(|reason| reason.contains(name)) {
        return None;
    }
    let failures = &base.rendered.failures;
    let failed = failures.iter().find(|error| error.message.contains(name));
    let conditions: Vec<_> =
        job.conditions.iter().map(|condition| format!("`{}`", condition.text)).collect();
    let reason = match (failed, &conditions[..]) {
        (Some(error), _) => format!("its template fails: {}", super::one_line(&error.message)),
        (None, []) => "no set of values renders this".to_owned(),
        (None, all) => {
            format!("no set of values renders this: it asks for {}", all.join(" and "))
        }
    };
    Some(Problem { rule: "not-rendered", source, span, reason, secondary: None })
}

/// The places of the kinds of everything that a view holds.
fn kinds(loaded: &Loaded) -> Vec<(String, u32)> {
    loaded.objects.iter().filter_map(kind).map(|at| place(&at)).collect()
}

fn kind(object: &Object) -> Option<Location> {
    let span = object.root.get("kind")?.span;
    Some(Location { source: object.source.clone(), span }.written())
}

fn place(at: &Location) -> (String, u32) {
    (at.source.path.clone(), at.span.start)
}

/// What was fetched is nobody's to switch on here.
fn is_own(base: &Rendering, at: &Location) -> bool {
    let folder = base.chart.chart_yaml.path.trim_end_matches("Chart.yaml");
    let inside = at.source.path.strip_prefix(folder).unwrap_or(&at.source.path);
    !inside.starts_with("charts/")
}

impl Rendering {
    /// The value at a path of the defaults and what is set over them.
    pub(super) fn value(&self, path: &[String]) -> Option<serde_json::Value> {
        let find = |table: &helm::values::Table| {
            let (first, rest) = path.split_first()?;
            let mut now = table.get(&**first)?;
            for key in rest {
                now = now.as_table()?.get(&**key)?;
            }
            Some(now.to_json())
        };
        find(&self.options.values).or_else(|| find(&self.chart.values))
    }
}
