use shell_effects::{self as script, ElementSpan, Verdict};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    command::{Command, switches::is_switched_off},
    finding::{Finding, Severity},
    workload::{Rerun, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "destroys-data",
    include_str!("../../rules/destroys-data.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.cleans_up() {
        return;
    }
    let rerun = job.rerun();
    let hint = job.hint().filter(|_| job.idempotent_hint() == Some(true));
    for command in job.commands() {
        let hazards = script::destroys_data(&command.analysis).into_iter();
        for hazard in hazards.filter(|hazard| !is_refilled(command, hazard.location)) {
            let finding = command.hazard(&hazard, &rerun, job.context);
            // Whoever switches on a Job that does nothing else wants what it does.
            let finding = match job.context.tried && job.commands().len() == 1 {
                true => finding.severity(Severity::Info),
                false => finding,
            };
            let finding = match rerun.severity(Verdict::Destroys) {
                (_, true) if is_restored_by_hand(job, command, hazard.location) => {
                    finding.pedantic()
                }
                // What a retry drops is what the run before it has made, and whoever applies a Job once more knows what it does.
                (_, true) if !is_repeated(job, &rerun) => finding.pedantic(),
                (_, true) if is_off(command, hazard.location) => finding.pedantic(),
                // Whoever runs nothing else wants it gone each time.
                (_, true) if script::only_removes(&command.analysis) => finding.pedantic(),
                (_, true) => finding,
                _ => finding.pedantic(),
            };
            found.push(match hint {
                Some(hint) => finding.label(hint.value.span, "yet this says that it does no harm"),
                None => finding,
            });
        }
    }
}

/// Whether it is behind a test for a variable that the container does not set so.
fn is_off(command: &Command<'_>, at: ElementSpan) -> bool {
    let mut invocations = command.analysis.invocations.iter();
    let own = invocations.find(|one| one.holds(at));
    own.is_some_and(|one| one.conditions().any(|test| is_switched_off(command, command.text(test))))
}

/// Whether a deployer runs the Job again by itself: as a hook, or in a loop.
fn is_repeated(job: &Subject<'_>, rerun: &Rerun) -> bool {
    let mut deployers = job.context.deployers.iter();
    match rerun {
        Rerun::Loop(_) | Rerun::Schedule => true,
        Rerun::Deploy(_) => deployers.any(|deployer| job.hook(deployer).is_some()),
        Rerun::Retry(_) | Rerun::Chance => false,
    }
}

/// Whether it is a restore that somebody starts where it is wanted: nothing states who deploys it, and nothing retries it.
fn is_restored_by_hand(job: &Subject<'_>, command: &Command<'_>, at: ElementSpan) -> bool {
    const RESTORES: [&str; 2] = ["mongorestore", "pg_restore"];
    let mut invocations = command.analysis.invocations.iter();
    let is_tried_once = job.job.get("backoffLimit").and_then(Node::as_int) == Some(0);
    is_tried_once
        && job
            .context
            .deployers
            .iter()
            .all(|deployer| deployer.assumed && job.hook(deployer).is_none())
        && invocations.any(|one| one.holds(at) && RESTORES.contains(&one.program_name()))
}

/// Whether a later statement of the same text inserts rows into the table that this one drops: what the author knows to
/// be in it comes back.
fn is_refilled(command: &Command<'_>, dropped: ElementSpan) -> bool {
    let starts_with = |location: ElementSpan, statement: &str| {
        let words = command.text(location).split_whitespace().chain(["", ""]).take(2);
        words.zip(statement.split(' ')).all(|(word, own)| word.eq_ignore_ascii_case(own))
    };
    let Some(table) = table(command.text_after(dropped)) else { return false };
    let actions = command.analysis.invocations.iter().flat_map(|invocation| &invocation.actions);
    let later = actions.map(|action| action.location).filter(|location| {
        location.element == dropped.element
            && location.span.range().start > dropped.span.range().end
    });
    let fills = |location: &ElementSpan| {
        let rest = command.text_after(*location).split(';').next().unwrap_or_default();
        ["INSERT", "COPY"].iter().any(|one| starts_with(*location, one))
            || starts_with(*location, "CREATE TABLE") && rest.to_lowercase().contains(" as select")
    };
    starts_with(dropped, "DROP TABLE")
        && later
            .filter(fills)
            .any(|location| self::table(command.text_after(location)).as_ref() == Some(&table))
}

/// The first name in the rest of a statement: `IF EXISTS "public"."users" CASCADE;` names `public.users`.
fn table(rest: &str) -> Option<String> {
    const WORDS: [&str; 4] = ["if", "exists", "into", "table"];
    let statement = rest.split(';').next()?.replace(['"', '`', '\\'], "").to_lowercase();
    let mut words = statement.split(|one: char| one.is_whitespace() || one == '(');
    words.find(|word| !word.is_empty() && !WORDS.contains(word)).map(str::to_owned)
}
