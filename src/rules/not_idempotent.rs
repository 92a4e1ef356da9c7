use shell_effects::{self as script, DeletedObject, Hazard, Verdict};

use super::{Check, Rule};
use crate::{
    command::Command,
    finding::{Confidence, Finding, Severity},
    workload::{Rerun, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "not-idempotent",
    include_str!("../../rules/not-idempotent.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let hint = job.idempotent_hint();
    if hint == Some(true) || job.cleans_up() {
        return;
    }
    let rerun = job.rerun();
    let is_of_releases = matches!(rerun, Rerun::Deploy(_) | Rerun::Chance);
    let before = found.len();
    for command in job.commands() {
        let hazards = script::not_idempotent(&command.analysis);
        let is_alone = script::does_one_thing(&command.analysis);
        let hazards = hazards.iter().filter(|hazard| {
            let fails = hazard.verdict == Verdict::FailsWhenRepeated;
            let is_new = || is_of_releases && command.is_named_anew(hazard.location);
            let is_removed = || {
                let script = command.script(hazard.location.element);
                script::is_removed_again(&command.analysis, hazard.location, script)
            };
            !(fails && (job.is_undone(command, hazard.location) || is_new() || is_removed()))
        });
        found.extend(hazards.map(|hazard| {
            let finding = command.hazard(hazard, &rerun, job.context);
            let is_remade =
                || matches!(rerun, Rerun::Deploy(_)) && is_deployed_again(command, hazard, job);
            match is_alone && is_certain(command, hazard, &rerun) && !is_remade() {
                true => finding,
                false => finding.pedantic(),
            }
        }));
    }
    if hint == Some(false) && found.len() == before {
        found.extend(stated(job, &rerun));
    }
}

/// True when something certainly runs the command again, and the second run certainly does harm: it fails, makes another
/// password, or a row with the same values. Another message may be meant. A failure may never repeat the command, whoever schedules a deletion expects that there will be something to delete again, a new
/// certificate at each upgrade may be meant, a script that looks for its object first may do something else then, and other
/// commands may prepare the next run.
fn is_certain(command: &Command<'_>, hazard: &Hazard, rerun: &Rerun) -> bool {
    let runs_again = match rerun {
        Rerun::Loop(_) | Rerun::Deploy(_) => true,
        Rerun::Schedule => !hazard.removes,
        Rerun::Retry(_) | Rerun::Chance => false,
    };
    let is_certificate =
        hazard.verdict == Verdict::Rotates && script::issues_certificate(&command.analysis);
    let is_looked_for = script::asks_for_target(&command.analysis, hazard.location);
    let is_harm = hazard.verdict != Verdict::Duplicates || repeats_row(command, hazard);
    runs_again
        && is_harm
        && hazard.confidence == Confidence::High
        && !is_certificate
        && !is_looked_for
}

/// Clients that send statements of SQL.
const SQL: [&str; 5] = ["cockroach", "mariadb", "mysql", "psql", "sqlite3"];

/// Whether a client of a database inserts values that the statement states: no query tells whether they are there, and no row has
/// the time of its run.
fn repeats_row(command: &Command<'_>, hazard: &Hazard) -> bool {
    let mut invocations = command.analysis.invocations.iter();
    let is_sent =
        invocations.any(|one| one.holds(hazard.location) && SQL.contains(&one.program_name()));
    let rest = command.text_after(hazard.location).to_lowercase();
    let statement = rest.split(';').next().unwrap_or_default();
    is_sent
        && command.text(hazard.location).eq_ignore_ascii_case("insert")
        && !["select", "now(", "current_timestamp", "uuid("]
            .iter()
            .any(|one| statement.contains(one))
}

/// Whether a command deletes its own release, or an object of its own unit: each deploy makes that again.
fn is_deployed_again(command: &Command<'_>, hazard: &Hazard, job: &Subject<'_>) -> bool {
    let deleted = script::deleted_objects(&command.analysis);
    let is_here = |one: &DeletedObject| {
        let mut objects = job.context.objects.iter();
        objects.any(|object| {
            let is_named = one.name.starts_with('$') || object.name() == Some(&*one.name);
            is_named && one.is_kind(&object.kind().to_ascii_lowercase())
        })
    };
    hazard.removes && (deleted.iter().any(is_here) || command.is_of_own_release(hazard.location))
}

/// The finding about a Job that its author states not to be idempotent, if something runs it again.
fn stated(job: &Subject<'_>, rerun: &Rerun) -> Option<Finding> {
    let severity = match rerun {
        Rerun::Loop(_) | Rerun::Deploy(_) => Severity::Error,
        Rerun::Retry(_) => Severity::Warning,
        Rerun::Schedule | Rerun::Chance => return None,
    };
    let span = job.hint()?.value.span;
    let label = format!("a second run does harm; {}", rerun.cause());
    let message = format!("a second run of {} does harm, and {}", job.title(), rerun.cause());
    let finding = Finding::new(span, label).message(message);
    let finding = finding.deployers(rerun.deployers().to_vec());
    Some(finding.severity(severity))
}
