//! Questions about an analysis, one function each.

use crate::{
    analysis::{
        Action, Analysis, Edit, FalseSuccess, GuardKind, HiddenBy, Invocation, Propagation,
        SucceedsBy, Wait, is_inside,
    },
    catalogue::Verdict,
    command_line::program_name,
    confidence::Confidence,
    downloads,
    dumps::is_dump,
    effects::{
        REMOVES,
        client::RESTORES,
        http::{IGNORED, REMOVED, TAKEN, removes_all, removes_selected},
        is_health_check, is_probe,
    },
    exceptions::is_exception,
    excuses,
    needed_later::{is_copied_anyway, is_needed, is_signed_in_with, is_snapshot_of_later},
    needed_operand::is_taken_everywhere,
    read_back::ReadBacks,
    reports, sessions,
    text::ElementSpan,
    unseen_programs, unseen_queries, unseen_waits,
};

/// A command that does harm when it runs again or overlaps with another run.
#[derive(Debug, Clone)]
pub struct Hazard {
    /// The word that names the action: a subcommand, flag or statement.
    pub location: ElementSpan,
    /// What a second run does.
    pub verdict: Verdict,
    /// What a second run does, as a clause, and why the guard does not help.
    pub reason: String,
    /// How to make it safe, in words.
    pub help: Option<String>,
    /// Documentation of the behaviour.
    pub source: Option<String>,
    /// How certain the verdict is.
    pub confidence: Confidence,
    /// The edit that makes it safe.
    pub fix: Option<Edit>,
    /// The condition that guards the command with a file which the next pod does not have.
    pub guard: Option<ElementSpan>,
    /// Only what a failed run leaves behind gets in its way: a file in the same pod, or a database that the script
    /// would have removed at its end.
    pub after_failure: bool,
    /// It removes something, and fails when that is gone.
    pub removes: bool,
}

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
            call: None,
        }
    }
}

/// The commands that fail, duplicate or rotate when they run again.
pub fn not_idempotent(analysis: &Analysis) -> Vec<Hazard> {
    let is_sole = is_sole_request(analysis);
    hazards(analysis, |action, invocation| match action.verdict {
        Verdict::FailsWhenRepeated => {
            action.hidden.is_none()
                && !removes_selected(&invocation.values())
                && !(is_sole && removes_all(&invocation.values(), is_dated(analysis)))
                && matches!(invocation.propagation, Propagation::Fatal | Propagation::Retried)
        }
        Verdict::Duplicates | Verdict::Rotates => true,
        _ => false,
    })
}

/// Whether a command makes a certificate, with a key of its own.
pub fn issues_certificate(analysis: &Analysis) -> bool {
    analysis.invocations.iter().any(|invocation| {
        let mut words = invocation.words.iter().map(|word| word.value.as_str());
        let program = words.next().map_or("", program_name);
        let mut commands = CERTIFICATES.iter().filter(|(name, _)| *name == program);
        commands.any(|(_, operand)| words.clone().any(|word| word == *operand))
    })
}

/// Programs that make certificates, with a word that says so.
const CERTIFICATES: [(&str, &str); 7] = [
    ("openssl", "req"),
    ("openssl", "x509"),
    ("openssl", "ca"),
    ("cfssl", "gencert"),
    ("step", "certificate"),
    ("keytool", "-genkeypair"),
    ("keytool", "-genkey"),
];

/// The commands that lose data when they run again.
pub fn destroys_data(analysis: &Analysis) -> Vec<Hazard> {
    hazards(analysis, |action, _| action.verdict == Verdict::Destroys)
}

/// Whether all that the script changes is what it removes: whoever starts it wants that gone. What a statement drops may
/// be made by others.
pub fn only_removes(analysis: &Analysis) -> bool {
    let drops = |own: &Action| own.key.starts_with("DROP ");
    let is_known = |one: &Invocation| one.recognised;
    let mut actions = analysis.invocations.iter().flat_map(|one| &one.actions);
    analysis.unknown.is_empty()
        && analysis.invocations.iter().all(is_known)
        && actions.all(|own| {
            own.minor && !drops(own)
                || !own.changes_more_than_files() && own.verdict != Verdict::Depends
        })
}

/// The commands that fail on every run after one failure.
pub fn retry_cannot_help(analysis: &Analysis) -> Vec<Hazard> {
    hazards(analysis, |action, invocation| {
        action.verdict == Verdict::CannotRetry && invocation.propagation == Propagation::Fatal
    })
}

/// The commands of which two runs must not overlap. Guards do not help, because both runs see the same state.
pub fn unsafe_to_overlap(analysis: &Analysis) -> Vec<Hazard> {
    let invocations = analysis.invocations.iter();
    invocations
        .flat_map(|invocation| &invocation.actions)
        .filter(|action| action.changes_state && !action.may_overlap && action.is_certain())
        .map(|action| hazard(action, None))
        .collect()
}

