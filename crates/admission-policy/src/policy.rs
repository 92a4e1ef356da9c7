//! ValidatingAdmissionPolicies.

use std::collections::BTreeSet;

use job_lifecycle::Object;
use kubernetes_cel::{Environment, Type};
use yaml_spans::Node;

use crate::{
    binding::Action,
    expression::Expression,
    fields::{Flaw, Flaws},
    matching::Matching,
};

/// A policy whose expressions are compiled.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The object.
    pub object: Object,
    /// Its name.
    pub name: String,
    /// Whether an expression that fails denies.
    pub fails_closed: bool,
    /// What it demands.
    pub validations: Vec<Validation>,
    /// What happens to refused objects if the policy has no binding. The API server ignores such a policy; whoever names
    /// its file wants to see what it says.
    pub unbound: Vec<Action>,
    /// The folder whose objects it judges, as paths of objects are printed; `None` where it judges all.
    pub within: Option<String>,
    pub(crate) matching: Matching,
    pub(crate) params: Option<ParamKind>,
    pub(crate) conditions: Vec<(String, Expression)>,
    pub(crate) variables: Vec<(String, Expression)>,
    pub(crate) annotations: Vec<(String, Expression)>,
}

/// The kind of the parameters of a policy.
#[derive(Clone, Debug)]
pub(crate) struct ParamKind {
    pub(crate) api_version: String,
    pub(crate) kind: String,
}

/// One of `validations`.
#[derive(Clone, Debug)]
pub struct Validation {
    /// What has to be true.
    pub expression: Expression,
    /// The message of a denial.
    pub message: Option<String>,
    /// The expression of the message, which counts more.
    pub message_expression: Option<Expression>,
    /// Why it is denied, as the status of the response says.
    pub reason: Reason,
}

/// `reason` of a validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Code 422.
    Invalid,
    /// Code 403.
    Forbidden,
    /// Code 413.
    TooLarge,
}

const KEYS: &[&str] = &[
    "paramKind",
    "matchConstraints",
    "validations",
    "failurePolicy",
    "auditAnnotations",
    "matchConditions",
    "variables",
];

const REASONS: &[(&str, Reason)] = &[
    ("Invalid", Reason::Invalid),
    ("Forbidden", Reason::Forbidden),
    ("RequestEntityTooLarge", Reason::TooLarge),
];

/// The most match conditions that a policy may have.
const MOST_CONDITIONS: usize = 64;

impl Policy {
    /// Reads and compiles a policy.
    ///
    /// # Errors
    ///
    /// Why the API server refuses it, at the position in its text.
    pub fn read(object: &Object) -> Result<Self, Vec<Flaw>> {
        let mut flaws = Flaws::of(object);
        let keys = ["apiVersion", "kind", "metadata", "spec", "status"];
        flaws.check_keys(&object.root, "", &keys);
        let Some(spec) = object.root.set("spec") else {
            flaws.add(object.root.span, "spec: Required value");
            return Err(flaws.all);
        };
        flaws.check_keys(spec, "spec", KEYS);
        let matching =
            Matching::read(spec.set("matchConstraints"), "spec.matchConstraints", &mut flaws);
        if !matching.has_rules() {
            let at = spec.get("matchConstraints").map_or(spec.span, |node| node.span);
            flaws.add(at, "spec.matchConstraints.resourceRules: Required value");
        }
        let params = spec.set("paramKind").map(|node| ParamKind::read(node, &mut flaws));
        let mut environment = Environment::admission(params.is_some());
        // Match conditions are asked before there are variables.
        let conditions = conditions(spec, &environment, &mut flaws);
        if spec.set("variables").is_some_and(|list| !list.items().is_empty()) {
            environment.expect_definitions();
        }
        let variables = variables(spec, &mut environment, &mut flaws);
        let validations = validations(spec, &environment, &mut flaws);
        let annotations = annotations(spec, &environment, &mut flaws);
        if [spec.get("validations"), spec.get("auditAnnotations")]
            .into_iter()
            .flatten()
            .all(|list| list.items().is_empty())
        {
            flaws.add(spec.span, "spec.validations: Required value: validations or auditAnnotations must contain at least one item");
        }
        let policy = Self {
            object: object.clone(),
            name: object.name().unwrap_or_default().to_owned(),
            fails_closed: flaws.choice(
                spec,
                "failurePolicy",
                &[("Fail", true), ("Ignore", false)],
                true,
            ),
            validations,
            unbound: Vec::new(),
            within: None,
            matching,
            params,
            conditions,
            variables,
            annotations,
        };
        if flaws.all.is_empty() { Ok(policy) } else { Err(flaws.all) }
    }
}

impl Policy {
    /// API version and kind of its parameters.
    pub fn param_kind(&self) -> Option<(String, String)> {
        let kind = self.params.as_ref()?;
        Some((kind.api_version.clone(), kind.kind.clone()))
    }

    /// Whether it judges an object, as far as the place of the object says.
    pub(crate) fn reaches(&self, object: &Object) -> bool {
        let is_in = |folder: &String| {
            let rest = object.source.path.strip_prefix(folder.as_str());
            folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
        };
        self.within.as_ref().is_none_or(is_in)
    }
}

