//! Checks what the open files belong to: their charts, kustomizations and manifests.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    documents::Documents,
    scene::Scene,
    snapshot::{Snapshot, Task},
    worker::{Freshness, guarded},
};
use crate::{
    check,
    discover::{Request, relative, target_of},
    redact::{Redactor, SecretValues},
    results::Report,
    settings::{self, Settings},
    unit::{Loaded, Unit},
};

/// Checks every open file with the settings that are nearest to it. Paths are relative to the folder of the
/// workspace, as those of a run of the command there.
///
/// `show` gets what is found before charts and kustomizations are checked completely.
pub(super) fn run(task: &Task, fresh: &Freshness, show: &dyn Fn(Snapshot)) -> Snapshot {
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
            let request = Request { paths, texts, progress, ..Request::default() };
            let draft = |report| {
                let mut draft = found.draft();
                draft.add(folder, report, task.encoding);
                show(draft);
            };
            let checked = guarded(|| check_with(settings.as_deref(), request, folder, &draft));
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
    found
}

fn check_with(
    path: Option<&Path>,
    mut request: Request,
    folder: &Path,
    draft: check::Show<'_>,
) -> Result<(Report, Vec<Scene>), settings::Error> {
    let settings = path.map(Settings::read).transpose()?.unwrap_or_default();
    request.excludes.clone_from(&settings.excludes);
    request.secrets = SecretValues::of_environment();
    let scenes = Mutex::new(Vec::new());
    let see = |unit: &Unit, all: &[Loaded]| {
        let scene = Scene::new(folder, unit, all, &settings);
        scenes.lock().unwrap_or_else(PoisonError::into_inner).push(scene);
    };
    let report = check::edited(&request, &settings, &see, draft);
    let mut scenes = scenes.into_inner().unwrap_or_else(PoisonError::into_inner);
    scenes.sort_by(|a, b| a.title.cmp(&b.title));
    Ok((report, scenes))
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
        let Some(target) = target_of(&path, &text, &request) else { continue };
        let group = groups.entry(settings::find(std::slice::from_ref(&target))).or_default();
        if !group.contains(&target) {
            group.push(target);
        }
    }
    groups
}
