//! Building a kustomization.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::Arc,
};

use yaml_spans::{Source, Span};

use crate::{
    Origin,
    config::FieldSpec,
    error::{Error, Reason, Result},
    files::{Disk, Files},
    idle_patch::IdlePatch,
    loader::Loader,
    node::{Data, Entry, Kind, Node},
    options::{Need, Options},
    order,
    overrides::Overrides,
    print::{Printed, SEPARATOR},
    resource::{ORIGIN, Resource, TRANSFORMATIONS},
    resources::Resources,
    substitute::Variables,
    target::Target,
    transform::{Annotations, Place, Transform},
    workspace::{Progress, Workspace},
};

/// A built kustomization.
#[derive(Clone, Debug)]
pub struct Built {
    text: String,
    values: Vec<Value>,
    warnings: Vec<String>,
    documents: Vec<Span>,
    unprinted: Unprinted,
    hashed: Vec<Hashed>,
    sources: Vec<Arc<Source>>,
    skipped: Vec<Error>,
    idle_patches: Vec<IdlePatch>,
    before: Option<Arc<Built>>,
    unsubstituted: Vec<Error>,
}

/// A scalar or key of the output that a person wrote, or that follows from what a person wrote.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its bytes in the output, with quotes.
    pub span: Span,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it is a key of a map.
    pub is_key: bool,
}

/// A resource whose name ends in the hash of its content.
#[derive(Clone, Debug)]
pub struct Hashed {
    /// Index in [`Built::documents`].
    pub document: usize,
    /// The names that it had before the hash was added, the oldest first: references by these names follow it.
    pub names: Vec<String>,
}

/// Resources that are not printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unprinted {
    /// How many there are.
    pub count: usize,
    /// A hash of their keys and scalars, which tells two builds of one process apart.
    pub hash: u64,
}

impl Built {
    /// Builds the kustomization in a folder, as `kustomize build FOLDER` does.
    ///
    /// # Errors
    /// Where kustomize fails, in its words.
    pub fn from_folder(folder: &Path, options: &Options) -> std::result::Result<Self, Error> {
        let absolute = std::path::absolute(folder).map_err(|error| {
            let message = format!("abs path error on '{}' : {error}", folder.display());
            Error::new(Reason::File, message)
        })?;
        build(&Workspace::new(&Disk::around(folder)), &absolute, folder, options)
    }

    /// Builds the kustomization in a folder of other files, such as [`crate::Memory`]. Relative paths count from `/`.
    ///
    /// # Errors
    /// As [`Built::from_folder`].
    pub fn from_files(
        files: &dyn Files,
        folder: &Path,
        options: &Options,
    ) -> std::result::Result<Self, Error> {
        build(&Workspace::new(files), &PathBuf::from("/").join(folder), folder, options)
    }

    /// What `kustomize build` prints.
    pub fn print(&self) -> &str {
        &self.text
    }

    /// The scalars and keys of the output, in order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The origin of the scalar or key at an offset of the output.
    pub fn origin_at(&self, offset: usize) -> Option<&Origin> {
        let after = self.values.partition_point(|value| value.span.start as usize <= offset);
        let value = self.values[..after].last()?;
        (offset < value.span.end as usize).then_some(&value.origin)
    }

    /// What `kustomize build` prints to standard error: deprecated fields.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The resources of the output, in order, each with its bytes.
    pub fn documents(&self) -> &[Span] {
        &self.documents
    }

    /// The resources that are not printed because nobody [needs](Options::needs) them.
    pub fn unprinted(&self) -> Unprinted {
        self.unprinted
    }

    /// The printed resources whose names end in a hash.
    pub fn hashed(&self) -> &[Hashed] {
        &self.hashed
    }

    /// The texts that were read: kustomizations, resources, patches and other configuration.
    pub fn sources(&self) -> &[Arc<Source>] {
        &self.sources
    }

    /// What a [partial](Options::is_partial) build leaves out, as the errors that would stop it otherwise.
    pub fn skipped(&self) -> &[Error] {
        &self.skipped
    }

