//! The kustomizations of a version, built with what GitOps objects add to them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use file_boundary::Boundary;
use kustomize_build::{Disk, Memory};

use super::{error::LoadError, version::VersionSource};
use crate::{
    discover::{self, is_overlay_file, normal, shown},
    gitops::{self, Plan, Planned, Tree, revision},
    kustomize::{self, Graph, Repository},
    unit::{Deployment, File, KustomizeRoot, Loaded},
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
    /// The GitOps objects that deploy kustomizations, with the folders of these.
    deployed: Vec<(PathBuf, Arc<Deployment>)>,
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
            VersionSource::Path(path) => Ok(Self {
                repository: Repository::on_disk(Disk::around(path)),
                root: discover::absolute(path),
                shown: shown(path),
                deployed: deployments(path).1,
            }),
            VersionSource::Revision(revision) => {
                let (tree, all) = deployments(&revision.top().join(revision.path()));
                let root = Path::new("/").join(revision.path());
                let shown = revision.shown("");
                let is_overlay = |(path, _): &(String, File)| is_overlay_file(Path::new(path));
                if all.is_empty() && !files.iter().any(is_overlay) {
                    let repository = Repository::in_memory(Memory::default(), String::new());
                    return Ok(Self { repository, root, shown, deployed: Vec::new() });
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
                let deployed = all.into_iter().filter_map(then).collect();
                let files: Memory = blobs.into_iter().map(|blob| (blob.path, blob.data)).collect();
                let repository = Repository::in_memory(files, format!("{}:", revision.name()));
                Ok(Self { repository, root, shown, deployed })
            }
        }
    }

    /// What is built, by name.
    fn roots(&self, named: &[Named<'_>]) -> Vec<(String, KustomizeRoot)> {
        let read = |path: &Path| text_of(named.iter().find(|(own, _)| own == path)?);
        let graph = Graph::of(named.iter().map(|(path, _)| path.as_path()), read);
        let below = |folder: &Path, _: &Deployment| {
            let paths = named.iter().map(|(path, _)| path);
            paths.filter(|path| path.starts_with(folder)).cloned().collect()
        };
        let plan = Plan { graph: &graph, read: &read, files: &below };
        let here = self.deployed.iter().filter(|(folder, _)| folder.starts_with(&self.root));
        let mut seen = BTreeSet::new();
        let planned = plan.of(&here.cloned().collect::<Vec<_>>()).into_iter();
        planned.map(|one| self.root(one, &mut seen)).collect()
    }

    /// A kustomization with its name. The second of one folder is named after its deployer too.
    fn root(&self, planned: Planned, seen: &mut BTreeSet<PathBuf>) -> (String, KustomizeRoot) {
        let Planned { folder, deployments, closure, generated } = planned;
        let below = folder.strip_prefix(&self.root).unwrap_or(&folder);
        let shown = shown(&Path::new(&self.shown).join(below));
        let shown = if shown == "." { String::new() } else { shown };
        let mut name = shown_below(below);
        if !seen.insert(folder.clone()) {
            let titles = deployments.first().map(|one| one.title.as_str());
            name += &format!(" of {}", titles.unwrap_or_default());
        }
        let files = closure.files.into_iter().collect();
        (name, KustomizeRoot { folder, shown, deployments, generated, files })
    }
}

/// The repository around a path, and its GitOps objects that deploy kustomizations, each with its folder.
fn deployments(path: &Path) -> (Tree, Vec<(PathBuf, Arc<Deployment>)>) {
    let request = discover::Request { paths: vec![path.to_owned()], ..Default::default() };
    let tree = Tree::around(&request);
    let all = gitops::discover(&request, &tree).into_iter();
    let in_folder = |one: Arc<Deployment>| Some((one.overlay()?.to_owned(), one));
    (tree, all.filter_map(in_folder).collect())
}