/// The commands that change state and whose failure does not fail the script. A client that continues after an error
/// counts once, at its name, however many statements it sends.
pub fn failure_hidden(analysis: &Analysis) -> Vec<HiddenFailure> {
    let mut hidden = Vec::new();
    let changes = |one: &Invocation| one.actions.iter().any(Action::changes_more_than_files);
    let last = analysis.invocations.iter().rposition(changes);
    let is_sole = is_sole_request(analysis);
    let is_all = hides_all(analysis);
    let is_removal = |one: &Invocation| is_sole && removes_all(&one.values(), is_dated(analysis));
    let read_backs = ReadBacks::of(analysis);
    let ends = |(index, one): &(usize, &Invocation)| {
        !one.never_succeeds && !is_snapshot_of_later(analysis, *index)
    };
    for (index, invocation) in analysis.invocations.iter().enumerate().filter(ends) {
        // What only tells people leaves no work undone.
        let is_wanted =
            is_sole || invocation.keeps_download || downloads::is_taken(analysis, index);
        let asks = |action: &Action| {
            is_wanted && action.is_request() && action.verdict == Verdict::ReadOnly
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
                .map(|one| one.location),
            client: client(action).filter(|own| *own != by),
            reads_file: action.location == invocation.program(),
            is_minor: action.minor,
            is_dump: false,
            is_report: action.is_request()
                && (invocation.status_kept || reports::is_report(analysis, index)),
            is_removal: action.hidden == Some(HiddenBy::Client(REMOVED)),
            only_enters: matches!(program, "cd" | "pushd"),
            is_remote: action.changes_more_than_files(),
            repeatable: action.repeatable().filter(|_| !invocation.detects_rerun()),
            may_show: false,
            is_all,
            is_exception: is_exception(analysis, index),
            is_excused: false,
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
                    && (by != HiddenBy::OrTrue || is_backup_needed(analysis, index)) =>
            {
                let program = invocation.program();
                let own = HiddenFailure::of(program, by, Verdict::ReadOnly, is_last);
                hidden.push(HiddenFailure { is_dump: true, ..own });
            }
            Propagation::Hidden(by) => {
                let unseen = actions.filter(|action| {
                    !read_backs.cover(index, action)
                        && !is_needed(analysis, index, action)
                        && !is_signed_in_with(analysis, index)
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
    hidden.extend(
        sign_ins.map(|(one, by)| HiddenFailure::of(one.program(), by, Verdict::Idempotent, true)),
    );
    hidden.extend(unseen_programs::all(analysis).into_iter().map(|(one, by, may_show)| {
        let own = HiddenFailure::of(one.program(), by, Verdict::Depends, true);
        HiddenFailure { may_show, ..own }
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
    hidden.retain(|one| !is_stuck(one));
    hidden
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
        HiddenBy::Background
            | HiddenBy::Client(_)
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
        let works = one.actions.iter().any(|own| own.changes_more_than_files() && !own.minor);
        at != index && works && one.propagation.is_noticed()
    })
}

/// Where the script gives up, and ends with 0.
pub fn false_successes(analysis: &Analysis) -> Vec<FalseSuccess> {
    let creates = |action: &Action| action.changes_more_than_files() && !action.is_removal();
    let mut actions = analysis.invocations.iter().flat_map(|one| &one.actions);
    let works = actions.any(creates);
    let counts = |one: &&FalseSuccess| works || one.by == SucceedsBy::Exhausted;
    analysis.false_successes.iter().filter(counts).copied().collect()
}

/// Whether a client goes on after an error by intent.
fn is_meant(by: &HiddenBy) -> bool {
    matches!(by, HiddenBy::Client(TAKEN | REMOVED | RESTORES))
}

/// Whether all that the script does is one request whose answer nothing keeps. Whatever its method, it is sent for what it
/// causes.
fn is_sole_request(analysis: &Analysis) -> bool {
    let is_other =
        |one: &&Invocation| !["date", "echo", "printf", "sleep"].contains(&one.program_name());
    let mut rest = analysis.invocations.iter().filter(is_other);
    let (Some(first), None) = (rest.next(), rest.next()) else { return false };
    let words = first.values();
    let is_last = matches!(
        first.propagation,
        Propagation::Fatal | Propagation::Hidden(HiddenBy::LaterCommand)
    );
    let is_certain = is_last && first.guards.is_empty();
    let is_dropped = words.iter().any(|word| word.contains("/dev/null"));
    let saves = program_name(words[0]) == "wget" && !downloads::is_printed(&words);
    let downloads = downloads::target(&words).is_some() || saves && !is_dropped;
    let only_asks = is_health_check(&words) || is_probe(&words);
    is_certain && !downloads && analysis.waits.is_empty() && !only_asks
}

/// Whether the script asks for the time.
fn is_dated(analysis: &Analysis) -> bool {
    analysis.invocations.iter().any(|one| one.program_name() == "date")
}

/// The loops that only success ends, in order of location.
pub fn unbounded_waits(analysis: &Analysis) -> Vec<&Wait> {
    let mut loops: Vec<_> =
        analysis.waits.iter().filter(|wait| wait.unbounded && !wait.idles).collect();
    loops.sort_by_key(|wait| wait.location);
    loops
}

/// The loops and commands that never end and wait for nothing, in order of location: `sleep infinity`.
pub fn endless(analysis: &Analysis) -> Vec<ElementSpan> {
    let loops = analysis.waits.iter().filter(|wait| wait.unbounded && wait.idles);
    let loops = loops.map(|wait| wait.location);
    // A guarded command may be meant for other cases.
    let always = analysis.invocations.iter().filter(|invocation| invocation.guards.is_empty());
    let actions = always.flat_map(|invocation| &invocation.actions);
    let endless = actions.filter(|action| action.endless).map(|action| action.location);
    let mut locations: Vec<_> = loops.chain(endless).collect();
    locations.sort();
    locations
}

/// The commands whose effect is unknown: the catalogue does not know them, or they depend on their arguments or files.
pub fn unrecognised(analysis: &Analysis) -> Vec<ElementSpan> {
    let unknown = |invocation: &&Invocation| {
        let depends = invocation.actions.iter().any(|action| {
            action.verdict == Verdict::Depends
                || action.verdict.is_hazard() && !action.is_certain() && !invocation.detects_rerun()
        });
        !invocation.recognised || depends
    };
    analysis.invocations.iter().filter(unknown).map(|invocation| invocation.location).collect()
}

impl Wait {
    /// Whether what it waits for can come true by chance alone.
    pub fn never_ends(&self) -> bool {
        self.unbounded && self.turn.compares_itself
    }
}

impl Analysis {
    /// Whether a second run of one of its commands does harm.
    pub fn is_harmful(&self) -> bool {
        !destroys_data(self).is_empty() || !not_idempotent(self).is_empty()
    }

    /// Whether it has no syntax errors and no unrecognised commands.
    pub fn is_known(&self) -> bool {
        self.unknown.is_empty() && unrecognised(self).is_empty()
    }
}

impl Action {
    /// Whether a second run of it fails, and its client goes on.
    fn relies_on_client(&self) -> bool {
        let goes_on = matches!(self.hidden, Some(HiddenBy::Client(_)));
        goes_on && self.verdict == Verdict::FailsWhenRepeated && self.is_certain()
    }

    /// Whether it removes something.
    pub(crate) fn is_removal(&self) -> bool {
        let is_verb = |word: &str| REMOVES.contains(&word.to_ascii_lowercase().as_str());
        self.key.split(' ').take(3).any(is_verb)
    }

    /// Whether the verdict is certain enough to report.
    fn is_certain(&self) -> bool {
        self.confidence > Confidence::Low
    }

    /// How to make it safe to repeat, if it makes something, and fails where that is there.
    fn repeatable(&self) -> Option<String> {
        let makes = self.verdict == Verdict::FailsWhenRepeated && !self.is_removal();
        let edit = self.fix.as_ref().map(|edit| format!("`{}`", edit.text.trim()));
        edit.or_else(|| self.help.clone()).filter(|_| makes && self.is_certain())
    }
}

fn hazards(analysis: &Analysis, wanted: impl Fn(&Action, &Invocation) -> bool) -> Vec<Hazard> {
    let mut hazards = Vec::new();
    for invocation in &analysis.invocations {
        if invocation.detects_rerun() {
            continue;
        }
        let actions = invocation
            .actions
            .iter()
            .filter(|action| action.is_certain() && wanted(action, invocation));
        hazards.extend(actions.map(|action| hazard(action, Some(invocation))));
    }
    hazards
}

fn hazard(action: &Action, invocation: Option<&Invocation>) -> Hazard {
    let guards = invocation.map(|invocation| invocation.guards.as_slice()).unwrap_or_default();
    let guard = guards.iter().rev().find(|guard| guard.kind == GuardKind::EphemeralFile);
    let mut reason = action.why.clone();
    if guard.is_some() {
        reason.push_str("; the file that is tested before it is gone in the next pod");
    }
    if invocation.is_some_and(|invocation| invocation.propagation == Propagation::Retried) {
        reason.push_str("; the loop around it then never ends");
    }
    Hazard {
        location: action.location,
        verdict: action.verdict,
        reason,
        help: action.help.clone(),
        source: action.source.clone(),
        confidence: action.confidence,
        fix: action.fix.clone(),
        guard: guard.map(|guard| guard.location),
        after_failure: action.after_failure,
        removes: action.removes,
    }
}
