use helm_render::functions::Host;
use job_lifecycle::{
    Deployer, Object, Tool,
    deploy::{Finds, Need, needs},
    workload::Reference,
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-needs-later-object",
    include_str!("../../rules/hook-needs-later-object.yaml"),
    Check::Unit(check),
);

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    let hooks = context.objects.iter().filter(|object| object.is_annotated_hook());
    for hook in hooks {
        let needs = needs(hook, context.objects);
        let judged =
            |need| (need, context.judge(|deployer| first_verdict(need, &needs, deployer, context)));
        let late = needs.iter().filter(|need| is_first(need, &needs)).map(judged);
        let late = late.filter(|(_, verdicts)| !verdicts.is_empty());
        let (never, old): (Vec<_>, Vec<_>) =
            late.partition(|(_, verdicts)| verdicts[0].severity == Severity::Error);
        // A hook that cannot start has one cause, however many objects come after it.
        let mut never = never.into_iter();
        let first = never.next().and_then(|(need, verdicts)| finding(need, verdicts));
        let others =
            |finding: Finding| never.fold(finding, |finding, (need, _)| also(finding, need));
        found.extend(first.map(others).map(|finding| (hook, finding)));
        // What a Secret holds is rarely that of a version.
        let graded = |need: &Need<'_>, finding: Finding| match need.reference.kind {
            "Secret" => finding.pedantic(),
            _ => finding,
        };
        let old = old.into_iter().filter_map(|(need, verdicts)| {
            finding(need, verdicts).map(|finding| graded(need, finding))
        });
        found.extend(old.map(|finding| (hook, finding)));
    }
}

/// True for the first of the objects with the name that a reference asks for.
fn is_first(need: &Need<'_>, needs: &[Need<'_>]) -> bool {
    need.twins(needs).next().is_some_and(|first| std::ptr::eq(first, need))
}

/// What happens to a hook that needs an object of a name; `None` if one of that name exists in time.
fn first_verdict(
    need: &Need<'_>,
    needs: &[Need<'_>],
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let all = need.twins(needs).map(|twin| verdict(twin, deployer, context));
    all.collect::<Option<Vec<_>>>()?.into_iter().next()
}

/// Names another object that the hook needs.
fn also(finding: Finding, need: &Need<'_>) -> Finding {
    let Reference { kind, name, span, .. } = need.reference;
    finding.label(span, format!("{kind} `{name}` is created later, too"))
}

fn finding(need: &Need<'_>, verdicts: Vec<PerDeployer>) -> Option<Finding> {
    let worst = verdicts.first()?;
    let Reference { kind, name, span, .. } = need.reference;
    let label = format!("{kind} `{name}` is created later: {}", worst.text);
    let hook = titled(need.hook);
    let message = match worst.severity {
        Severity::Error => format!("{hook} never starts: {kind} `{name}` is created after it"),
        _ => format!("{hook} reads the previous version of {kind} `{name}`"),
    };
    let finding = Finding::new(span, label).message(message).deployers(verdicts);
    let at = need.target.root.at(&["metadata", "name"])?.span;
    Some(finding.label_in(&need.target.source, at, "created after the hook"))
}

/// What happens to a hook that needs an object which is created later; `None` if the object exists in time.
fn verdict(
    need: &Need<'_>,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    // The templates print it only if the cluster lacks it: whoever installs the chart makes it before.
    if need.target.decided().iter().any(|input| input == Host::LOOKUP) {
        return None;
    }
    let mut hook = context.hook(need.hook, deployer)?;
    if context.is_of_upgrades(need.hook) {
        // Argo CD renders an installation each time.
        (deployer.tool != Tool::Argocd).then_some(())?;
        // An upgrade finds what the installation renders too.
        if !context.is_of_upgrades(need.target) {
            hook = hook.after_install();
        }
    }
    let role = context.role(need.target, deployer);
    match (need.finds(&hook, &role, deployer)?, need.reference.kind) {
        (Finds::Nothing, _) => Some((
            Severity::Error,
            "its pod never starts, and the deploy waits for it in vain".to_owned(),
        )),
        (Finds::Old, "ConfigMap" | "Secret") => {
            Some((Severity::Info, "it reads that of the version before".to_owned()))
        }
        (Finds::Old, _) => None,
    }
}
