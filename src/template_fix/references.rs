//! Finds what refers to a Job by its name: scripts and commands that wait for it or delete it, and access rules.

use job_lifecycle::Object;
use yaml_spans::{Node, Value};

use crate::words::titled;

/// The lists that hold words of a command or names of objects.
const LISTS: [&str; 3] = ["command", "args", "resourceNames"];

/// The first object that refers to a Job by its name, for the help: ``Job `clean-up` ``. Scripts of the Job itself
/// count too.
pub(super) fn referring(job: &Object, objects: &[Object]) -> Option<String> {
    let name = job.name()?;
    let refers = |object: &&Object| mentions(&object.root, name, None);
    objects.iter().find(refers).map(titled)
}

/// True if a text says more than the name, or the name is a word of a command. Objects of other kinds may have the
/// same name, which is no reference.
fn mentions(node: &Node, name: &str, key: Option<&str>) -> bool {
    match &node.value {
        Value::Map(map) => map.entries.iter().any(|entry| {
            let is_label = matches!(&*entry.key, "labels" | "matchLabels" | "annotations");
            !is_label && mentions(&entry.value, name, Some(&entry.key))
        }),
        Value::Seq(items) => items.iter().any(|item| mentions(item, name, key)),
        Value::Str(text) if &**text == name => key.is_some_and(|key| LISTS.contains(&key)),
        Value::Str(text) => is_script(text) && has_word(text, name),
        _ => false,
    }
}

/// True for a text that can name an object beside other words: `kubectl delete job NAME`, `job/NAME`.
fn is_script(text: &str) -> bool {
    text.contains(char::is_whitespace) || text.contains("job/") || text.contains("jobs/")
}

fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
