//! The questions that rules ask of an analysis: one function each.

use super::{
    analysis::{Act, Analysis, Edit, Fate, GuardKind, Hide, Invocation},
    catalogue::Verdict,
    text::Place,
};
use crate::Confidence;

/// A command that a second run makes dangerous.
#[derive(Debug, Clone)]
pub struct Hazard {
    /// The word of the script that matters.
    pub place: Place,
    pub verdict: Verdict,
    /// What a second run does, and why what guards the command does not help.
    pub reason: String,
    pub help: Option<String>,
    pub source: Option<String>,
    pub confidence: Confidence,
    pub fix: Option<Edit>,
    /// The condition that looks like a guard and is none.
    pub guard: Option<super::Guard>,
}

/// A command whose failure the Job never learns of.
#[derive(Debug, Clone)]
pub struct HiddenFailure {
    pub place: Place,
    pub how: Hide,
    /// What it would have failed to do.
    pub verdict: Verdict,
}

/// Rule `not-idempotent`: commands that fail, duplicate or rotate when they run again.
pub fn not_idempotent(analysis: &Analysis) -> Vec<Hazard> {
    hazards(analysis, |act, invocation| match act.verdict {
        Verdict::FailsWhenRepeated => {
            act.hidden.is_none() && matches!(invocation.fate, Fate::Fatal | Fate::Retried)
        }
        Verdict::Duplicates | Verdict::Rotates => true,
        _ => false,
    })
}

/// Rule `destroys-data`: commands that lose data when they run again.
pub fn destroys_data(analysis: &Analysis) -> Vec<Hazard> {
    hazards(analysis, |act, _| act.verdict == Verdict::Destroys)
}

/// Rule `retry-cannot-help`: commands that fail for ever after one failure.
pub fn retry_cannot_help(analysis: &Analysis) -> Vec<Hazard> {
    hazards(analysis, |act, invocation| {
        act.verdict == Verdict::CannotRetry && invocation.fate == Fate::Fatal
    })
}

/// Rule `overlap`: commands of which two must not run at once. Conditions do not help: both runs see the
/// same state.
pub fn unsafe_to_overlap(analysis: &Analysis) -> Vec<Hazard> {
    let invocations = analysis.invocations.iter();
    invocations
        .flat_map(|invocation| &invocation.acts)
        .filter(|act| act.changes_state && !act.may_overlap && act.is_sure())
        .map(|act| hazard(act, None))
        .collect()
}

/// Rule `failure-hidden`: commands that change state and whose failure cannot fail the Job. A client that was
/// not told to fail is one, however many statements it sends, and its name is where the flag is missing.
pub fn failure_hidden(analysis: &Analysis) -> Vec<HiddenFailure> {
    let mut hidden = Vec::new();
    for invocation in &analysis.invocations {
        let mut acts = invocation.acts.iter().filter(|act| act.changes_state);
        match invocation.fate {
            Fate::Hidden(how) => {
                let each =
                    |act: &Act| HiddenFailure { place: act.place, how, verdict: act.verdict };
                hidden.extend(acts.map(each));
            }
            Fate::Fatal | Fate::Retried | Fate::Handled => {
                let place = invocation.words.first().map_or(invocation.place, |word| word.place);
                let told = acts.find_map(|act| Some((act.verdict, act.hidden?)));
                hidden.extend(told.map(|(verdict, how)| HiddenFailure { place, how, verdict }));
            }
        }
    }
    hidden
}

/// Rule `unbounded-wait`: loops and commands that nothing but success ends.
pub fn unbounded_waits(analysis: &Analysis) -> Vec<Place> {
    let loops = analysis.waits.iter().filter(|wait| wait.unbounded).map(|wait| wait.place);
    // Under a condition it may be meant for another case.
    let always = analysis.invocations.iter().filter(|invocation| invocation.guards.is_empty());
    let acts = always.flat_map(|invocation| &invocation.acts);
    let endless = acts.filter(|act| act.endless).map(|act| act.place);
    let mut places: Vec<_> = loops.chain(endless).collect();
    places.sort();
    places
}

/// Rule `idempotency-unknown`: commands that the catalogue does not know, or knows to depend on what they
/// are given.
pub fn unrecognised(analysis: &Analysis) -> Vec<Place> {
    let unknown = |invocation: &&Invocation| {
        let guarded = invocation.guards.iter().any(|guard| guard.kind.remembers());
        let depends = invocation.acts.iter().any(|act| {
            act.verdict == Verdict::Depends || act.verdict.is_hazard() && !act.is_sure() && !guarded
        });
        !invocation.recognised || depends
    };
    analysis.invocations.iter().filter(unknown).map(|invocation| invocation.place).collect()
}

impl Analysis {
    /// Whether a second run of something in it does harm.
    pub fn is_harmful(&self) -> bool {
        !destroys_data(self).is_empty() || !not_idempotent(self).is_empty()
    }

    /// Whether the catalogue knows everything in it.
    pub fn is_known(&self) -> bool {
        self.unknown.is_empty() && unrecognised(self).is_empty()
    }
}

impl Act {
    /// Whether the verdict is more than a guess.
    fn is_sure(&self) -> bool {
        self.confidence > Confidence::Low
    }
}

fn hazards(analysis: &Analysis, wanted: impl Fn(&Act, &Invocation) -> bool) -> Vec<Hazard> {
    let mut hazards = Vec::new();
    for invocation in &analysis.invocations {
        if invocation.guards.iter().any(|guard| guard.kind.remembers()) {
            continue;
        }
        let acts = invocation.acts.iter().filter(|act| act.is_sure() && wanted(act, invocation));
        hazards.extend(acts.map(|act| hazard(act, Some(invocation))));
    }
    hazards
}

fn hazard(act: &Act, invocation: Option<&Invocation>) -> Hazard {
    let guards = invocation.map(|invocation| invocation.guards.as_slice()).unwrap_or_default();
    let guard = guards.iter().rev().find(|guard| guard.kind == GuardKind::LostFile);
    let mut reason = act.why.clone();
    if guard.is_some() {
        reason.push_str("; the file that is tested before it is gone in the next pod");
    }
    if invocation.is_some_and(|invocation| invocation.fate == Fate::Retried) {
        reason.push_str("; the loop around it then never ends");
    }
    Hazard {
        place: act.place,
        verdict: act.verdict,
        reason,
        help: act.help.clone(),
        source: act.source.clone(),
        confidence: act.confidence,
        fix: act.fix.clone(),
        guard: guard.cloned(),
    }
}
