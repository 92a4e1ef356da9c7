//! What is rendered, built or read, in short: to see that comments change nothing of it.

use std::hash::{DefaultHasher, Hash, Hasher};

use helm_render::functions::Host;
use job_lifecycle::Object;
use rayon::prelude::*;
use yaml_spans::{Node, Value};

use crate::{
    beside, chart,
    discover::{Discovered, Request},
    gitops::{self, Resolved},
    kustomize, load,
    settings::Settings,
    unit::{Loaded, Unit, UnitKind},
};

/// A digest of each object of each unit. What a template draws at random does not count: it depends on the line.
pub(super) fn digests(request: &Request, settings: &Settings) -> Vec<u64> {
    let Discovered { units, walked, .. } = beside::discover(request);
    let Resolved { units, .. } = gitops::resolve(units, walked, request);
    let of_unit = |unit: &Unit| match unit.kind {
        // A chart without a stack to render it has no objects, before and after.
        UnitKind::Chart => {
            chart::with_stack(|| of_views(&chart::load(unit, settings))).unwrap_or_default()
        }
        UnitKind::Overlay => of_views(&kustomize::load(unit)),
        UnitKind::Plain => of_views(&[load::load(unit)]),
    };
    units.par_iter().flat_map_iter(of_unit).collect()
}

fn of_views(views: &[Loaded]) -> Vec<u64> {
    let objects = views.iter().flat_map(|view| &view.objects);
    let digest = |object: &Object| {
        let mut hasher = DefaultHasher::new();
        object.source.path.hash(&mut hasher);
        match is_random(object, &object.root) {
            false => object.root.to_json().to_string().hash(&mut hasher),
            true => hash_written(object, &object.root, &mut hasher),
        }
        hasher.finish()
    };
    let problems = views.iter().map(|view| view.problems.len() as u64);
    objects.map(digest).chain(problems).collect()
}

/// True when a part of a value was drawn at random.
fn is_random(object: &Object, node: &Node) -> bool {
    let inputs = object.source.origin.as_ref().map(|origin| origin.inputs(node.span));
    inputs.is_some_and(|inputs| inputs.iter().any(|input| input == Host::RANDOM))
}

fn hash_written(object: &Object, node: &Node, hasher: &mut DefaultHasher) {
    match &node.value {
        Value::Map(_) => {
            for entry in node.entries() {
                entry.key.hash(hasher);
                hash_written(object, &entry.value, hasher);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| hash_written(object, item, hasher)),
        _ if is_random(object, node) => Host::RANDOM.hash(hasher),
        _ => node.to_json().to_string().hash(hasher),
    }
}