    /// The patches that kustomize ignores.
    pub fn idle_patches(&self) -> &[IdlePatch] {
        &self.idle_patches
    }

    /// What it is before [variables](Options::variables) are substituted; `None` if nothing is.
    pub fn before_substitution(&self) -> Option<&Arc<Self>> {
        self.before.as_ref()
    }

    /// Why variables are not substituted in a resource of a [partial](Options::is_partial) build, which leaves it as it
    /// is: the errors that would stop it otherwise.
    pub fn unsubstituted(&self) -> &[Error] {
        &self.unsubstituted
    }
}

impl Workspace<'_> {
    /// Builds the kustomization in a folder, an absolute path. Paths of the sources start with `shown`.
    ///
    /// # Errors
    /// Where kustomize fails, in its words, and where the build exceeds a limit.
    pub fn build(
        &self,
        folder: &Path,
        shown: &Path,
        options: &Options,
    ) -> std::result::Result<Built, Error> {
        build(self, folder, shown, options)
    }
}

fn build(
    workspace: &Workspace<'_>,
    folder: &Path,
    shown: &Path,
    options: &Options,
) -> Result<Built> {
    let loader = Loader::new(workspace, folder, shown, options)?;
    let progress = loader.progress().clone();
    let mut target = Target::load(loader)?;
    if let Some(overrides) = &options.overrides {
        target.add(overrides)?;
    }
    let mut warnings = Vec::new();
    let mut resources = target.build(&mut warnings)?;
    let k = target.kustomization();
    order::sort(&mut resources, k.sort_options.as_ref(), options.order)?;
    let notes: Vec<&str> = k.build_metadata.iter().flatten().map(|text| &**text).collect();
    finish(&mut resources, &notes);
    if let Some(overrides) = &options.overrides {
        set_metadata(overrides, &mut resources)?;
    }
    let mut built = Built::of(&resources, &progress, options)?;
    if let Some(variables) = &options.variables {
        let mut unsubstituted = Vec::new();
        if substitute(&mut resources, variables, options.is_partial, &mut unsubstituted)? {
            let before = Arc::new(built);
            built = Built { before: Some(before), ..Built::of(&resources, &progress, options)? };
        }
        built.unsubstituted = unsubstituted;
    }
    Ok(Built { warnings, ..built })
}

/// Sets the labels and annotations of all objects as kustomize-controller does after the build (`fluxcd/pkg`
/// `ssa/utils/meta.go`). Those of pod templates stay.
fn set_metadata(overrides: &Overrides, resources: &mut Resources) -> Result<()> {
    for (field, name, annotations) in overrides.metadata()? {
        let path = format!("metadata/{name}").into();
        let specs = vec![FieldSpec { path, create: true, ..FieldSpec::default() }];
        Annotations { annotations, specs, place: Place { field, chain: None } }.apply(resources)?;
    }
    Ok(())
}

/// Substitutes variables. Whether that changed anything.
fn substitute(
    resources: &mut Resources,
    variables: &Variables,
    is_partial: bool,
    failed: &mut Vec<Error>,
) -> Result<bool> {
    let Resources { list, work } = resources;
    let mut has_changed = false;
    for resource in list {
        match variables.substitute(&resource.node, work) {
            Ok(None) => {}
            Ok(Some(node)) => {
                resource.node = node;
                has_changed = true;
            }
            Err(error) if is_partial && error.reason != Reason::Limit => failed.push(error),
            Err(error) => return Err(error),
        }
    }
    Ok(has_changed)
}

