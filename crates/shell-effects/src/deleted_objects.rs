//! The objects that `kubectl delete`, `oc delete` and requests to the API server name.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::flag_values,
    deletions::{DeletedObject, is_client, is_kind, named, operands},
    effects::http::method_of,
    text::Text,
};

/// The objects that the commands delete by name.
pub fn deleted_objects(analysis: &Analysis) -> Vec<DeletedObject> {
    let all = analysis.invocations.iter().filter(|one| is_client(one));
    let all = all.map(|one| operands(&held(one)));
    let deleted = all.map(|operands| match operands.as_slice() {
        ["delete", objects @ ..] => named(objects),
        _ => Vec::new(),
    });
    let requested = analysis.invocations.iter().filter_map(requested);
    deleted.flatten().chain(requested).collect()
}

/// Objects that a script deletes by their labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedObjects {
    /// The resource as the script writes it: `job`, `jobs.batch`.
    pub resource: String,
    /// The labels that they have. None for all objects.
    pub labels: Vec<(String, String)>,
}

/// The objects that the commands delete by their labels: `kubectl delete jobs -l app=shop`, or `kubectl get` with them
/// whose output a `kubectl delete` gets.
pub fn selected_objects(analysis: &Analysis) -> Vec<SelectedObjects> {
    let clients = || analysis.invocations.iter().filter(|one| is_client(one));
    let passes_on = |one: &Invocation| match operands(&one.values()[1..])[..] {
        ["delete"] | ["delete", _] => selection(&one.values()).is_none(),
        _ => false,
    };
    let is_passed_on = clients().any(passes_on);
    let of_client = |one: &Invocation| {
        let words = held(one);
        let labels = selection(&words)?;
        match operands(&words)[..] {
            ["delete", resource] => Some((resource.to_owned(), labels)),
            ["get", resource] if is_passed_on => Some((resource.to_owned(), labels)),
            _ => None,
        }
    };
    let found = clients().filter_map(of_client);
    found.map(|(resource, labels)| SelectedObjects { resource, labels }).collect()
}

impl SelectedObjects {
    /// Whether they are objects of this kind, a singular in lower case.
    pub fn is_kind(&self, kind: &str) -> bool {
        is_kind(&self.resource, kind)
    }
}

/// The words behind the program, as far as the script states them.
fn held(one: &Invocation) -> Vec<&str> {
    one.words.iter().skip(1).map(Text::held).collect()
}

/// The labels that `-l` of a command line asks for, of which each has one value; none with `--all`.
fn selection(words: &[&str]) -> Option<Vec<(String, String)>> {
    if words.contains(&"--all") {
        return Some(Vec::new());
    }
    let selector = ["-l", "--selector"].into_iter().find_map(|flag| {
        flag_values(words, flag).first().map(|text| text.trim_matches(['"', '\'']).to_owned())
    })?;
    let label = |part: &str| {
        let (key, value) = part.split_once('=')?;
        let is_equal = !key.is_empty() && !key.ends_with('!');
        let value = value.trim_start_matches('=').to_owned();
        is_equal.then(|| (key.to_owned(), value))
    };
    selector.split(',').map(label).collect()
}

/// The object that a request to the API server deletes: `curl -X DELETE https://kubernetes.default.svc/apis/batch/v1/namespaces/a/jobs/b`.
///
/// Source: <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris>
fn requested(one: &Invocation) -> Option<DeletedObject> {
    let values = one.values();
    if method_of(&values) != Some("DELETE") {
        return None;
    }
    let rest = values.iter().find_map(|word| word.split_once("/namespaces/"))?.1;
    let path = rest.split(['?', '#']).next().unwrap_or(rest);
    let [_, resource, name] = path.split('/').collect::<Vec<_>>()[..] else { return None };
    Some(DeletedObject { resource: resource.to_owned(), name: name.to_owned() })
}
