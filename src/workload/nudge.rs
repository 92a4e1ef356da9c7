//! Jobs that only ask a controller to look again: they are meant to run at each deploy, and a second run does nothing else.

use shell_effects::Invocation;

use super::Subject;

/// Programs and the words with which they ask.
const ASKS: [(&str, &str); 7] = [
    ("argocd", "--hard-refresh"),
    ("argocd", "--refresh"),
    ("flux", "reconcile"),
    ("kubectl", "annotate"),
    ("kubectl", "restart"),
    ("oc", "annotate"),
    ("oc", "restart"),
];

impl Subject<'_> {
    /// Whether each command of the Job asks a controller to look again, or only speaks.
    pub(crate) fn only_nudges(&self) -> bool {
        let asks = |one: &Invocation| {
            ASKS.iter().any(|(program, asks)| {
                let mut words = one.words.iter().skip(1);
                *program == one.program_name() && words.any(|word| word.value == *asks)
            })
        };
        let of_script = |one: &shell_effects::Analysis| {
            one.invocations.iter().any(asks)
                && one.invocations.iter().all(|own| asks(own) || speaks(own))
        };
        let commands = self.commands();
        !commands.is_empty()
            && commands.len() == self.all_containers().count()
            && commands.iter().all(|command| of_script(&command.analysis))
    }
}

fn speaks(one: &Invocation) -> bool {
    matches!(one.program_name(), "date" | "echo" | "printf" | "set" | "sleep" | "true")
}
