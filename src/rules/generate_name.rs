use job_lifecycle::{Deployer, Tool, deployer::KubectlMode};

use super::{Check, Rule};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    unit::UnitKind,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "generate-name",
    include_str!("../../rules/generate-name.yaml"),
    Check::Workload(check),
);

/// How each deployer rejects an object without a name. Observed with Helm 3.22 and 4.3, Argo CD 3.5,
/// kustomize-controller 1.9, Fleet 0.16 and kubectl 1.36.
const REJECTIONS: [(Tool, &str); 6] = [
    (Tool::Helm3, HELM),
    (Tool::Helm4, HELM),
    (Tool::Argocd, "the sync fails: `cannot use generate name with apply`"),
    (Tool::Flux, "Flux cannot build it: `missing metadata.name in object`"),
    (Tool::Fleet, "Fleet cannot deploy it: `resource name may not be empty`"),
    (Tool::Kubectl, "`kubectl apply` refuses it: `cannot use generate name with apply`"),
];
const HELM: &str = "Helm cannot install it: `resource name may not be empty`";
const REPLACE: &str = "`kubectl replace` refuses it: `resource name may not be empty`";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(entry) = job.object.root.get("metadata").and_then(|m| m.entry("generateName")) else {
        return;
    };
    if !job.object.is_unnamed() {
        return;
    }
    // The manifest cannot work with `kubectl apply`, so an assumed `kubectl apply` is probably wrong.
    let is_guess = job.context.is_assumed()
        && job.context.deployers.iter().all(|deployer| deployer.tool == Tool::Kubectl);
    let severity = if is_guess { Severity::Warning } else { Severity::Error };
    let results: Vec<_> = job
        .applying()
        .filter(|deployer| !job.is_created_anew(deployer))
        .map(|deployer| PerDeployer::new(deployer.tool, severity, rejection(deployer)))
        .collect();
    let Some(first) = results.first() else { return };
    let help = match first.tool {
        Tool::Kubectl => {
            "use `kubectl create`, or give it a `name` that contains a hash of its inputs"
        }
        Tool::Argocd => {
            "make it a hook (`argocd.argoproj.io/hook`), or give it a `name` that contains a hash of its inputs"
        }
        _ => "give it a `name` that contains a hash of its inputs",
    };
    let label = match PerDeployer::common(&results) {
        Some(text) => text.to_owned(),
        None => "has to be found by its name before it is applied, and has none".to_owned(),
    };
    let who = match first.tool {
        Tool::Kubectl if first.text == REPLACE => "`kubectl replace`",
        Tool::Kubectl => "`kubectl apply`",
        tool => tool.title(),
    };
    let message = format!("{who} cannot deploy {}: it has no `name`", job.title());
    let finding = Finding::new(entry.key_span.to(entry.value.span), label).message(message);
    let finding = finding.help(help).deployers(results);
    found.push(match is_guess && job.context.kind == UnitKind::Plain {
        true => finding.pedantic(),
        false => finding,
    });
}

fn rejection(deployer: &Deployer) -> &'static str {
    if deployer.tool == Tool::Kubectl && deployer.kubectl_mode() == KubectlMode::Replace {
        return REPLACE;
    }
    REJECTIONS.iter().find(|(tool, _)| *tool == deployer.tool).map_or(REPLACE, |(_, text)| text)
}
