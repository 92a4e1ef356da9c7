//! Reads rules of the user: files of `apiVersion: joblint.dev/v1`, `kind: Rule`.

use std::str::FromStr;

use admission_policy::{Expression, Flaw, Flaws};
use job_lifecycle::{Object, Tool, kubernetes::admitted::json, suggest::nearest};
use kubernetes_cel::{Environment, Type};
use yaml_spans::Node;

use crate::{
    finding::{Confidence, Severity},
    policy::OwnRule,
    rules::{self, Category, Example, Meta, Persona, Rule},
};

/// The API version of rules.
pub(crate) const API_VERSION: &str = "joblint.dev/v1";

const KEYS: &[&str] = &[
    "apiVersion",
    "kind",
    "id",
    "severity",
    "message",
    "messageExpression",
    "why",
    "help",
    "expression",
    "deployers",
    "examples",
];

const SEVERITIES: &[(&str, Severity)] =
    &[("info", Severity::Info), ("warning", Severity::Warning), ("error", Severity::Error)];

/// The longest id.
pub(super) const LONGEST: usize = 63;

/// The variables of an expression.
pub(super) fn environment() -> Environment {
    let mut environment = Environment::new();
    environment.declare("object", Type::Dyn);
    let texts = || Type::list(Type::String);
    let command = Type::object(
        "joblint.Command",
        [("container", Type::String), ("text", Type::String), ("harmful", Type::Bool)],
    );
    let job = [
        ("kind", Type::String),
        ("name", Type::String),
        ("hook", Type::Bool),
        ("events", texts()),
        ("policies", texts()),
        ("renamed", Type::Bool),
        // Null if neither the author nor the commands say.
        ("idempotent", Type::Dyn),
        ("commands", Type::list(command)),
        ("images", texts()),
        // The JobSpec and the PodSpec, wherever the kind has them.
        ("spec", Type::Dyn),
        ("pod", Type::Dyn),
    ];
    environment.declare("job", Type::object("joblint.Job", job));
    let events = Type::map(Type::String, Type::String);
    environment.declare("forecast", Type::map(Type::String, events));
    environment
}

/// Reads and compiles a rule, and makes the page of its findings.
///
/// # Errors
/// What is wrong with it, at the position in its text.
pub(super) fn read(object: &Object) -> Result<(OwnRule, &'static Rule), Vec<Flaw>> {
    let mut flaws = Flaws::of(object);
    let root = &object.root;
    flaws.check_keys(root, "", KEYS);
    let id = id(root, &mut flaws);
    let environment = environment();
    let expression = expression(root, &environment, &mut flaws);
    let message_expression = text_expression(root, &environment, &mut flaws);
    let severity = flaws.choice(root, "severity", SEVERITIES, Severity::Warning);
    let message = line(root, "message", &mut flaws);
    let help = line(root, "help", &mut flaws);
    let why = flaws.text(root, "why");
    let deployers = deployers(root, &mut flaws);
    let examples = examples(root, &mut flaws);
    let Some(expression) = expression.filter(|_| flaws.all.is_empty()) else {
        return Err(flaws.all);
    };
    let object = object.clone();
    let rule =
        OwnRule { object, id, severity, expression, message, message_expression, help, deployers };
    let page = rules::own(page(&rule, why), examples);
    Ok((rule, page))
}

fn id(root: &Node, flaws: &mut Flaws<'_>) -> String {
    let id = flaws.text(root, "id").unwrap_or_default();
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let at = root.get("id").or(root.get("kind")).map_or(root.span, |node| node.span);
    if id.is_empty() {
        flaws.add(at, "a rule has an `id`");
    } else if id.len() > LONGEST || !id.chars().all(is_word) {
        let reason =
            format!("an `id` has at most {LONGEST} lower-case letters, digits and hyphens");
        flaws.add(at, reason);
    }
    id
}

fn expression(root: &Node, environment: &Environment, flaws: &mut Flaws<'_>) -> Option<Expression> {
    if root.set("expression").is_none() {
        let at = root.get("kind").map_or(root.span, |kind| kind.span);
        flaws.add(at, "a rule has an `expression`");
        return None;
    }
    Expression::read(root, "expression", environment, flaws)?.must_be(&Type::Bool, flaws)
}

fn text_expression(
    root: &Node,
    environment: &Environment,
    flaws: &mut Flaws<'_>,
) -> Option<Expression> {
    let expression = Expression::read(root, "messageExpression", environment, flaws)?;
    expression.must_be(&Type::String, flaws)
}

/// A text of one line.
fn line(root: &Node, key: &str, flaws: &mut Flaws<'_>) -> Option<String> {
    let text = flaws.text(root, key)?.trim().to_owned();
    if text.contains('\n') {
        let at = root.get(key).map_or(root.span, |node| node.span);
        flaws.add(at, format!("`{key}` is one line"));
    }
    Some(text)
}

fn deployers(root: &Node, flaws: &mut Flaws<'_>) -> Vec<Tool> {
    let mut all = Vec::new();
    for item in flaws.items(root, "deployers") {
        let name = item.as_str().unwrap_or_default();
        match Tool::from_str(name) {
            Ok(tool) => all.push(tool),
            Err(_) => {
                let near = nearest(name, Tool::ALL.map(Tool::name));
                let help = near.map(|near| format!("did you mean `{near}`?"));
                flaws.add_with_help(item.span, format!("`{name}` is no deployer"), help);
            }
        }
    }
    all
}

fn examples(root: &Node, flaws: &mut Flaws<'_>) -> Vec<Example> {
    let mut all = Vec::new();
    for item in flaws.items(root, "examples") {
        match serde_json::from_value::<Example>(json(item)) {
            Ok(example) => all.push(example),
            Err(error) => flaws.add(item.span, format!("this is not an example: {error}")),
        }
    }
    all
}

fn page(rule: &OwnRule, why: Option<String>) -> Meta {
    let expression = rule.expression.text();
    let path = &rule.object.source.path;
    let demand =
        format!("The rule, in `{path}`, demands:\n\n    {}\n", expression.replace('\n', "\n    "));
    let help = match &rule.help {
        Some(help) => format!("{help}.\n"),
        None => "Make the expression true.\n".to_owned(),
    };
    Meta {
        id: rule.finding_id(),
        summary: rule.message.clone().unwrap_or_else(|| format!("`{}` is not met", rule.id)),
        category: Category::Policy,
        severity: rule.severity,
        confidence: Confidence::High,
        fix: None,
        since: env!("CARGO_PKG_VERSION").to_owned(),
        persona: Persona::Regular,
        deployer: rule.mentions("forecast") || !rule.deployers.is_empty(),
        applies_to: Vec::new(),
        why: why.map_or(demand.clone(), |why| format!("{}\n\n{demand}", why.trim())),
        remedy: help,
        fix_safety: None,
        symptom: Vec::new(),
        references: Vec::new(),
        options: Default::default(),
    }
}
