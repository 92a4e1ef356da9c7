//! What an editor's next run need not check again: charts of which nothing has changed.

mod disk;
mod files;

use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

pub(super) use disk::DiskState;
use files::ChartFolders;

use super::last::{Asked, Known, LastRuns};
use crate::{
    chart,
    discover::{Request, absolute},
    results::Report,
    settings::Settings,
    unit::{Unit, UnitKind},
};

/// The most charts whose caches are kept: somebody types in one.
const MOST_CACHES: usize = 4;

/// What is kept of charts, by the absolute path of the chart.
#[derive(Default)]
pub(crate) struct Kept {
    charts: Mutex<HashMap<PathBuf, KeptChart>>,
    /// What is known of the charts that were checked last.
    caches: Mutex<VecDeque<(PathBuf, chart::LastVersion)>>,
    runs: Mutex<LastRuns>,
}

#[derive(Debug)]
struct KeptChart {
    /// The texts that replace files.
    texts: Vec<(PathBuf, Option<Vec<u8>>)>,
    /// The settings files with their texts.
    settings: Vec<(String, String)>,
    /// The policies.
    policies: u64,
    files: u64,
    /// All files of the workspace, if those of the chart were as they are now.
    disk: Option<DiskState>,
    report: Report,
}

/// How a run uses what earlier ones have kept.
pub(crate) struct Reuse<'a> {
    pub(crate) kept: &'a Kept,
    /// Whether a chart must be checked again although nothing has changed.
    pub(crate) wants: &'a (dyn Fn(&Unit) -> bool + Sync),
    /// Told each chart that is not checked again.
    pub(crate) reused: &'a (dyn Fn(&Unit) + Sync),
    /// All files of the workspace as they are now, once somebody has looked.
    disk: OnceLock<Option<DiskState>>,
    folders: ChartFolders,
}

impl Kept {
    /// Forgets charts.
    pub(crate) fn retain(&self, mut stays: impl FnMut(&Path) -> bool) {
        self.caches().retain(|(root, _)| stays(root));
        self.lock().retain(|root, _| stays(root));
    }

    /// What is known of the last version of a chart, which the next check of it replaces.
    pub(super) fn chart_cache(&self, root: &Path) -> chart::LastVersion {
        let (root, mut caches) = (absolute(root), self.caches());
        let known = caches.iter().position(|(own, _)| *own == root);
        let (_, cache) = known.and_then(|at| caches.remove(at)).unwrap_or_default();
        caches.truncate(MOST_CACHES - 1);
        caches.push_front((root, cache.clone()));
        cache
    }

    /// What the last run for the same files knew before it checked them, with the texts of this one.
    pub(super) fn last_run(&self, asked: &Asked, request: &Request) -> Option<Known> {
        self.runs().take(asked, request)
    }

    /// Remembers what a run knew before it checked its files.
    pub(super) fn keep_run(&self, asked: Asked, known: Known) {
        self.runs().keep(asked, known);
    }

    fn runs(&self) -> MutexGuard<'_, LastRuns> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, KeptChart>> {
        self.charts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn caches(&self) -> MutexGuard<'_, VecDeque<(PathBuf, chart::LastVersion)>> {
        self.caches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Reuse<'a> {
    pub(crate) fn new(
        kept: &'a Kept,
        wants: &'a (dyn Fn(&Unit) -> bool + Sync),
        reused: &'a (dyn Fn(&Unit) + Sync),
    ) -> Self {
        Self { kept, wants, reused, disk: OnceLock::new(), folders: ChartFolders::default() }
    }

    /// All files of the workspace, as they are when this is asked first. `None` if they can change without a trace.
    pub(super) fn disk(&self, request: &Request, settings: &Settings) -> Option<DiskState> {
        *self.disk.get_or_init(|| DiskState::of(request, &settings.policies))
    }

    /// Whether a chart was checked with the same texts. Its files may have changed all the same.
    pub(super) fn knows(&self, unit: &Unit, settings: &Settings) -> bool {
        may_keep(unit, settings) && self.find(unit, settings, |_| ()).is_some()
    }

