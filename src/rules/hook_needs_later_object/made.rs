//! What a hook makes for the ordinary objects of its release: a Secret that no manifest holds.

use job_lifecycle::{
    Object,
    workload::{any_pod, references_of},
};

use crate::{context::Context, scripts::holds_word, words::titled};

/// What a command is told that makes an object; others may name it to change it.
const MAKES: [&str; 4] = ["apply", "create", "generate", "init"];

/// The help for a hook that must run before an ordinary workload, which mounts what the hook makes, or waits for it by its name.
pub(super) fn help(hook: &Object, context: &Context<'_>) -> Option<String> {
    mounting(hook, context).map(|user| copies(user, "what the Job makes")).or_else(|| {
        let name = hook.name()?;
        let names_it = |one: &&Object| {
            any_pod(one).is_some_and(|pod| holds_word(one.source.slice(pod.span), name))
        };
        let mut others = context.objects.iter().filter(|one| !one.is_annotated_hook());
        others.find(names_it).map(|user| copies(user, "the Job"))
    })
}

fn copies(user: &Object, what: &str) -> String {
    format!(
        "Give the Job copies of what it needs, as hooks of the same event with a smaller weight or wave and names of \
         their own: {} waits for {what}",
        titled(user)
    )
}

/// The ordinary workload that mounts what a hook makes.
pub(in crate::rules) fn mounting<'c>(hook: &Object, context: &Context<'c>) -> Option<&'c Object> {
    let text = hook.source.slice(hook.root.span);
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
