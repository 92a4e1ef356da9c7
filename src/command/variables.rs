//! The shell variables that a pod defines.

use yaml_spans::Node;

use super::Command;

/// Variables that a shell sets by itself.
const BUILT_IN: &[&str] = &[
    "BASH_SOURCE",
    "HOME",
    "HOSTNAME",
    "IFS",
    "OPTARG",
    "OPTIND",
    "PATH",
    "PIPESTATUS",
    "PWD",
    "RANDOM",
    "SECONDS",
];

impl Command<'_> {
    /// True when the `env` of the container sets a variable.
    pub(crate) fn sets(&self, name: &str) -> bool {
        has_variable(self.container, name)
    }

    /// True when the script, the container or the shell itself sets a variable.
    pub(crate) fn defines(&self, name: &str, script: &str) -> bool {
        let is_positional = name.bytes().all(|byte| byte.is_ascii_digit());
        is_positional
            || BUILT_IN.contains(&name)
            || has_variable(self.container, name)
            || is_assigned(name, script)
    }
}

/// True when the `env` of a container sets a variable.
pub(super) fn has_variable(container: &Node, name: &str) -> bool {
    let mut env = container.get("env").map(Node::items).unwrap_or_default().iter();
    env.any(|one| one.get("name").and_then(Node::as_str) == Some(name))
}

/// The variables of a container that take a field of the pod without blanks: any but an annotation.
/// <https://kubernetes.io/docs/concepts/workloads/pods/downward-api/>
pub(super) fn pod_fields(container: &Node) -> Vec<String> {
    let env = container.get("env").map(Node::items).unwrap_or_default();
    let takes_word = |one: &&Node| {
        let path = one.at(&["valueFrom", "fieldRef", "fieldPath"]).and_then(Node::as_str);
        path.is_some_and(|path| !path.starts_with("metadata.annotations"))
    };
    let names = env.iter().filter(takes_word).filter_map(|one| one.get("name")?.as_str());
    names.map(str::to_owned).collect()
}

/// True for `NAME=`, `NAME+=`, `for NAME in`, `read NAME` and `local NAME`.
fn is_assigned(name: &str, script: &str) -> bool {
    script.match_indices(name).any(|(at, _)| {
        let (before, after) = (&script[..at], &script[at + name.len()..]);
        let starts = before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '(', '\'']);
        let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let statement = before.split([';', '\n']).next_back().unwrap_or_default();
        let mut words = statement.split_whitespace();
        let first = words.find(|word| !matches!(*word, "while" | "do" | "then"));
        let declared =
            matches!(first, Some("for" | "read" | "local" | "declare" | "export" | "select"));
        starts && ends && (after.starts_with('=') || after.starts_with("+=") || declared)
    })
}