    /// The report of a unit: the one that is kept, if nothing has changed since, or else that of `check`.
    pub(super) fn report(
        &self,
        unit: &Unit,
        settings: &Settings,
        request: &Request,
        check: impl FnOnce() -> Report,
    ) -> Report {
        if !may_keep(unit, settings) {
            return check();
        }
        let disk = self.disk(request, settings);
        let on_same_disk = |kept: &mut KeptChart| disk.is_some() && kept.disk == disk;
        if let Some(report) = self.known(unit, settings, on_same_disk) {
            return report;
        }
        let Some(files) = self.folders.of_chart(unit) else { return check() };
        let of_same_files = |kept: &mut KeptChart| {
            let is_same = kept.files == files && !kept.report.is_of_repository;
            kept.disk = disk.filter(|_| is_same);
            is_same
        };
        if let Some(report) = self.known(unit, settings, of_same_files) {
            return report;
        }
        self.kept.lock().remove(&absolute(&unit.root));
        let report = check();
        let is_whole = !request.progress.is_stopped() && !settings.own.cost.is_exhausted();
        if is_whole && !report.is_searched {
            let kept = KeptChart {
                texts: texts(unit).map(|(path, text)| (path.clone(), text.clone())).collect(),
                settings: sources(settings).map(|(a, b)| (a.clone(), b.to_string())).collect(),
                policies: settings.own.digest,
                files,
                disk,
                report: copy_of(&report),
            };
            self.kept.lock().insert(absolute(&unit.root), kept);
        }
        report
    }

    /// The report that is kept, if it is that of the same files.
    fn known(
        &self,
        unit: &Unit,
        settings: &Settings,
        is_same: impl FnOnce(&mut KeptChart) -> bool,
    ) -> Option<Report> {
        if (self.wants)(unit) {
            return None;
        }
        let take = |kept: &mut KeptChart| is_same(kept).then(|| copy_of(&kept.report));
        let report = self.find(unit, settings, take).flatten()?;
        (self.reused)(unit);
        Some(report)
    }

    fn find<T>(
        &self,
        unit: &Unit,
        settings: &Settings,
        take: impl FnOnce(&mut KeptChart) -> T,
    ) -> Option<T> {
        let mut kept = self.kept.lock();
        let own = kept.get_mut(&absolute(&unit.root))?;
        let is_same = own.policies == settings.own.digest
            && own.texts.iter().map(|(path, text)| (path, text)).eq(texts(unit))
            && own.settings.iter().map(|(path, text)| (path, &**text)).eq(sources(settings));
        is_same.then(|| take(own))
    }
}

fn texts(unit: &Unit) -> impl Iterator<Item = (&PathBuf, &Option<Vec<u8>>)> {
    unit.files.iter().map(|file| (&file.path, &file.text))
}

fn sources(settings: &Settings) -> impl Iterator<Item = (&String, &str)> {
    settings.sources.iter().map(|source| (&source.path, &*source.text))
}

/// Whether the report of a unit depends on nothing but its texts, its folder and those of its
/// dependencies, the settings files and the policies.
fn may_keep(unit: &Unit, settings: &Settings) -> bool {
    unit.kind == UnitKind::Chart
        && unit.deployments.is_empty()
        && unit.undeployed.is_empty()
        && settings.value_sets.is_empty()
}

