//! The objects that `kubectl delete`, `oc delete` and requests to the API server name.

use crate::{
    analysis::{Analysis, Invocation},
    deletions::{DeletedObject, is_client, named, operands},
    effects::http::method_of,
    text::Text,
};

/// The objects that the commands delete by name.
pub fn deleted_objects(analysis: &Analysis) -> Vec<DeletedObject> {
    let all = analysis.invocations.iter().filter(|one| is_client(one)).map(|one| {
        let words: Vec<_> = one.words.iter().skip(1).map(Text::held).collect();
        operands(&words)
    });
    let deleted = all.map(|operands| match operands.as_slice() {
        ["delete", objects @ ..] => named(objects),
        _ => Vec::new(),
    });
    let requested = analysis.invocations.iter().filter_map(requested);
    deleted.flatten().chain(requested).collect()
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
