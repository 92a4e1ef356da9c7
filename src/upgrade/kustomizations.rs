//! The kustomizations of a version, built with what GitOps objects add to them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use file_boundary::Boundary;
use kustomize_build::{Disk, Memory};

use super::{error::LoadError, version::VersionSource};
use crate::{
    discover::{self, is_overlay_file, normal, overlay, shown},
    gitops::{self, Tree, revision},
    kustomize::{self, Closure, Graph, Repository},
    unit::{Deployment, DeploymentSource, File, KustomizeRoot, Loaded},
};

/// The kustomizations of a version, each with a name that is the same in the other version.
pub(super) struct Kustomizations {
    pub(super) built: Vec<(String, Loaded)>,
}

/// The place of a version among all files of its repository.
struct Place {
    repository: Repository,
    /// The folder of the version, absolute.
    root: PathBuf,
    /// The folder as printed.
    shown: String,
    /// The GitOps objects that set something in kustomizations, by the folder of these.
    deployed: BTreeMap<PathBuf, Vec<Arc<Deployment>>>,
}

/// A file of a version with its absolute path.
type Named<'f> = (PathBuf, &'f File);

impl Kustomizations {
    /// Builds the kustomizations among the files of a version that none of the others uses, and those that a GitOps
    /// object deploys. What they read is taken out of `files`, which are given with their paths below the folder of
    /// the version.
    ///
    /// # Errors
    /// The files of the revision cannot be read.
    pub(super) fn take(
        source: &VersionSource,
        files: &mut Vec<(String, File)>,
    ) -> Result<Self, LoadError> {
        let place = Place::of(source, files)?;
        let absolute = |below: &str| normal(&place.root.join(below));
        let named: Vec<_> = files.iter().map(|(below, file)| (absolute(below), file)).collect();
        let roots = place.roots(&named);
        let reached: BTreeSet<_> =
            roots.iter().flat_map(|(_, root)| root.files.iter().cloned()).collect();
        let (names, roots): (Vec<_>, Vec<_>) = roots.into_iter().unzip();
        let repository = place.repository.with(kustomize::generated(&roots).collect());
        let mut views = kustomize::load_from(&repository, &roots, false);
        for (view, root) in views.iter_mut().zip(&roots) {
            for deployment in &root.deployments {
                let object = &deployment.object;
                view.secrets.add_node(&object.root, &object.source.text);
                object.name().into_iter().for_each(|name| view.secrets.add_public(name));
            }
        }
        files.retain(|(below, _)| !reached.contains(&absolute(below)));
        Ok(Self { built: names.into_iter().zip(views).collect() })
    }
}

fn shown_below(path: &Path) -> String {
    if path.as_os_str().is_empty() { ".".to_owned() } else { shown(path) }
}

