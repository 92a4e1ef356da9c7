//! What patches do for other commands. Lists that one patch makes and a later one appends to: `oc patch consoles cluster --type=merge -p '{"spec": {"plugins": []}}'`,
//! and then `oc patch consoles cluster --type=json -p '[{"op": "add", "path": "/spec/plugins/-", …}]'`.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::flag_values,
    decided::WINDOW,
    deletions::client_operands,
};

/// Options with the text of a patch.
const TEXT: [&str; 2] = ["--patch", "-p"];

/// Whether the invocation at `index` makes an empty list, and a later one fails the script without it: a JSON patch cannot append to
/// what is not there (<https://www.rfc-editor.org/rfc/rfc6902#section-4.1>).
pub(crate) fn is_list_of_later(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let Some((object, made)) = patch(own) else { return false };
    let lists = empty_lists(&made);
    let appends = |one: &Invocation| {
        patch(one).is_some_and(|(other, text)| {
            other == object && lists.iter().any(|list| text.contains(&format!("\"{list}/-\"")))
        })
    };
    // Where the script does not append, what it would add is there already.
    let mut later = analysis.invocations[index + 1..].iter().take(WINDOW);
    !lists.is_empty() && later.any(|one| one.propagation.is_noticed() && appends(one))
}

/// Whether a command takes the finalizers from an object, so that its deletion does not wait: `-p '{"metadata":{"finalizers":[]}}'`.
pub(crate) fn frees(one: &Invocation) -> bool {
    let is_free = |text: &str| {
        let text: String = text.split_whitespace().collect();
        ["\"finalizers\":[]", "\"finalizers\":null", "\"path\":\"/metadata/finalizers\""]
            .iter()
            .any(|part| text.contains(part))
    };
    patch(one).is_some_and(|(_, text)| is_free(&text))
}

/// The object that `kubectl patch` or `oc patch` changes, and the text of the patch.
fn patch(one: &Invocation) -> Option<(Vec<&str>, String)> {
    let operands = client_operands(one);
    let (verb, object) = operands.split_first()?;
    let values = one.values();
    let text = TEXT.iter().find_map(|flag| flag_values(&values, flag).into_iter().next())?;
    let object = object.iter().copied().filter(|word| *word != text).collect();
    (*verb == "patch").then(|| (object, text.to_owned()))
}

/// The JSON pointers of the empty lists in a text: `/spec/plugins`.
fn empty_lists(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut path, mut key, mut rest) = (Vec::new(), "", text);
    while let Some(at) = rest.find(['"', '{', '}', '[']) {
        let (mark, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        rest = after;
        match mark {
            b'"' => {
                let Some((word, after)) = after.split_once('"') else { break };
                (key, rest) = (word, after);
            }
            b'{' => path.push(std::mem::take(&mut key)),
            b'}' => _ = path.pop(),
            _ if after.trim_start().starts_with(']') => {
                let keys = path.iter().copied().chain([key]).filter(|key| !key.is_empty());
                found.push(keys.map(|key| format!("/{key}")).collect());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Catalogue, Container, analyse_script, failure_hidden};

    #[test]
    fn lists_have_the_keys_around_them() {
        assert_eq!(
            empty_lists("{\"spec\":{\"a\":1,\"plugins\":[ ]},\"b\":[]}"),
            ["/spec/plugins", "/b"]
        );
        assert_eq!(empty_lists("{\"spec\":{\"a\":[1]}}"), [""; 0]);
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
        assert_eq!(minor("{\"spec\": {\"replicas\": 0}}"), [false]);
    }

    /// With kubectl 1.32, `patch --local` of an object without `plugins`: "doc is missing path: /spec/plugins/-".
    #[test]
    fn a_list_that_a_later_patch_appends_to_is_not_missed_in_silence() {
        let hidden = |append: &str| {
            let script = format!(
                "if [ -z $(oc get console a -o=jsonpath='{{.spec.plugins}}') ]; then\n  oc patch console a --patch \
                 '{{\"spec\":{{\"plugins\":[]}}}}' --type=merge\nfi\nif [[ $(oc get console a) == *x* ]]; then\n  echo there\nelse\n  oc patch console a --type=json --patch '{append}'\nfi\n"
            );
            let analysis = analyse_script(Catalogue::built_in(), &script, &Container::default());
            failure_hidden(&analysis).len()
        };
        assert_eq!(hidden("[{\"op\":\"add\",\"path\":\"/spec/plugins/-\",\"value\":\"x\"}]"), 0);
        assert_eq!(hidden("[{\"op\":\"add\",\"path\":\"/spec/other\",\"value\":\"x\"}]"), 1);
    }
}
