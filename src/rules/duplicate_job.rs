use std::{collections::HashMap, sync::Arc};

use job_lifecycle::{Deployer, Object, Role, Tool, workload::kind_of};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    unit::UnitKind,
    words::{shown_name, titled},
};

pub(crate) static RULE: Rule =
    Rule::new("duplicate-job", include_str!("../../rules/duplicate-job.yaml"), Check::Unit(check));

/// What happens to a second Job of the same name. Observed with Helm 3.22 and 4.3 and Kustomize 5.8.
const SECOND: [(Tool, &str); 6] = [
    (Tool::Helm3, "the install fails: `already exists`"),
    (Tool::Helm4, "only one of them is created, which one is chance, or the install fails"),
    (Tool::Argocd, "only the last one counts, with a `RepeatedResourceWarning`"),
    (Tool::Flux, "the build fails: `may not add resource with an already registered id`"),
    (Tool::Fleet, "only one of them is created, which one is chance, or the bundle fails"),
    (Tool::Kubectl, "it is applied over the first, so it does not run, or is refused"),
];

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    let mut seen: HashMap<_, Vec<&Object>> = HashMap::new();
    for object in context.objects {
        let (Some(kind), Some(name)) = (kind_of(object), object.name()) else { continue };
        let earlier = seen.entry((kind, object.namespace(), name)).or_default();
        let mut same = earlier.iter().filter(|first| !may_differ(first, object));
        let clash = same.find_map(|first| Some((first, clash(first, object, context)?)));
        if let Some((first, results)) = clash {
            // Nobody is known to turn on both.
            let is_aside = context.enabled && first.decided() != object.decided()
                || may_be_alternatives(first, object, context);
            let finding = finding(first, object, results);
            let finding = finding.map(|one| if is_aside { one.pedantic() } else { one });
            found.extend(finding.map(|finding| (object, finding)));
        }
        earlier.push(object);
    }
}

/// Whether two files of a folder that nothing is known to deploy as a whole may be two ways to do the same.
fn may_be_alternatives(first: &Object, second: &Object, context: &Context<'_>) -> bool {
    context.kind == UnitKind::Plain
        && context.deployments.is_empty()
        && context.is_all_assumed()
        && !Arc::ptr_eq(&first.source, &second.source)
}

fn finding(first: &Object, second: &Object, results: Vec<PerDeployer>) -> Option<Finding> {
    let span = |object: &Object| Some(object.root.at(&["metadata", "name"])?.span);
    let (kind, name) = (second.kind(), shown_name(second));
    let label = match PerDeployer::common(&results) {
        Some(text) => format!("a second {kind} `{name}`: {text}"),
        None => format!("a second {kind} `{name}`"),
    };
    let message = match results.first() {
        Some(first) => format!("two objects are called {}: {}", titled(second), first.text),
        None => format!("two objects are called {}", titled(second)),
    };
    let finding = Finding::new(span(second)?, label).message(message).deployers(results);
    Some(finding.label_in(&first.source, span(first)?, "the first one"))
}

/// True for names with a placeholder, unless one chart writes both in the same words: what that stands for may depend on
/// the chart, or on the turn of a loop.
fn may_differ(first: &Object, second: &Object) -> bool {
    let written = [first, second].map(|object| {
        let name = object.root.at(&["metadata", "name"])?.span;
        let origin = object.source.origin.as_deref()?;
        origin.is_placeholder(name).then(|| origin.written(name).at)
    });
    match written {
        [Some(one), Some(other)] => {
            let charts = [&one, &other].map(|at| at.source.path.rsplit_once("/templates/"));
            let [chart, other_chart] = charts.map(|path| path.map(|(chart, _)| chart));
            let is_same_place = one.sort_key() == other.sort_key();
            let is_alike = one.source.slice(one.span) == other.source.slice(other.span);
            is_same_place || chart != other_chart || !is_alike
        }
        [one, other] => one.is_some() || other.is_some(),
    }
}

/// What happens under the deployers that apply both; `None` if none does, or if nothing states that the files are
/// deployed together.
fn clash(first: &Object, second: &Object, context: &Context<'_>) -> Option<Vec<PerDeployer>> {
    if !Arc::ptr_eq(&first.source, &second.source) && !context.together {
        return None;
    }
    let both = |deployer: &&Deployer| applies_both(first, second, deployer, context);
    let deployers = context.deployers.iter().filter(both);
    let results: Vec<_> = deployers.map(|deployer| result(deployer, context)).collect();
    (!results.is_empty()).then_some(results)
}

/// True when both exist at the same time. Hooks of different events run one after the other and may share a name.
fn applies_both(
    first: &Object,
    second: &Object,
    deployer: &Deployer,
    context: &Context<'_>,
) -> bool {
    if deployer.assumed && first.is_annotated_hook() && second.is_annotated_hook() {
        return false;
    }
    match (context.role(first, deployer), context.role(second, deployer)) {
        (Role::Dropped, _) | (_, Role::Dropped) => false,
        (Role::Hook(a), Role::Hook(b)) => a.events.iter().any(|event| b.events.contains(event)),
        _ => true,
    }
}

fn result(deployer: &Deployer, context: &Context<'_>) -> PerDeployer {
    let builder = match deployer.tool {
        _ if context.kind == UnitKind::Overlay => Tool::Flux,
        Tool::Flux if deployer.is_helm_release(context.from_chart()) => Tool::Helm4,
        tool => tool,
    };
    let text = SECOND.iter().find(|(tool, _)| *tool == builder).map_or("", |(_, text)| text);
    PerDeployer::new(deployer.tool, Severity::Error, text)
}
