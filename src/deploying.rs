//! What the scripts, pipelines and guides of a repository deploy, and with what: a chart that they only ever install has
//! no upgrades, and annotations for Argo CD do nothing where `kubectl` applies them.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    discover::{self, absolute, normal},
    gitops::commands::{are_in, is_definition, is_guide, publishes},
    scripts::{lines, unfolded},
    unit::{Boundary, Unit},
};

/// The repositories that were looked into, by their root.
#[derive(Debug, Default)]
pub(crate) struct Deploying(Mutex<HashMap<PathBuf, Option<Arc<[Told]>>>>);

impl Deploying {
    /// Whether something in the repository installs a chart from its folder, and nothing there upgrades it, publishes it
    /// or leaves it to another deployer.
    pub(crate) fn only_installs(&self, unit: &Unit) -> bool {
        let chart = absolute(&unit.root);
        let Some((root, all)) = self.of(&chart.join("Chart.yaml"), &unit.boundary) else {
            return false;
        };
        let place = Place { chart: &chart, root: &root };
        let is_installed = |one: &Told| one.lines.iter().any(|line| place.installs(line, one));
        all.iter().any(is_installed) && !all.iter().any(|one| place.is_kept_up(one))
    }

    /// Whether a script or pipeline of the repository deploys, and nothing there knows of Argo CD but annotations.
    pub(crate) fn is_without_argocd(&self, unit: &Unit) -> bool {
        let file = unit.files.first().map_or(&unit.root, |file| &file.path);
        let Some((_, all)) = self.of(&absolute(file), &unit.boundary) else { return false };
        all.iter().any(|one| one.deploys && !one.is_guide)
            && !all.iter().any(|one| one.is_of_argocd)
    }

    /// What the texts of the repository around a path tell, and its root; `None` if the path is in no repository, or in one
    /// that is too large to be read for this.
    fn of(&self, path: &Path, boundary: &Boundary) -> Option<(PathBuf, Arc<[Told]>)> {
        if !path.exists() {
            return None;
        }
        let root = discover::repository_of(path)?.to_owned();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || read(&root, boundary).map(Arc::from);
        let all = known.entry(root.clone()).or_insert_with(read).clone()?;
        Some((root, all))
    }
}

/// What a text tells of deployments.
#[derive(Debug)]
struct Told {
    /// The text is in this folder.
    folder: PathBuf,
    is_guide: bool,
    /// Whether a command in it deploys something.
    deploys: bool,
    is_of_argocd: bool,
    /// Whether it publishes charts, or is for a deployer that keeps releases up to date.
    is_kept_up: bool,
    /// The lines with a command of Helm for a release.
    lines: Vec<String>,
}

/// The largest file that is read.
const MOST_BYTES: u64 = 256 << 10;

/// The most files that are looked at.
const MOST_FILES: usize = 30_000;

fn read(root: &Path, boundary: &Boundary) -> Option<Vec<Told>> {
    let paths: Vec<_> = discover::all_files(root).take(MOST_FILES + 1).collect();
    if paths.len() > MOST_FILES {
        return None;
    }
    // One by one: whoever waits for this may be the thread that a part of it would run on.
    let told = paths.into_iter().filter_map(|path| {
        let is_small = fs::metadata(&path).is_ok_and(|found| found.len() <= MOST_BYTES);
        let text = is_small.then(|| boundary.read_to_string(&path).ok()).flatten()?;
        let told = told(&path, &text)?;
        // Tests may speak of what deploys something else.
        let is_of_tests = is_of_tests(path.strip_prefix(root).unwrap_or(&path));
        Some(Told { is_of_argocd: told.is_of_argocd && !is_of_tests, ..told })
    });
    Some(told.collect())
}

/// How texts call Argo CD, in lower case.
const ARGOCD: [&str; 4] = ["argocd", "argo-cd", "argo cd", "argoproj"];

/// What an annotation of an object for Argo CD begins with.
const ANNOTATION: &str = "argocd.argoproj.io/";

/// Folders of tests.
const TESTS: [&str; 4] = ["e2e", "test", "testdata", "tests"];

/// Whether a path below the root of its repository is in such a folder.
fn is_of_tests(path: &Path) -> bool {
    let mut folders = path.components().rev().skip(1);
    folders.any(|folder| TESTS.iter().any(|name| folder.as_os_str() == *name))
}

/// The kind of a definition of custom resources.
const DEFINITION: &str = "kind: CustomResourceDefinition";

/// Whether a text knows of Argo CD by more than an annotation for it, or the comment that explains one.
fn is_of_argocd(text: &str) -> bool {
    if !["argo", "Argo", "ARGO"].iter().any(|word| text.contains(word)) {
        return false;
    }
    // What a definition says of its fields is said of each cluster that has it.
    if text.contains(DEFINITION) {
        return false;
    }
    let is_annotated = text.contains(ANNOTATION);
    text.lines().filter(|line| !(is_annotated && line.trim_start().starts_with('#'))).any(|line| {
        let line = line.to_ascii_lowercase().replace(ANNOTATION, "");
        ARGOCD.iter().any(|name| line.contains(name))
    })
}

/// Words of what keeps releases up to date by itself, or offers the chart to people elsewhere.
const UPDATERS: [&str; 7] = [
    "HelmRelease",
    "artifacthub.io",
    "helm-push",
    "helm_release",
    "helmfile",
    "kind: Application",
    "kubernetes.core.helm",
];

