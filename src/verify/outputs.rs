//! What a unit renders or builds to, before and after an edit of one of its files.

use std::{collections::BTreeMap, path::Path};

use helm_render as helm;
use serde_json::Value as Json;
use yaml_spans as yaml;

use super::Scope;
use crate::{
    chart,
    kustomize::{self, Repository},
    unit::{Loaded, UnitKind},
};

/// A document of the output.
#[derive(PartialEq)]
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

/// The output with an edited file.
pub(super) struct After {
    /// The documents of each view.
    pub(super) documents: Vec<Vec<Document>>,
    /// The view in which the rules raised the findings.
    pub(super) loaded: Loaded,
}

/// The documents of a view, in an order that an edit does not change.
pub(super) fn documents(loaded: &Loaded) -> Vec<Document> {
    match &loaded.rendering {
        Some(rendering) => of_chart(&rendering.rendered),
        None => of_objects(loaded),
    }
}

fn of_chart(rendered: &helm::Rendered) -> Vec<Document> {
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
    sources.dedup_by(|a, b| std::sync::Arc::ptr_eq(a, b));
    let document =
        |source: &std::sync::Arc<yaml::Source>| (source.path.clone(), source.text.clone());
    let all = sources.into_iter().map(document);
    all.map(|(path, text)| Document { path, text }).collect()
}

/// Renders or builds all views with another text of a file; `None` if one fails.
pub(super) fn after(scope: &Scope<'_, '_>, path: &str, text: String) -> Option<After> {
    match scope.unit.kind {
        UnitKind::Chart => rendered(scope, path, text),
        UnitKind::Overlay => built(scope, path, text),
        UnitKind::Plain => None,
    }
}

fn rendered(scope: &Scope<'_, '_>, path: &str, text: String) -> Option<After> {
    let chart = chart::load_edited(scope.unit, path, text).ok()?;
    let known = scope.loaded.rendering.as_ref()?;
    chart.reuse_manifests_of(&known.chart);
    let mut documents = Vec::new();
    for view in scope.all {
        // What does not render has no documents, with the fix as without.
        let Some(rendering) = &view.rendering else {
            documents.push(of_objects(view));
            continue;
        };
        let new = helm::render(&chart, &rendering.options).ok()?;
        if new.failures.len() != rendering.rendered.failures.len() {
            return None;
        }
        documents.push(of_chart(&new));
    }
    let loaded = chart::rerender(scope.loaded.rendering.as_ref()?, &chart).ok()?;
    Some(After { documents, loaded })
}

fn built(scope: &Scope<'_, '_>, path: &str, text: String) -> Option<After> {
    let unit = scope.unit;
    let path = std::path::absolute(Path::new(path)).ok()?;
    let edited = BTreeMap::from([(path, text.into_bytes())]);
    let repository = Repository::of_unit(unit).with(edited);
    let mut views = kustomize::load_from(&repository, &unit.roots, true);
    let is_complete = |(old, new): (&Loaded, &Loaded)| old.problems.len() == new.problems.len();
    if views.len() != scope.all.len() || !scope.all.iter().zip(&views).all(is_complete) {
        return None;
    }
    let documents = views.iter().map(of_objects).collect();
    let own = scope.all.iter().position(|view| std::ptr::eq(view, scope.loaded))?;
    Some(After { documents, loaded: views.swap_remove(own) })
}
