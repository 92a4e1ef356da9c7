use shell_effects::unreplaced_variables;

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "psql-variable-not-replaced",
    include_str!("../../rules/psql-variable-not-replaced.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for command in job.commands() {
        let all = unreplaced_variables(&command.analysis);
        let Some((first, others)) = all.split_first() else { continue };
        if command.is_made_up(first.element) {
            continue;
        }
        let name = command.text(*first);
        let label = "PostgreSQL gets this as it is: `syntax error at or near \":\"`";
        let message = format!(
            "a statement of {} fails at `{name}`: psql replaces no variables behind `-c`",
            job.title()
        );
        let finding = command.finding(*first, label).message(message);
        found.push(
            others.iter().fold(finding, |finding, one| command.label(finding, *one, "this too")),
        );
    }
}
