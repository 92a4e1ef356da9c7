use job_lifecycle::{Deployer, Hook, Object, Tool};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-with-generate-name",
    include_str!("../../rules/hook-with-generate-name.yaml"),
    Check::Object(check),
);

/// The length of the suffix that Argo CD appends, by phase: seven characters of the Git revision, the phase and a
/// timestamp.
const SUFFIXES: &[(&str, usize)] =
    &[("PreSync", 26), ("Sync", 23), ("PostSync", 27), ("SyncFail", 27)];

/// A Job's name is a label value of its pods.
const LONGEST_JOB_NAME: usize = 63;

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(prefix) = object.generate_name().filter(|_| object.name().is_none()) else { return };
    let Some(span) = object.root.at(&["metadata", "generateName"]).map(|node| node.span) else {
        return;
    };
    let verdicts = context.judge(|deployer| {
        let hook = context.hook(object, deployer)?;
        let text = match deployer.tool {
            Tool::Argocd => argocd(object, prefix, &hook)?,
            _ => helm(&hook, deployer)?.to_owned(),
        };
        Some((Severity::Error, text))
    });
    if let Some(worst) = verdicts.first() {
        let label = format!("{} {}", PerDeployer::subject(&verdicts), worst.text);
        let message = format!("{} needs a `name`: {label}", titled(object));
        found.push(Finding::new(span, label).message(message).deployers(verdicts));
    }
}

fn helm(hook: &Hook, deployer: &Deployer) -> Option<&'static str> {
    if deployer.tool == Tool::Flux {
        Some("renders every release anew and refuses an object without a name")
    } else if hook.is_recreated() {
        Some("cannot delete the old one without a name, and fails")
    } else if !deployer.creates_hooks() {
        Some("applies hooks, and cannot apply one without a name")
    } else {
        hook.has_policy("hook-succeeded")
            .then_some("runs it, cannot delete it without a name, and fails")
    }
}

fn argocd(object: &Object, prefix: &str, hook: &Hook) -> Option<String> {
    if hook.listens_to("PreDelete") || hook.listens_to("PostDelete") {
        return Some("creates another one at every pass, and the deletion never ends".to_owned());
    }
    let longest = SUFFIXES.iter().filter(|(event, _)| hook.listens_to(event)).map(|(_, n)| n).max();
    let length = prefix.chars().count() + longest?;
    let too_long = object.kind() == "Job" && length > LONGEST_JOB_NAME;
    too_long.then(|| format!("makes a name of {length} characters, and a Job has at most 63"))
}
