//! Questions about an analysis, one function each.

use crate::{
    analysis::{
        Action, Analysis, Edit, FalseSuccess, GuardKind, HiddenBy, Invocation, Propagation,
        SucceedsBy, Wait,
    },
    catalogue::Verdict,
    command_line::program_name,
    confidence::Confidence,
    downloads,
    effects::{
        self, REMOVES,
        http::{removes_all, removes_selected},
        is_health_check, is_probe,
    },
    text::ElementSpan,
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

/// Whether a second run does harm, or may do so: it fills a database with what a file holds that nobody states, such as a dump.
pub fn may_spoil(analysis: &Analysis) -> bool {
    let loads = |one: &Invocation| {
        let is_load = |action: &Action| {
            action.verdict == Verdict::Depends
                && action.location == one.program()
                && action.changes_more_than_files()
        };
        // `mysql -e 'source /sql/schema.sql'`
        let takes_in = |action: &Action| {
            action.verdict == Verdict::Depends
                && TAKES_IN.iter().any(|word| action.key.split(' ').next() == Some(*word))
        };
        one.actions.iter().any(|action| is_load(action) || takes_in(action))
    };
    !not_idempotent(analysis).is_empty()
        || !destroys_data(analysis).is_empty()
        || analysis.invocations.iter().any(loads)
}

/// Statements that execute those of a file.
const TAKES_IN: [&str; 3] = ["SOURCE", "\\I", "\\IR"];

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

/// Whether a command is a request that prints the status of the answer: `curl -w '%{http_code}'`.
pub fn prints_status(one: &Invocation) -> bool {
    effects::prints_status(&one.values())
}

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

/// Where the script gives up, and ends with 0.
pub fn false_successes(analysis: &Analysis) -> Vec<FalseSuccess> {
    let creates = |action: &Action| action.changes_more_than_files() && !action.is_removal();
    let mut actions = analysis.invocations.iter().flat_map(|one| &one.actions);
    let works = actions.any(creates);
    let counts = |one: &&FalseSuccess| works || one.by == SucceedsBy::Exhausted;
    analysis.false_successes.iter().filter(counts).copied().collect()
}

/// Whether all that the script does is one request whose answer nothing keeps. Whatever its method, it is sent for what it
/// causes.
pub(crate) fn is_sole_request(analysis: &Analysis) -> bool {
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
pub(crate) fn is_dated(analysis: &Analysis) -> bool {
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
    pub(crate) fn relies_on_client(&self) -> bool {
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

    /// How to make it safe to repeat, if it makes something, and fails where that is there or takes its place.
    pub(crate) fn repeatable(&self) -> Option<String> {
        let is_replaced = self.help.as_ref().is_some_and(|help| is_code(help));
        let makes = match self.verdict {
            Verdict::FailsWhenRepeated => !self.is_removal(),
            // `rails db:schema:load`: `rails db:prepare` loads the schema where there is none.
            Verdict::Destroys => is_replaced,
            _ => false,
        };
        let edit = self.fix.as_ref().map(|edit| format!("`{}`", edit.text.trim()));
        edit.or_else(|| self.help.clone()).filter(|_| makes && self.is_certain())
    }
}

/// Whether a help is a command and nothing else.
fn is_code(help: &str) -> bool {
    let inner = help.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inner.is_some_and(|inner| !inner.contains('`'))
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
