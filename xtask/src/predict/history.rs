//! Compares predictions with what then happened: every release of a chart with a Git tag or commit, compared with
//! the next releases.
//!
//! A Job changed *through inputs* when the old templates reproduce the change from the new versions and values;
//! all other changes are edits of the templates, which cannot be predicted. Both sides are rendered without a release,
//! so this scores the prediction for such a render.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use helm_render::{Chart, HelmVersion, RenderOptions, Rendered, render};
use job_lifecycle::{ReleaseChanges, kubernetes::immutable::touched, release_changes::Step};
use joblint::release_changes::predict;
use yaml_spans::Node;

use super::Printed;

/// A day, in nanoseconds.
const DAY: i128 = 86_400_000_000_000;

/// Counts over the releases of charts.
#[derive(Debug, Default)]
pub(super) struct Score {
    pairs: usize,
    /// Jobs that changed under their name from one release to the next.
    changed: usize,
    /// Those that changed through inputs, and how many of them were predicted.
    by_input: usize,
    predicted: usize,
    /// Predictions of severity error, and how many came true within three releases.
    errors: usize,
    came_true: usize,
}

/// One release of a chart: its Jobs by name, with their predictions.
struct ReleaseOf {
    folder: PathBuf,
    jobs: BTreeMap<String, Job>,
}

struct Job {
    root: Node,
    is_hook: bool,
    changes: ReleaseChanges,
}

impl Score {
    pub(super) fn add(&mut self, other: &Score) {
        self.pairs += other.pairs;
        self.changed += other.changed;
        self.by_input += other.by_input;
        self.predicted += other.predicted;
        self.errors += other.errors;
        self.came_true += other.came_true;
    }

    pub(super) fn print(&self, name: &str) {
        let Score { pairs, changed, by_input, predicted, errors, came_true } = self;
        println!(
            "{name}: {pairs} pairs, {changed} changes under the same name, {by_input} through inputs, \
             {predicted} of them predicted; {errors} error predictions, {came_true} came true"
        );
    }
}

/// Scores the last `most` releases of the chart at `path` in a Git repository, ordinary Jobs and hooks separately;
/// `pattern` selects its tags, or starts with `commits`.
pub(super) fn score(
    (repository, path, pattern): &(PathBuf, &str, &str),
    most: usize,
    options: &dyn Fn(&Chart) -> RenderOptions,
    work: &Path,
) -> [Score; 2] {
    let mut revisions = revisions(repository, path, pattern, most);
    revisions.dedup_by_key(|revision| version(repository, revision, path));
    let recent = &revisions[revisions.len().saturating_sub(most)..];
    let mut releases = Vec::new();
    // A name that differs at every render is not a change under the same name.
    let at = |number: usize| {
        move |chart: &Chart| {
            let mut options = options(chart);
            options.seed += number as u64;
            options.now += DAY * number as i128;
            options
        }
    };
    for (number, revision) in recent.iter().enumerate() {
        let folder = work.join(revision.replace('/', "_"));
        if check_out(repository, revision, path, &folder) {
            releases.extend(release(folder.join(path), &at(number)));
        }
    }
    let mut scores = [Score::default(), Score::default()];
    for (index, pair) in releases.windows(2).enumerate() {
        let [old, new] = pair else { continue };
        let mixed = release(mixed(&old.folder, &new.folder, work), &at(recent.len() + index));
        for (name, job) in &old.jobs {
            let score = &mut scores[usize::from(job.is_hook)];
            let text = format!("{name} after {}", old.folder.display());
            score.judge(&text, job, name, new, mixed.as_ref(), &releases[index + 1..]);
        }
        scores.iter_mut().for_each(|score| score.pairs += 1);
    }
    scores
}

impl Score {
    fn judge(
        &mut self,
        text: &str,
        job: &Job,
        name: &str,
        new: &ReleaseOf,
        mixed: Option<&ReleaseOf>,
        later: &[ReleaseOf],
    ) {
        let changed = |other: &ReleaseOf| {
            other.jobs.get(name).is_some_and(|other| is_changed(&job.root, &other.root))
        };
        let changes = job.changes.stateless.as_deref().unwrap_or(&job.changes);
        let rejected = || changes.rejected().map(|(step, _)| step);
        self.changed += usize::from(changed(new));
        if changed(new) && mixed.is_some_and(changed) {
            // For hooks, values are only raised together.
            let is_predicted = rejected().next().is_some() || changes.upgrade.is_rejected();
            self.by_input += 1;
            self.predicted += usize::from(is_predicted);
            if !is_predicted {
                println!("  missed: {text}");
            }
        }
        if rejected().any(Step::is_of_every_release) && later.len() >= 3 {
            let is_true = later.iter().take(3).any(changed);
            self.errors += 1;
            self.came_true += usize::from(is_true);
            if !is_true {
                println!("  not within three: {text}");
            }
        }
    }
}

