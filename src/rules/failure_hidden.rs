mod delete_hooks;
mod followed;
mod intent;
mod remedy;
mod stake;
mod stopped;
mod words;

use job_lifecycle::workload::Kind;
use shell_effects::{
    self as script, ElementSpan, HiddenBy, HiddenFailure, Invocation, SucceedsBy, Verdict,
};

use delete_hooks::outlasts;
use followed::{
    MOST_FOLLOWED, asks_for_status, is_made_unasked, is_missed_later, may_differ, needs_file,
};
use intent::{ends_in_failure, is_announced, is_intended, is_repeated, is_whole_script};
use remedy::{
    REQUEST_FIRST, STRICT, of_pipe, remedy_of_unset, repeatable_first, runs_again, strict,
};
use stake::{Stake, named_by, put_first, stake};
use words::{cause, declaring, help, help_before, help_of, is_request};

use super::{
    Check, Rule, backup_lost_with_pod, command_not_run::folded::joined_shebang,
    program_not_in_image,
};
use crate::{
    command::{
        Command,
        clients::{
            client_and_option, is_of_postgres, is_restore, option, restored_file, with_option,
        },
    },
    finding::{Applicability, Finding},
    words::continued,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "failure-hidden",
    include_str!("../../rules/failure-hidden.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let earlier = found.len();
    for command in job.commands() {
        let own = joined(parts(job, command));
        // Nobody misses a dump that is gone with the pod in any case, and a run that needs an absent program never succeeds.
        let is_aside = backup_lost_with_pod::lost(job, command).is_some()
            || program_not_in_image::missing(command).is_some_and(Invocation::decides_success);
        found.extend(own.into_iter().map(|one| if is_aside { one.pedantic() } else { one }));
        // A failing cleanup hook should not stop the uninstall.
        if !job.cleans_up() {
            found.extend(of_successes(command));
        }
    }
    // Whoever runs the tests reads what they print.
    if job.is_test() {
        let own = found.split_off(earlier);
        found.extend(own.into_iter().map(Finding::pedantic));
    }
}

/// The findings about what hides failures in a script, with what is at stake. Where later work may tell, nobody is sure.
fn parts(job: &Subject<'_>, command: &Command<'_>) -> Vec<(Stake, Finding)> {
    let hidden = script::failure_hidden(&command.analysis).into_iter();
    let (followed, unseen) = hidden.partition(|one| one.is_followed);
    let mut all = parts_of(job, command, unseen);
    let unsure = parts_of(job, command, followed).into_iter();
    all.extend(unsure.map(|(stake, one)| (stake, one.pedantic())));
    all
}

/// The findings about such failures, one for each cause.
fn parts_of(
    job: &Subject<'_>,
    command: &Command<'_>,
    hidden: Vec<HiddenFailure>,
) -> Vec<(Stake, Finding)> {
    let missing = program_not_in_image::missing(command);
    let all = &command.analysis.invocations;
    let has_strict = all.iter().any(asks_for_status);
    let needs_files = all.len() < MOST_FOLLOWED && all.iter().any(needs_file);
    let (unset, rest): (Vec<_>, Vec<_>) = hidden
        .into_iter()
        .filter(|one| !is_intended(one, command) && !ends_in_failure(one, command))
        .filter(|one| !is_repeated(job, command, one))
        // Such a script is not run as it was meant.
        .filter(|one| joined_shebang(command.script(one.hiding_element())).is_none())
        // A program that is not there does nothing, and that is reported.
        .filter(|one| !missing.is_some_and(|missing| missing.holds(one.location)))
        .filter(|one| !(has_strict && is_made_unasked(one)))
        .filter(|one| !(needs_files && is_missed_later(one, command)))
        .filter(|one| !job.cleans_up() || outlasts(one, command))
        // What a Job removes may be gone at its second run; what is due is due each time.
        .filter(|one| {
            let is_client = matches!(one.by, HiddenBy::Client(_));
            !(is_client && one.is_removal) || job.kind == Kind::CronJob
        })
        // A test asks whether the server answers.
        .filter(|one| !(job.is_test() && one.verdict == Verdict::ReadOnly))
        .partition(|one| is_unset(one.by));
    let (clients, mut rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|one| matches!(one.by, HiddenBy::Client(_)));
    // With `set -e`, a script does not get as far as its `exit 0`.
    rest.retain(|one| one.by != HiddenBy::ExitZero || unset.is_empty());
    // It comes first; a pipeline then needs `pipefail` as well.
    rest.retain(|one| !unset.iter().any(|other| other.location == one.location));
    let mut parts = Vec::new();
    parts.extend(groups(rest).iter().map(|group| {
        let first = strict(job, command, &group[0], finding(command, &group[0]));
        let remedy = help(group[0].by);
        let first = match repeatable_first(job, command, group, remedy) {
            Some(remedy) if group[0].by == HiddenBy::ExitZero => first.help(remedy),
            _ => first,
        };
        let finding = with_others(command, first, &group[1..]);
        let is_meant = is_announced(&group[0])
            || is_whole_script(&group[0], command)
            || group.iter().all(|one| one.is_report);
        let finding = if is_meant { finding.pedantic() } else { finding };
        (stake(group), finding)
    }));
    // The help about the script names the option that the client needs.
    let is_said = |one: &HiddenFailure| {
        let is_same = |other: &HiddenFailure| {
            other.client == Some(one.by) && other.hiding_element() == one.hiding_element()
        };
        one.relied_on.is_none() && unset.iter().any(is_same)
    };
    let (said, clients): (Vec<_>, Vec<_>) = clients
        .into_iter()
        .filter(|one| !(is_restore(one) && dumps_all(job, one, command)))
        .partition(is_said);
    parts.extend(of_clients(job, command, clients));
    let own = stake(&unset).max(stake(&said));
    let of_script = of_unset(job, command, unset);
    parts.extend(of_script.map(|finding| (own, with_others(command, finding, &said))));
    parts
}

/// One finding for a script, about what has the most at stake; the others are labels of it. What only `--pedantic` shows
/// stays apart.
fn joined(parts: Vec<(Stake, Finding)>) -> Vec<Finding> {
    let (mut rest, mut shown): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|(_, one)| one.pedantic);
    shown.sort_by_key(|(stake, _)| std::cmp::Reverse(*stake));
    let shown = shown.into_iter().map(|(_, one)| one);
    // `set -eo pipefail` says both.
    let with = |first: Finding, other: Finding| {
        let is_said = first.help.as_deref() == Some(STRICT)
            && other.help.as_deref() == Some(help(HiddenBy::LaterCommand));
        first.with(if is_said { Finding { help: None, ..other } } else { other })
    };
    let mut found: Vec<_> = shown.reduce(with).into_iter().collect();
    found.extend(rest.drain(..).map(|(_, one)| one));
    found
}

