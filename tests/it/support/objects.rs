//! What files are deployed as.

use std::{collections::BTreeSet, path::Path};

use joblint::unit::Boundary;
use kustomize_build::{Built, FILE_NAMES, Memory, Options};
use serde_json::Value as Json;
use yaml_spans as yaml;

/// Paths and texts.
pub type Files = Vec<(String, String)>;

/// The values of all documents of a text; null for a broken one.
pub fn values(text: &str) -> Vec<Json> {
    let documents = yaml::parse(text).into_iter();
    documents.map(|one| one.map_or(Json::Null, |one| one.root.to_json())).collect()
}

/// Every object of some files: as Helm renders the chart, as kustomize builds the kustomizations, or as they are. `None`
/// for a chart that does not render.
pub fn objects(files: &Files) -> Option<Vec<Json>> {
    if files.iter().any(|(path, _)| path == "Chart.yaml") {
        return rendered(files);
    }
    let kustomizations = kustomizations(files);
    let texts = match kustomizations.is_empty() {
        true => files.iter().map(|(_, text)| text.clone()).collect(),
        false => built(files, &kustomizations),
    };
    let mut objects: Vec<Json> = Vec::new();
    for object in texts.iter().flat_map(|text| values(text)) {
        // An overlay may build what its base builds.
        if kustomizations.is_empty() || !objects.contains(&object) {
            objects.push(object);
        }
    }
    Some(objects)
}

fn rendered(files: &Files) -> Option<Vec<Json>> {
    let texts: Vec<_> =
        files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let version = helm_render::HelmVersion::V4;
    let boundary = Boundary::everywhere();
    let chart =
        helm_render::Chart::load_linked(Path::new("."), "", &texts, version, &boundary).ok()?;
    let options = helm_render::RenderOptions { allows_missing: true, ..Default::default() };
    let rendered = helm_render::render(&chart, &options).ok()?;
    let mut all: Vec<_> = rendered.documents.iter().collect();
    all.sort_by_key(|document| (rendered.path(document), document.range.start));
    Some(all.into_iter().flat_map(|document| values(rendered.text(document))).collect())
}

fn kustomizations(files: &Files) -> BTreeSet<&Path> {
    let paths = files.iter().map(|(path, _)| Path::new(path));
    let is_kustomization = |path: &&Path| FILE_NAMES.iter().any(|name| path.ends_with(name));
    paths.filter(is_kustomization).filter_map(Path::parent).collect()
}

/// What each kustomization prints, or its error.
fn built(files: &Files, folders: &BTreeSet<&Path>) -> Vec<String> {
    let memory: Memory = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let build = |folder: &&Path| match Built::from_files(&memory, folder, &Options::default()) {
        Ok(built) => built.print().to_owned(),
        Err(error) => serde_json::to_string(&error.to_string()).unwrap(),
    };
    folders.iter().map(build).collect()
}
