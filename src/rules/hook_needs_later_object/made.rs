//! What a hook makes for the ordinary objects of its release: a Secret that no manifest holds.

use job_lifecycle::{Object, workload::any_pod};

use crate::{context::Context, scripts::holds_word, words::titled, workload::made::mounting};

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
