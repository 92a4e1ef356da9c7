use job_lifecycle::{Hook, Tool, workload::Kind};

use super::{Check, Rule};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    suspension::QUEUE,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "suspended-hook",
    include_str!("../../rules/suspended-hook.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let suspend = job.job.get("suspend").filter(|node| node.is_true() && job.kind == Kind::Job);
    let Some(suspend) = suspend else { return };
    let queued = job.object.root.at(&["metadata", "labels", QUEUE]).is_some();
    let context = job.context;
    let verdicts = context.judge(|deployer| {
        let hook = job.hook(deployer)?;
        let text = match deployer.tool {
            Tool::Flux => "counts it as done, and nothing has run",
            Tool::Argocd if is_deletion(&hook) => "counts it as done, and nothing has run",
            Tool::Argocd if queued => "counts it as done as soon as it is resumed",
            _ if queued => return None,
            Tool::Argocd => "waits for it without end",
            _ => "waits for it until the timeout, and fails",
        };
        let severity = if queued { Severity::Warning } else { Severity::Error };
        Some((severity, text.to_owned()))
    });
    if let Some(worst) = verdicts.first() {
        let label = format!("{} {}", PerDeployer::subject(&verdicts), worst.text);
        let message = format!("{} is suspended: {label}", job.title());
        found.push(Finding::new(suspend.span, label).message(message).deployers(verdicts));
    }
}

fn is_deletion(hook: &Hook) -> bool {
    hook.only(&["PreDelete", "PostDelete"])
}