/// The part of a report that a unit adds to that of its run.
fn copy_of(report: &Report) -> Report {
    Report {
        findings: report.findings.clone(),
        counts: report.counts,
        unchecked: report.unchecked.clone(),
        remarks: report.remarks.clone(),
        skipped: report.skipped.clone(),
        trail: report.trail.clone(),
        notes: report.notes.clone(),
        errors: report.errors.clone(),
        checked: report.checked.clone(),
        undecided: report.undecided.clone(),
        used_entries: report.used_entries.clone(),
        secrets: report.secrets.clone(),
        is_of_repository: report.is_of_repository,
        ..Report::default()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs, thread};

    use super::{files::SETTLED, *};
    use crate::check::edited;

    const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: {{ .Values.policy }}
      containers: [{name: migrate, image: \"shop:1.0\"}]
";

    /// Charts in a folder, and what is kept of them.
    struct Charts {
        folder: tempfile::TempDir,
        texts: BTreeMap<PathBuf, Vec<u8>>,
        kept: Kept,
    }

    impl Charts {
        fn new(names: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for name in names {
                let chart = folder.path().join(name);
                fs::create_dir_all(chart.join("templates")).unwrap();
                let about = format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\n");
                fs::write(chart.join("Chart.yaml"), about).unwrap();
                fs::write(chart.join("values.yaml"), "policy: Always\n").unwrap();
                fs::write(chart.join("templates/job.yaml"), JOB).unwrap();
            }
            thread::sleep(SETTLED * 2);
            Self { folder, texts: BTreeMap::new(), kept: Kept::default() }
        }

        /// How many charts were not checked again, and how many Jobs the API server rejects.
        fn check(&self) -> [usize; 2] {
            self.found("restart-policy-always")
        }

        /// How many charts were not checked again, and how many Jobs a rule is about.
        fn found(&self, rule: &str) -> [usize; 2] {
            let entries = fs::read_dir(self.folder.path()).unwrap();
            let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            let request = Request { paths, texts: self.texts.clone(), ..Request::default() };
            let count = Mutex::new(0);
            let reused = |_: &Unit| *count.lock().unwrap() += 1;
            let reuse = Reuse::new(&self.kept, &|_| false, &reused);
            let report = edited(&request, &Settings::default(), &|_, _| {}, &reuse, &|_| {});
            let found = report.findings.iter().filter(|one| one.rule.id == rule);
            [*count.lock().unwrap(), found.map(|one| 1 + one.also.len()).sum()]
        }
    }

    #[test]
    fn charts_are_checked_again_when_something_has_changed() {
        let mut charts = Charts::new(&["one", "two"]);
        assert_eq!(charts.check(), [0, 2]);
        assert_eq!(charts.check(), [2, 2], "nothing has changed");
        let values = charts.folder.path().join("one/values.yaml");
        charts.texts.insert(values.clone(), b"policy: Never\n".to_vec());
        assert_eq!(charts.check(), [1, 1], "a text of an editor");
        assert_eq!(charts.check(), [2, 1]);
        charts.texts.clear();
        assert_eq!(charts.check(), [1, 2], "the file counts again");
        fs::write(charts.folder.path().join("two/values.yaml"), "policy: Never \n").unwrap();
        assert_eq!(charts.check()[1], 1, "a file on disk");
    }

    #[test]
    fn a_rule_of_the_user_counts_as_soon_as_it_changes() {
        let charts = Charts::new(&["one", "two"]);
        let rule = |most: usize| {
            let text = format!(
                "apiVersion: joblint.dev/v1\nkind: Rule\nid: short\nmessage: is long\n\
                 expression: size(object.metadata.name) < {most}\n"
            );
            let folder = charts.folder.path().join("rules");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("short.yaml"), text).unwrap();
        };
        rule(20);
        assert_eq!(charts.found("rule[short]"), [0, 0]);
        assert_eq!(charts.found("rule[short]"), [2, 0], "the same rule");
        rule(3);
        assert_eq!(charts.found("rule[short]"), [0, 2], "another rule");
    }

    /// An Application brings the policies of its chart into force, for all charts.
    #[test]
    fn a_chart_counts_as_soon_as_it_is_deployed() {
        let charts = Charts::new(&["guard", "shop"]);
        let policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: own}\nspec:\n  \
                      matchConstraints:\n    resourceRules:\n      - {apiGroups: [batch], apiVersions: [v1], resources: [jobs], operations: [CREATE]}\n  \
                      validations: [{expression: 'false'}]\n---\napiVersion: admissionregistration.k8s.io/v1\n\
                      kind: ValidatingAdmissionPolicyBinding\nmetadata: {name: own}\nspec: {policyName: own, validationActions: [Deny]}\n";
        let write = |path: &str, text: &str| {
            let path = charts.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("guard/templates/job.yaml", policy);
        write(".git/config", "[remote \"origin\"]\n\turl = https://example.com/shop.git\n");
        thread::sleep(SETTLED * 2);
        assert_eq!(charts.found("policy[own]"), [0, 0]);
        assert_eq!(charts.found("policy[own]"), [2, 0], "nothing deploys the guard");
        write(
            "apps/guard.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: guard}\nspec:\n  \
             source: {repoURL: https://example.com/shop.git, path: guard}\n",
        );
        assert_eq!(charts.found("policy[own]"), [0, 1], "it is deployed");
    }

    #[test]
    fn a_chart_is_checked_again_when_a_dependency_elsewhere_has_changed() {
        let mut charts = Charts::new(&["one", "two"]);
        let about = charts.folder.path().join("two/Chart.yaml");
        let text = fs::read_to_string(&about).unwrap();
        let needs = "dependencies: [{name: one, version: 1.0.0, repository: 'file://../one'}]\n";
        fs::write(&about, text + needs).unwrap();
        thread::sleep(SETTLED * 2);
        assert_eq!(charts.check(), [0, 2]);
        assert_eq!(charts.check(), [2, 2], "nothing has changed");
        let job = charts.folder.path().join("one/templates/job.yaml");
        charts.texts.insert(job.clone(), b"".to_vec());
        assert_eq!(charts.check(), [0, 1], "a text of an editor");
        charts.texts.clear();
        charts.check();
        fs::remove_file(job).unwrap();
        thread::sleep(SETTLED * 2);
        assert_eq!(charts.check(), [0, 1], "a file on disk");
        fs::remove_dir_all(charts.folder.path().join("one")).unwrap();
        fs::create_dir(charts.folder.path().join("one")).unwrap();
        thread::sleep(SETTLED * 2);
        let alone = [charts.check(), charts.check()];
        assert_eq!(alone, [[0, 1], [1, 1]], "a dependency that is gone");
    }
}
