//! What the open files make: the views of their units, and what happens to their Jobs on the next deploy.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::{Object, workload::is_work};
use yaml_spans::{Location, Source, Span};

use crate::{
    chart,
    discover::{normal, relative, shown},
    forecast::{self, Block, Outlook},
    redact::{Redactor, SecretValues},
    settings::Settings,
    unit::{Loaded, OverlayView, Rendering, Unit},
};

/// A unit as the newest texts make it.
#[derive(Debug)]
pub(super) struct Scene {
    /// The folder that its paths are relative to.
    folder: PathBuf,
    /// The absolute path of the unit.
    pub(super) root: PathBuf,
    /// The unit as printed.
    pub(super) title: String,
    /// `None` if nobody has looked at its files for a while.
    views: Option<Vec<View>>,
    /// What happens to its Jobs; without secrets.
    pub(super) outlook: Arc<Outlook>,
    /// Where the kind of each Job is written.
    kinds: Arc<[Location]>,
    secrets: SecretValues,
}

/// A chart under one value set, or one built kustomization.
#[derive(Debug)]
pub(super) struct View {
    /// The value set or the kustomization.
    pub(super) name: Arc<str>,
    pub(super) rendering: Option<Arc<Rendering>>,
    overlay: Option<Arc<OverlayView>>,
}

impl Scene {
    pub(super) fn new(folder: &Path, unit: &Unit, all: &[Loaded], settings: &Settings) -> Self {
        let mut secrets = SecretValues::of_environment();
        all.iter().for_each(|loaded| secrets.extend(&loaded.secrets));
        let objects = all.iter().flat_map(|loaded| &loaded.objects);
        let root = spelled(&unit.root, folder);
        let title = shown(&relative(&root, folder));
        Self {
            folder: folder.to_owned(),
            title: if title.is_empty() { ".".to_owned() } else { title },
            root,
            views: Some(all.iter().filter_map(View::new).collect()),
            outlook: forecast::of_loaded_unit(unit, all, settings).into(),
            kinds: objects.filter_map(kind_at).collect(),
            secrets,
        }
    }

    /// The same without the views, which take most of the memory.
    pub(super) fn without_views(&self) -> Self {
        Self {
            folder: self.folder.clone(),
            root: self.root.clone(),
            title: self.title.clone(),
            views: None,
            outlook: self.outlook.clone(),
            kinds: self.kinds.clone(),
            secrets: self.secrets.clone(),
        }
    }

    pub(super) fn has_views(&self) -> bool {
        self.views.is_some()
    }

    pub(super) fn views(&self) -> &[View] {
        self.views.as_deref().unwrap_or_default()
    }

    /// The absolute path of a file of the unit.
    pub(super) fn absolute(&self, path: &str) -> PathBuf {
        normal(&self.folder.join(path))
    }

    /// The path of a file as the unit names it.
    pub(super) fn printed(&self, path: &Path) -> String {
        shown(&relative(path, &self.folder))
    }

    /// The Jobs that are written in a file, each with its place: the line of its kind, or where it starts.
    pub(super) fn jobs(&self, path: &Path) -> impl Iterator<Item = (&Block, &Location)> {
        let path = self.printed(path);
        self.outlook.blocks.iter().filter_map(move |block| {
            let own = &block.location;
            let is_of = |kind: &&Location| {
                let line = kind.source.line_of(kind.span.start);
                let near = own.source.line_of(own.span.start)..own.source.line_of(own.span.end) + 4;
                kind.source.path == own.source.path && near.contains(&line)
            };
            let at = self.kinds.iter().find(is_of).unwrap_or(own);
            (at.source.path == path).then_some((block, at))
        })
    }

    /// Masks the secrets of the unit in texts that an editor shows beside the code.
    pub(super) fn redactor(&self) -> Redactor {
        Redactor::default().with_values(self.secrets.clone())
    }

    /// Whether a file is part of the unit.
    pub(super) fn holds(&self, path: &Path) -> bool {
        let printed = self.printed(path);
        let root = self.title.trim_end_matches('/');
        root == "." || printed.strip_prefix(root).is_some_and(|rest| rest.starts_with('/')) || {
            self.views().iter().any(|view| view.reads(&printed))
        }
    }
}

/// The absolute path of a unit, with the folder as the editor spells it. The root of a kustomization is absolute and
/// without links.
fn spelled(root: &Path, folder: &Path) -> PathBuf {
    let real = folder.canonicalize().unwrap_or_default();
    normal(&folder.join(root.strip_prefix(real).unwrap_or(root)))
}

/// Where the kind of a workload is written.
fn kind_at(object: &Object) -> Option<Location> {
    let entry = object.root.entry("kind").filter(|_| is_work(object))?;
    let span = Span { start: entry.key_span.start, end: entry.value.span.end };
    Some(Location { source: object.source.clone(), span }.written())
}

impl View {
    fn new(loaded: &Loaded) -> Option<Self> {
        let (rendering, overlay) = (loaded.rendering.clone(), loaded.overlay.clone());
        Some(Self { name: loaded.view()?, rendering, overlay })
    }

    /// The manifests of the view, each traced to the files that people wrote.
    pub(super) fn documents(&self) -> Vec<Arc<Source>> {
        let built = || self.overlay.as_ref().map(|overlay| overlay.documents.clone());
        let rendered = self.rendering.as_ref().map(chart::documents);
        rendered.or_else(built).unwrap_or_default()
    }

    fn reads(&self, path: &str) -> bool {
        let rendered = self.rendering.iter().flat_map(|one| &one.rendered.templates);
        let built = self.overlay.iter().flat_map(|one| &one.documents);
        rendered.into_iter().any(|one| one.file().path == path)
            || built.into_iter().any(|one| one.path == path)
    }
}