fn text_of((path, file): &Named<'_>) -> Option<String> {
    let bytes = match &file.text {
        Some(text) => text.clone(),
        None => Boundary::around([path.as_path()]).read(path).ok()?,
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

impl Place {
    fn of(source: &VersionSource, files: &[(String, File)]) -> Result<Self, LoadError> {
        match source {
            VersionSource::Path(path) => {
                let all = deployments(path).1;
                Ok(Self {
                    repository: Repository::on_disk(Disk::around(path)),
                    root: discover::absolute(path),
                    shown: shown(path),
                    deployed: by_folder(all.into_iter()),
                })
            }
            VersionSource::Revision(revision) => {
                let (tree, all) = deployments(&revision.top().join(revision.path()));
                let root = Path::new("/").join(revision.path());
                let shown = revision.shown("");
                let is_overlay = |(path, _): &(String, File)| is_overlay_file(Path::new(path));
                if all.is_empty() && !files.iter().any(is_overlay) {
                    let repository = Repository::in_memory(Memory::default(), String::new());
                    return Ok(Self { repository, root, shown, deployed: BTreeMap::new() });
                }
                let blobs = revision.whole().files(&|_| true)?;
                let objects = match all.is_empty() {
                    true => Vec::new(),
                    false => revision::objects(blobs.iter().map(|blob| {
                        (format!("{}:{}", revision.name(), blob.path), blob.data.as_slice())
                    })),
                };
                let then = |(folder, deployment): (PathBuf, Arc<Deployment>)| {
                    let below = folder.strip_prefix(&tree.root).ok()?;
                    let deployment = revision::as_among(&deployment, &objects);
                    Some((Path::new("/").join(below), Arc::new(deployment)))
                };
                let deployed = by_folder(all.into_iter().filter_map(then));
                let files: Memory = blobs.into_iter().map(|blob| (blob.path, blob.data)).collect();
                let repository = Repository::in_memory(files, format!("{}:", revision.name()));
                Ok(Self { repository, root, shown, deployed })
            }
        }
    }

    /// What is built, by name.
    fn roots(&self, named: &[Named<'_>]) -> Vec<(String, KustomizeRoot)> {
        let graph = Graph::of(named.iter().map(|(path, _)| path.as_path()), |path| {
            text_of(named.iter().find(|(own, _)| own == path)?)
        });
        let unused =
            graph.roots().into_iter().filter(|folder| !self.deployed.contains_key(*folder));
        let mut roots: Vec<_> = unused
            .map(|folder| self.root(folder, Vec::new(), (graph.closure(folder), None)))
            .collect();
        let here = self.deployed.iter().filter(|(folder, _)| folder.starts_with(&self.root));
        for (folder, deployments) in here {
            let read = match graph.has(folder) {
                true => (graph.closure(folder), None),
                false => match generated(folder, named, &graph) {
                    Some(read) => read,
                    None => continue,
                },
            };
            for (index, deployment) in deployments.iter().enumerate() {
                let (mut name, root) = self.root(folder, vec![deployment.clone()], read.clone());
                if index > 0 {
                    name += &format!(" of {}", deployment.title);
                }
                roots.push((name, root));
            }
        }
        roots
    }

    fn root(
        &self,
        folder: &Path,
        deployments: Vec<Arc<Deployment>>,
        (closure, generated): (Closure, Option<String>),
    ) -> (String, KustomizeRoot) {
        let below = folder.strip_prefix(&self.root).unwrap_or(folder);
        let shown = shown(&Path::new(&self.shown).join(below));
        let shown = if shown == "." { String::new() } else { shown };
        let root =
            KustomizeRoot::new(folder.to_owned(), shown, closure.files.into_iter().collect());
        (shown_below(below), KustomizeRoot { deployments, generated, ..root })
    }
}

/// The repository around a path, and its GitOps objects that add fields or variables to a kustomization, each with
/// the folder of that.
fn deployments(path: &Path) -> (Tree, Vec<(PathBuf, Arc<Deployment>)>) {
    let request = discover::Request { paths: vec![path.to_owned()], ..Default::default() };
    let tree = Tree::around(&request);
    let all = gitops::discover(&request, &tree).into_iter();
    let all = all.filter(|one| one.kustomize.is_some() || one.variables.is_some());
    let in_folder = |one: Arc<Deployment>| match &one.source {
        DeploymentSource::Overlay { folder, .. } => Some((folder.clone(), one)),
        _ => None,
    };
    (tree, all.filter_map(in_folder).collect())
}

/// The deployments of each folder. Of those that set the same there is one.
fn by_folder(
    all: impl Iterator<Item = (PathBuf, Arc<Deployment>)>,
) -> BTreeMap<PathBuf, Vec<Arc<Deployment>>> {
    let mut deployed: BTreeMap<_, Vec<Arc<Deployment>>> = BTreeMap::new();
    for (folder, one) in all {
        let own = deployed.entry(folder).or_default();
        if !own.iter().any(|other| other.builds_alike(&one)) {
            own.push(one);
        }
    }
    deployed
}

/// What kustomize-controller generates for a folder of manifests alone.
fn generated(
    folder: &Path,
    named: &[Named<'_>],
    graph: &Graph,
) -> Option<(Closure, Option<String>)> {
    let below = named.iter().filter(|(path, _)| path.starts_with(folder));
    let mut closure = Closure::default();
    for one @ (path, _) in below {
        if path.ancestors().skip(1).any(|above| graph.has(above)) {
            return None;
        }
        if text_of(one).is_some_and(|text| overlay::may_hold_objects(&text)) {
            closure.files.insert(path.clone());
        }
    }
    let text = overlay::generated(folder, closure.files.iter().map(PathBuf::as_path));
    (!closure.files.is_empty()).then_some((closure, Some(text)))
}
