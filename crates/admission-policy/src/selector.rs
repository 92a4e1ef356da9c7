//! Label selectors. Labels that nobody knows make the answer unknown.

use yaml_spans::Node;

use crate::fields::Flaws;

/// A label selector. The empty one selects everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("In", Operator::In),
    ("NotIn", Operator::NotIn),
    ("Exists", Operator::Exists),
    ("DoesNotExist", Operator::DoesNotExist),
];

/// A label: its value if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Label<'a> {
    Value(&'a str),
    Absent,
    Unknown,
}

impl Selector {
    pub(crate) fn read(node: Option<&Node>, path: &str, flaws: &mut Flaws<'_>) -> Self {
        let Some(node) = node else { return Self::default() };
        flaws.check_keys(node, path, &["matchLabels", "matchExpressions"]);
        let mut requirements = Vec::new();
        for entry in node.get("matchLabels").map(Node::entries).unwrap_or_default() {
            let Some(value) = entry.value.as_str() else {
                flaws.add(entry.value.span, format!("the label `{}` is not a string", entry.key));
                continue;
            };
            let values = vec![value.to_owned()];
            requirements.push(Requirement {
                key: entry.key.to_string(),
                operator: Operator::In,
                values,
            });
        }
        for item in flaws.items(node, "matchExpressions") {
            flaws.check_keys(
                item,
                &format!("{path}.matchExpressions[]"),
                &["key", "operator", "values"],
            );
            let Some(key) = flaws.text(item, "key") else {
                flaws.add(item.span, "this requirement has no `key`");
                continue;
            };
            let operator = flaws.choice(item, "operator", OPERATORS, Operator::Exists);
            let values = flaws.texts(item, "values");
            if matches!(operator, Operator::In | Operator::NotIn) == values.is_empty() {
                flaws.add(item.span, "`In` and `NotIn` need values, other operators have none");
            }
            requirements.push(Requirement { key, operator, values });
        }
        Self { requirements }
    }

    /// Whether it selects an object with these labels; `None` when that depends on labels that nobody knows.
    pub(crate) fn selects<'a>(&self, label: impl Fn(&str) -> Label<'a>) -> Option<bool> {
        let holds = self.requirements.iter().map(|one| one.holds(&label(&one.key)));
        all_known(holds)
    }
}

/// Whether all are true: one false is enough for no.
pub(crate) fn all_known(holds: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for one in holds {
        match one {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

impl Requirement {
    fn holds(&self, label: &Label<'_>) -> Option<bool> {
        let is_listed = |value: &str| self.values.iter().any(|one| one == value);
        let value = match label {
            Label::Unknown => return None,
            Label::Value(value) => Some(*value),
            Label::Absent => None,
        };
        Some(match self.operator {
            Operator::In => value.is_some_and(is_listed),
            Operator::NotIn => !value.is_some_and(is_listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use job_lifecycle::Object;
    use yaml_spans::Source;

    use super::*;

    fn selector(text: &str) -> Selector {
        let text = format!("apiVersion: v1\nkind: A\nselector: {text}\n");
        let source = Arc::new(Source::new("a.yaml", text));
        let document = yaml_spans::parse(&source.text).remove(0).unwrap();
        let object = Object::new(&source, document.root, document.span).unwrap();
        let mut flaws = Flaws::of(&object);
        let selector = Selector::read(object.root.get("selector"), "selector", &mut flaws);
        assert!(flaws.all.is_empty(), "{:?}", flaws.all);
        selector
    }

    /// `labels.Requirement.Matches`.
    #[test]
    fn selects_as_the_api_server() {
        let label = |key: &str| match key {
            "env" => Label::Value("prod"),
            "team" => Label::Absent,
            _ => Label::Unknown,
        };
        for (text, expected) in [
            ("{}", Some(true)),
            ("{matchLabels: {env: prod}}", Some(true)),
            ("{matchLabels: {env: test}}", Some(false)),
            ("{matchExpressions: [{key: env, operator: NotIn, values: [test]}]}", Some(true)),
            ("{matchExpressions: [{key: team, operator: NotIn, values: [a]}]}", Some(true)),
            ("{matchExpressions: [{key: team, operator: In, values: [a]}]}", Some(false)),
            ("{matchExpressions: [{key: team, operator: Exists}]}", Some(false)),
            ("{matchExpressions: [{key: team, operator: DoesNotExist}]}", Some(true)),
            ("{matchLabels: {other: a}}", None),
            ("{matchLabels: {other: a, env: prod}}", None),
            ("{matchLabels: {other: a, env: test}}", Some(false)),
        ] {
            assert_eq!(selector(text).selects(label), expected, "{text}");
        }
    }
}
