//! Failures that a script hides, for each of its commands.

use crate::{
    analysis::{Action, Analysis, Guard, HiddenBy, Invocation, Propagation, is_inside},
    catalogue::Verdict,
    downloads,
    dumps::is_dump,
    effects::{
        client::RESTORES,
        http::{IGNORED, REMOVED, TAKEN, names_example, removes_all},
    },
    exceptions::is_exception,
    excuses,
    followed::{self, is_asked, is_followed},
    further_copies::is_further_copy,
    made_again::{is_made_again, is_removed_before},
    needed_file::is_file_of_later,
    needed_later::{is_copied_anyway, is_needed, is_signed_in_with},
    needed_login::is_login_of_later,
    needed_operand::is_taken_everywhere,
    needed_patch,
    queries::{is_dated, is_sole_request},
    read_back::ReadBacks,
    refused_input::is_refused,
    reports, sessions,
    text::ElementSpan,
    unseen_programs, unseen_queries, unseen_waits,
};

/// A command that changes state and whose failure does not fail the script.
#[derive(Debug, Clone)]
pub struct HiddenFailure {
    /// The command, or the name of the client that continues after an error.
    pub location: ElementSpan,
    /// What hides the failure.
    pub by: HiddenBy,
    /// What a second run of the command does.
    pub verdict: Verdict,
    /// It is an HTTP request.
    pub is_request: bool,
    /// No command after it changes anything outside the pod.
    pub is_last: bool,
    /// A statement of the client that fails on a second run: the script relies on it that the client goes on.
    pub relied_on: Option<ElementSpan>,
    /// The client itself also continues after an error and exits with 0; only an option of it changes that.
    pub client: Option<HiddenBy>,
    /// The client reads a file of statements that nobody states, such as a dump.
    pub reads_file: bool,
    /// Nobody misses what it leaves undone: a label, a cache, a removal.
    pub is_minor: bool,
    /// It prints or writes a backup.
    pub is_dump: bool,
    /// It is a request that tells somebody how the work before it went.
    pub is_report: bool,
    /// It is a request that removes what an address stands for.
    pub is_removal: bool,
    /// It only enters a directory.
    pub only_enters: bool,
    /// It changes something outside the pod.
    pub is_remote: bool,
    /// How to make a command that fails on a second run safe to repeat: `--ignore-existing`.
    pub repeatable: Option<String>,
    /// A program that decides may need what it does, and fail without.
    pub may_show: bool,
    /// All that the script does may fail unseen.
    pub is_all: bool,
    /// The script ends where later commands of the same client fail: this one is left out of that on purpose.
    pub is_exception: bool,
    /// The script says that the work was done before, whatever the reason of the failure.
    pub is_excused: bool,
    /// The script warns that it failed, and fails where other work does.
    pub is_warned: bool,
    /// It is in a loop over items, and works on one of them.
    pub is_for_item: bool,
    /// Later work decides whether the script succeeds, and may need what it does or prints.
    pub is_followed: bool,
    /// The command behind its `&&` that fails on a second run, and for which the `||` behind both is.
    pub expected: Option<ElementSpan>,
    /// The call that hides it, by its `||` or because the script goes on, if it stands elsewhere: in a function, a script or a
    /// file of statements.
    pub call: Option<ElementSpan>,
}

impl HiddenFailure {
    /// The element with the script that hides the failure: the own one, or that of the call.
    pub fn hiding_element(&self) -> usize {
        self.call.unwrap_or(self.location).element
    }

    /// The failure of a command that the catalogue does not judge.
    fn of(location: ElementSpan, by: HiddenBy, verdict: Verdict, is_last: bool) -> Self {
        Self {
            location,
            by,
            verdict,
            is_request: false,
            is_last,
            relied_on: None,
            client: None,
            reads_file: false,
            is_minor: false,
            is_dump: false,
            is_report: false,
            is_removal: false,
            only_enters: false,
            is_remote: false,
            repeatable: None,
            may_show: false,
            is_all: false,
            is_exception: false,
            is_excused: false,
            is_warned: false,
            is_for_item: false,
            is_followed: false,
            expected: None,
            call: None,
        }
    }
}

