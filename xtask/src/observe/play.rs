//! Plays one event: sets up the state before it, runs the operation, and compares the objects.

use std::{fs, path::Path, time::Duration};

use job_lifecycle::{Deployer, Event, Outcome, Tool};
use serde_json::json;

use super::{
    cases::{Case, Version},
    cluster::{Cluster, Watch, wait_for},
    hooks::Part,
    judge::{self, Seen, Verdict, Work},
    kustomize,
    player::Player,
    tools::{Ran, Site, Tools, Verb, verb},
};

/// The timeout of a tool for runs that end, and for runs that do not.
const PATIENCE: Duration = Duration::from_secs(30);
const IMPATIENCE: Duration = Duration::from_secs(5);

/// A run that outlives the tool's timeout and is still active at the next operation.
const LONG: &str = "succeed:25s";
/// The same for kustomize-controller, which waits at least 30 s.
const LONGER: &str = "succeed:55s";

/// An observed cell.
pub struct Row {
    pub work: String,
    pub verdict: Verdict,
    pub failed: bool,
    pub message: String,
}

/// One unit, one deployer, one event, in its own namespace.
pub struct Play<'a> {
    pub tools: &'a Tools,
    pub player: Player,
    pub case: &'a Case,
    pub deployer: &'a Deployer,
    pub event: Event,
    pub namespace: String,
}

