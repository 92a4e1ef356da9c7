//! Names that a repository holds: what no other place names, nothing there makes.

mod bindings;
mod environments;
mod passed_over;

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

pub(crate) use bindings::GROUPS;
use job_lifecycle::Object;
use yaml_spans::Node;

use crate::{
    discover::{self, absolute},
    scripts::{PUBLISHERS, is_of_name, words_at},
    unit::{Boundary, Unit},
};

/// What repositories were searched for.
#[derive(Debug, Default)]
pub struct Mentions {
    /// The texts of those in which names were looked for, by their root.
    texts: Mutex<HashMap<PathBuf, Arc<Texts>>>,
    /// The values of the environments of charts, by the root of the chart.
    environments: Mutex<HashMap<PathBuf, Arc<[Node]>>>,
    /// The manifests that nothing names, absolute, by the root of their repository.
    passed_over: Mutex<HashMap<PathBuf, HashSet<PathBuf>>>,
}

/// The texts of a repository.
#[derive(Debug)]
struct Texts {
    /// All of them.
    all: String,
    /// Each file with the start of its text.
    files: Vec<(PathBuf, usize)>,
    /// Whether something puts the names of ConfigMaps together, so that no text holds them.
    composes: bool,
    /// Whether no text was left out because there are too many, or it is too large.
    is_complete: bool,
    /// Whether it has the index of a repository of charts.
    has_index: bool,
}

impl Texts {
    /// The file that holds the text at an offset.
    fn file_at(&self, at: usize) -> &Path {
        let after = self.files.partition_point(|(_, start)| *start <= at);
        self.files.get(after.saturating_sub(1)).map_or(Path::new(""), |(path, _)| path)
    }
}

/// The most files and bytes of a repository that are read, and the largest file.
const MOST_FILES: usize = 30_000;
const MOST_BYTES: usize = 32 << 20;
const LARGEST: u64 = 1 << 20;

/// The names in the repository of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub(crate) mentions: &'a Mentions,
    pub(crate) unit: &'a Unit,
}