/// The releases of a chart, oldest first: the tags of a pattern by version, or for `commits` and
/// `commits@REVISION` the commits that changed its `Chart.yaml` up to `HEAD` or the revision, a merge counting as one.
fn revisions(repository: &Path, path: &str, pattern: &str, most: usize) -> Vec<String> {
    let file = format!("{path}/Chart.yaml");
    // Not every such commit is a release.
    let limit = format!("-{}", most * 4);
    let last = pattern.strip_prefix("commits").map(|end| end.strip_prefix('@').unwrap_or("HEAD"));
    let end = last.unwrap_or_default();
    let log = ["log", "--first-parent", "--reverse", "--format=%h", &limit, end, "--", &file];
    let tag = ["tag", "--list", pattern, "--sort=v:refname"];
    let arguments = if last.is_some() { &log[..] } else { &tag[..] };
    let output = git(repository).args(arguments).output();
    let text = String::from_utf8(output.expect("git runs").stdout).expect("names of revisions");
    let is_release =
        |tag: &&str| !["alpha", "beta", "-rc", "dev"].iter().any(|mark| tag.contains(mark));
    text.lines().filter(is_release).map(str::to_owned).collect()
}

/// The version of the chart at a revision, which may be the release of another chart in the same repository.
fn version(repository: &Path, tag: &str, path: &str) -> Option<String> {
    let file = format!("{tag}:{path}/Chart.yaml");
    let output = git(repository).args(["show", &file]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find(|line| line.starts_with("version:")).map(str::to_owned)
}

fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository);
    command
}

/// Unpacks a chart of a revision, with the dependencies that lie in the same repository in its `charts`.
fn check_out(repository: &Path, tag: &str, path: &str, folder: &Path) -> bool {
    if folder.exists() {
        return folder.join(path).exists();
    }
    fs::create_dir_all(folder).expect("a folder");
    if !unpack(repository, tag, path, folder) {
        return false;
    }
    let chart = folder.join(path);
    for local in local_dependencies(&chart) {
        let Some(from) = below(path, &local) else { continue };
        let name = from.rsplit('/').next().unwrap_or_default();
        let target = chart.join("charts").join(name);
        drop(fs::create_dir_all(chart.join("charts")));
        if !target.exists() && unpack(repository, tag, &from, folder) {
            let copied = Command::new("cp").arg("-r").arg(folder.join(&from)).arg(&target).status();
            copied.expect("cp runs");
        }
    }
    true
}

fn unpack(repository: &Path, tag: &str, path: &str, folder: &Path) -> bool {
    let archive = folder.join("archive.tar");
    let made = git(repository)
        .args(["archive", "-o"])
        .arg(&archive)
        .args([tag, "--", path])
        .stderr(std::process::Stdio::null())
        .status();
    let taken = Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(folder).status();
    made.is_ok_and(|status| status.success()) && taken.is_ok_and(|status| status.success())
}

/// The folders that `file://` dependencies of a chart name, relative to the chart.
fn local_dependencies(chart: &Path) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(chart.join(name)).unwrap_or_default();
    let text = read("Chart.yaml") + "\n" + &read("requirements.yaml");
    let lines = text.lines().filter_map(|line| line.split_once("file://"));
    lines.map(|(_, path)| path.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

/// A relative path below a folder, without `..`; `None` if it leaves the repository.
fn below(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<_> = folder.split('/').collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The old templates with the new `Chart.yaml` and values.
fn mixed(old: &Path, new: &Path, work: &Path) -> PathBuf {
    let folder = work.join("mixed");
    drop(fs::remove_dir_all(&folder));
    let copied = Command::new("cp").arg("-r").arg(old).arg(&folder).status();
    copied.expect("cp runs");
    for file in ["Chart.yaml", "values.yaml"] {
        drop(fs::copy(new.join(file), folder.join(file)));
    }
    folder
}

fn release(folder: PathBuf, options: &dyn Fn(&Chart) -> RenderOptions) -> Option<ReleaseOf> {
    let chart = Chart::load(&folder, HelmVersion::V4).ok()?;
    let options = options(&chart);
    let rendered: Arc<Rendered> = match render(&chart, &options) {
        Ok(rendered) => rendered.into(),
        Err(error) => {
            let text = error.to_string();
            println!("  {}: {}", folder.display(), text.lines().next().unwrap_or_default());
            return None;
        }
    };
    let mut jobs = super::jobs(&rendered);
    jobs.retain(|job| job.text(&["kind"]) == "Job");
    let works: Vec<_> = jobs.iter().map(Printed::workload).collect();
    let predicted = predict(&chart, &options, &rendered, &works);
    let named = jobs.iter().zip(predicted).filter_map(|(job, changes)| {
        let name = job.root.at(&["metadata", "name"])?.as_str()?.to_owned();
        Some((name, Job { root: job.root.clone(), is_hook: job.is_hook(), changes }))
    });
    Some(ReleaseOf { folder, jobs: named.collect() })
}

/// True when an immutable field differs.
fn is_changed(old: &Node, new: &Node) -> bool {
    let fields = old.get("spec").into_iter().chain(new.get("spec")).flat_map(Node::entries);
    fields.into_iter().any(|entry| {
        let path = ["spec", &*entry.key];
        old.at(&path) != new.at(&path) && touched(old, new, &path).is_some()
    })
}
