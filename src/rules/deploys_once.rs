use job_lifecycle::{
    Deployer, Event, Outcome, ReleaseChanges, Tool, deployer::KubectlMode, workload::Kind,
};

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    words::shown_name,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "deploys-once",
    include_str!("../../rules/deploys-once.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let context = job.context;
    let verdicts =
        context.judge(|deployer| Some((Severity::Info, effect(job, deployer)?.to_owned())));
    let (Some(first), Some(kind)) = (verdicts.first(), job.object.root.get("kind")) else { return };
    let label = format!("{} for `{}`", first.text, shown_name(job.object));
    let message = match first.text.starts_with("`kubectl create`") {
        true => format!("the second `kubectl create` of {} fails: `already exists`", job.title()),
        false if job.kind == Kind::Job => {
            format!("every `kubectl replace` of {} fails: an existing Job rejects it", job.title())
        }
        false => format!("`kubectl replace` of {} fails until it has been created", job.title()),
    };
    found.push(Finding::new(kind.span, label).message(message).deployers(verdicts));
}

/// Why the same kubectl command does not work on every deploy (kubectl 0.1; kubectl 4.1).
fn effect(job: &Subject<'_>, deployer: &Deployer) -> Option<&'static str> {
    let changes = job.release_changes();
    let fails = |changes: &ReleaseChanges, event| {
        let outcome = job.outcome(deployer, changes, event);
        matches!(outcome, Some(Outcome::Rejected | Outcome::Blocked))
    };
    if deployer.tool != Tool::Kubectl {
        return None;
    }
    match deployer.kubectl_mode() {
        KubectlMode::Create if fails(&changes, Event::Redeploy) => {
            Some("`kubectl create` works once, and then fails: `already exists`,")
        }
        KubectlMode::Replace if fails(&changes, Event::Install) && job.kind == Kind::Job => {
            Some("`kubectl replace` needs an existing object, and an existing Job rejects the PUT")
        }
        KubectlMode::Replace if fails(&changes, Event::Install) => {
            Some("`kubectl replace` fails before `kubectl create` has been run")
        }
        _ => None,
    }
}
