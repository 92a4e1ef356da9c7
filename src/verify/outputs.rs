//! What a unit loads, renders or builds to, before and after edits of its files.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

use helm_render::{self as helm, Chart, RenderOptions, Rendered};
use serde_json::Value as Json;
use yaml_spans as yaml;

use super::{Place, Scope, batch::Batch};
use crate::{
    chart, kustomize, load,
    unit::{Loaded, UnitKind},
};

/// A document of the output.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Document {
    /// The file that a finding about it names.
    pub(super) path: String,
    pub(super) text: String,
}

impl Document {
    pub(super) fn json(&self) -> Option<Json> {
        Some(yaml::parse(&self.text).into_iter().next()?.ok()?.root.to_json())
    }
}

/// The documents of a view, in an order that an edit does not change.
pub(super) fn documents(loaded: &Loaded) -> Vec<Document> {
    match &loaded.rendering {
        Some(rendering) => of_chart(&rendering.rendered),
        None => of_objects(loaded),
    }
}

fn of_chart(rendered: &Rendered) -> Vec<Document> {
    let mut all: Vec<_> = rendered.documents.iter().chain(&rendered.dropped).collect();
    all.sort_by_key(|document| (rendered.path(document), document.range.start));
    let document = |one| Document {
        path: rendered.template(one).file().path.clone(),
        text: rendered.text(one).to_owned(),
    };
    all.into_iter().map(document).collect()
}

fn of_objects(loaded: &Loaded) -> Vec<Document> {
    let mut sources: Vec<_> = loaded.objects.iter().map(|object| &object.source).collect();
    sources.dedup_by(|a, b| Arc::ptr_eq(a, b));
    let document = |source: &Arc<yaml::Source>| (source.path.clone(), source.text.clone());
    let all = sources.into_iter().map(document);
    all.map(|(path, text)| Document { path, text }).collect()
}

/// The position of each object of a view among its documents.
pub(super) fn places(loaded: &Loaded, documents: &[Document]) -> Vec<Place> {
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for (index, one) in documents.iter().enumerate() {
        known.entry((&one.path, &one.text)).or_insert(index);
    }
    let mut places: Vec<Place> = Vec::new();
    for (index, object) in loaded.objects.iter().enumerate() {
        let source = &object.source;
        let before = index.checked_sub(1).map(|at| (&loaded.objects[at].source, places[at]));
        places.push(match before {
            Some((other, Place(document, at))) if Arc::ptr_eq(other, source) => {
                Place(document, at + 1)
            }
            _ => {
                let own = known.get(&(source.path.as_str(), source.text.as_str()));
                Place(own.copied().unwrap_or(usize::MAX), 0)
            }
        });
    }
    places
}

/// The output with edited files.
pub(super) enum Outputs<'a> {
    Chart { views: Vec<(&'a Loaded, Option<Arc<Rendered>>)>, chart: Arc<Chart>, is_literal: bool },
    Views(Vec<Loaded>),
}

impl<'a> Outputs<'a> {
    /// Loads, renders or builds all views with other texts of files; `None` if one fails.
    pub(super) fn new(scope: &Scope<'a>, batch: &Batch<'_>) -> Option<Self> {
        let texts = batch.texts()?;
        match scope.unit.kind {
            UnitKind::Chart => Self::rendered(scope, texts, batch),
            UnitKind::Overlay => Self::built(scope, &texts),
            UnitKind::Plain => {
                let loaded = scope.views.first()?.loaded;
                let edited = load::edited(scope.unit, loaded, &texts);
                (edited.problems.len() == loaded.problems.len()).then(|| Self::Views(vec![edited]))
            }
        }
    }

    fn rendered(
        scope: &Scope<'a>,
        texts: BTreeMap<String, String>,
        batch: &Batch<'_>,
    ) -> Option<Self> {
        let chart = chart::load_edited(scope.unit, texts).ok()?;
        let mut renderings = scope.views.iter().filter_map(|view| view.loaded.rendering.as_ref());
        let first = renderings.next()?;
        chart.reuse(first.chart.cache());
        let is_literal = batch.is_literal(&first.rendered);
        let mut views = Vec::new();
        for view in scope.views {
            // What does not render has no documents, with the fix as without.
            let Some(rendering) = &view.loaded.rendering else {
                views.push((view.loaded, None));
                continue;
            };
            let known = Some(rendering.rendered.clone());
            let options = RenderOptions { known, ..rendering.options.clone() };
            let new = helm::render(&chart, &options).ok()?;
            if new.failures.len() != rendering.rendered.failures.len() {
                return None;
            }
            views.push((view.loaded, Some(Arc::new(new))));
        }
        Some(Self::Chart { views, chart, is_literal })
    }

    fn built(scope: &Scope<'a>, texts: &BTreeMap<String, String>) -> Option<Self> {
        let bytes = |(path, text): (&String, &String)| {
            Some((std::path::absolute(Path::new(path)).ok()?, text.clone().into_bytes()))
        };
        let edited = texts.iter().map(bytes).collect::<Option<_>>()?;
        let views = kustomize::load_edited(scope.unit, edited);
        let old = scope.views.iter().map(|view| view.loaded);
        let unprinted = |view: &Loaded| view.overlay.as_ref().map(|overlay| overlay.unprinted);
        let is_complete = |(old, new): (&Loaded, &Loaded)| {
            old.problems.len() == new.problems.len() && unprinted(old) == unprinted(new)
        };
        let is_same = views.len() == scope.views.len() && old.zip(&views).all(is_complete);
        is_same.then_some(Self::Views(views))
    }

    /// The documents of a view.
    pub(super) fn documents(&self, view: usize) -> Option<Vec<Document>> {
        match self {
            Self::Chart { views, .. } => match views.get(view)? {
                (_, Some(rendered)) => Some(of_chart(rendered)),
                (loaded, None) => Some(of_objects(loaded)),
            },
            Self::Views(views) => Some(of_objects(views.get(view)?)),
        }
    }

    /// A view with its objects, once.
    pub(super) fn take(&mut self, view: usize) -> Option<Loaded> {
        match self {
            Self::Chart { views, chart, is_literal } => {
                let (loaded, rendered) = views.get(view)?;
                chart::with_rendered(loaded, chart, rendered.clone()?, *is_literal)
            }
            Self::Views(views) => views.get_mut(view).map(std::mem::take),
        }
    }
}
