//! Translates an observation into the outcomes of the forecast. The first rule that applies decides.

use job_lifecycle::{Event, Outcome};
use regex::Regex;

use super::{
    cases::is_of,
    cluster::{Birth, Thing},
    hooks::Part,
    tools::Ran,
};

/// Error messages of the API server or a tool that rejects an object or the flags.
const REJECTIONS: &[&str] = &[
    "field is immutable",
    "is invalid",
    "resource name may not be empty",
    "cannot use generate name with apply",
    "cannot both be set",
    "cannot be used with --server-side",
    "generate name",
    "cannot unmarshal",
    "expected string",
    "missing metadata.name",
    "error when retrieving current configuration",
    "Force cannot be used with server side",
    "--force cannot be used",
];

/// Helm 4's error for force together with server-side apply.
const FLAGS: &str = "cannot use server-side apply and force replace together";

/// Other error messages.
const FAILURES: &[&str] = &["already exists", "not ready", "timed out", "NotFound", "in progress"];

/// One operation, with the objects before and after it.
pub struct Seen<'a> {
    pub event: Event,
    /// The cluster's time when the operation began.
    pub at: u64,
    pub before: &'a [Thing],
    pub after: &'a [Thing],
    /// Every object created since the namespace.
    pub births: &'a [Birth],
    pub ran: &'a Ran,
    /// What a later operation with pruning left, where pruning was off.
    pub pruned: Option<&'a [Thing]>,
    /// The operation was repeated, and both times caused a run.
    pub repeated: bool,
    /// The operation reached the ordinary objects: their ConfigMap has the version that it deploys.
    pub is_reached: bool,
    /// The unit has only one workload.
    pub is_alone: bool,
}

/// A workload and when the tool runs it.
pub struct Work<'a> {
    pub id: &'a str,
    pub part: &'a Part,
    pub is_called: bool,
    /// A hook that stays until its policy deletes it.
    pub is_kept: bool,
    /// It differs in each version.
    pub is_changed: bool,
}

/// What happened to one workload.
pub struct Verdict {
    pub outcome: Outcome,
    pub also: Option<Outcome>,
    /// What became of the objects.
    pub objects: String,
}

impl Seen<'_> {
    /// What happened to a workload.
    pub fn verdict(&self, work: &Work<'_>) -> Verdict {
        let own = |things: &[Thing]| -> Vec<Thing> {
            let is_own = |thing: &&Thing| thing.is_work() && is_of(&thing.name, work.id);
            things.iter().filter(is_own).cloned().collect()
        };
        let (before, after) = (own(self.before), own(self.after));
        let new = self.started(work.id, false);
        let has_run = !self.started(work.id, true).is_empty();
        let outcome = match new.is_empty() {
            false => self.ran_as(work, &before, &after, &new, has_run),
            true => self.stood_still(work, &before, &after, has_run),
        };
        let also = self.also(outcome, &before, &after, &new);
        Verdict { outcome, also, objects: objects(&before, &after, &new) }
    }

    /// Runs of a workload that started before the operation, or in it. A Job runs from its first pod on.
    pub fn started(&self, work: &str, earlier: bool) -> Vec<Thing> {
        let has_pods = |job: &Thing| self.births.iter().any(|other| other.thing.is_pod_of(job));
        let runs = |thing: &Thing| thing.kind != "Job" || has_pods(thing);
        let of_work = |birth: &&Birth| {
            let thing = &birth.thing;
            thing.is_work() && is_of(&thing.name, work) && runs(thing)
        };
        let own = self.births.iter().filter(of_work);
        let began = |birth: &Birth| {
            let of_birth = |other: &&Birth| other.thing.is_pod_of(&birth.thing);
            let pods = self.births.iter().filter(of_birth).map(|pod| pod.at);
            pods.min().unwrap_or(birth.at)
        };
        own.filter(|birth| (began(birth) <= self.at) == earlier)
            .map(|one| one.thing.clone())
            .collect()
    }

    fn ran_as(
        &self,
        work: &Work<'_>,
        before: &[Thing],
        after: &[Thing],
        new: &[Thing],
        has_run: bool,
    ) -> Outcome {
        let gone = |old: &Thing| !after.iter().any(|thing| thing.uid == old.uid);
        let same_name = |old: &Thing| new.iter().any(|thing| thing.name == old.name);
        let forced = self.event == Event::Forced && work.is_kept;
        let unasked = |old: &Thing| !work.part.is_hook() || !old.ended || forced;
        let replaced = before.iter().any(|old| {
            old.kind != "CronJob" && same_name(old) && gone(old) && unasked(old)
                || old.kind == "CronJob" && same_name(old) && gone(old) && !work.part.is_hook()
        });
        match (self.repeated, has_run, replaced) {
            (true, ..) => Outcome::Loop,
            (_, false, _) => Outcome::Runs,
            (.., true) => Outcome::Replaced,
            _ => Outcome::RunsAgain,
        }
    }

    fn stood_still(
        &self,
        work: &Work<'_>,
        before: &[Thing],
        after: &[Thing],
        has_run: bool,
    ) -> Outcome {
        let leaves = matches!(self.event, Event::Removed | Event::Uninstall);
        let rejected = self.ran.text.contains(FLAGS) && !work.part.is_hook();
        let failed = self.ran.failed && (!leaves || work.is_called || rejected);
        if let Some(outcome) = self.failed(work, before).filter(|_| failed) {
            return outcome;
        }
        let stays = |old: &Thing| after.iter().any(|thing| thing.name == old.name);
        let has_runs = has_run && before.iter().any(|old| old.kind != "CronJob");
        match self.event {
            _ if work.is_called && has_runs => Outcome::FalseSuccess,
            _ if !before.is_empty() && !before.iter().any(stays) => Outcome::Deleted,
            Event::Removed | Event::Uninstall if !after.is_empty() => self.left(after),
            Event::AfterTtl if self.drifts(work.id) => Outcome::Drift,
            _ if after.is_empty() => Outcome::Skipped,
            _ => Outcome::Unchanged,
        }
    }

    /// True when a missing object is reported as drift: by Argo CD in the status, by helm-controller in an event.
    fn drifts(&self, work: &str) -> bool {
        let messages = [format!("/{work}: OutOfSync"), format!("/{work} removed")];
        messages.iter().any(|message| self.ran.text.contains(message))
    }

    /// What a failed operation means for a workload; `None` where it does not concern the workload.
    fn failed(&self, work: &Work<'_>, before: &[Thing]) -> Option<Outcome> {
        let text = &self.ran.text;
        // Rejected flags: they concern the ordinary objects, after the hooks before them have run.
        let flags = text.contains(FLAGS);
        if flags && work.part.is_hook() {
            return work.is_called.then_some(Outcome::Blocked);
        }
        let is_named = ['"', '/'].iter().any(|mark| text.contains(&format!("{mark}{}", work.id)));
        if flags || (self.is_alone || is_named) && REJECTIONS.iter().any(|one| text.contains(one)) {
            return Some(Outcome::Rejected);
        }
        let is_due = before.is_empty() || work.is_changed && !self.is_reached;
        let is_meant = self.is_alone || work.is_called || !work.part.is_hook() && is_due;
        is_meant.then_some(Outcome::Blocked)
    }

    /// What a remaining object is: pruning would delete it, or nothing will.
    fn left(&self, things: &[Thing]) -> Outcome {
        let stays = |pruned: &[Thing]| {
            things.iter().any(|thing| pruned.iter().any(|other| other.uid == thing.uid))
        };
        match self.pruned {
            Some(pruned) if !stays(pruned) => Outcome::Orphaned,
            _ => Outcome::LeftBehind,
        }
    }

    fn also(
        &self,
        outcome: Outcome,
        before: &[Thing],
        after: &[Thing],
        new: &[Thing],
    ) -> Option<Outcome> {
        let stays = |old: &Thing| after.iter().any(|thing| thing.uid == old.uid);
        let now = || new.iter().chain(after);
        let replaced =
            |old: &Thing| now().any(|thing| thing.name == old.name && thing.uid != old.uid);
        let resumed = |old: &Thing| new.iter().any(|thing| thing.uid == old.uid);
        let is_old = |old: &&Thing| !replaced(old) && !resumed(old);
        let old: Vec<_> = before.iter().filter(is_old).cloned().collect();
        let gone = old.iter().any(|old| !stays(old));
        if self.event == Event::Uninstall && !new.is_empty() && !after.is_empty() {
            return Some(Outcome::LeftBehind);
        }
        if outcome != Outcome::Deleted && gone {
            return Some(Outcome::Deleted);
        }
        (!new.is_empty() && !old.is_empty()).then(|| self.left(&old))
    }
}

