//! Tests of variables that the container does not set, or sets to something else: what stands behind them is switched off.

use yaml_spans::Node;

use super::Command;

/// What a test asks of a variable.
enum Asked<'t> {
    /// `[ -n "$NAME" ]`
    Set,
    /// `[ "$NAME" = value ]`
    Value(&'t str),
}

/// Whether a test wants a variable that neither the container nor the script sets, or another value than the container states:
/// `[ -n "$AWS_KEY" ]`, `[ "$RESET" = true ]`.
pub(crate) fn is_switched_off(command: &Command<'_>, test: &str) -> bool {
    let Some((name, asked)) = asked(test) else { return false };
    let container = command.container;
    let variables = container.get("env").map(Node::items).unwrap_or_default();
    let own = variables.iter().find(|one| one.get("name").and_then(Node::as_str) == Some(name));
    let is_read = |text: &str| text.contains("read ") || text.contains("source ");
    let is_assigned = |text: &str| text.contains(&format!("{name}=")) || is_read(text);
    if name.is_empty() || command.scripts(true).any(|(_, text)| is_assigned(text)) {
        return false;
    }
    match (own.map(|one| one.get("value").and_then(Node::as_str)), asked) {
        (None, _) => container.get("envFrom").is_none(),
        (Some(Some(value)), Asked::Value(wanted)) => value != wanted && !value.contains('$'),
        (Some(_), _) => false,
    }
}

/// The variable of a test, and what that asks of it.
fn asked(test: &str) -> Option<(&str, Asked<'_>)> {
    let words: Vec<_> = test.trim_matches(['[', ']', ' ']).split_whitespace().collect();
    match words[..] {
        ["-n", variable] => Some((named(variable)?, Asked::Set)),
        [variable, "=" | "==", value] => {
            let value = value.trim_matches(['"', '\'']);
            Some((named(variable)?, Asked::Value(value))).filter(|_| !value.contains('$'))
        }
        _ => None,
    }
}

/// The name in `"$NAME"`, `${NAME}` and `${NAME:-}`.
fn named(word: &str) -> Option<&str> {
    let name = word.trim_matches('"').strip_prefix('$')?;
    let name = name.strip_prefix('{').unwrap_or(name);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    let default = name[end..].trim_start_matches([':', '-']).trim_end_matches('}');
    Some(&name[..end]).filter(|_| default.is_empty())
}