impl Names<'_> {
    /// Whether the repository makes ConfigMaps, and names this one once only, where it is needed; `false` if that cannot be told.
    pub(crate) fn lack_config_map(self, name: &str) -> bool {
        let texts = self.mentions.complete(self.unit).filter(|texts| !texts.composes);
        let makes = |text: &str| MAKES.iter().any(|one| text.contains(one));
        texts.is_some_and(|texts| makes(&texts.all) && !is_of_family(&texts.all, name))
            && self.are_alone(name)
    }

    /// Whether the repository turns a setting on somewhere: `nativeSidecar: true`, `{name: ENABLE_NATIVE_SIDECARS, value: "true"}`.
    pub(crate) fn turn_on(self, setting: &str) -> bool {
        let is_on = |rest: &str| {
            let value: String = rest.chars().take(VALUE).collect();
            value.contains("true")
        };
        // A text from elsewhere is in no repository.
        let is_here = self.unit.files.first().is_none_or(|file| file.path.exists());
        let texts = is_here.then(|| self.mentions.around(self.unit)).flatten();
        texts.is_some_and(|texts| texts.all.split(setting).skip(1).any(is_on))
    }

    /// Whether a manifest lies in the folder of a chart, which does not take it for a template: Helm never sends it.
    pub(crate) fn are_beside_chart(self, path: &str) -> bool {
        let file = self.unit.files.iter().find(|file| file.shown == path);
        let mut above =
            file.into_iter().flat_map(|file| file.path.ancestors().skip(1).take(MOST_FOLDERS));
        above.any(|folder| self.unit.boundary.read_to_string(&folder.join(CHART)).is_ok())
    }

    /// Whether a template of the chart prints an object of a kind where a condition holds which no values meet, under a name that the
    /// file printed as `path` writes in the same way.
    pub(crate) fn have_unrendered(self, kind: &str, objects: &[Object], path: &str) -> bool {
        let of_path = self.unit.boundary.read_to_string(&absolute(Path::new(path))).ok();
        let is_written = |name: &str| {
            let text = of_path.as_deref().unwrap_or_default();
            name.contains("{{") && text.contains(&format!("{name}:"))
        };
        let prints = |text: &str| {
            let is_kind =
                |line: &str| line.strip_prefix("kind:").is_some_and(|own| own.trim() == kind);
            let mut names = text.lines().filter_map(|line| line.strip_prefix("  name:"));
            text.lines().any(is_kind) && names.any(|name| is_written(name.trim()))
        };
        discover::all_files(&self.unit.root.join("templates")).any(|path| {
            let is_rendered =
                || objects.iter().any(|one| *one.source.path == *discover::shown(&path));
            let text = || self.unit.boundary.read_to_string(&path).ok();
            !is_rendered() && text().is_some_and(|text| prints(&text))
        })
    }

    /// The first file of the repository of which something holds, as far as it was read.
    pub(crate) fn file(self, is_it: impl Fn(&Path, &str) -> bool) -> Option<PathBuf> {
        let texts = self.mentions.around(self.unit)?;
        texts.each().find(|(path, text)| is_it(path, text)).map(|(path, _)| path.to_owned())
    }

    /// Whether the repository publishes its charts, or tests them in a cluster, as far as it was read; `true` outside of
    /// repositories.
    pub(crate) fn serve_others(self) -> bool {
        let Some(texts) = self.mentions.around(self.unit) else { return true };
        // `product install` is another word.
        let holds = |text: &str, words: &str| {
            text.match_indices(words).any(|(at, _)| !text[..at].ends_with(is_of_name))
        };
        let mut words = PUBLISHERS.iter().chain(&TESTERS);
        // What a chart tells its users is copied with it.
        let tells = |path: &Path| path.extension().is_some_and(|end| end == "md" || end == "txt");
        let mut scripts = texts.each().filter(|(path, _)| !tells(path));
        texts.has_index
            || words.any(|words| holds(&texts.all, words))
            || scripts.any(|(_, text)| holds(text, TESTS))
    }

    /// Whether another chart of the repository may make an object of this name in the same release: in an umbrella that is kept
    /// elsewhere, its template says `{{ .Release.Name }}-ingress` too.
    pub(crate) fn are_of_other_chart(self, ending: &str) -> bool {
        let Some(texts) = self.mentions.around(self.unit) else { return false };
        let own = absolute(&self.unit.root);
        let is_named = |at: usize| {
            let before = texts.all[..at].trim_end_matches(['"', '\'', ' ', '-', '}']);
            before.ends_with(".Release.Name") && !texts.file_at(at).starts_with(&own)
        };
        words_at(&texts.all, ending).any(is_named)
    }

    /// Whether the repository may give an object of a kind and name a key in another way than in the file that is printed as `path`:
    /// in another manifest, one of a controller (`ExternalSecret`), or a command; `true` if that cannot be told.
    pub(crate) fn may_add_key(self, (kind, name): (&str, &str), key: &str, path: &str) -> bool {
        let Some(texts) = self.mentions.complete(self.unit) else { return true };
        let own = absolute(Path::new(path));
        texts.each().any(|(file, text)| {
            let before = |at: usize| text[..at].trim_end_matches([' ', '/', '"']);
            let is_made = |at: usize| {
                let rest: String = text[at..].chars().take(COMMAND).collect();
                let names_key =
                    words_at(&rest, key).any(|at| rest[at + key.len()..].starts_with('='));
                MADE_BY.iter().any(|word| before(at).ends_with(word))
                    && (names_key || FROM_FILES.iter().any(|option| rest.contains(option)))
            };
            words_at(text, name).any(is_made)
                || file != own && text.split("\n---").any(|document| declares(document, kind, name))
        })
    }

    /// Whether the repository names something once only; `false` if that cannot be told.
    pub(crate) fn are_alone(self, name: &str) -> bool {
        self.mentions.complete(self.unit).is_some_and(|texts| mentions(&texts.all, name) == 1)
    }
}

/// Words of guides, scripts and pipelines that install a chart to test it.
const TESTERS: [&str; 3] = ["chart-testing", "ct install", "ct lint-and-install"];

/// The command that runs the tests of a release.
const TESTS: &str = "helm test";

/// How many characters a command that makes a Secret takes, and its options for files, which may hold any key.
const COMMAND: usize = 800;
const FROM_FILES: [&str; 2] = ["--from-env-file", "--from-file"];

/// Words of commands in front of the name of a Secret or ConfigMap.
const MADE_BY: [&str; 6] = [" cm", " configmap", " generic", " secret", " tls", "docker-registry"];

/// Whether a document is an object of a kind and name, or one that a controller makes it of: what names it further inside
/// may as well only need it.
fn declares(document: &str, kind: &str, name: &str) -> bool {
    let own = document.lines().find_map(|line| line.strip_prefix("kind:")).map(str::trim);
    let Some(own) = own.filter(|own| own.ends_with(kind)) else { return false };
    let is_own_name = |at: usize| {
        let line = document[..at].rsplit('\n').next().unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        indent <= OWN_INDENT && line.trim_end_matches(['"', ' ']).ends_with("name:")
    };
    own != kind && words_at(document, name).next().is_some()
        || words_at(document, name).any(is_own_name)
}

