//! What only a cluster knows makes an outcome unknown, unless the rest decides it.

use kubernetes_cel::{Budget, Value, Variables};

use crate::{compile, json, short};

fn outcome(expression: &str) -> String {
    let mut variables = Variables::new();
    variables.set("object", json(r#"{"metadata": {"name": "import"}, "spec": {"items": [1, 2]}}"#));
    variables.set("authorizer", Value::unknown("authorizer"));
    variables.set("namespaceObject", Value::unknown("namespaceObject"));
    let user = Value::unknown("request.userInfo");
    let name = Value::hidden("request.name");
    let request = [("operation", "CREATE".into()), ("userInfo", user), ("name", name)];
    variables.set("request", Value::map(request));
    short(&compile(expression).evaluate(&variables, &mut Budget::default()).outcome)
}

#[test]
fn unknown_values_spread() {
    assert_eq!(outcome("namespaceObject.metadata.name == 'x'"), "unknown: namespaceObject");
    assert_eq!(outcome("request.userInfo.username == 'alice'"), "unknown: request.userInfo");
    assert_eq!(outcome("authorizer.path('/x').check('get').allowed()"), "unknown: authorizer");
    assert_eq!(outcome("has(namespaceObject.metadata.labels)"), "unknown: namespaceObject");
    assert_eq!(outcome("has(request.userInfo)"), "unknown: request.userInfo");
    assert_eq!(outcome("request.name == 'x'"), "unknown: request.name");
    assert_eq!(outcome("size(request.userInfo.groups) > 0 ? 1 : 2"), "unknown: request.userInfo");
    assert_eq!(outcome("request == request"), "unknown: request.name");
    assert_eq!(
        outcome("object.spec.items.map(i, namespaceObject.metadata.name)"),
        "unknown: namespaceObject"
    );
    assert_eq!(
        outcome("timestamp('2026-01-01T00:00:00Z').getHours('Europe/Berlin') == 1"),
        "unknown: the time zone Europe/Berlin"
    );
}

#[test]
fn what_is_known_decides() {
    assert_eq!(outcome("request.operation == 'CREATE'"), "true");
    assert_eq!(outcome("has(request.name)"), "true");
    assert_eq!(outcome("namespaceObject.metadata.name == 'x' && false"), "false");
    assert_eq!(outcome("false && namespaceObject.metadata.name == 'x'"), "false");
    assert_eq!(outcome("namespaceObject.metadata.name == 'x' || true"), "true");
    assert_eq!(
        outcome("object.metadata.name == 'x' || request.userInfo.username == 'x'"),
        "unknown: request.userInfo"
    );
    assert_eq!(
        outcome("object.spec.items.exists(i, i == 2 || namespaceObject.metadata.name == 'x')"),
        "true"
    );
    assert_eq!(
        outcome("object.spec.items.all(i, i == 2 && namespaceObject.metadata.name == 'x')"),
        "false"
    );
}

#[test]
fn unknown_values_outweigh_errors() {
    assert_eq!(
        outcome("object.nothing == 1 || namespaceObject.metadata.name == 'x'"),
        "unknown: namespaceObject"
    );
    assert_eq!(
        outcome("namespaceObject.metadata.name == 'x' && object.nothing == 1"),
        "unknown: namespaceObject"
    );
    let both = "namespaceObject.metadata.name == 'x' || request.userInfo.username == 'x'";
    assert_eq!(outcome(both), "unknown: namespaceObject, request.userInfo");
}
