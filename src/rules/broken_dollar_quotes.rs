use shell_effects::BrokenQuote;

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "broken-dollar-quotes",
    include_str!("../../rules/broken-dollar-quotes.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for command in job.commands() {
        let Some((location, how)) = command.analysis.broken_quotes.first() else { continue };
        if command.is_made_up(location.element) {
            continue;
        }
        let is_halved = command.written(command.as_written(*location)).ends_with("$$");
        let (sent, label, why) = match how {
            BrokenQuote::Halved => {
                let why =
                    if is_halved { "Kubernetes turns `$$` into `$`" } else { "a body needs `$$`" };
                ("$", "PostgreSQL gets `$`: `syntax error at or near \"$\"`", why)
            }
            BrokenQuote::Escaped => (
                r"\$\$",
                r"PostgreSQL gets the backslashes too: `invalid command \$`",
                "the shell keeps the backslashes here",
            ),
            BrokenQuote::ProcessId => (
                "$$",
                "PostgreSQL gets a number: `syntax error at or near \"15052\"`",
                "the shell puts its process ID there",
            ),
        };
        let message = format!("statements of {} fail at `{sent}`: {why}", job.title());
        let others = command.analysis.broken_quotes[1..].iter();
        let finding = command.finding(*location, label).message(message);
        found.push(
            others.fold(finding, |finding, (one, _)| command.label(finding, *one, "so does this")),
        );
    }
}
