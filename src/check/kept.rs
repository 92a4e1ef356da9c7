//! What an editor's next run need not check again: charts of which nothing has changed.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use helm_render::ChartCache;

use super::{
    Prepared,
    last::{Asked, LastRuns},
};
use crate::{
    discover::{Request, absolute},
    results::Report,
    settings::Settings,
    unit::{File, Unit, UnitKind},
};

/// A file that is younger than this when it is looked at may change again without a trace in its time.
const SETTLED: Duration = Duration::from_millis(100);
/// The most files and folders of a chart to look at.
const MOST_FILES: usize = 5_000;

/// The most charts whose caches are kept: somebody types in one.
const MOST_CACHES: usize = 4;

/// What is kept of charts, by the absolute path of the chart.
#[derive(Default)]
pub(crate) struct Kept {
    charts: Mutex<HashMap<PathBuf, KeptChart>>,
    /// What is parsed of the charts that were checked last.
    caches: Mutex<VecDeque<(PathBuf, ChartCache)>>,
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
    report: Report,
}

/// How a run uses what earlier ones have kept.
pub(crate) struct Reuse<'a> {
    pub(crate) kept: &'a Kept,
    /// Whether a chart must be checked again although nothing has changed.
    pub(crate) wants: &'a (dyn Fn(&Unit) -> bool + Sync),
    /// Told each chart that is not checked again.
    pub(crate) reused: &'a (dyn Fn(&Unit) + Sync),
}

impl Kept {
    /// Forgets charts.
    pub(crate) fn retain(&self, mut stays: impl FnMut(&Path) -> bool) {
        self.caches().retain(|(root, _)| stays(root));
        self.lock().retain(|root, _| stays(root));
    }

    /// What is parsed of a chart, which the next check of it adds to.
    pub(super) fn chart_cache(&self, root: &Path) -> ChartCache {
        let (root, mut caches) = (absolute(root), self.caches());
        let known = caches.iter().position(|(own, _)| *own == root);
        let (_, cache) = known.and_then(|at| caches.remove(at)).unwrap_or_default();
        caches.truncate(MOST_CACHES - 1);
        caches.push_front((root, cache.clone()));
        cache
    }

    /// What the last run for the same files knew before it checked them, with the texts of this one.
    pub(super) fn last_run(&self, asked: &Asked, request: &Request) -> Option<Prepared> {
        self.runs().take(asked, request)
    }

    /// Remembers what a run knew before it checked its files.
    pub(super) fn keep_run(&self, asked: Asked, prepared: Prepared) {
        self.runs().keep(asked, prepared);
    }

    fn runs(&self) -> MutexGuard<'_, LastRuns> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, KeptChart>> {
        self.charts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn caches(&self) -> MutexGuard<'_, VecDeque<(PathBuf, ChartCache)>> {
        self.caches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reuse<'_> {
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
        let files = may_keep(unit, settings).then(|| files_of(&unit.root)).flatten();
        let Some(files) = files else { return check() };
        let same = |kept: &KeptChart| (kept.files == files).then(|| copy_of(&kept.report));
        if !(self.wants)(unit)
            && let Some(report) = self.find(unit, settings, same).flatten()
        {
            (self.reused)(unit);
            return report;
        }
        self.kept.lock().remove(&absolute(&unit.root));
        let report = check();
        if !request.progress.is_stopped() && !settings.own.cost.is_exhausted() {
            let kept = KeptChart {
                texts: texts(unit).map(|(path, text)| (path.clone(), text.clone())).collect(),
                settings: sources(settings).map(|(a, b)| (a.clone(), b.to_string())).collect(),
                policies: settings.own.digest,
                files,
                report: copy_of(&report),
            };
            self.kept.lock().insert(absolute(&unit.root), kept);
        }
        report
    }

    fn find<T>(
        &self,
        unit: &Unit,
        settings: &Settings,
        take: impl FnOnce(&KeptChart) -> T,
    ) -> Option<T> {
        let kept = self.kept.lock();
        let own = kept.get(&absolute(&unit.root))?;
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

/// Whether the report of a unit depends on nothing but its texts, its folder, the settings files and the policies.
fn may_keep(unit: &Unit, settings: &Settings) -> bool {
    let names_others = |file: &File| {
        lists_dependencies(&file.path) && file.text.as_deref().is_some_and(leads_outside)
    };
    unit.kind == UnitKind::Chart
        && !unit.files.iter().any(names_others)
        && unit.deployments.is_empty()
        && settings.value_sets.is_empty()
}

/// What tells the files of a chart from those of another time: their names, sizes and times. `None` if files outside of its
/// folder are part of it, or if it has just changed.
fn files_of(root: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let recent = SystemTime::now().checked_sub(SETTLED)?;
    let walk = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    for (number, entry) in walk.filter_entry(|entry| entry.file_name() != ".git").enumerate() {
        let entry = entry.ok()?;
        if entry.path_is_symlink() || number > MOST_FILES {
            return None;
        }
        let found = entry.metadata().ok()?;
        let changed = found.modified().ok()?;
        let may_lead_outside =
            || std::fs::read(entry.path()).map_or(true, |text| leads_outside(&text));
        if changed > recent || lists_dependencies(entry.path()) && may_lead_outside() {
            return None;
        }
        (entry.path(), found.len(), changed).hash(&mut hasher);
    }
    Some(hasher.finish())
}

fn lists_dependencies(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "Chart.yaml" || name == "requirements.yaml")
}

/// Whether a list of dependencies may name a folder outside of its chart.
fn leads_outside(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.split("file:").skip(1).any(|rest| {
        let end = |own: char| own.is_whitespace() || matches!(own, '"' | '\'' | ',' | '}');
        let path = rest.split(end).next().unwrap_or_default();
        let inside = path.strip_prefix("//").filter(|inside| !inside.starts_with(['/', '\\']));
        inside.is_none_or(|inside| inside.contains("..") || inside.contains(':'))
    })
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
        ..Report::default()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs, thread};

    use super::*;
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
            let reuse = Reuse { kept: &self.kept, wants: &|_| false, reused: &reused };
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
    fn dependencies_lead_outside_by_their_paths() {
        for outside in ["file://../one", "file:///srv/one", "file://a/../../one", "file:one"] {
            assert!(leads_outside(format!("repository: '{outside}'\n").as_bytes()), "{outside}");
        }
        for inside in ["file://charts/one", "file://./one", "https://example.com", "dockerfile"] {
            assert!(!leads_outside(format!("repository: \"{inside}\"\n").as_bytes()), "{inside}");
        }
    }

    #[test]
    fn a_chart_with_files_elsewhere_is_not_kept() {
        let charts = Charts::new(&["one", "two"]);
        let about = charts.folder.path().join("two/Chart.yaml");
        let text = fs::read_to_string(&about).unwrap();
        let needs = "dependencies: [{name: one, version: 1.0.0, repository: 'file://../one'}]\n";
        fs::write(&about, text + needs).unwrap();
        thread::sleep(SETTLED * 2);
        charts.check();
        assert_eq!(charts.check()[0], 1, "the other one");
    }
}
