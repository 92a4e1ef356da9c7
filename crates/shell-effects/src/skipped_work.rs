//! Waits that give up, after which the script skips the work that needs them:
//! `ready=0; for i in 1 2 3; do ping && ready=1 && break; sleep 5; done; if [ $ready -eq 1 ]; then work; fi`.

use crate::{
    ast::{Command, CommandKind, List, Statement, Word},
    shell::{Shell, gives_up},
};

/// Operators that compare a variable with the value that it must have.
const EQUALS: [&str; 3] = ["-eq", "=", "=="];

impl Shell<'_> {
    /// Whether all that follows a loop is work that runs only if the loop has set a variable.
    pub(crate) fn skips_work_after(&self, statement: &Statement, rest: &[Statement]) -> bool {
        let [command] = statement.first.commands.as_slice() else { return false };
        if !matches!(command.kind, CommandKind::Loop(_) | CommandKind::For(_)) {
            return false;
        }
        let mut rest = rest.iter().filter(|one| !self.certainly_succeeds(one));
        let (Some(next), None) = (rest.next(), rest.next()) else { return false };
        let [Command { kind: CommandKind::If(clause), .. }] = next.first.commands.as_slice() else {
            return false;
        };
        let [(condition, work)] = clause.branches.as_slice() else { return false };
        let otherwise = clause.otherwise.as_ref();
        let after = otherwise.map_or(next.span.end, |list| list.span().start);
        let is_quiet = otherwise.is_none_or(|list| self.only_passes_time(list));
        let (whole, before) =
            (command.span.range(), &self.source.value[..command.span.range().start]);
        let is_set = self.wanted_value(condition).is_some_and(|(name, value)| {
            let assigned = |text: &str| assignments(text, &name).any(|own| own == value);
            assigned(&self.source.value[whole]) && !assigned(before)
        });
        let fails = gives_up(self.written(work.span()));
        next.rest.is_empty()
            && is_quiet
            && is_set
            && !fails
            && !self.says_expected(next.span, after)
    }

    /// The variable that a condition tests, and the value that it wants: `[ "$ready" = yes ]`, `$ready`.
    fn wanted_value(&self, condition: &List) -> Option<(String, String)> {
        let [statement] = condition.statements.as_slice() else { return None };
        let [command] = statement.first.commands.as_slice() else { return None };
        if !statement.rest.is_empty() || statement.first.negated {
            return None;
        }
        let words: Vec<&Word> = match &command.kind {
            CommandKind::Test(words) => words.iter().collect(),
            CommandKind::Simple(simple) => match simple.words.as_slice() {
                [only] => return Some((self.variable(only)?, "true".to_owned())),
                [name, words @ ..] if matches!(self.written(name.span), "[" | "test") => {
                    words.iter().filter(|word| self.written(word.span) != "]").collect()
                }
                _ => return None,
            },
            _ => return None,
        };
        let [name, operator, value] = words.as_slice() else { return None };
        let value = value.literal(&self.source.value)?;
        EQUALS.contains(&self.written(operator.span)).then_some((self.variable(name)?, value))
    }

    /// The variable that a word consists of.
    fn variable(&self, word: &Word) -> Option<String> {
        let name = self.written(word.span).trim_matches('"').strip_prefix('$')?;
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        (!name.is_empty() && name.bytes().all(is_letter)).then(|| name.to_owned())
    }
}

/// The words that a text assigns to a variable, without quotes.
fn assignments<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!("{name}=");
    let places: Vec<_> = text.match_indices(&start).map(|(at, _)| at).collect();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '{');
    let whole = places.into_iter().filter(move |at| !text[..*at].ends_with(is_letter));
    whole.map(move |at| {
        let value = &text[at + start.len()..];
        let end = value.find(|c: char| c.is_whitespace() || ";&|)".contains(c));
        value[..end.unwrap_or(value.len())].trim_matches(['"', '\''])
    })
}
