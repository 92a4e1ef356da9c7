use job_lifecycle::{ReleaseChanges, Tool, release_changes::Step};

use super::{Check, Rule, rejected};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    workload::{Subject, Why},
};

pub(crate) static RULE: Rule = Rule::new(
    "constant-under-argocd",
    include_str!("../../rules/constant-under-argocd.yaml"),
    Check::Workload(check),
);

/// Inputs that are constant when Argo CD renders: it has no release and no access to a cluster (argocd 4).
const CONSTANT: [&str; 4] =
    ["Release.Revision", "Release.IsUpgrade", "Release.IsInstall", "lookup"];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(changes) = job.changes else { return };
    let mut inputs = changes.name_inputs.iter().filter(|name| CONSTANT.contains(&name.as_str()));
    let Some(input) = inputs.next() else { return };
    let argocd = job.applying().find(|deployer| deployer.tool == Tool::Argocd);
    let Some(deployer) = argocd.filter(|_| is_constant(changes, input)) else { return };
    let rejections = job.rejections();
    let rejection = rejections.iter().find(|rejection| rejection.why == Why::Stateless);
    let (severity, result) = match rejection {
        Some(rejection) => {
            (rejection.severity, "the sync of a changed Job fails: `field is immutable`")
        }
        None => (Severity::Warning, "the Job never runs again"),
    };
    let value = if input == "Release.Revision" { "always 1" } else { "always the same" };
    let label = format!("follows `{input}`, which is {value} under Argo CD");
    let Some(finding) = rejected::name_finding(job, label) else { return };
    let message = match rejection {
        Some(_) => "the sync of a changed {} fails, because its name never changes under Argo CD",
        None => "{} runs once and never again under Argo CD, because its name never changes",
    };
    let mut finding = finding.message(message.replace("{}", &job.title()));
    for difference in rejection.iter().flat_map(|rejection| rejection.differences()).take(3) {
        let text = format!("`{}` changes under the same name", difference.path);
        finding = finding.label(difference.span, text);
    }
    let finding = finding.deployers(vec![PerDeployer::new(deployer.tool, severity, result)]);
    // Whoever turns it on wants its one run.
    found.push(if job.context.enabled { finding.pedantic() } else { finding });
}

/// True when the name changes with every Helm upgrade, or with the cluster, and never under Argo CD.
fn is_constant(changes: &ReleaseChanges, input: &str) -> bool {
    let again =
        |changes: &ReleaseChanges| changes.at(&Step::Again).is_some_and(|change| change.name);
    let stateless = changes.stateless.as_deref().unwrap_or(changes);
    !stateless.is_renamed() && (again(changes) || input == "lookup")
}
