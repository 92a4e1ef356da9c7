//! What the last run of an editor knew before it checked its units. While somebody types in a manifest or a template, the
//! next run would find the same in the repository.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use super::{Prepared, kept::DiskState};
use crate::{
    discover::{self, Request, absolute, normal},
    gitops,
    load::FileCache,
    settings::{self, Settings},
    unit::Unit,
};

/// The most folders and settings files whose last runs are remembered.
const MOST: usize = 8;

/// The last runs, newest first.
#[derive(Default)]
pub(super) struct LastRuns(Vec<LastRun>);

struct LastRun {
    asked: Asked,
    known: Known,
}

/// What a run knew before it checked its units.
pub(super) struct Known {
    pub(super) prepared: Prepared,
    /// The files that it was read from; `None` if they can change without a trace.
    pub(super) disk: Option<DiskState>,
}

/// What a run is asked for.
pub(super) struct Asked {
    base: PathBuf,
    around: Option<PathBuf>,
    paths: Vec<PathBuf>,
    /// The settings files with their texts.
    settings: Vec<(String, String)>,
    texts: BTreeMap<PathBuf, TextState>,
}

/// What matters of a text that replaces a file.
#[derive(PartialEq)]
struct TextState {
    hash: u64,
    /// Whether it can tell what is deployed, by whom or by which rules.
    decides: bool,
}

impl LastRuns {
    /// What the last run for the same files knew, with the texts of this one. `None` if nothing is known, or if a text that
    /// has changed since can lead to other units.
    pub(super) fn take(&mut self, asked: &Asked, request: &Request) -> Option<Known> {
        let at = self.0.iter().position(|last| last.asked.is_about_same(asked))?;
        let LastRun { asked: before, mut known } = self.0.remove(at);
        if !before.leads_to_same(asked) {
            return None;
        }
        let texts = request.texts.iter().map(|(path, text)| (normal(path), text)).collect();
        let units = known.prepared.units.iter_mut();
        units.for_each(|(_, unit)| replace_texts(unit, &texts));
        Some(known)
    }

    /// Remembers what a run knew.
    pub(super) fn keep(&mut self, asked: Asked, mut known: Known) {
        self.0.retain(|last| !last.asked.is_about_same(&asked));
        self.0.truncate(MOST - 1);
        // The files are read again where a unit needs them.
        known.prepared.seen = FileCache::default();
        self.0.insert(0, LastRun { asked, known });
    }
}

impl Asked {
    pub(super) fn of(request: &Request, settings: &Settings) -> Self {
        let sources = settings.sources.iter();
        let state = |(path, text): (&PathBuf, &Vec<u8>)| {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            (path.clone(), TextState { hash: hasher.finish(), decides: decides(path, text) })
        };
        Self {
            base: absolute(&request.base),
            around: request.around.clone(),
            paths: request.paths.clone(),
            settings: sources.map(|own| (own.path.clone(), own.text.to_string())).collect(),
            texts: request.texts.iter().map(state).collect(),
        }
    }

    /// Whether both are about the same files, whatever their texts.
    fn is_about_same(&self, other: &Self) -> bool {
        self.base == other.base
            && self.around == other.around
            && self.paths == other.paths
            && self.settings == other.settings
    }

    /// Whether no text that decides differs.
    fn leads_to_same(&self, other: &Self) -> bool {
        let is_like = |(path, state): (&PathBuf, &TextState)| {
            let before = self.texts.get(path);
            before.is_some_and(|one| one == state || !one.decides && !state.decides)
        };
        self.texts.len() == other.texts.len() && other.texts.iter().all(is_like)
    }
}

/// Whether a file can tell what is deployed, by whom or by which rules.
fn decides(path: &Path, text: &[u8]) -> bool {
    let is_named = |name: &str| path.file_name().is_some_and(|own| own == name);
    discover::is_overlay_file(path)
        || gitops::may_decide(path, text)
        || discover::dependencies::is_list(path)
        || is_named(settings::file::NAME)
}

fn replace_texts(unit: &mut Unit, texts: &BTreeMap<PathBuf, &Vec<u8>>) {
    for file in unit.files.iter_mut().filter(|file| file.text.is_some()) {
        if let Some(text) = texts.get(&normal(&file.path)) {
            file.text = Some((*text).clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request for a chart with an open template.
    fn request(folder: &Path, template: &str) -> Request {
        let texts = BTreeMap::from([(PathBuf::from("templates/job.yaml"), template.into())]);
        let (base, paths) = (folder.to_owned(), vec![PathBuf::from(".")]);
        Request { base, paths, texts, ..Request::default() }
    }

    fn chart() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("templates")).unwrap();
        std::fs::write(folder.path().join("Chart.yaml"), "name: shop\nversion: 1.0.0\n").unwrap();
        std::fs::write(folder.path().join("templates/job.yaml"), "").unwrap();
        folder
    }

    fn known(request: &Request) -> Known {
        Known { prepared: Prepared::of(request, &Settings::default()), disk: None }
    }

    fn texts(prepared: &Prepared) -> Vec<String> {
        let files = prepared.units.iter().flat_map(|(_, unit)| &unit.files);
        let texts = files.filter_map(|file| file.text.as_deref());
        texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }

    #[test]
    fn the_next_run_for_the_same_files_has_its_own_texts() {
        let (folder, settings) = (chart(), Settings::default());
        let mut last = LastRuns::default();
        let first = request(folder.path(), "kind: Job");
        let asked = Asked::of(&first, &settings);
        assert!(last.take(&asked, &first).is_none(), "the first run");
        last.keep(asked, known(&first));
        let next = request(folder.path(), "kind: CronJob");
        let known = last.take(&Asked::of(&next, &settings), &next).unwrap();
        assert_eq!(texts(&known.prepared), ["kind: CronJob"]);
    }

    #[test]
    fn what_decides_who_deploys_is_looked_up_again() {
        let (folder, settings) = (chart(), Settings::default());
        let taken = |first: &Request, next: &Request| {
            let mut last = LastRuns::default();
            last.keep(Asked::of(first, &settings), known(first));
            last.take(&Asked::of(next, &settings), next).is_some()
        };
        let job = request(folder.path(), "kind: Job");
        let app = request(folder.path(), "apiVersion: argoproj.io/v1alpha1\nkind: Application");
        assert!(!taken(&job, &app), "it has become an Application");
        assert!(!taken(&app, &job), "it was one");
        assert!(taken(&app, &app), "it is the same");
        let mut other = request(folder.path(), "kind: Job");
        other.texts.insert("templates/hook.yaml".into(), b"kind: Job".to_vec());
        assert!(!taken(&job, &other), "another file is open");
        other = Request { paths: vec!["templates".into()], ..job.clone() };
        assert!(!taken(&job, &other), "something else is asked for");
    }
}
