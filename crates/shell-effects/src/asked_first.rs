//! What a script does around a command: it may look for an object before it changes it.

use crate::{
    analysis::{Action, Analysis, Invocation},
    catalogue::Verdict,
    deletions,
    text::ElementSpan,
};

/// Whether the script asks the cluster for an object before the command at a location changes it: whoever does that means to
/// do something else where it is there.
pub fn asks_for_target(analysis: &Analysis, location: ElementSpan) -> bool {
    let mut invocations = analysis.invocations.iter();
    let Some(at) = invocations.position(|one| one.holds(location)) else { return false };
    let (before, change) = (&analysis.invocations[..at], &analysis.invocations[at]);
    before.iter().flat_map(asked).any(|name| is_target(&name, change))
}

/// Whether a script does one thing only: no more than one command changes anything for which a second run differs from the
/// first, and nothing is done under a condition.
pub fn does_one_thing(analysis: &Analysis) -> bool {
    let differs = |action: &Action| action.changes_state && action.verdict != Verdict::Idempotent;
    let changes = |one: &&Invocation| one.actions.iter().any(differs);
    analysis.invocations.iter().all(|one| one.guards.is_empty())
        && analysis.invocations.iter().filter(changes).nth(1).is_none()
}

/// Programs that say something or wait, and cannot fail at that.
const SPEAKS: [&str; 8] = [":", "date", "echo", "exit", "printf", "set", "sleep", "true"];

/// Whether a script does nothing but speak and wait.
pub fn only_speaks(analysis: &Analysis) -> bool {
    let mut invocations = analysis.invocations.iter();
    !analysis.invocations.is_empty()
        && analysis.unknown.is_empty()
        && invocations.all(|one| SPEAKS.contains(&one.program_name()))
}

/// The names of the objects that a command asks for.
fn asked(invocation: &Invocation) -> Vec<String> {
    match deletions::client_operands(invocation).as_slice() {
        ["get" | "describe", objects @ ..] => {
            deletions::named(objects).into_iter().map(|one| one.name).collect()
        }
        _ => Vec::new(),
    }
}

fn is_target(name: &str, change: &Invocation) -> bool {
    let is_name = |word: &str| word.rsplit(['/', '=']).next() == Some(name);
    change.words.iter().skip(1).any(|word| is_name(&word.value))
        || change.manifests.iter().any(|own| own == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, Container, analyse_script, not_idempotent};

    /// Whether the script looks first, for each command that is not idempotent.
    fn looks(script: &str) -> Vec<bool> {
        let analysis = analyse_script(Catalogue::built_in(), script, &Container::default());
        let hazards = not_idempotent(&analysis).into_iter();
        hazards.map(|one| asks_for_target(&analysis, one.location)).collect()
    }

    #[test]
    fn a_script_looks_for_what_it_is_about_to_make() {
        let reads = "KEY=$(kubectl get secret shop -o jsonpath='{.data.key}' --ignore-not-found)\n";
        let makes =
            "kubectl create secret generic shop --from-literal=key=\"$(openssl rand -hex 16)\"\n";
        assert_eq!(looks(makes), [false]);
        assert_eq!(looks(&format!("{reads}{makes}")), [true]);
        assert_eq!(looks(&format!("kubectl get secret other -o yaml\n{makes}")), [false]);
    }
}