/// The largest indent of `name` below `metadata`.
const OWN_INDENT: usize = 4;

/// How many characters behind the name of a setting its value begins.
const VALUE: usize = 60;

/// The most folders above a manifest to look for a chart.
const MOST_FOLDERS: usize = 3;

/// Whether another name with the same beginning and end stands in a text once only: `tf-shop-backend`, `tf-mail-backend`. What
/// makes one of them elsewhere makes the other.
fn is_of_family(text: &str, name: &str) -> bool {
    let (Some((start, _)), Some((_, end))) = (name.split_once('-'), name.rsplit_once('-')) else {
        return false;
    };
    let word = |at: usize| {
        let before = text[..at].rfind(|one| !is_of_name(one)).map_or(0, |other| other + 1);
        let after = text[at..].find(|one| !is_of_name(one)).map_or(text.len(), |own| at + own);
        &text[before..after]
    };
    let is_like = |other: &str| {
        let middle = other.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        middle.is_some_and(|middle| {
            middle.len() > 2 && middle.starts_with('-') && middle.ends_with('-')
        })
    };
    let mut others = text.match_indices(end).map(|(at, _)| word(at));
    others.any(|other| other != name && is_like(other) && mentions(text, other) == 1)
}

/// How a repository makes ConfigMaps. One that makes none may leave them to another.
const MAKES: [&str; 3] = ["kind: ConfigMap", "configMapGenerator", "create configmap"];

/// What puts the names of objects together, so that a text does not hold them.
const COMPOSES: &str = "kubernetes_config_map";
const CHART: &str = "Chart.yaml";

impl Mentions {
    /// All texts of the repository around a unit.
    fn around(&self, unit: &Unit) -> Option<Arc<Texts>> {
        let file = absolute(unit.files.first().map_or(&unit.root, |file| &file.path));
        let root = discover::repository_of(&file)?;
        let mut known = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || Arc::new(read(root, &unit.boundary));
        Some(known.entry(root.to_owned()).or_insert_with(read).clone())
    }

    /// Whether the repository passes a plain manifest over, as it names most others or Helm does not send it; `false` if that
    /// cannot be told.
    pub(crate) fn pass_over(&self, manifest: &Path, unit: &Unit) -> bool {
        let manifest = absolute(manifest);
        let Some(root) = discover::repository_of(&manifest) else { return false };
        let Some(texts) = self.complete(unit) else { return false };
        let mut known = self.passed_over.lock().unwrap_or_else(PoisonError::into_inner);
        let all = known.entry(root.to_owned()).or_insert_with(|| {
            let named = passed_over::Named::of(&texts, root);
            let found = named.iter().flat_map(passed_over::Named::passed_over);
            found.map(|path| root.join(path)).collect()
        });
        all.contains(&manifest)
    }

    /// The same, unless some are left out.
    fn complete(&self, unit: &Unit) -> Option<Arc<Texts>> {
        self.around(unit).filter(|texts| texts.is_complete)
    }
}

/// The index of a repository of charts (<https://helm.sh/docs/topics/chart_repository/#the-index-file>).
const INDEX: &str = "index.yaml";

/// What a small one begins its list of charts with.
const ENTRIES: &str = "\nentries:";

fn read(root: &Path, boundary: &Boundary) -> Texts {
    let mut texts = Texts {
        all: String::new(),
        files: Vec::new(),
        composes: false,
        is_complete: true,
        has_index: false,
    };
    for (index, path) in discover::all_files(root).enumerate() {
        let is_small = fs::metadata(&path).is_ok_and(|found| found.len() <= LARGEST);
        // What is too large may hold any name.
        texts.is_complete &= is_small || !is_text(&path);
        if index >= MOST_FILES || texts.all.len() > MOST_BYTES {
            texts.is_complete = false;
            break;
        }
        let is_named = |name: &str| path.file_name().is_some_and(|own| own == name);
        texts.composes |= is_named(CHART);
        texts.has_index |= is_named(INDEX) && !is_small;
        if let Some(text) = is_small.then(|| boundary.read_to_string(&path).ok()).flatten() {
            texts.composes |= text.contains(COMPOSES);
            texts.has_index |= is_named(INDEX) && text.contains(ENTRIES);
            texts.files.push((path, texts.all.len()));
            texts.all.push_str(&text);
            texts.all.push('\n');
        }
    }
    texts
}

/// Whether a file may be a manifest, a script or a guide, by its name.
fn is_text(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["md", "sh", "tf", "yaml", "yml"].contains(&ending)
}

/// How often a text holds a name as a whole, up to 2.
fn mentions(text: &str, name: &str) -> usize {
    words_at(text, name).take(2).count()
}
