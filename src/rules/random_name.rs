use job_lifecycle::{Deployer, Tool};

use super::{Check, Rule, rejected};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    words::shown_name,
    workload::Subject,
};

pub(crate) static RULE: Rule =
    Rule::new("random-name", include_str!("../../rules/random-name.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(changes) = job.changes else { return };
    let renewed = |deployer: &&Deployer| changes.under(deployer).render.name;
    let argocd = job.applying().filter(|deployer| deployer.tool == Tool::Argocd);
    let results: Vec<_> = argocd.filter(renewed).map(verdict).collect();
    if results.is_empty() {
        return;
    }
    let mut inputs =
        changes.name_inputs.iter().filter(|one| ["random", "time"].contains(&one.as_str()));
    let what = match inputs.next().map(String::as_str) {
        Some("time") => "follows the time",
        _ => "is drawn at random",
    };
    let label = format!("{what}: Argo CD renders another name at every refresh");
    let message = match results[0].severity {
        Severity::Error => format!(
            "Argo CD creates another Job like `{}` at every refresh",
            shown_name(job.object)
        ),
        _ => {
            format!("the app of {} is never Synced: its name is new at every refresh", job.title())
        }
    };
    let finding = rejected::name_finding(job, label);
    found.extend(finding.map(|finding| finding.message(message).deployers(results)));
}

fn verdict(deployer: &Deployer) -> PerDeployer {
    let by_itself =
        deployer.argocd().automated == Some(true) || deployer.argocd().self_heal == Some(true);
    match by_itself {
        true => PerDeployer::new(
            deployer.tool,
            Severity::Error,
            "creates a new Job at every refresh, without end",
        ),
        false => PerDeployer::new(
            deployer.tool,
            Severity::Warning,
            "is never Synced, and runs another Job at every sync",
        ),
    }
}