/// The findings about a script that gives up, and ends with 0: one for each cause.
fn of_successes(command: &Command<'_>) -> Vec<Finding> {
    let all = script::false_successes(&command.analysis);
    let of_cause = |by: SucceedsBy| {
        let mut own = all.iter().filter(|one| one.by == by).map(|one| one.location);
        let first = own.next()?;
        let title = command.title();
        let (label, message, help) = match by {
            SucceedsBy::BareExit => (
                "`exit` takes the status of the message before it, which is 0",
                format!(
                    "{title} succeeds after it says that something is wrong (`exit` without a status)"
                ),
                "Exit with 1",
            ),
            SucceedsBy::Exhausted => (
                "after the last try the script ends with 0",
                format!(
                    "{title} succeeds even if what it waits for never happens (nothing checks the last try)"
                ),
                help(HiddenBy::Exhausted),
            ),
        };
        let finding = command.finding(first, label).message(message).help(help);
        Some(own.fold(finding, |finding, one| command.label(finding, one, "so does this")))
    };
    // What runs after an init container finds out by itself.
    let waits = (!command.init).then_some(SucceedsBy::Exhausted);
    std::iter::once(SucceedsBy::BareExit).chain(waits).filter_map(of_cause).collect()
}

/// How commands and statements begin that remove something.
const REMOVES: [&str; 4] = ["delete", "drop", "remove", "rm"];

