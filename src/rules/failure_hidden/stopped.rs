//! What `set -e` would end a script at although nothing is wrong.

use shell_effects as script;

use crate::command::Command;

/// The command of a script that `set -e` would stop on an ordinary day, or the statement: `rm`, `argocd app diff`,
/// `((count++))`.
pub(super) fn stopped(command: &Command<'_>, element: usize) -> Option<String> {
    let one = script::stopped_by_errexit(&command.analysis, element);
    one.map(script::ordinary_name).or_else(|| {
        let (_, text) = command.scripts(true).find(|(index, _)| *index == element)?;
        statement(text).map(str::to_owned)
    })
}

/// A statement that ends with 1 on an ordinary day, and is no program: `((count++))` while `count` is 0, `read -d ''` at the end
/// of its input, and a test in front of the last command of a function.
fn statement(text: &str) -> Option<&str> {
    let mut before = "";
    text.split(['\n', ';']).map(str::trim).filter(|one| !one.is_empty()).find_map(|one| {
        let own = ["do ", "then "].iter().find_map(|word| one.strip_prefix(word)).unwrap_or(one);
        let counts = own.starts_with("((") && own.contains("++") || own.starts_with("let ");
        let reads = own.split_once("read ").is_some_and(|(start, options)| {
            start.trim_start_matches("IFS=").trim().is_empty() && options.contains("-d ''")
        });
        let is_test = before.starts_with("[ ") || before.starts_with("[[ ");
        let ends = one == "}" && is_test && before.contains(" && ") && !before.contains("||");
        let found = if ends { before } else { own };
        before = one.rsplit_once("{ ").map_or(one, |(_, body)| body);
        ((counts || reads || ends) && !own.contains("||")).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::statement;

    #[test]
    fn a_statement_may_end_with_1_although_nothing_is_wrong() {
        for (script, found) in [
            ("N=0; pg_dump a; ((N++)); date", Some("((N++))")),
            ("for d in a b; do let N++; done", Some("let N++")),
            ("f() { [ -f /a ] && rm /a; }; f", Some("[ -f /a ] && rm /a")),
            ("IFS= read -r -d '' Q <<EOF", Some("IFS= read -r -d '' Q <<EOF")),
            ("N=$((N + 1)); date", None),
            ("((N++)) || true", None),
            ("f() { [ -f /a ] && rm /a; date; }; f", None),
            ("f() { [ -f /a ] && rm /a || true; }; f", None),
            ("while read -r d; do date; done", None),
        ] {
            assert_eq!(statement(script), found, "{script}");
        }
    }
}
