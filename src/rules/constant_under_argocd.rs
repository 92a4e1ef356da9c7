use job_lifecycle::{ReleaseChanges, Tool, release_changes::Step};

use super::{Check, Rule, refused};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    workload::{Subject, Why},
};

pub static RULE: Rule = Rule::new(
    "constant-under-argocd",
    include_str!("../../rules/constant-under-argocd.yaml"),
    Check::Workload(check),
);

/// What Argo CD's render never changes: it has no release and asks no cluster (argocd 4).
const CONSTANT: [&str; 4] =
    ["Release.Revision", "Release.IsUpgrade", "Release.IsInstall", "lookup"];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(changes) = job.changes else { return };
    let mut inputs = changes.name_inputs.iter().filter(|name| CONSTANT.contains(&name.as_str()));
    let Some(input) = inputs.next() else { return };
    let mut argocd =
        job.context.applying(job.object).filter(|deployer| deployer.tool == Tool::Argocd);
    let Some(deployer) = argocd.next().filter(|_| is_constant(changes, input)) else { return };
    let refusals = job.rejections();
    let refused = refusals.iter().find(|refusal| refusal.why == Why::Stateless);
    let (severity, result) = match refused {
        Some(refusal) => {
            (refusal.severity, "the sync of a changed Job fails: `field is immutable`")
        }
        None => (Severity::Warning, "the Job never runs again"),
    };
    let value = if input == "Release.Revision" { "always 1" } else { "always the same" };
    let label = format!("follows `{input}`, which is {value} under Argo CD");
    let Some(mut finding) = refused::of_name(job, label) else { return };
    for difference in refused.iter().flat_map(|refusal| refusal.differences()).take(3) {
        let text = format!("`{}` changes under the same name", difference.path);
        finding = finding.label(difference.span, text);
    }
    found.push(finding.deployers(vec![PerDeployer::new(deployer.tool, severity, result)]));
}

/// Helm changes the name with every upgrade, Argo CD does not; what comes from the cluster never comes.
fn is_constant(changes: &ReleaseChanges, input: &str) -> bool {
    let again =
        |changes: &ReleaseChanges| changes.at(&Step::Again).is_some_and(|change| change.name);
    let stateless = changes.stateless.as_deref().unwrap_or(changes);
    !stateless.is_renamed() && (again(changes) || input == "lookup")
}