/// The commands that change state and whose failure does not fail the script. A client that continues after an error
/// counts once, at its name, however many statements it sends.
pub fn failure_hidden(analysis: &Analysis) -> Vec<HiddenFailure> {
    let mut hidden = Vec::new();
    if is_kept_alive(analysis) {
        return hidden;
    }
    let changes = |one: &Invocation| one.actions.iter().any(Action::changes_more_than_files);
    let last = analysis.invocations.iter().rposition(changes);
    let is_sole = is_sole_request(analysis);
    let is_all = hides_all(analysis);
    let is_removal = |one: &Invocation| is_sole && removes_all(&one.values(), is_dated(analysis));
    let read_backs = ReadBacks::of(analysis);
    let ends = |(index, one): &(usize, &Invocation)| {
        !one.never_succeeds && !is_file_of_later(analysis, *index) && !is_refused(analysis, *index)
    };
    for (index, invocation) in analysis.invocations.iter().enumerate().filter(ends) {
        // What only tells people leaves no work undone.
        let is_wanted =
            is_sole || invocation.keeps_download || downloads::is_taken(analysis, index);
        let asks = |action: &Action| {
            is_wanted
                && action.is_request()
                && action.verdict == Verdict::ReadOnly
                && (invocation.keeps_download || !names_example(&invocation.values()))
        };
        let mut actions =
            invocation.actions.iter().filter(|action| action.changes_state || asks(action));
        // What a failure skips does not make up for it.
        let goes_on = |one: &Invocation| {
            changes(one)
                && !invocation.skipped.is_some_and(|skipped| is_inside(one.location, skipped))
        };
        let is_last = match invocation.skipped {
            Some(_) => !analysis.invocations[index + 1..].iter().any(goes_on),
            None => last.is_none_or(|last| last <= index),
        };
        let program = invocation.program_name();
        // The script takes the answer of a server for the one that it wants.
        let client = |action: &Action| match action.hidden {
            Some(HiddenBy::Client(TAKEN)) if is_wanted => Some(HiddenBy::Client(IGNORED)),
            Some(HiddenBy::Client(REMOVED)) if is_removal(invocation) => {
                Some(HiddenBy::Client(IGNORED))
            }
            hidden => hidden.filter(|by| !is_meant(by)),
        };
        let failure = |location: ElementSpan, by, action: &Action| HiddenFailure {
            location,
            by,
            verdict: action.verdict,
            is_request: action.is_request(),
            is_last,
            relied_on: invocation
                .actions
                .iter()
                .find(|one| one.relies_on_client() && !invocation.detects_rerun())
                .filter(|_| !is_removed_before(&analysis.invocations, index))
                .map(|one| one.location),
            client: client(action).filter(|own| *own != by),
            reads_file: action.location == invocation.program(),
            is_minor: action.minor
                || !is_last && needed_patch::frees(invocation)
                || is_made_again(&analysis.invocations, index),
            is_dump: false,
            is_report: (action.is_request() || reports::tells_people(invocation))
                && (invocation.status_kept || reports::is_report(analysis, index)),
            is_removal: action.hidden == Some(HiddenBy::Client(REMOVED)),
            only_enters: matches!(program, "cd" | "pushd"),
            is_remote: action.changes_more_than_files(),
            repeatable: action.repeatable().filter(|_| !invocation.detects_rerun()),
            may_show: false,
            is_all,
            is_exception: is_exception(analysis, index),
            is_excused: false,
            is_for_item: invocation.is_for_item,
            is_followed: is_asked(invocation, by) || is_followed(analysis, (index, action), by),
            expected: expected_behind(analysis, index),
            is_warned: invocation.warned && fails_elsewhere(analysis, index),
            // What a client reads from another file fails in the script that runs the client.
            call: invocation.hidden_at.or_else(|| {
                let program = invocation.program();
                (location.element != program.element).then_some(program)
            }),
        };
        if let Some(action) = excuses::hollow(analysis, index) {
            let own = failure(action.location, HiddenBy::OrMessage, action);
            hidden.push(HiddenFailure { is_excused: true, ..own });
            continue;
        }
        match invocation.propagation {
            // It changes nothing, and what is left of it may be all that a restore finds.
            Propagation::Hidden(by)
                if is_dump(invocation, analysis.invocations.get(index + 1))
                    && hides_backup(by)
                    && !invocation.actions.iter().any(|own| read_backs.cover(index, own))
                    && (by != HiddenBy::OrTrue || is_backup_needed(analysis, index)) =>
            {
                let program = invocation.program();
                let own = HiddenFailure::of(program, by, Verdict::ReadOnly, is_last);
                let is_for_item = invocation.is_for_item;
                hidden.push(HiddenFailure { is_dump: true, is_for_item, ..own });
            }
            Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage)
                if is_further_copy(analysis, index) => {}
            Propagation::Hidden(by) => {
                let unseen = actions.filter(|action| {
                    !read_backs.cover(index, action)
                        && !is_needed(analysis, index, action)
                        && !is_signed_in_with(analysis, index)
                        && !is_login_of_later(analysis, index)
                        && !is_taken_everywhere(analysis, index)
                });
                hidden.extend(unseen.map(|action| {
                    let location = match action.is_request() {
                        true => invocation.program(),
                        false => action.location,
                    };
                    failure(location, by, action)
                }));
            }
            Propagation::Fatal | Propagation::Retried | Propagation::Handled => {
                let continues = actions.find_map(|action| {
                    let by = client(action)?;
                    let is_told = read_backs.cover(index, action)
                        || is_sent_again(analysis, invocation, action)
                        || is_copied_anyway(invocation, &analysis.invocations[index + 1..]);
                    (!is_told).then_some((action, by))
                });
                let location = invocation.program();
                hidden.extend(continues.map(|(action, by)| failure(location, by, action)));
            }
            Propagation::Expected => {}
        }
    }
    let sign_ins = sessions::unseen(analysis).into_iter();
    hidden.extend(sign_ins.map(|(one, by)| {
        let own = HiddenFailure::of(one.program(), by, Verdict::Idempotent, true);
        HiddenFailure { is_followed: is_asked(one, by), ..own }
    }));
    hidden.extend(unseen_programs::all(analysis).into_iter().map(|(one, by, may_show)| {
        let own = HiddenFailure::of(one.program(), by, Verdict::Depends, true);
        HiddenFailure { may_show, is_followed: is_asked(one, by), ..own }
    }));
    let queries = unseen_queries::all(analysis).into_iter();
    let unseen = queries.map(|(place, by)| HiddenFailure::of(place, by, Verdict::ReadOnly, true));
    hidden.extend(unseen);
    let waits = unseen_waits::all(analysis).into_iter();
    hidden.extend(waits.map(|(place, by)| HiddenFailure::of(place, by, Verdict::Depends, true)));
    // The script does not get past such a loop.
    let is_stuck = |one: &HiddenFailure| {
        let mut waits = analysis.waits.iter().filter(|wait| wait.never_ends());
        waits.any(|wait| wait.location.element == one.hiding_element())
    };
    hidden.retain(|one| !is_stuck(one) && !reports::is_missed_by_monitor(analysis, one.location));
    hidden
}