impl ParamKind {
    fn read(node: &Node, flaws: &mut Flaws<'_>) -> Self {
        flaws.check_keys(node, "spec.paramKind", &["apiVersion", "kind"]);
        for key in ["apiVersion", "kind"] {
            if node.set(key).is_none() {
                flaws.add(node.span, format!("spec.paramKind.{key}: Required value"));
            }
        }
        Self {
            api_version: flaws.text(node, "apiVersion").unwrap_or_default(),
            kind: flaws.text(node, "kind").unwrap_or_default(),
        }
    }
}

fn conditions(
    spec: &Node,
    environment: &Environment,
    flaws: &mut Flaws<'_>,
) -> Vec<(String, Expression)> {
    let items = flaws.items(spec, "matchConditions");
    if items.len() > MOST_CONDITIONS {
        flaws.add(
            items[MOST_CONDITIONS].span,
            format!("spec.matchConditions: Too many: must have at most {MOST_CONDITIONS} items"),
        );
    }
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (index, item) in items.iter().enumerate().take(MOST_CONDITIONS) {
        let path = format!("spec.matchConditions[{index}]");
        flaws.check_keys(item, &path, &["name", "expression"]);
        let name = required(item, "name", &path, flaws);
        if !seen.insert(name.clone()) {
            flaws.add(item.span, format!("{path}.name: Duplicate value: \"{name}\""));
        }
        all.extend(boolean(item, &path, environment, flaws).map(|one| (name, one)));
    }
    all
}

/// Each variable sees those before it.
fn variables(
    spec: &Node,
    environment: &mut Environment,
    flaws: &mut Flaws<'_>,
) -> Vec<(String, Expression)> {
    let mut all = Vec::new();
    for (index, item) in flaws.items(spec, "variables").iter().enumerate() {
        let path = format!("spec.variables[{index}]");
        flaws.check_keys(item, &path, &["name", "expression"]);
        let name = required(item, "name", &path, flaws);
        required(item, "expression", &path, flaws);
        let expression = Expression::read(item, "expression", environment, flaws);
        let of = expression.as_ref().map_or(Type::Dyn, |one| one.program.output().clone());
        environment.define(&name, of);
        all.extend(expression.map(|expression| (name, expression)));
    }
    all
}

fn validations(spec: &Node, environment: &Environment, flaws: &mut Flaws<'_>) -> Vec<Validation> {
    let keys = ["expression", "message", "reason", "messageExpression"];
    let mut all = Vec::new();
    for (index, item) in flaws.items(spec, "validations").iter().enumerate() {
        let path = format!("spec.validations[{index}]");
        flaws.check_keys(item, &path, &keys);
        let expression = boolean(item, &path, environment, flaws);
        let message = flaws.text(item, "message");
        if let Some(text) = message.as_ref().filter(|text| text.trim().contains('\n')) {
            let at = item.get("message").map_or(item.span, |node| node.span);
            let said =
                format!("{path}.message: Invalid value: {text:?}: must not contain line breaks");
            flaws.add(at, said);
        }
        let message_expression =
            text_expression(item, "messageExpression", &path, environment, flaws);
        let reason = flaws.choice(item, "reason", REASONS, Reason::Invalid);
        all.extend(expression.map(|expression| Validation {
            expression,
            message,
            message_expression,
            reason,
        }));
    }
    all
}

fn annotations(
    spec: &Node,
    environment: &Environment,
    flaws: &mut Flaws<'_>,
) -> Vec<(String, Expression)> {
    let mut all = Vec::new();
    for (index, item) in flaws.items(spec, "auditAnnotations").iter().enumerate() {
        let path = format!("spec.auditAnnotations[{index}]");
        flaws.check_keys(item, &path, &["key", "valueExpression"]);
        let key = required(item, "key", &path, flaws);
        required(item, "valueExpression", &path, flaws);
        let value = Expression::read(item, "valueExpression", environment, flaws);
        all.extend(value.map(|value| (key, value)));
    }
    all
}

/// The text at a key that has to be there.
fn required(item: &Node, key: &str, path: &str, flaws: &mut Flaws<'_>) -> String {
    let text = flaws.text(item, key).unwrap_or_default();
    if text.trim().is_empty() {
        let at = item.get(key).filter(|node| node.span.start < node.span.end);
        let at = at.map_or(item.span, |node| node.span);
        let reason = format!("{path}.{key}: Required value: {key} is not specified");
        flaws.add(at, reason);
    }
    text
}

/// The expression of an item, which has to be true or false.
fn boolean(
    item: &Node,
    path: &str,
    environment: &Environment,
    flaws: &mut Flaws<'_>,
) -> Option<Expression> {
    if required(item, "expression", path, flaws).trim().is_empty() {
        return None;
    }
    let expression = Expression::read(item, "expression", environment, flaws)?;
    expression.must_be(&Type::Bool, flaws)
}

/// An expression that has to be a string. An empty one counts as absent, unlike one of blanks
/// (`validateValidation` of `pkg/apis/admissionregistration/validation`).
fn text_expression(
    item: &Node,
    key: &str,
    path: &str,
    environment: &Environment,
    flaws: &mut Flaws<'_>,
) -> Option<Expression> {
    let text = flaws.text(item, key).filter(|text| !text.is_empty())?;
    if text.trim().is_empty() {
        let at = item.get(key).map_or(item.span, |node| node.span);
        let reason =
            format!("{path}.{key}: Invalid value: {text:?}: must be non-empty if specified");
        flaws.add(at, reason);
        return None;
    }
    let expression = Expression::read(item, key, environment, flaws)?;
    expression.must_be(&Type::String, flaws)
}
