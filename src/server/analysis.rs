//! Checks what the open files belong to: their charts, kustomizations and manifests.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    documents::Documents,
    memory::Memory,
    scene::Scene,
    snapshot::{Snapshot, Task},
    worker::{Freshness, guarded},
};
use crate::{
    check,
    discover::{Request, normal, relative, targets_of},
    redact::{Redactor, SecretValues},
    results::Report,
    settings::{self, Settings},
    unit::{Loaded, Unit, UnitKind},
};

/// Checks every open file with the settings that are nearest to it. Paths are relative to the folder of the
/// workspace, as those of a run of the command there.
///
/// `show` gets what is found before charts and kustomizations are checked completely.
pub(super) fn run(
    task: &Task,
    fresh: &Freshness,
    memory: &Memory,
    show: &dyn Fn(Snapshot),
) -> Snapshot {
    let (generation, documents) = (task.generation, task.documents.clone());
    let mut found = Snapshot { generation, documents, ..Snapshot::default() };
    for (folder, files) in by_folder(task) {
        // Only this thread uses paths that are relative to the working directory.
        if let Err(error) = std::env::set_current_dir(&folder) {
            found.log.push(format!("{}: {error}", folder.display()));
            continue;
        }
        let texts = texts(&task.documents, &folder);
        for (settings, paths) in by_settings(&files, &texts, &folder) {
            if !fresh.is_newest() {
                return found;
            }
            let (folder, texts) = (&folder, texts.clone());
            let progress = task.progress.clone();
            let around = Some(PathBuf::from("."));
            let request = Request { paths, texts, progress, around, ..Request::default() };
            let draft = |report| {
                let mut draft = found.draft();
                draft.add(folder, report, task.encoding);
                show(draft);
            };
            let run = FolderRun { folder, documents: &task.documents, memory };
            let checked = guarded(|| run.check_with(settings.as_deref(), request, &draft));
            match checked {
                Ok(Ok((report, scenes))) => {
                    found.add(folder, report, task.encoding);
                    found.scenes.extend(scenes);
                }
                Ok(Err(error)) => {
                    let mut redactor = Redactor::default();
                    for problem in &error.problems {
                        let problem = problem.redacted(&mut redactor);
                        found.add_problem(folder, &problem, task.encoding);
                    }
                }
                Err(panic) => found.log.push(panic),
            }
        }
    }
    if fresh.is_newest() {
        memory.retain(&found.scenes);
    }
    found
}

/// A run in a folder of the workspace.
struct FolderRun<'a> {
    folder: &'a Path,
    documents: &'a Documents,
    memory: &'a Memory,
}

impl FolderRun<'_> {
    fn check_with(
        &self,
        path: Option<&Path>,
        mut request: Request,
        draft: check::Show<'_>,
    ) -> Result<(Report, Vec<Arc<Scene>>), settings::Error> {
        let settings = path.map(Settings::read).transpose()?.unwrap_or_default();
        request.excludes.clone_from(&settings.excludes);
        request.secrets = SecretValues::of_environment();
        let scenes = Mutex::new(Vec::new());
        let add = |scene: Arc<Scene>| {
            self.memory.remember(&scene);
            scenes.lock().unwrap_or_else(PoisonError::into_inner).push(scene);
        };
        let see = |unit: &Unit, all: &[Loaded]| {
            let scene = Scene::new(self.folder, unit, all, &settings);
            add(self.trimmed(scene.into(), unit.kind));
        };
        let known = |unit: &Unit| self.memory.scene(&normal(&self.folder.join(&unit.root)));
        let wants = |unit: &Unit| {
            let is_enough = |scene: Arc<Scene>| scene.has_views() || !self.is_near(&scene.root);
            !known(unit).is_some_and(is_enough)
        };
        let reused = |unit: &Unit| {
            let known = known(unit).into_iter();
            known.for_each(|scene| add(self.trimmed(scene, unit.kind)));
        };
        let reuse = check::Reuse::new(&self.memory.kept, &wants, &reused);
        let [mask, draft_mask] = &self.memory.masks;
        let draft = |report: Report| draft(report.with_mask(draft_mask));
        let report = check::edited(&request, &settings, &see, &reuse, &draft).with_mask(mask);
        let mut scenes = scenes.into_inner().unwrap_or_else(PoisonError::into_inner);
        scenes.sort_by(|a, b| a.title.cmp(&b.title));
        Ok((report, scenes))
    }

    /// The scene without its views, unless somebody has looked at its files not long ago.
    fn trimmed(&self, scene: Arc<Scene>, kind: UnitKind) -> Arc<Scene> {
        let stays = kind != UnitKind::Chart || !scene.has_views() || self.is_near(&scene.root);
        if stays { scene } else { scene.without_views().into() }
    }

    /// Whether somebody has looked at a file below a folder not long ago.
    fn is_near(&self, root: &Path) -> bool {
        self.documents.recent.iter().any(|path| path.starts_with(root))
    }
}

/// The open files by the innermost folder of the workspace around them; the repository, or else their own folder, for
/// files outside of the workspace.
fn by_folder(task: &Task) -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in task.documents.open.keys() {
        let around = task.folders.iter().filter(|folder| path.starts_with(folder));
        let around = around.max_by_key(|folder| folder.as_os_str().len()).map(PathBuf::as_path);
        let repository = || path.ancestors().skip(1).find(|folder| folder.join(".git").exists());
        if let Some(folder) = around.or_else(repository).or(path.parent()) {
            folders.entry(folder.to_owned()).or_default().push(path.clone());
        }
    }
    folders
}

fn texts(documents: &Documents, folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let open = documents.open.iter();
    open.map(|(path, document)| (relative(path, folder), document.text.as_bytes().to_vec()))
        .collect()
}

/// What to check with each settings file.
fn by_settings(
    files: &[PathBuf],
    texts: &BTreeMap<PathBuf, Vec<u8>>,
    folder: &Path,
) -> BTreeMap<Option<PathBuf>, Vec<PathBuf>> {
    let request = Request { texts: texts.clone(), ..Request::default() };
    let mut groups: BTreeMap<Option<PathBuf>, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let path = relative(file, folder);
        if path.file_name().is_some_and(|name| name == settings::file::NAME) {
            // Reading it says what is wrong with it.
            groups.entry(Some(path)).or_default();
            continue;
        }
        let text = texts.get(&path).map(|text| String::from_utf8_lossy(text)).unwrap_or_default();
        for target in targets_of(&path, &text, &request) {
            let group = groups.entry(settings::find(std::slice::from_ref(&target))).or_default();
            if !group.contains(&target) {
                group.push(target);
            }
        }
    }
    groups
}