/// What became of the objects, in a few words.
fn objects(before: &[Thing], after: &[Thing], new: &[Thing]) -> String {
    let stays = |old: &Thing| after.iter().any(|thing| thing.uid == old.uid);
    let is_there = |new: &&Thing| before.iter().any(|old| old.uid == new.uid);
    let new: Vec<_> = new.iter().filter(|new| !is_there(new)).collect();
    let words = [
        (before.iter().any(stays), "same uid"),
        (before.iter().any(|old| !stays(old)), "old uid gone"),
        (!new.is_empty(), "new uid"),
        (!new.is_empty() && !new.iter().any(|new| stays(new)), "new uid gone"),
        (before.is_empty() && after.is_empty() && new.is_empty(), "none"),
        (new.is_empty() && before.is_empty() && !after.is_empty(), "no pod"),
    ];
    let words: Vec<_> = words.iter().filter(|(is_so, _)| *is_so).map(|(_, word)| *word).collect();
    words.join(", ")
}

/// The line of a tool's output that says why it failed, without the parts that differ between runs.
pub fn message(ran: &Ran, namespace: &str) -> String {
    const MOST: usize = 220;
    let is_specific = |line: &&str| {
        REJECTIONS.iter().chain(FAILURES).chain([&FLAGS]).any(|word| line.contains(word))
            && !line.contains("level=")
    };
    let lines = || ran.text.lines().map(str::trim);
    let is_error = |line: &&str| line.starts_with("Error") || line.starts_with("ERROR");
    let found = lines().find(is_specific).or_else(|| lines().find(is_error));
    let Some(line) = found.filter(|_| ran.failed) else { return String::new() };
    let line = line.replace(namespace, "NAMESPACE").replace('\t', " ");
    // Temporary files of the tools.
    let files = Regex::new(r"(/dev/shm/|kustomization-)\d+").expect("a pattern");
    let mut line = files.replace_all(&line, "${1}N").into_owned();
    while let Some((start, end)) = printed(&line) {
        line.replace_range(start..end, "{…}");
    }
    match line.char_indices().nth(MOST) {
        Some((cut, _)) => {
            let tail: String = line.chars().rev().take(60).collect();
            let tail: String = tail.chars().rev().collect();
            format!("{} … {tail}", &line[..cut.saturating_sub(0)])
        }
        None => line,
    }
}

/// A template inside an error message.
fn printed(line: &str) -> Option<(usize, usize)> {
    let start = line.find("Invalid value: {\"").map(|at| at + "Invalid value: ".len())?;
    let end = line[start..].find(": field is immutable").map(|at| start + at)?;
    Some((start, end))
}
