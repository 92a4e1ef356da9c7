//! Kustomizations that take in files outside of their folder: `kubectl apply -k` and Argo CD refuse to build them, and so does
//! `kustomize build` without a flag.

use std::path::Path;

use file_boundary::Boundary;
use job_lifecycle::workload::is_work;
use kustomize_build::{Error, LoadRestrictor, Options, Workspace};
use memchr::memmem;

use super::{Repository, failed::problem};
use crate::{
    discover::all_files,
    unit::{Failure, KustomizeRoot, Loaded, Problem},
};

/// What a repository says that builds kustomizations without the restriction: the flag of kustomize, its value, the field of
/// the Terraform provider, and the objects of kustomize-controller, which restricts no paths.
const LIFTING: [&str; 4] =
    ["LoadRestrictionsNone", "load-restrictor", "load_restrictor", "kustomize.toolkit.fluxcd.io"];

/// The most files that are searched for those.
const MOST: usize = 20_000;

/// The problem of a kustomization that nothing is known to deploy, and that builds without the restriction only.
pub(super) fn refused(
    loaded: &Loaded,
    (repository, workspace): (&Repository, &Workspace<'_>),
    root: &KustomizeRoot,
    options: &Options,
) -> Option<Problem> {
    let sources = || loaded.sources.iter().any(|source| names_file_above(&source.text));
    if !root.deployments.is_empty() || !loaded.objects.iter().any(is_work) || !sources() {
        return None;
    }
    let options = Options { load_restrictor: LoadRestrictor::RootOnly, ..options.clone() };
    let error = workspace.build(&root.folder, Path::new(&root.shown), &options).err()?;
    let file = repository.without_root(outside(&error)?, root);
    if repository.boundary().is_none_or(|boundary| lifts(&root.folder, boundary)) {
        return None;
    }
    let problem = problem(&error, repository, root);
    let folder = Path::new(&problem.source.path).parent().and_then(Path::file_name);
    let name = folder.map(|name| format!("kustomization `{}`", name.to_string_lossy()));
    let name = name.unwrap_or_else(|| "this kustomization".to_owned());
    Some(Problem {
        failure: Failure::Refused,
        headline: Some(format!("{name} does not build: `{file}` is outside of its folder")),
        reason: "`kubectl apply -k` takes in no file from outside of this folder".to_owned(),
        help: Some(HELP.to_owned()),
        ..problem
    })
}

const HELP: &str = "Move the file into the folder, make a kustomization of its own folder and take that in, or apply \
                    what `kustomize build --load-restrictor LoadRestrictionsNone` prints";

/// The file that the restriction concerns.
fn outside(error: &Error) -> Option<&str> {
    let (_, rest) = error.message.rsplit_once("security; file '")?;
    rest.split_once("' is not in or below '").map(|(file, _)| file)
}

/// Whether a text names a file in a folder above.
fn names_file_above(text: &str) -> bool {
    memmem::find_iter(text.as_bytes(), "../").any(|at| {
        let rest = text[at..].split([' ', ',', ']', '}', '"', '\'', '\n', '\r']).next();
        let last = rest.and_then(|path| path.rsplit('/').next());
        last.is_some_and(|name| name.trim_matches('.').contains('.'))
    })
}

/// Whether a file of the repository around a folder lifts the restriction somewhere.
fn lifts(folder: &Path, boundary: &Boundary) -> bool {
    all_files(around(folder, boundary)).take(MOST).any(|path| {
        let bytes = boundary.read(&path).unwrap_or_default();
        LIFTING.iter().any(|word| memmem::find(&bytes, word.as_bytes()).is_some())
    })
}

/// The repository around a folder, as far as its files may be read.
fn around<'f>(folder: &'f Path, boundary: &Boundary) -> &'f Path {
    let is_known = |folder: &&Path| boundary.spells(folder) && folder.parent().is_some();
    let above = folder.ancestors().take_while(is_known);
    let root = above.clone().find(|folder| folder.join(".git").exists());
    root.or_else(|| above.last()).unwrap_or(folder)
}