/// The finding about a missing `set -e`: one, however many commands it affects.
fn of_unset(
    job: &Subject<'_>,
    command: &Command<'_>,
    mut all: Vec<HiddenFailure>,
) -> Option<Finding> {
    // What should go may be gone already: nothing is to be written behind it.
    let removes = |one: &HiddenFailure| {
        let word = command.text(one.location).to_lowercase();
        one.is_minor && REMOVES.iter().any(|start| word.starts_with(start))
    };
    if !all.iter().all(removes) {
        all.retain(|one| !removes(one));
    }
    let named = named_by(command, &all);
    let remedy = remedy_of_unset(job, command, &all);
    let repeatable = repeatable_first(job, command, &all, &remedy);
    // The option alone would let each further run fail.
    let needs_more = repeatable.is_some();
    let remedy = repeatable.unwrap_or(remedy);
    // A container behind an init container fails without what a program of that was to give it.
    let is_seen_later = |one: &HiddenFailure| command.init && one.verdict == Verdict::Depends;
    let is_minor =
        all.iter().all(|one| one.is_minor || one.is_report || one.may_show || is_seen_later(one));
    let first = all.remove(named.unwrap_or_default().min(all.len().checked_sub(1)?));
    let found = finding(command, &first).help(remedy);
    let found = if needs_more { found } else { strict(job, command, &first, found) };
    let found = with_others(command, found, &all);
    // What comes after them fails as well, and what should go goes at the next run.
    Some(if named.is_none() || is_minor { found.pedantic() } else { found })
}