impl Built {
    fn of(resources: &Resources, progress: &Progress, options: &Options) -> Result<Self> {
        let mut printed = Printed::default();
        let (mut documents, mut hashed) = (Vec::new(), Vec::new());
        let (needed, unprinted) = needed(resources, options);
        for resource in needed {
            if resource.history.needs_hash {
                let names = resource.previous_ids().map(|id| id.name).collect();
                hashed.push(Hashed { document: documents.len(), names });
            }
            let start =
                if printed.text.is_empty() { 0 } else { printed.text.len() + SEPARATOR.len() };
            printed.add(&resource.node)?;
            documents.push(Span::new(start, printed.text.len()));
        }
        let values = printed.origins.into_iter().map(|traced| Value {
            span: Span::new(traced.range.start, traced.range.end),
            origin: traced.origin,
            is_key: traced.is_key,
        });
        Ok(Self {
            text: printed.text,
            values: values.collect(),
            warnings: Vec::new(),
            documents,
            unprinted,
            hashed,
            sources: progress.read.borrow().clone(),
            skipped: progress.skipped.borrow().clone(),
            idle_patches: progress.idle_patches.borrow().clone(),
            before: None,
            unsubstituted: Vec::new(),
        })
    }
}

/// The resources to print, and what is known of the others.
fn needed<'r>(resources: &'r Resources, options: &Options) -> (Vec<&'r Resource>, Unprinted) {
    let all = resources.list.iter();
    let Some(of_text) = options.needs else { return (all.collect(), Unprinted::default()) };
    let need_of = |resource: &Resource| match resource.history.needs_hash {
        true => need(&resource.node, of_text).max(Need::Resource),
        false => need(&resource.node, of_text),
    };
    let all: Vec<_> = all.map(|one| (one, need_of(one))).collect();
    let is_whole = all.iter().any(|(_, need)| *need == Need::All);
    let is_needed = |(_, need): &(&Resource, Need)| is_whole || *need == Need::Resource;
    let (needed, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_needed);
    let mut hasher = DefaultHasher::new();
    others.iter().for_each(|(resource, _)| hash(&resource.node, &mut hasher));
    let unprinted = Unprinted { count: others.len(), hash: hasher.finish() };
    (needed.into_iter().map(|(resource, _)| resource).collect(), unprinted)
}

fn hash(node: &Node, hasher: &mut DefaultHasher) {
    match &node.data {
        Data::Scalar(scalar) => (0, &scalar.text).hash(hasher),
        Data::Seq(items) => {
            (1, items.len()).hash(hasher);
            items.iter().for_each(|item| hash(item, hasher));
        }
        Data::Map(entries) => {
            (2, entries.len()).hash(hasher);
            for entry in entries {
                entry.key.hash(hasher);
                hash(&entry.value, hasher);
            }
        }
    }
}

/// How needed a node is because of the texts in it.
fn need(node: &Node, of_text: fn(&str) -> Need) -> Need {
    let of_entry = |entry: &Entry| of_text(&entry.key).max(need(&entry.value, of_text));
    match &node.data {
        Data::Scalar(scalar) => of_text(&scalar.text),
        Data::Seq(items) => items.iter().map(|item| need(item, of_text)).max().unwrap_or_default(),
        Data::Map(entries) => entries.iter().map(of_entry).max().unwrap_or_default(),
    }
}

/// The label of `buildMetadata: [managedByLabel]`.
const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "kustomize-v5.8.1");

fn finish(resources: &mut Resources, notes: &[&str]) {
    for resource in &mut resources.list {
        if notes.contains(&"managedByLabel") {
            let none = Origin::default();
            let metadata = resource.node.get_or_create("metadata", Kind::Map);
            let labels = metadata.get_or_create("labels", Kind::Map);
            labels.set(MANAGED_BY.0, Node::string(MANAGED_BY.1, none.clone()), &none);
        }
        for (note, key) in
            [("originAnnotations", ORIGIN), ("transformerAnnotations", TRANSFORMATIONS)]
        {
            let metadata = resource.node.get_mut("metadata");
            let annotations = metadata.and_then(|metadata| metadata.get_mut("annotations"));
            if let (false, Some(annotations)) = (notes.contains(&note), annotations) {
                annotations.remove(key);
            }
        }
        resource.remove_internal_annotations();
    }
}
