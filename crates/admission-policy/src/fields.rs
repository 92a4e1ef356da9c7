//! Reads the fields of a policy and notes what the API server refuses.

use job_lifecycle::{Object, suggest::nearest};
use yaml_spans::{Node, Span, Value};

/// Why the API server refuses a policy, or what it warns about.
#[derive(Clone, Debug)]
pub struct Flaw {
    /// The bytes in question, in the text of the policy.
    pub span: Span,
    /// What is wrong, as a sentence without a full stop.
    pub reason: String,
    /// What to do, if it is known.
    pub help: Option<String>,
    /// Whether the server refuses the policy.
    pub kind: FlawKind,
}

/// What the API server does about a flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// It refuses the policy.
    Refused,
    /// It takes the policy, and warns in its status.
    Warned,
}

/// The flaws of one object.
#[derive(Debug)]
pub struct Flaws<'a> {
    pub(crate) object: &'a Object,
    /// Those found so far.
    pub all: Vec<Flaw>,
}

impl<'a> Flaws<'a> {
    /// No flaws yet.
    pub fn of(object: &'a Object) -> Self {
        Self { object, all: Vec::new() }
    }

    /// Notes a flaw.
    pub fn add(&mut self, span: Span, reason: impl Into<String>) {
        self.add_with_help(span, reason, None);
    }

    /// Notes a flaw, with what to do about it.
    pub fn add_with_help(&mut self, span: Span, reason: impl Into<String>, help: Option<String>) {
        self.all.push(Flaw { span, reason: reason.into(), help, kind: FlawKind::Refused });
    }

    /// Notes the keys of a mapping that its type does not have, and a value that is no mapping.
    pub fn check_keys(&mut self, node: &Node, path: &str, known: &[&str]) {
        if node.as_map().is_none() && !node.is_null() {
            return self.add(node.span, format!("`{path}` is not a mapping"));
        }
        for entry in node.entries().iter().filter(|entry| !known.contains(&&*entry.key)) {
            let help = nearest(&entry.key, known.iter().copied());
            let help = help.map(|near| format!("did you mean `{near}`?"));
            let place = if path.is_empty() { String::new() } else { format!("{path}.") };
            let reason = format!("unknown field \"{place}{}\"", entry.key);
            self.add_with_help(entry.key_span, reason, help);
        }
    }

    /// The text at a key; a value of another type is noted.
    pub fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        let value = node.set(key)?;
        match &value.value {
            Value::Str(text) => Some(text.to_string()),
            _ => {
                self.add(value.span, format!("`{key}` is not a string"));
                None
            }
        }
    }

    /// The texts in the list at a key; values of other types are noted.
    pub fn texts(&mut self, node: &Node, key: &str) -> Vec<String> {
        let mut all = Vec::new();
        for item in self.items(node, key) {
            match item.as_str() {
                Some(text) => all.push(text.to_owned()),
                None => self.add(item.span, format!("an item of `{key}` is not a string")),
            }
        }
        all
    }

    /// The items of the list at a key.
    pub fn items<'n>(&mut self, node: &'n Node, key: &str) -> &'n [Node] {
        let Some(value) = node.set(key) else { return &[] };
        if !matches!(value.value, Value::Seq(_)) {
            self.add(value.span, format!("`{key}` is not a list"));
        }
        value.items()
    }

    /// The text at a key, which is one of a few; another one is noted. `default` when absent.
    pub fn choice<T: Copy>(
        &mut self,
        node: &Node,
        key: &str,
        choices: &[(&str, T)],
        default: T,
    ) -> T {
        let Some(text) = self.text(node, key) else { return default };
        match choices.iter().find(|(name, _)| *name == text) {
            Some((_, choice)) => *choice,
            None => {
                let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                let near = nearest(&text, names.iter().copied());
                let help = near.map(|near| format!("did you mean `{near}`?"));
                let help = help.or(Some(format!("expected one of {}", names.join(", "))));
                let span = node.get(key).map_or(node.span, |value| value.span);
                let reason = format!("{key}: Unsupported value: \"{text}\"");
                self.add_with_help(span, reason, help);
                default
            }
        }
    }
}
