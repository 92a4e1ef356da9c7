//! What a Job makes for the ordinary objects beside it: a Secret that no manifest holds.

use job_lifecycle::{
    Object,
    workload::{any_pod, references_of},
};

use crate::{context::Context, scripts::holds_word};

/// What a command is told that makes an object; others may name it to change it.
const MAKES: [&str; 4] = ["apply", "create", "generate", "init"];

/// The ordinary workload that mounts what a Job makes.
pub(crate) fn mounting<'c>(job: &Object, context: &Context<'c>) -> Option<&'c Object> {
    let text = job.source.slice(job.root.span);
    if !MAKES.iter().any(|verb| holds_word(text, verb)) {
        return None;
    }
    let is_made = |kind: &str, name: &str| {
        let is_here = |one: &Object| one.kind() == kind && one.name() == Some(name);
        holds_word(text, name) && !context.objects.iter().any(is_here)
    };
    let waits = |other: &&Object| {
        let references = any_pod(other).map(references_of).unwrap_or_default();
        let mut needed = references
            .iter()
            .filter(|one| !one.is_optional && matches!(one.kind, "ConfigMap" | "Secret"));
        needed.any(|one| is_made(one.kind, one.name))
    };
    let mut others = context.objects.iter().filter(|one| !one.is_annotated_hook());
    others.find(waits)
}
