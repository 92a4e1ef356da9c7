//! One event: the state before it is brought about, the operation is run, and what is there is compared.

use std::{fs, path::Path, time::Duration};

use joblint::deploy::{Deployer, Event, Outcome, Tool};
use serde_json::json;

use super::{
    cases::{Case, Version, id},
    cluster::Cluster,
    hooks::Part,
    judge::{self, Seen, Verdict, Work},
    tools::{Ran, Site, Tools, Verb, verb},
};

/// How long a tool waits for a run that ends, and for one that does not.
const PATIENCE: Duration = Duration::from_secs(30);
const IMPATIENCE: Duration = Duration::from_secs(5);

/// A run that a tool has given up waiting for, and that is still active at the next operation.
const LONG: &str = "succeed:25s";

/// A cell, seen.
pub struct Row {
    pub work: String,
    pub verdict: Verdict,
    pub failed: bool,
    pub message: String,
}

/// One unit, one deployer, one event, in a namespace of its own.
pub struct Play<'a> {
    pub tools: &'a Tools,
    pub case: &'a Case,
    pub deployer: &'a Deployer,
    pub event: Event,
    pub namespace: String,
}

/// Options of Argo CD with the events that they decide; the others are those of a deployer without.
const DECIDES: [(&str, &[Event]); 2] = [
    ("selfHeal", &[Event::SelfHeal, Event::AfterTtl]),
    ("prune", &[Event::Upgrade, Event::Rollback, Event::Removed]),
];

/// False where an event cannot happen, or these tools cannot play it.
pub fn is_playable(case: &Case, deployer: &Deployer, event: Event) -> bool {
    let objects = case.objects();
    let any = |pointer: &str| objects.iter().any(|object| object.pointer(pointer).is_some());
    let hooks = objects.iter().any(|object| Part::of(object, deployer.tool).is_hook());
    let heals = deployer.tool == Tool::Flux || deployer.is("selfHeal");
    let named = case.events.is_empty() || case.events.iter().any(|own| own == event.name());
    let one = match event {
        Event::AfterTtl => any("/spec/ttlSecondsAfterFinished"),
        Event::SelfHeal => heals,
        // An operation of Argo CD that is terminated deletes its hooks: the controller does that.
        Event::WhileRunning => objects.len() == 1 && (deployer.tool != Tool::Argocd || !hooks),
        Event::AfterFailure => objects.len() == 1,
        Event::Removed => deployer.tool != Tool::Flux,
        Event::Uninstall => !deployer.tool.is_gitops(),
        _ => true,
    };
    let is_idle = |(option, events): (&str, &[Event])| {
        deployer.tool == Tool::Argocd && deployer.is(option) && !events.contains(&event)
    };
    named && one && !DECIDES.into_iter().any(is_idle)
}

