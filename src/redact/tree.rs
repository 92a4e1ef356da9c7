//! Secrets that are recognisable by the structure of a document.

use yaml_spans::{Entry, Node, Span, Style, Value};

use super::{Search, command, names, text};

/// The annotation in which `kubectl apply` stores the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Finds the secrets below a node.
pub(super) fn search(node: &Node, search: &mut Search<'_>) {
    search_in(node, None, search);
}

/// `below` is the name of the secret that contains the node.
fn search_in(node: &Node, below: Option<&str>, search: &mut Search<'_>) {
    match &node.value {
        Value::Map(map) => {
            // A field with a `description` is a schema in a CustomResourceDefinition, not a value.
            let below = below.filter(|_| node.get("description").is_none());
            let kind = node.get("kind").and_then(Node::as_str);
            let secret = kind == Some("Secret");
            if kind == Some("SecretList") {
                // The items of a typed list need no kind of their own.
                let items = node.get("items").map_or(&[][..], Node::items);
                let data = |item: &Node| ["data", "stringData"].map(|key| item.get(key).cloned());
                for data in items.iter().flat_map(data).flatten() {
                    add_all(&data, search);
                }
            }
            for entry in &map.entries {
                search_entry(entry, below, secret, search);
            }
            for entry in &map.overridden {
                search_entry(entry, below, secret, search);
            }
            search_pair(node, search);
            search_command(node, search);
        }
        Value::Seq(items) => {
            search_flags(items.iter(), search);
            for item in items.iter() {
                search_in(item, below, search);
            }
        }
        _ if below.is_some_and(|name| is_secret_value(node, name)) => add(node, search),
        _ => {}
    }
}

fn search_entry(entry: &Entry, below: Option<&str>, secret: bool, search: &mut Search<'_>) {
    let key = &*entry.key;
    if secret && matches!(key, "data" | "stringData") {
        return add_all(&entry.value, search);
    }
    if secret && key == "metadata" {
        let annotations = entry.value.get("annotations");
        if let Some(applied) = annotations.and_then(|all| all.get(LAST_APPLIED)) {
            add(applied, search);
        }
    }
    if key == "secretGenerator" {
        search_generators(&entry.value, search);
    }
    let name = match below {
        Some(_) if names::is_about(key) => None,
        Some(name) if !names::is_secret(key) => Some(name),
        _ => names::is_secret(key).then_some(key),
    };
    search_in(&entry.value, name, search);
}

/// `{name: DB_PASSWORD, value: …}`: variables, parameters, flags of `--set`.
fn search_pair(node: &Node, search: &mut Search<'_>) {
    let name = ["name", "key"].iter().find_map(|key| node.get(key)?.as_str());
    if let (Some(name), Some(value)) = (name, node.get("value"))
        && names::is_secret(name)
        && is_secret_value(value, name)
    {
        add(value, search);
    }
}

/// `command: [mysql]`, `args: [-phunter2]`: one command line in two lists.
fn search_command(node: &Node, search: &mut Search<'_>) {
    if let (Some(command), Some(args)) = (node.get("command"), node.get("args")) {
        search_flags(command.items().iter().chain(args.items()), search);
    }
}

/// `[--password, hunter2]`, `[mysql, -phunter2]`.
fn search_flags<'a>(items: impl Iterator<Item = &'a Node>, search: &mut Search<'_>) {
    let mut tool = None;
    let mut flag: Option<&str> = None;
    for item in items {
        let Some(text) = item.as_str() else {
            flag = None;
            continue;
        };
        let before = flag.take();
        let takes_secret = before.is_some_and(|flag| command::takes_secret(flag, tool));
        if before.is_some_and(is_script_flag) {
            // Scripts are searched as text instead.
        } else if takes_secret && is_secret_value(item, "password") && !text.starts_with('-') {
            add(item, search);
        } else if let Some(hidden) = command::secret_in_flag(text, tool) {
            add_end(item, hidden, search);
        } else if text.starts_with('-') {
            flag = Some(text);
        }
        tool = tool.or_else(|| command::tool(text));
    }
}

/// True for `-c` and `-ec`: the next word is a script.
fn is_script_flag(flag: &str) -> bool {
    flag.ends_with('c') && !flag.starts_with("--")
}

/// `secretGenerator: [{literals: [a=b]}]` of a kustomization.
fn search_generators(generators: &Node, search: &mut Search<'_>) {
    let literals = generators.items().iter().filter_map(|generator| generator.get("literals"));
    for literal in literals.flat_map(Node::items) {
        if let Some((_, value)) = literal.as_str().and_then(|text| text.split_once('=')) {
            add_end(literal, value.len(), search);
        }
    }
}

/// True if the value of a secret's name is a secret: a text that is not just a reference, or a number as a
/// password.
fn is_secret_value(node: &Node, name: &str) -> bool {
    match &node.value {
        Value::Str(text) => !text.is_empty() && !text::is_switch(text) && !text::is_reference(text),
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => names::is_password(name),
        _ => false,
    }
}

fn add_all(node: &Node, search: &mut Search<'_>) {
    match &node.value {
        Value::Map(map) => map.entries.iter().for_each(|entry| add_all(&entry.value, search)),
        Value::Seq(items) => items.iter().for_each(|item| add_all(item, search)),
        Value::Null => {}
        _ => add(node, search),
    }
}

fn add(node: &Node, search: &mut Search<'_>) {
    match node.as_str().filter(|value| is_alias(node, value, search)) {
        // The value of an alias is written at its anchor.
        Some(value) => text::search_value(value, search),
        None => search.add(content(node, search), node.as_str()),
    }
}

/// Adds the last `length` bytes of a flag; the whole flag if escapes make their position uncertain.
fn add_end(node: &Node, length: usize, search: &mut Search<'_>) {
    let Some(value) = node.as_str() else { return };
    let secret = &value[value.len() - length..];
    let span = content(node, search);
    if is_alias(node, value, search) {
        text::search_value(secret, search);
    } else if search.text.get(span.range()).is_some_and(|text| text.ends_with(secret)) {
        search.add(Span::new(span.end as usize - length, span.end as usize), None);
    } else {
        search.add(span, Some(secret));
    }
}

/// True for an alias: its text is `*name`, its value that of the anchor.
fn is_alias(node: &Node, value: &str, search: &Search<'_>) -> bool {
    let written = search.text.get(node.span.range()).unwrap_or_default();
    written.starts_with('*') && written.trim_end() != value.trim_end()
}

/// The span of a scalar without its quotes.
fn content(node: &Node, search: &Search<'_>) -> Span {
    let quoted = matches!(node.style, Style::SingleQuoted | Style::DoubleQuoted);
    let length = search.text.get(node.span.range()).map_or(0, str::len) as u32;
    match quoted && length >= 2 {
        true => Span { start: node.span.start + 1, end: node.span.start + length - 1 },
        false => Span { start: node.span.start, end: node.span.start + length },
    }
}
