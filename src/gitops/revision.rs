//! What GitOps objects set in another version of their repository.

use std::{path::Path, sync::Arc};

use job_lifecycle::Object;
use yaml_spans::{Node, Source};

use super::{
    by_kind::ByKind,
    overrides,
    post_build::Sources,
    scan::{self, holds_values, is_values, matters},
};
use crate::{discover::normal, load::is_gitops, unit::Deployment};

/// The GitOps objects in some files, given with the paths to show, and the ConfigMaps and Secrets that they may name.
pub(crate) fn objects<'f>(files: impl Iterator<Item = (String, &'f [u8])>) -> Vec<Object> {
    let wanted = |bytes: &[u8]| is_gitops(bytes) || holds_values(bytes);
    let mut all = Vec::new();
    for (shown, bytes) in files.filter(|(_, bytes)| wanted(bytes)) {
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let source = Arc::new(Source::read_only(shown, text));
        let found = scan::objects(&source, &wanted).into_iter();
        all.extend(found.filter(|object| matters(object) || is_values(object)));
    }
    all
}

/// A deployment with the fields and variables that its object sets among those of another version. What is not there
/// sets what it sets here, and so does an ApplicationSet.
pub(crate) fn as_among(deployment: &Deployment, all: &[Object]) -> Deployment {
    let own = &deployment.object;
    let is_same = |object: &&Object| {
        (object.group(), object.kind()) == (own.group(), own.kind())
            && (object.name(), object.namespace()) == (own.name(), own.namespace())
    };
    let is_in_place = |object: &&Object| object.source.path.ends_with(&own.source.path);
    let same = || all.iter().filter(is_same);
    let mut deployment = deployment.clone();
    let Some(object) = same().find(is_in_place).or_else(|| same().next()) else {
        return deployment;
    };
    match (object.kind(), source_of(object, deployment.overlay())) {
        ("Kustomization", _) => {
            deployment.kustomize = overrides::of_flux(object);
            deployment.variables =
                Sources { object, all: &ByKind::new(all) }.variables(&mut Vec::new());
        }
        ("Application", Some(source)) => {
            deployment.kustomize = overrides::of_argocd(object, source);
        }
        _ => return deployment,
    }
    deployment.object = object.clone();
    deployment
}

/// The source of an Application that deploys a folder: of several, the one with the longest path that fits.
fn source_of<'o>(object: &'o Object, folder: Option<&Path>) -> Option<&'o Node> {
    let spec = object.root.get("spec")?;
    let several = spec.get("sources").map(Node::items).filter(|sources| !sources.is_empty());
    let Some(sources) = several else { return spec.get("source") };
    let length = |source: &Node| {
        let path = normal(Path::new(source.get("path")?.as_str()?));
        folder?.ends_with(&path).then(|| path.components().count())
    };
    let fitting = sources.iter().filter_map(|source| Some((length(source)?, source)));
    fitting.max_by_key(|(length, _)| *length).map(|(_, source)| source)
}
