use job_lifecycle::{ReleaseChanges, Tool};

use super::{Check, Rule};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "nondeterministic-template",
    include_str!("../../rules/nondeterministic-template.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(changes) = job.changes else { return };
    let argocd = job.applying().find(|deployer| deployer.tool == Tool::Argocd);
    let Some(deployer) = argocd else { return };
    let ReleaseChanges { render, .. } = changes.under(deployer);
    if render.name || render.gone || !render.fields.is_empty() {
        return;
    }
    let Some((first, rest)) = render.differences.split_first() else { return };
    let says = |input: &str| first.inputs.iter().any(|own| own == input);
    let what = if says("time") { "follows the time" } else { "is drawn at random" };
    let label = format!("`{}` {what}, anew at every refresh", first.path);
    let message =
        format!("{} is never Synced: `{}` changes at every refresh", job.title(), first.path);
    let mut finding = Finding::new(first.span, label).message(message);
    for other in rest.iter().take(3) {
        finding = finding.label(other.span, format!("`{}` too", other.path));
    }
    let result =
        PerDeployer::new(deployer.tool, Severity::Warning, "the application is never Synced");
    found.push(finding.deployers(vec![result]));
}
