//! What patches do for other commands: one makes the list that a later one appends to, or takes away the finalizers for which a
//! deletion would wait. `oc patch consoles cluster --type=merge -p '{"spec": {"plugins": []}}'`, and then
//! `oc patch consoles cluster --type=json -p '[{"op": "add", "path": "/spec/plugins/-", …}]'`.

use crate::{
    analysis::{Analysis, Guard, GuardKind, Invocation},
    command_line::flag_values,
    decided::WINDOW,
    deletions::client_operands,
};

/// Options with the text of a patch.
const TEXT: [&str; 2] = ["--patch", "-p"];

/// Options that say where the object is.
const PLACE: [&str; 3] = ["--context", "--namespace", "-n"];

/// Whether the invocation at `index` makes an empty list where a question found none, and a later one fails the script without it: a
/// JSON patch cannot append to what is not there (<https://www.rfc-editor.org/rfc/rfc6902#section-4.1>).
pub(crate) fn is_list_of_later(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let Some((object, made)) = patch(own) else { return false };
    let Some(list) = only_empty_list(&made) else { return false };
    let end = format!("\"{list}/-\"");
    let appends = |one: &Invocation| {
        patch(one).is_some_and(|(other, text)| other == object && text.contains(&end))
    };
    let asks = |guard: &&Guard| guard.kind == GuardKind::Query;
    let is_other = |guard: &Guard| own.guards.iter().all(|own| own.location != guard.location);
    // Where a question lets the script not append, what it would add is there already.
    let runs = |one: &Invocation| {
        let mut guards = one.guards.iter();
        guards.all(|guard| own.guards.contains(guard) || asks(&guard) && is_other(guard))
    };
    let mut later = analysis.invocations[index + 1..].iter().take(WINDOW);
    own.guards.iter().any(|guard| asks(&guard))
        && later.any(|one| one.propagation.is_noticed() && appends(one) && runs(one))
}

/// Whether a command does no more than to take the finalizers from an object, so that its deletion does not wait:
/// `-p '{"metadata":{"finalizers":[]}}'`.
pub(crate) fn frees(one: &Invocation) -> bool {
    patch(one).is_some_and(|(_, text)| {
        let text: String = text.split_whitespace().collect();
        let nothing =
            ["[]", "null"].map(|empty| format!("{{\"metadata\":{{\"finalizers\":{empty}}}}}"));
        let removes = ["\"op\":\"remove\"", "\"path\":\"/metadata/finalizers\""];
        let is_removal = || {
            removes.iter().all(|part| text.contains(part)) && text.matches("\"op\"").count() == 1
        };
        nothing.contains(&text) || is_removal()
    })
}

/// The object that `kubectl patch` or `oc patch` changes, with the options that say where it is, and the text of the patch.
fn patch(one: &Invocation) -> Option<(Vec<&str>, String)> {
    let operands = client_operands(one);
    let (verb, object) = operands.split_first()?;
    let values = one.values();
    let text = TEXT.iter().find_map(|flag| flag_values(&values, flag).into_iter().next())?;
    let place = PLACE.iter().flat_map(|flag| flag_values(&values, flag));
    let object = object.iter().copied().filter(|word| *word != text).chain(place).collect();
    (*verb == "patch").then(|| (object, text.to_owned()))
}

/// The JSON pointer of the empty list that is all that a merge patch has: `/spec/plugins` of `{"spec":{"plugins":[]}}`.
fn only_empty_list(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect();
    let (mut pointer, mut rest) = (String::new(), text.as_str());
    while let Some(after) = rest.strip_prefix("{\"") {
        let (key, after) = after.split_once("\":")?;
        pointer.push('/');
        pointer.push_str(key);
        rest = after;
    }
    let end = rest.strip_prefix("[]")?;
    (!pointer.is_empty() && end.chars().all(|one| one == '}')).then_some(pointer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, Container, analyse_script, failure_hidden};

    #[test]
    fn a_list_has_the_keys_around_it() {
        for (patch, list) in [
            ("{\"spec\": {\"plugins\": [ ]}}", Some("/spec/plugins")),
            ("{\"spec\":{\"a\":1,\"plugins\":[]}}", None),
            ("{\"spec\":{\"a\":[1]}}", None),
            ("[{\"op\":\"test\",\"value\":[]}]", None),
        ] {
            assert_eq!(only_empty_list(patch).as_deref(), list, "{patch}");
        }
    }

    /// The deletion behind it does not wait then, which may fail unseen as well.
    #[test]
    fn an_object_without_finalizers_is_a_minor_change() {
        let minor = |patch: &str| {
            let script = format!(
                "set -e\nkubectl patch a b --type=merge -p '{patch}' || true\nhelm upgrade c d\n"
            );
            let analysis = analyse_script(Catalogue::built_in(), &script, &Container::default());
            failure_hidden(&analysis).iter().map(|one| one.is_minor).collect::<Vec<_>>()
        };
        assert_eq!(minor("{\"metadata\": {\"finalizers\": []}}"), [true]);
        assert_eq!(minor("[{\"op\": \"remove\", \"path\": \"/metadata/finalizers\"}]"), [true]);
        for more in [
            "{\"spec\": {\"replicas\": 0}}",
            "{\"metadata\": {\"finalizers\": []}, \"spec\": {\"replicas\": 0}}",
            "[{\"op\": \"add\", \"path\": \"/metadata/finalizers\", \"value\": [\"a/b\"]}]",
        ] {
            assert_eq!(minor(more), [false], "{more}");
        }
    }

    /// With kubectl 1.32, `patch --local` of an object without `plugins`: "doc is missing path: /spec/plugins/-".
    #[test]
    fn a_list_that_a_later_patch_appends_to_is_not_missed_in_silence() {
        let hidden = |append: &str, asks: &str| {
            let script = format!(
                "if [ -z $(oc get console a -o=jsonpath='{{.spec.plugins}}') ]; then\n  oc patch console a --patch \
                 '{{\"spec\":{{\"plugins\":[]}}}}' --type=merge\nfi\nif {asks}; then\n  echo there\nelse\n  oc patch console a --type=json --patch '{append}'\nfi\n"
            );
            let analysis = analyse_script(Catalogue::built_in(), &script, &Container::default());
            failure_hidden(&analysis).len()
        };
        let asks = "[[ $(oc get console a) == *x* ]]";
        let append = "[{\"op\":\"add\",\"path\":\"/spec/plugins/-\",\"value\":\"x\"}]";
        assert_eq!(hidden(append, asks), 0);
        assert_eq!(hidden(append, "[ \"$EXTRA\" = no ]"), 1, "it may not append");
        assert_eq!(hidden(&append.replace("plugins/-", "other"), asks), 1);
    }
}