/// Whether the next turn of a wait sends a request again, whatever became of it.
fn is_sent_again(analysis: &Analysis, own: &Invocation, action: &Action) -> bool {
    let is_in_wait = |guard: &Guard| {
        let mut waits = analysis.waits.iter();
        guard.of_loop && waits.any(|wait| is_inside(guard.location, wait.location))
    };
    action.is_request()
        && action.verdict != Verdict::ReadOnly
        && analysis.invocations.len() <= followed::MOST
        && own.guards.iter().any(is_in_wait)
}

/// Whether the last command of the script never ends, so that the script does not succeed: `tail -f /dev/null`.
fn is_kept_alive(analysis: &Analysis) -> bool {
    let last = analysis.invocations.last().filter(|one| one.guards.is_empty());
    last.is_some_and(|one| {
        let is_in_background = one.propagation == Propagation::Hidden(HiddenBy::Background);
        !is_in_background && one.actions.iter().any(|action| action.endless)
    })
}

/// The command that a `||` expects to fail on a second run, if it hides the failure of the one in front of the `&&` as well:
/// `migrate && createsuperuser --noinput || true`.
fn expected_behind(analysis: &Analysis, index: usize) -> Option<ElementSpan> {
    let own = &analysis.invocations[index];
    let is_hidden = |one: &Invocation| {
        matches!(one.propagation, Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage))
    };
    let follows =
        |one: &Invocation| one.guards.iter().any(|guard| is_inside(own.location, guard.location));
    let mut later =
        analysis.invocations[index + 1..].iter().filter(|one| is_hidden(one) && follows(one));
    let fails =
        |action: &Action| (action.verdict == Verdict::FailsWhenRepeated).then_some(action.location);
    if !is_hidden(own) {
        return None;
    }
    later.find_map(|one| one.actions.iter().find_map(fails))
}

/// Whether every command that may do something outside the pod is hidden behind `||`.
fn hides_all(analysis: &Analysis) -> bool {
    let is_hidden = |one: &Invocation| {
        matches!(one.propagation, Propagation::Hidden(HiddenBy::OrTrue | HiddenBy::OrMessage))
    };
    let works = |(at, one): &(usize, &Invocation)| {
        let mut actions = one.actions.iter();
        !one.recognised
            || actions.any(|own| own.changes_state || own.verdict == Verdict::Depends)
            || is_dump(one, analysis.invocations.get(at + 1))
    };
    let mut all = analysis.invocations.iter().enumerate().filter(works);
    analysis.unknown.is_empty() && all.all(|(_, one)| is_hidden(one))
}

/// Whether a backup whose failure is hidden so is missed. What takes its output looks at that.
fn hides_backup(by: HiddenBy) -> bool {
    !matches!(
        by,
        HiddenBy::Client(_)
            | HiddenBy::Exhausted
            | HiddenBy::LoopList { .. }
            | HiddenBy::Substitution { .. }
    )
}

/// Whether a backup is missed that may fail by intent: the script then loses what it would hold, or does nothing else.
fn is_backup_needed(analysis: &Analysis, index: usize) -> bool {
    let loses = |one: &Invocation| one.actions.iter().any(|own| own.verdict == Verdict::Destroys);
    analysis.invocations[index + 1..].iter().any(loses) || hides_all(analysis)
}

/// Whether the script fails where other work than that of one command does.
fn fails_elsewhere(analysis: &Analysis, index: usize) -> bool {
    let mut all = analysis.invocations.iter().enumerate();
    all.any(|(at, one)| {
        let works = one.actions.iter().any(|own| own.changes_more_than_files() && !own.minor)
            || is_dump(one, analysis.invocations.get(at + 1));
        at != index && works && one.propagation.is_noticed()
    })
}

/// Whether a client goes on after an error by intent.
fn is_meant(by: &HiddenBy) -> bool {
    matches!(by, HiddenBy::Client(TAKEN | REMOVED | RESTORES))
}
