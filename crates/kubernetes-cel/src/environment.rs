//! What an expression may refer to: the variables and their types.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::types::{Structure, Type};

/// The variables of an expression and their types.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    roots: BTreeMap<String, Type>,
    /// The type of `variables`, if there is one.
    definitions: Option<Arc<Structure>>,
}

impl Environment {
    /// Without any variable.
    pub fn new() -> Self {
        Self::default()
    }

    /// The variables of a ValidatingAdmissionPolicy, as the API server declares them to run it: `object`, `oldObject`,
    /// `request`, `namespaceObject`, `authorizer`, and `params` of a policy that has `paramKind`.
    /// [`Self::expect_definitions`] declares the `variables` of a policy that has some.
    pub fn admission(has_params: bool) -> Self {
        let mut environment = Self::default();
        environment.declare("object", Type::Dyn);
        environment.declare("oldObject", Type::Dyn);
        environment.declare("request", request());
        environment.declare("namespaceObject", namespace());
        environment.declare("authorizer", Type::Opaque("kubernetes.authorization.Authorizer"));
        environment.declare(
            "authorizer.requestResource",
            Type::Opaque("kubernetes.authorization.ResourceCheck"),
        );
        if has_params {
            environment.declare("params", Type::Dyn);
        }
        environment
    }

    /// Declares a variable, or gives it another type: a schema's to find fields that objects do not have.
    pub fn declare(&mut self, name: &str, of: Type) {
        self.roots.insert(name.to_owned(), of);
    }

    /// Declares `variables`, without any field yet.
    pub fn expect_definitions(&mut self) {
        self.definitions.get_or_insert_with(no_definitions);
    }

    /// Declares `variables.NAME`, with the type of the expression that defines it.
    pub fn define(&mut self, name: &str, of: Type) {
        let definitions = self.definitions.get_or_insert_with(no_definitions);
        Arc::make_mut(definitions).fields.insert(name.to_owned(), of);
    }

    /// The type of a variable.
    pub(crate) fn root(&self, name: &str) -> Option<Type> {
        if let (Some(definitions), "variables") = (&self.definitions, name) {
            return Some(Type::Object(definitions.clone()));
        }
        self.roots.get(name).cloned()
    }
}

fn no_definitions() -> Arc<Structure> {
    Arc::new(Structure { name: "kubernetes.variables".to_owned(), fields: BTreeMap::new() })
}

fn strings(names: &[&'static str]) -> impl Iterator<Item = (&'static str, Type)> {
    names.iter().map(|name| (*name, Type::String))
}

/// The `request` of an admission, as `BuildRequestType` of the API server declares it.
fn request() -> Type {
    let kind = Type::object("kubernetes.GroupVersionKind", strings(&["group", "version", "kind"]));
    let resource =
        Type::object("kubernetes.GroupVersionResource", strings(&["group", "version", "resource"]));
    let groups = ("groups", Type::list(Type::String));
    let extra = ("extra", Type::map(Type::String, Type::list(Type::String)));
    let user =
        Type::object("kubernetes.UserInfo", strings(&["username", "uid"]).chain([groups, extra]));
    let texts = strings(&["subResource", "requestSubResource", "name", "namespace", "operation"]);
    let others = [
        ("kind", kind.clone()),
        ("resource", resource.clone()),
        ("requestKind", kind),
        ("requestResource", resource),
        ("userInfo", user),
        ("dryRun", Type::Bool),
        ("options", Type::Dyn),
    ];
    Type::object("kubernetes.AdmissionRequest", texts.chain(others))
}

/// The `namespaceObject`, as `BuildNamespaceType` of the API server declares it.
fn namespace() -> Type {
    let condition = strings(&["status", "type", "message", "reason"])
        .chain([("lastTransitionTime", Type::Timestamp)]);
    let condition = Type::object("kubernetes.NamespaceCondition", condition);
    let texts = || Type::map(Type::String, Type::String);
    let metadata =
        strings(&["name", "generateName", "namespace", "UID", "resourceVersion"]).chain([
            ("labels", texts()),
            ("annotations", texts()),
            ("creationTimestamp", Type::Timestamp),
            ("deletionGracePeriodSeconds", Type::Int),
            ("deletionTimestamp", Type::Timestamp),
            ("generation", Type::Int),
            ("finalizers", Type::list(Type::String)),
        ]);
    let metadata = Type::object("kubernetes.NamespaceMetadata", metadata);
    let spec = Type::object("kubernetes.NamespaceSpec", [("finalizers", Type::list(Type::String))]);
    let status = [("conditions", Type::list(condition)), ("phase", Type::String)];
    let status = Type::object("kubernetes.NamespaceStatus", status);
    Type::object(
        "kubernetes.Namespace",
        [("metadata", metadata), ("spec", spec), ("status", status)],
    )
}
