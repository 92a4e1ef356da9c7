use job_lifecycle::{
    Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    deploy::{AnnotationList, from_helm},
    workload::Kind,
};

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "delete-hook-race",
    include_str!("../../rules/delete-hook-race.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind != Kind::Job {
        return;
    }
    let context = job.context;
    for list in [ARGO_HOOK, HELM_HOOK].iter().filter_map(|key| AnnotationList::of(job.object, key))
    {
        for token in &list.tokens {
            let event = from_helm(&token.text).unwrap_or(&token.text);
            let verdicts = context.judge(|deployer| {
                let hook = job.hook(deployer).filter(|_| deployer.tool == Tool::Argocd)?;
                let deletes = event.ends_with("Delete") && hook.listens_to(event);
                let text = "at times counts it as done while it runs";
                deletes.then(|| (Severity::Info, text.to_owned()))
            });
            if !verdicts.is_empty() {
                let label = match event {
                    "PostDelete" => "the app may be gone while this still runs",
                    _ => "a retry may delete the app while this still runs",
                };
                let message = match event {
                    "PostDelete" => format!("the app may be gone while {} still runs", job.title()),
                    _ => format!("a retry may delete the app while {} still runs", job.title()),
                };
                let finding = Finding::new(token.span, label).message(message);
                found.push(finding.deployers(verdicts));
            }
        }
    }
}