fn told(path: &Path, text: &str) -> Option<Told> {
    let name = path.file_name()?.to_str()?;
    let is_index = name == "index.yaml" && text.contains("\nentries:");
    let is_of_helm = is_index || text.contains("helm") || text.contains("HELM");
    let is_named = || UPDATERS.iter().any(|word| text.contains(word));
    let is_kept_up =
        is_of_helm && (is_index || is_definition(name) || publishes(text) || is_named());
    let joined = unfolded(text);
    let own = lines(&joined).filter(|line| is_of_helm && verb(line).is_some());
    let told = Told {
        folder: path.parent()?.to_owned(),
        is_guide: is_guide(name),
        deploys: are_in(&joined),
        is_of_argocd: is_of_argocd(text),
        is_kept_up,
        lines: own.map(str::to_owned).collect(),
    };
    let tells = told.deploys || told.is_of_argocd || is_kept_up || !told.lines.is_empty();
    tells.then_some(told)
}

/// What surrounds a word of a script.
const ENDS: [char; 12] = ['"', '\'', '`', '$', '(', ')', '{', '}', '@', ';', ',', '['];

/// What a line does with a release: `install` or `upgrade`.
fn verb(line: &str) -> Option<&str> {
    let words = line.split_whitespace().map(|word| word.trim_matches(ENDS));
    let is_helm =
        |word: &&str| word.rsplit('/').next().unwrap_or(word).eq_ignore_ascii_case("helm");
    let verbs = words.skip_while(|word| !is_helm(word)).skip(1);
    let mut verbs = verbs.filter(|word| ["install", "upgrade"].contains(word));
    let first = verbs.next()?;
    Some(verbs.find(|word| *word == "upgrade").unwrap_or(first))
}

/// A chart in its repository.
struct Place<'a> {
    chart: &'a Path,
    root: &'a Path,
}

/// Which chart a word of a command names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Own,
    Published,
    Other,
}

impl Place<'_> {
    fn installs(&self, line: &str, told: &Told) -> bool {
        let named: Vec<_> = self.named(line, told).collect();
        // A guide shows the first installation alone, unless it counts them.
        (!told.is_guide || line.split_whitespace().any(is_numbered))
            && verb(line) == Some("install")
            && named.contains(&Named::Own)
            && named.iter().all(|one| *one == Named::Own)
    }

    /// Whether a text upgrades releases of the chart, or may do so.
    fn is_kept_up(&self, told: &Told) -> bool {
        let is_of_other = |line: &String| self.named(line, told).any(|one| one == Named::Other);
        let is_kept = |line: &String| match verb(line) {
            Some("upgrade") => {
                self.named(line, told).any(|one| one != Named::Other) || !is_of_other(line)
            }
            _ => self.named(line, told).any(|one| one == Named::Published),
        };
        told.is_kept_up
            || !(told.is_guide && self.is_of_other_chart(&told.folder))
                && told.lines.iter().any(is_kept)
    }

    /// Whether a folder is that of a chart which is neither this one nor one around it.
    fn is_of_other_chart(&self, folder: &Path) -> bool {
        let mut above = folder.ancestors().take_while(|above| *above != self.root);
        let nearest = above.find(|above| above.join("Chart.yaml").is_file());
        nearest.is_some_and(|other| !self.chart.starts_with(other))
    }

    /// The charts that the words of a line may name.
    fn named<'b>(&'b self, line: &'b str, told: &'b Told) -> impl Iterator<Item = Named> + 'b {
        let words = line.split_whitespace().filter(|word| !word.starts_with('-'));
        words.filter_map(|word| self.named_by(word.trim_matches(ENDS_OF_PATH), &told.folder))
    }

    fn named_by(&self, word: &str, folder: &Path) -> Option<Named> {
        let path = [folder, self.root].map(|base| normal(&base.join(word)));
        if path.iter().any(|path| path == self.chart) {
            return Some(Named::Own);
        }
        if word.contains('/') && path.iter().any(|path| path.join("Chart.yaml").is_file()) {
            return Some(Named::Other);
        }
        let mut parts = word.trim_end_matches('/').rsplit('/');
        let (last, before) = (parts.next()?, parts.next());
        let is_open = |part: &str| part.contains(['$', '{', '<']);
        let is_own = Some(last) == name(Some(self.chart));
        match before {
            Some(before) if is_open(last) => {
                (Some(before) == name(self.chart.parent())).then_some(Named::Own)
            }
            Some(before) if is_own && (is_open(before) || before.starts_with('.')) => {
                Some(Named::Own)
            }
            Some(_) if is_own => Some(Named::Published),
            Some(before) if !is_open(before) && !before.starts_with('.') => {
                // `stable/kong`, `oci://ghcr.io/shop/charts/db`
                let is_reference = word.contains("://") || word.matches('/').count() == 1;
                (is_reference && !path.iter().any(|path| path.exists())).then_some(Named::Other)
            }
            _ => None,
        }
    }
}

/// Whether a word is a name with the number of a run: `migrate1`, `shop-2`.
fn is_numbered(word: &str) -> bool {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    name.len() < word.len()
        && name.len() > 1
        && name.bytes().all(is_letter)
        && !name.starts_with('-')
}

/// The name of a folder.
fn name(folder: Option<&Path>) -> Option<&str> {
    folder?.file_name()?.to_str()
}

/// What surrounds a path in a script; a variable is a part of it.
const ENDS_OF_PATH: [char; 6] = ['"', '\'', '`', ';', ',', ')'];
