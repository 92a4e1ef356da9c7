use shell_effects::{self as script, HiddenFailure, Hide, Verdict};

use super::{Check, Rule};
use crate::{command::Command, finding::Finding, workload::Subject};

pub static RULE: Rule = Rule::new(
    "failure-hidden",
    include_str!("../../rules/failure-hidden.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // What takes things away at the end should not stop the end.
    if job.cleans_up() {
        return;
    }
    for command in job.commands() {
        let hidden = script::failure_hidden(&command.analysis).into_iter();
        let (unset, rest): (Vec<_>, Vec<_>) = hidden
            .filter(|one| !is_meant(one, command.text(one.place)))
            .partition(|one| is_unset(one.how));
        found.extend(rest.iter().map(|one| finding(command, one)));
        // One `set -e` is missing, however many commands it would stop at.
        let Some((first, others)) = unset.split_first() else { continue };
        found.push(others.iter().fold(finding(command, first), |finding, other| {
            command.label(finding, other.place, "so may this")
        }));
    }
}

fn finding(command: &Command<'_>, hidden: &HiddenFailure) -> Finding {
    let word = command.text(hidden.place);
    let subject = if word.len() > 40 { "this".to_owned() } else { format!("`{word}`") };
    let label = match hidden.how {
        Hide::Client(reason) => reason.to_owned(),
        how => format!("{subject} may fail unseen: {}", how.reason()),
    };
    let finding = command.finding(hidden.place, label).help(help(hidden.how));
    match hidden.how {
        Hide::OrTrue | Hide::ExitZero => finding.pedantic(),
        _ => finding,
    }
}

/// `|| true` after what fails when it was done before is what makes it safe to repeat, and so is going on
/// after a `delete` of what is gone. Plain `sh` has no `pipefail` to ask for.
fn is_meant(hidden: &HiddenFailure, word: &str) -> bool {
    match hidden.how {
        Hide::LaterCommand | Hide::Loop if word == "delete" => {
            hidden.verdict == Verdict::FailsWhenRepeated
        }
        Hide::OrTrue => hidden.verdict == Verdict::FailsWhenRepeated,
        Hide::Pipe { pipefail } => !pipefail,
        _ => false,
    }
}

fn is_unset(how: Hide) -> bool {
    matches!(how, Hide::LaterCommand | Hide::Loop)
}

fn help(how: Hide) -> &'static str {
    match how {
        Hide::OrTrue => "accept the one failure that is fine, by its message or by asking first",
        Hide::ExitZero => "let the script exit with the status of the command",
        Hide::LaterCommand | Hide::Loop => "start the script with `set -e`",
        Hide::AndList => "write the commands on lines of their own under `set -e`",
        Hide::Pipe { .. } => "start the script with `set -o pipefail`",
        Hide::Background => "end the script with `wait` for each process",
        Hide::Substitution => "assign the output to a variable first, under `set -e`",
        Hide::Client(_) => "tell the client to fail: `curl --fail`, `psql -v ON_ERROR_STOP=1`",
    }
}