/// The failures of one script that one thing hides, together.
fn groups(all: Vec<HiddenFailure>) -> Vec<Vec<HiddenFailure>> {
    let mut groups: Vec<Vec<HiddenFailure>> = Vec::new();
    for one in all {
        let is_same = |group: &&mut Vec<HiddenFailure>| {
            let first = &group[0];
            first.hiding_element() == one.hiding_element()
                && cause(first.by) == cause(one.by)
                && is_announced(first) == is_announced(&one)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.iter_mut().for_each(|group| put_first(group));
    groups
}

/// The most further commands that one finding marks: nobody reads more.
const MOST_LABELS: usize = 100;

fn with_others(command: &Command<'_>, finding: Finding, others: &[HiddenFailure]) -> Finding {
    let places = others.iter().take(MOST_LABELS).map(|one| place(command, one.location));
    places.fold(finding, |finding, place| command.label(finding, place, "so may this"))
}

/// One finding for each script and option that its clients lack.
fn of_clients(
    job: &Subject<'_>,
    command: &Command<'_>,
    clients: Vec<HiddenFailure>,
) -> Vec<(Stake, Finding)> {
    let of_group = |group: &Vec<HiddenFailure>| {
        let first = finding(command, &group[0]);
        let found = with_others(command, first, &group[1..]);
        if let Some(option) = option(group[0].by)
            && group.iter().any(|one| is_restore(one) && is_of_postgres(one, command))
        {
            // The dump of `pg_dumpall` creates the role `postgres`, which is there.
            return found
                .help(format!("Add `{option}`, unless the file is a dump of `pg_dumpall`"));
        }
        let relied = group.iter().find_map(|one| one.relied_on);
        if let (Some(relied), Some(option)) = (relied, option(group[0].by)) {
            let statement = command.text(relied);
            return command
                .label(found, relied, "fails on every run but the first")
                .help(format!("Make `{statement}` safe to repeat, then add `{option}`"));
        }
        if let Some(option) = option(group[0].by)
            && job.kind == Kind::Job
            && runs_again(job)
            && group.iter().any(|one| one.reads_file && !one.is_request)
        {
            // Nothing tells whether the statements of a file fail where they have run before.
            return found.help(format!(
                "Make its statements safe to repeat (`IF NOT EXISTS`), as each run executes them, then add `{option}`"
            ));
        }
        // A server may refuse what an earlier run has made, and nothing says whether this one does.
        if job.kind == Kind::Job && group.iter().any(|one| one.is_request && may_differ(one)) {
            let remedy = continued(found.help.as_deref().unwrap_or_default());
            return found.help(format!("{REQUEST_FIRST}, then {remedy}"));
        }
        let edits = group.iter().map(|one| with_option(command, one)).collect::<Option<Vec<_>>>();
        match (option(group[0].by), edits) {
            (Some(option), Some(edits)) => {
                found.fix_all(format!("add `{option}`"), Applicability::Unsafe, edits)
            }
            _ => found,
        }
    };
    let all = groups(clients);
    let of_group = |group: &Vec<HiddenFailure>| {
        let finding = of_group(group);
        let is_report = group.iter().all(|one| one.is_report);
        (stake(group), if is_report { finding.pedantic() } else { finding })
    };
    all.iter().map(of_group).collect()
}

/// Whether the Job, or another object of its unit that names the same file, makes a dump with `pg_dumpall`. A restore of
/// it goes on after errors by intent.
fn dumps_all(job: &Subject<'_>, restore: &HiddenFailure, command: &Command<'_>) -> bool {
    let mut invocations = job.commands().iter().flat_map(|one| &one.analysis.invocations);
    let is_own = invocations.any(|one| {
        let program = one.words.first().and_then(|word| word.value.rsplit('/').next());
        program == Some("pg_dumpall")
    });
    is_own
        || restored_file(restore, command).is_some_and(|file| {
            let mut objects = job.context.objects.iter();
            objects.any(|object| {
                let text = object.source.slice(object.document);
                text.contains("pg_dumpall") && text.contains(file)
            })
        })
}

fn finding(command: &Command<'_>, hidden: &HiddenFailure) -> Finding {
    let word = command.text(hidden.location);
    let named = command.named(hidden.location);
    let subject = match word.len() {
        // `/data` alone does not say that `cd /data` is meant.
        _ if hidden.only_enters => named.clone(),
        // `secret` alone does not say that `kubectl create secret` is meant.
        _ if word.starts_with('-') || named.split(' ').nth(2).is_some() => named.clone(),
        41.. => "this".to_owned(),
        _ => format!("`{word}`"),
    };
    let label = match hidden.by {
        HiddenBy::Client(reason) => reason.to_owned(),
        by => format!("{subject} may fail unseen: {}", by.reason()),
    };
    let message =
        format!("{} succeeds even if {named} fails ({})", command.title(), cause(hidden.by));
    let help = match (option(hidden.by), declaring(command, hidden)) {
        (Some(option), _) if option == "--fail" && others_print_status(command, hidden) => {
            format!("add `{option}` to the {named} that does not ask for the status")
        }
        (Some(option), _) => format!("add `{option}` to {named}"),
        (None, Some(builtin)) => help_before(builtin, hidden.by),
        (None, None) => match hidden.expected {
            Some(other) => format!(
                "End the script where {named} fails (`|| exit 1`, on a line of its own), and keep the present `||` for {} alone",
                command.named(other)
            ),
            None => of_pipe(command, hidden).unwrap_or(help_of(hidden)).to_owned(),
        },
    };
    let is_seen_then = match is_request(hidden) {
        true => {
            matches!(hidden.by, HiddenBy::AndList | HiddenBy::Substitution { .. })
                && !others_print_status(command, hidden)
        }
        false => matches!(hidden.by, HiddenBy::Branch | HiddenBy::Reported),
    };
    // The client ends with 0 where the script would look at its status.
    let further = hidden.client.and_then(client_and_option).filter(|_| is_seen_then);
    let help = match further {
        Some((_, "--fail")) => format!("{help}, and add `--fail` to {named}"),
        Some((client, option)) => format!("{help}, and add `{option}` to `{client}`"),
        None => help,
    };
    let place = place(command, hidden.location);
    let finding = match hidden.call {
        Some(call) => {
            let finding =
                command.finding(call, format!("a failure in here is lost: {}", hidden.by.reason()));
            command.label(finding, place, format!("{subject} may fail unseen"))
        }
        None => command.finding(place, label),
    };
    finding.message(message).help(help)
}

/// Whether another request of the script prints the status, which the script then compares: with `--fail`, `set -e` would end
/// it there.
fn others_print_status(command: &Command<'_>, hidden: &HiddenFailure) -> bool {
    let mut others = command.analysis.invocations.iter().filter(|one| !one.holds(hidden.location));
    others.any(script::prints_status)
}

/// Where the label stands: at the program if an option below its line names the action.
fn place(command: &Command<'_>, location: ElementSpan) -> ElementSpan {
    let mut invocations = command.analysis.invocations.iter();
    let program = invocations.find(|one| one.holds(location)).map(Invocation::program);
    let is_above = |program: &ElementSpan| {
        let span = script::ast::Span { end: location.span.start, ..program.span };
        program.element == location.element
            && program.span.start < location.span.start
            && command.text(ElementSpan { span, ..location }).contains('\n')
    };
    let is_option = command.text(location).starts_with('-');
    program.filter(|program| is_option && is_above(program)).unwrap_or(location)
}

fn is_unset(by: HiddenBy) -> bool {
    matches!(by, HiddenBy::LaterCommand | HiddenBy::Loop)
}