impl Play<'_> {
    /// What happened to each workload; nothing where the state before cannot come about.
    pub fn run(&self) -> Vec<Row> {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let tool = self.deployer.tool;
        for (name, version, with_works) in [
            ("first", Version::First, true),
            ("next", Version::Next, true),
            ("bare", Version::First, false),
        ] {
            fs::create_dir_all(at(name)).expect("a folder");
            self.case.write(&at(name), tool, version, with_works);
        }
        let cluster = &self.tools.cluster;
        cluster.create_namespace(&self.namespace);
        let start = cluster.now(&self.namespace);
        let site = self.site(folder.path(), PATIENCE);
        if !self.prepare(&site, folder.path()) {
            return Vec::new();
        }
        let before = cluster.things(&self.namespace);
        let began = cluster.now(&self.namespace);
        if self.needs_a_run()
            && cluster.births(&self.namespace, start).iter().all(|one| one.thing.kind != "Pod")
        {
            return Vec::new();
        }
        let files = match self.event {
            Event::Upgrade | Event::Forced | Event::WhileRunning | Event::AfterFailure => {
                at("next")
            }
            Event::Removed => at("bare"),
            _ => at("first"),
        };
        let mut ran = site.run(verb(self.deployer, self.event), &files);
        ran.text = ran.text.replace(&format!("{}/", folder.path().display()), "");
        cluster.settle(&self.namespace);
        let repeated = self.repeats(&site, &files, began);
        let after = cluster.things(&self.namespace);
        let is_reached = cluster.setting(&self.namespace) == Some(self.version().tag());
        let births = cluster.births(&self.namespace, start);
        let pruned = self.pruned(&site, &files);
        let seen = Seen {
            event: self.event,
            at: began,
            before: &before,
            after: &after,
            births: &births,
            ran: &ran,
            pruned: pruned.as_deref(),
            repeated,
            is_reached,
            is_alone: self.case.works.len() == 1,
        };
        self.rows(&seen, &ran)
    }

    fn rows(&self, seen: &Seen<'_>, ran: &Ran) -> Vec<Row> {
        let message = judge::message(ran, &self.namespace);
        let row = |object: &serde_json::Value| {
            let (part, id) = (Part::of(object, self.deployer.tool), id(object));
            let is_called = part.is_called(self.deployer.tool, self.event);
            let is_changed = object.to_string().contains("{{");
            let work = Work { id: &id, part: &part, is_called, is_changed };
            let verdict = seen.verdict(&work);
            Row { work: id, verdict, failed: ran.failed, message: message.clone() }
        };
        let objects = self.case.objects();
        let rows = objects.iter().map(row);
        // Nothing of it is there that could stay when something else is mended.
        let is_moot = |row: &Row| {
            self.event == Event::SelfHeal
                && row.verdict.outcome == Outcome::Skipped
                && seen.started(&row.work, true).is_empty()
        };
        rows.filter(|row| !is_moot(row)).collect()
    }

    fn site<'s>(&'s self, work: &'s Path, patience: Duration) -> Site<'s> {
        Site {
            tools: self.tools,
            deployer: self.deployer,
            namespace: &self.namespace,
            work,
            patience,
        }
    }

    /// The version that the operation brings.
    fn version(&self) -> Version {
        match self.event {
            Event::Upgrade | Event::Forced | Event::WhileRunning | Event::AfterFailure => {
                Version::Next
            }
            _ => Version::First,
        }
    }

    fn needs_a_run(&self) -> bool {
        matches!(self.event, Event::WhileRunning | Event::AfterFailure)
    }

    /// Brings about the state before the event; false where that cannot be.
    fn prepare(&self, site: &Site<'_>, folder: &Path) -> bool {
        let cluster = &self.tools.cluster;
        let first = folder.join("first");
        match self.event {
            Event::Install => {}
            Event::WhileRunning => self.break_off(folder, LONG),
            Event::AfterFailure => self.break_off(folder, "fail"),
            Event::Rollback => {
                site.first(&first);
                cluster.settle(&self.namespace);
                let mut next = site.run(Verb::Upgrade, &folder.join("next"));
                if next.failed {
                    // It comes in where nothing stands in its way.
                    cluster.delete_jobs(&self.namespace);
                    next = site.run(Verb::Upgrade, &folder.join("next"));
                }
                cluster.settle(&self.namespace);
                return !next.failed;
            }
            Event::AfterTtl => {
                site.first(&first);
                cluster.settle(&self.namespace);
                cluster.wait_for_ttl(&self.namespace);
            }
            _ => {
                site.first(&first);
                cluster.settle(&self.namespace);
            }
        }
        if self.event == Event::SelfHeal {
            cluster.edit(&self.namespace, "settings", &json!({"tag": "by hand"}));
        }
        true
    }

    /// The last run of the workload fails, or goes on when the tool has given up waiting.
    fn break_off(&self, folder: &Path, how: &str) {
        let cluster = &self.tools.cluster;
        let tool = self.deployer.tool;
        let part = self.case.objects().first().map_or(Part::Plain, |one| Part::of(one, tool));
        let calls = |event| part.is_called(tool, event);
        let (first, next) = (folder.join("first"), folder.join("next"));
        let patience = if how == LONG { IMPATIENCE } else { PATIENCE };
        let (calm, site) = (self.site(folder, PATIENCE), self.site(folder, patience));
        let at_install = !self.deployer.is("atomic") && (!part.is_hook() || calls(Event::Install));
        if !at_install {
            calm.first(&first);
            cluster.settle(&self.namespace);
        }
        if !at_install && calls(Event::Rollback) {
            calm.run(Verb::Upgrade, &next);
        }
        cluster.play(&self.namespace, how);
        match () {
            () if at_install => site.first(&first),
            () if part.is_test() => site.run(Verb::Test, &first),
            () if calls(Event::Rollback) && !calls(Event::Upgrade) => {
                site.run(Verb::Rollback, &first)
            }
            () => site.run(Verb::Upgrade, &first),
        };
        cluster.settle(&self.namespace);
        cluster.play(&self.namespace, "succeed");
    }

    /// True when what was put back is gone again after its TTL, and is put back again.
    fn repeats(&self, site: &Site<'_>, files: &Path, since: u64) -> bool {
        if self.event != Event::AfterTtl || verb(self.deployer, self.event) != Verb::Heal {
            return false;
        }
        let cluster: &Cluster = &self.tools.cluster;
        cluster.wait_for_ttl(&self.namespace);
        site.run(Verb::Heal, files);
        cluster.settle(&self.namespace);
        let births = cluster.births(&self.namespace, since);
        births.iter().filter(|birth| birth.thing.kind == "Job").count() > 1
    }

    /// What an operation with pruning leaves, where pruning was off.
    fn pruned(&self, site: &Site<'_>, files: &Path) -> Option<Vec<super::cluster::Thing>> {
        let is_off = self.deployer.tool == Tool::Argocd && !self.deployer.is("prune");
        if !is_off || matches!(self.event, Event::AfterTtl | Event::SelfHeal) {
            return None;
        }
        let mut deployer = self.deployer.clone();
        deployer.set("prune", "true").expect("an option");
        Site { deployer: &deployer, ..*site }.run(Verb::Upgrade, files);
        self.tools.cluster.settle(&self.namespace);
        Some(self.tools.cluster.things(&self.namespace))
    }
}
