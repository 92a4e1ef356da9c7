//! Secrets that the structure of a document gives away.

use yaml_spans::{Entry, Node, Span, Style, Value};

use super::{Found, command, names, text};

/// The annotation in which `kubectl apply` keeps the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Finds the secrets below a node.
pub(super) fn search(node: &Node, found: &mut Found<'_>) {
    search_in(node, None, found);
}

/// `below` is the name of a secret that the node is part of.
fn search_in(node: &Node, below: Option<&str>, found: &mut Found<'_>) {
    match &node.value {
        Value::Map(map) => {
            // The schema of a field, in a CustomResourceDefinition, says something about it.
            let below = below.filter(|_| node.get("description").is_none());
            let secret = node.get("kind").and_then(Node::as_str) == Some("Secret");
            for entry in &map.entries {
                search_entry(entry, below, secret, found);
            }
            for entry in &map.overridden {
                search_entry(entry, below, secret, found);
            }
            search_pair(node, found);
            search_command(node, found);
        }
        Value::Seq(items) => {
            search_flags(items.iter(), found);
            for item in items.iter() {
                search_in(item, below, found);
            }
        }
        _ if below.is_some_and(|name| is_hidden(node, name)) => add(node, found),
        _ => {}
    }
}

fn search_entry(entry: &Entry, below: Option<&str>, secret: bool, found: &mut Found<'_>) {
    let key = &*entry.key;
    if secret && matches!(key, "data" | "stringData") {
        return add_all(&entry.value, found);
    }
    if secret && key == "metadata" {
        let annotations = entry.value.get("annotations");
        if let Some(applied) = annotations.and_then(|all| all.get(LAST_APPLIED)) {
            add(applied, found);
        }
    }
    if key == "secretGenerator" {
        search_generators(&entry.value, found);
    }
    let name = match below {
        Some(_) if names::is_about(key) => None,
        Some(name) if !names::is_secret(key) => Some(name),
        _ => names::is_secret(key).then_some(key),
    };
    search_in(&entry.value, name, found);
}

/// `{name: DB_PASSWORD, value: …}`: variables, parameters, flags of `--set`.
fn search_pair(node: &Node, found: &mut Found<'_>) {
    let name = ["name", "key"].iter().find_map(|key| node.get(key)?.as_str());
    if let (Some(name), Some(value)) = (name, node.get("value"))
        && names::is_secret(name)
        && is_hidden(value, name)
    {
        add(value, found);
    }
}

/// `command: [mysql]`, `args: [-phunter2]`: one command line in two lists.
fn search_command(node: &Node, found: &mut Found<'_>) {
    if let (Some(command), Some(args)) = (node.get("command"), node.get("args")) {
        search_flags(command.items().iter().chain(args.items()), found);
    }
}

/// `[--password, hunter2]`, `[mysql, -phunter2]`.
fn search_flags<'a>(items: impl Iterator<Item = &'a Node>, found: &mut Found<'_>) {
    let mut tool = None;
    let mut flag: Option<&str> = None;
    for item in items {
        let Some(text) = item.as_str() else {
            flag = None;
            continue;
        };
        let before = flag.take();
        let asked = before.is_some_and(|flag| command::asks_for_secret(flag, tool));
        if before.is_some_and(is_script_flag) {
            // Scripts are searched as text.
        } else if asked && is_hidden(item, "password") && !text.starts_with('-') {
            add(item, found);
        } else if let Some(hidden) = command::secret_in_flag(text, tool) {
            add_end(item, hidden, found);
        } else if text.starts_with('-') {
            flag = Some(text);
        }
        tool = tool.or_else(|| command::tool(text));
    }
}

/// `-c`, `-ec`: what follows is a script.
fn is_script_flag(flag: &str) -> bool {
    flag.ends_with('c') && !flag.starts_with("--")
}

/// `secretGenerator: [{literals: [a=b]}]` of a kustomization.
fn search_generators(generators: &Node, found: &mut Found<'_>) {
    let literals = generators.items().iter().filter_map(|generator| generator.get("literals"));
    for literal in literals.flat_map(Node::items) {
        if let Some((_, value)) = literal.as_str().and_then(|text| text.split_once('=')) {
            add_end(literal, value.len(), found);
        }
    }
}

/// The value of a name that promises a secret is one: a text that is no mere reference to it, or the
/// number that somebody took for a password.
fn is_hidden(node: &Node, name: &str) -> bool {
    match &node.value {
        Value::Str(text) => !text.is_empty() && !text::is_switch(text) && !text::is_reference(text),
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => names::is_password(name),
        _ => false,
    }
}

fn add_all(node: &Node, found: &mut Found<'_>) {
    match &node.value {
        Value::Map(map) => map.entries.iter().for_each(|entry| add_all(&entry.value, found)),
        Value::Seq(items) => items.iter().for_each(|item| add_all(item, found)),
        Value::Null => {}
        _ => add(node, found),
    }
}

fn add(node: &Node, found: &mut Found<'_>) {
    match node.as_str().filter(|value| is_alias(node, value, found)) {
        // What it stands for is written at the anchor.
        Some(value) => text::search_value(value, found),
        None => found.add(content(node, found), node.as_str()),
    }
}

/// Notes the last `length` bytes of a flag's value; all of it where escapes make that uncertain.
fn add_end(node: &Node, length: usize, found: &mut Found<'_>) {
    let Some(value) = node.as_str() else { return };
    let secret = &value[value.len() - length..];
    let span = content(node, found);
    if is_alias(node, value, found) {
        text::search_value(secret, found);
    } else if found.text.get(span.range()).is_some_and(|text| text.ends_with(secret)) {
        found.add(Span::new(span.end as usize - length, span.end as usize), None);
    } else {
        found.add(span, Some(secret));
    }
}

/// An alias takes the bytes `*name` and has the value of its anchor.
fn is_alias(node: &Node, value: &str, found: &Found<'_>) -> bool {
    let written = found.text.get(node.span.range()).unwrap_or_default();
    written.starts_with('*') && written.trim_end() != value.trim_end()
}

/// The bytes of a scalar without its quotes.
fn content(node: &Node, found: &Found<'_>) -> Span {
    let quoted = matches!(node.style, Style::SingleQuoted | Style::DoubleQuoted);
    let length = found.text.get(node.span.range()).map_or(0, str::len) as u32;
    match quoted && length >= 2 {
        true => Span { start: node.span.start + 1, end: node.span.start + length - 1 },
        false => Span { start: node.span.start, end: node.span.start + length },
    }
}
