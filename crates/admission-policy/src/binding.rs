//! ValidatingAdmissionPolicyBindings.

use job_lifecycle::Object;
use yaml_spans::Node;

use crate::{
    fields::{Flaw, Flaws},
    matching::Matching,
    selector::Selector,
};

/// What the API server does about an object that a policy refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It records it in the audit log.
    Audit,
    /// It warns the client.
    Warn,
    /// It refuses the object.
    Deny,
}

/// A binding of a policy.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The object.
    pub object: Object,
    /// Its name.
    pub name: String,
    /// The name of the policy.
    pub policy: String,
    /// What happens to an object that the policy refuses.
    pub actions: Vec<Action>,
    pub(crate) matching: Matching,
    pub(crate) params: Option<ParamRef>,
}

/// `paramRef`.
#[derive(Clone, Debug)]
pub(crate) struct ParamRef {
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) selector: Option<Selector>,
    /// Whether the lack of parameters is a failure of the policy, and not a reason to leave it out.
    pub(crate) is_required: bool,
}

const KEYS: &[&str] = &["policyName", "paramRef", "matchResources", "validationActions"];

const ACTIONS: &[(&str, Action)] =
    &[("Deny", Action::Deny), ("Warn", Action::Warn), ("Audit", Action::Audit)];

impl Binding {
    /// Reads a binding.
    ///
    /// # Errors
    ///
    /// Why the API server refuses it.
    pub fn read(object: &Object) -> Result<Self, Vec<Flaw>> {
        let mut flaws = Flaws::of(object);
        let nothing = Node::clone(&object.root);
        let spec = object.root.set("spec").unwrap_or(&nothing);
        flaws.check_keys(&object.root, "", &["apiVersion", "kind", "metadata", "spec"]);
        if object.root.set("spec").is_some() {
            flaws.check_keys(spec, "spec", KEYS);
        }
        let policy = flaws.text(spec, "policyName").unwrap_or_default();
        if policy.is_empty() {
            flaws.add(spec.span, "spec.policyName: Required value");
        }
        let mut actions = Vec::new();
        for item in flaws.items(spec, "validationActions") {
            let name = item.as_str().unwrap_or_default();
            match ACTIONS.iter().find(|(known, _)| *known == name) {
                Some((_, action)) => actions.push(*action),
                None => flaws.add(
                    item.span,
                    format!("spec.validationActions: Unsupported value: \"{name}\""),
                ),
            }
        }
        if actions.is_empty() && flaws.all.is_empty() {
            flaws.add(spec.span, "spec.validationActions: Required value");
        }
        if actions.contains(&Action::Deny) && actions.contains(&Action::Warn) {
            let at = spec.get("validationActions").map_or(spec.span, |node| node.span);
            flaws.add(at, "spec.validationActions must not contain both Deny and Warn");
        }
        let binding = Self {
            object: object.clone(),
            name: object.name().unwrap_or_default().to_owned(),
            policy,
            actions,
            matching: Matching::read(spec.set("matchResources"), "spec.matchResources", &mut flaws),
            params: spec.set("paramRef").map(|node| ParamRef::read(node, &mut flaws)),
        };
        if flaws.all.is_empty() { Ok(binding) } else { Err(flaws.all) }
    }
}

impl ParamRef {
    fn read(node: &Node, flaws: &mut Flaws<'_>) -> Self {
        let keys = ["name", "namespace", "selector", "parameterNotFoundAction"];
        flaws.check_keys(node, "spec.paramRef", &keys);
        if node.set("parameterNotFoundAction").is_none() {
            flaws.add(node.span, "spec.paramRef.parameterNotFoundAction: Required value");
        }
        let name = flaws.text(node, "name");
        if name.is_some() == node.set("selector").is_some() {
            let reason = "`paramRef` needs either `name` or `selector`, and not both";
            flaws.add(node.span, reason);
        }
        let actions = [("Allow", false), ("Deny", true)];
        let is_required = flaws.choice(node, "parameterNotFoundAction", &actions, false);
        let selector = node.set("selector");
        Self {
            name,
            namespace: flaws.text(node, "namespace"),
            selector: selector.map(|_| Selector::read(selector, "spec.paramRef.selector", flaws)),
            is_required,
        }
    }
}