impl Play<'_> {
    /// What happened to each workload; empty where the state before the event is impossible.
    pub fn run(&self) -> Vec<Row> {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for (name, version, with_works) in [
            ("first", Version::First, true),
            ("next", Version::Next, true),
            ("bare", self.bare(), false),
        ] {
            fs::create_dir_all(at(name)).expect("a folder");
            self.case.write(&at(name), self.deployer, version, with_works);
        }
        let built = self.case.kustomization.as_ref().map(|_| {
            kustomize::build(self.tools, &at("bare"));
            ["first", "next"].map(|name| kustomize::build(self.tools, &at(name)))
        });
        let is_changed = |work: &str, object: &serde_json::Value| match &built {
            Some([first, next]) => {
                kustomize::workload(first, work) != kustomize::workload(next, work)
            }
            None => object.to_string().contains("{{"),
        };
        let cluster = &self.tools.cluster;
        cluster.create_namespace(&self.namespace);
        let watch = cluster.watch(&self.namespace);
        let site = self.site(folder.path(), PATIENCE);
        let rows = self.act(&site, folder.path(), &watch, &is_changed);
        site.leave();
        rows
    }

    fn act(
        &self,
        site: &Site<'_>,
        folder: &Path,
        watch: &Watch,
        is_changed: &dyn Fn(&str, &serde_json::Value) -> bool,
    ) -> Vec<Row> {
        let cluster = &self.tools.cluster;
        let at = |name: &str| folder.join(name);
        if !self.prepare(site, folder) {
            return Vec::new();
        }
        let before = cluster.things(&self.namespace);
        let began = cluster.now(&self.namespace);
        if self.needs_a_run() && watch.births().iter().all(|one| one.thing.kind != "Pod") {
            return Vec::new();
        }
        let files = match self.event {
            Event::Upgrade | Event::Forced | Event::WhileRunning | Event::AfterFailure => {
                at("next")
            }
            Event::Removed => at("bare"),
            _ => at("first"),
        };
        if self.event == Event::SelfHeal {
            cluster.edit(&self.namespace, "settings", &json!({"tag": "by hand"}));
        }
        let mut ran = site.run(verb(self.deployer, self.event), &files);
        ran.text = ran.text.replace(&format!("{}/", folder.display()), "");
        cluster.settle(&self.namespace);
        let repeated = self.repeats(site, &files, watch, began);
        let after = cluster.things(&self.namespace);
        let is_reached = cluster.setting(&self.namespace) == Some(self.version().tag());
        if self.event == Event::SelfHeal && self.player.is_controller() && !is_reached {
            // The drift is still there.
            return Vec::new();
        }
        let births = watch.births();
        let pruned = self.pruned(site, &files);
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
        self.rows(&seen, &ran, is_changed)
    }

    fn rows(
        &self,
        seen: &Seen<'_>,
        ran: &Ran,
        is_changed: &dyn Fn(&str, &serde_json::Value) -> bool,
    ) -> Vec<Row> {
        let message = judge::message(ran, &self.namespace);
        let row = |(id, object): &(String, serde_json::Value)| {
            let part = Part::of(object, self.deployer);
            let is_called = part.is_called(self.deployer, self.event);
            let is_changed = is_changed(id, object);
            let is_kept = Part::is_kept(object, self.deployer);
            let work = Work { id, part: &part, is_called, is_kept, is_changed };
            let verdict = seen.verdict(&work);
            Row { work: id.clone(), verdict, failed: ran.failed, message: message.clone() }
        };
        let objects = self.case.deployed();
        let rows = objects.iter().map(row);
        // A workload that never ran has nothing that self-heal could keep or restore.
        let is_moot = |row: &Row| {
            let outcomes = [Outcome::Skipped, Outcome::Rejected, Outcome::Blocked];
            self.event == Event::SelfHeal
                && outcomes.contains(&row.verdict.outcome)
                && seen.started(&row.work, true).is_empty()
        };
        rows.filter(|row| !is_moot(row)).collect()
    }

    fn site<'s>(&'s self, work: &'s Path, patience: Duration) -> Site<'s> {
        Site {
            tools: self.tools,
            player: self.player,
            deployer: self.deployer,
            event: self.event,
            namespace: &self.namespace,
            work,
            patience,
        }
    }

    /// The version that the operation deploys.
    fn version(&self) -> Version {
        match self.event {
            Event::Upgrade | Event::Forced | Event::WhileRunning | Event::AfterFailure => {
                Version::Next
            }
            Event::Removed => self.bare(),
            _ => Version::First,
        }
    }

    /// The version without the workloads. For helm-controller it is a new chart version, or the controller does nothing.
    fn bare(&self) -> Version {
        match self.player {
            Player::HelmController => Version::Next,
            _ => Version::First,
        }
    }

    fn needs_a_run(&self) -> bool {
        matches!(self.event, Event::WhileRunning | Event::AfterFailure)
    }

    /// Sets up the state before the event; false where that is impossible.
    fn prepare(&self, site: &Site<'_>, folder: &Path) -> bool {
        let cluster = &self.tools.cluster;
        let first = folder.join("first");
        match self.event {
            Event::Install => {}
            Event::WhileRunning => self.break_off(folder, self.long()),
            Event::AfterFailure => self.break_off(folder, "fail"),
            Event::Rollback => {
                site.first(&first);
                cluster.settle(&self.namespace);
                let mut next = site.run(Verb::Upgrade, &folder.join("next"));
                if next.failed {
                    // The upgrade succeeds once the old Jobs are deleted.
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
        true
    }

    fn long(&self) -> &'static str {
        let waits =
            self.player == Player::KustomizeController && self.deployer.flux().wait == Some(true);
        if waits { LONGER } else { LONG }
    }

    /// Makes the last run of the workload fail, or outlive the tool's timeout.
    fn break_off(&self, folder: &Path, how: &str) {
        let cluster = &self.tools.cluster;
        let objects = self.case.deployed();
        let part = objects.first().map_or(Part::Plain, |(_, one)| Part::of(one, self.deployer));
        let calls = |event| part.is_called(self.deployer, event);
        let (first, next) = (folder.join("first"), folder.join("next"));
        let patience = if how == "fail" { PATIENCE } else { IMPATIENCE };
        let (calm, site) = (self.site(folder, PATIENCE), self.site(folder, patience));
        let at_install = self.deployer.helm3().atomic != Some(true)
            && (!part.is_hook() || calls(Event::Install));
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

    /// True when the restored object disappears after its TTL and is restored again.
    fn repeats(&self, site: &Site<'_>, files: &Path, watch: &Watch, since: u64) -> bool {
        if self.event != Event::AfterTtl || verb(self.deployer, self.event) != Verb::Heal {
            return false;
        }
        let cluster: &Cluster = &self.tools.cluster;
        let runs = || {
            let births = watch.births();
            births.iter().filter(|one| one.thing.kind == "Job" && one.at > since).count()
        };
        if self.player.is_controller() {
            // The controller repeats it on its own after a delay, which grows with each attempt under Argo CD.
            return runs() > 0 && wait_for(PATIENCE, || runs() > 1);
        }
        cluster.wait_for_ttl(&self.namespace);
        site.run(Verb::Heal, files);
        cluster.settle(&self.namespace);
        runs() > 1
    }

    /// The objects that remain after an operation with pruning, where pruning was off.
    fn pruned(&self, site: &Site<'_>, files: &Path) -> Option<Vec<super::cluster::Thing>> {
        let prunes =
            self.deployer.tool == Tool::Argocd || self.player == Player::KustomizeController;
        let set = self.deployer.argocd().prune.or(self.deployer.flux().prune);
        let is_off = prunes && set != Some(true);
        if !is_off || matches!(self.event, Event::AfterTtl | Event::SelfHeal | Event::Uninstall) {
            return None;
        }
        let mut deployer = self.deployer.clone();
        deployer.set("prune", "true").expect("an option");
        Site { deployer: &deployer, ..*site }.run(Verb::Upgrade, files);
        self.tools.cluster.settle(&self.namespace);
        Some(self.tools.cluster.things(&self.namespace))
    }
}
