//! Parses rendered manifests into objects and predicts what the next releases change in them.

use std::{collections::HashSet, sync::Arc};

use helm_render as helm;
use job_lifecycle::{Object, annotations::HELM_HOOK, deploy::CRD_INSTALL};
use yaml_spans::{self as yaml, Node, Source};

use super::{origin::Manifest, secrets, unrendered};
use crate::{
    load,
    release_changes::{self, RenderedWorkload},
    unit::{Loaded, Rendering},
};

/// Whether Helm 2 installs an object before the others; newer versions take those from `crds/`.
fn is_for_helm_2(object: &Object) -> bool {
    object.annotation(HELM_HOOK).is_some_and(|entry| {
        entry.value.as_str().is_some_and(|events| events.to_lowercase().contains(CRD_INSTALL))
    })
}

/// The names of the CustomResourceDefinitions in `crds/` of a chart and its dependencies.
fn crds(rendering: &Rendering) -> HashSet<String> {
    let texts = rendering.rendered.crds.iter().map(|(_, data)| String::from_utf8_lossy(data));
    let roots = texts.flat_map(|text| yaml::parse(&text)).flatten().map(|document| document.root);
    let definitions = roots
        .filter(|root| root.get("kind").and_then(Node::as_str) == Some("CustomResourceDefinition"));
    definitions
        .filter_map(|root| Some(root.at(&["metadata", "name"])?.as_str()?.to_owned()))
        .collect()
}

/// Parses the objects of a render and predicts their changes.
pub(super) fn objects(rendering: Rendering) -> Loaded {
    let mut parsed = Parsed::new(rendering);
    parsed.predict();
    parsed.loaded
}

/// The objects of a render, linked to the manifests that contain them.
pub(super) struct Parsed {
    pub(super) loaded: Loaded,
    rendering: Arc<Rendering>,
    /// For each object, its rendered file and the offset of its manifest in that file.
    owners: Vec<(usize, usize)>,
}

impl Parsed {
    /// Without Jobs, hooks and GitOps objects, the objects are only counted.
    pub(super) fn new(rendering: Rendering) -> Self {
        let rendered = &rendering.rendered;
        let mut documents = rendered.documents.iter().chain(&rendered.dropped);
        let has_work =
            documents.any(|document| load::may_hold_work(rendered.text(document).as_bytes()));
        Self::read(rendering, has_work)
    }

    /// All objects, whatever they are.
    pub(super) fn whole(rendering: Rendering) -> Self {
        Self::read(rendering, true)
    }

    fn read(rendering: Rendering, has_work: bool) -> Self {
        let rendering = Arc::new(rendering);
        let rendered = &rendering.rendered;
        let mut documents: Vec<_> = rendered.documents.iter().chain(&rendered.dropped).collect();
        documents.sort_by_key(|document| (document.file, document.range.start));
        let mut loaded = Loaded::default();
        let mut owners = Vec::new();
        for document in documents {
            let (file, start) = (document.file, document.range.start);
            let manifest = Arc::new(Manifest { rendering: rendering.clone(), file, start });
            let path = manifest.source().path.clone();
            let source = Arc::new(Source::rendered(path, rendered.text(document), manifest));
            let mut part = match has_work {
                true => load::load_parsed(&source, &document.parsed),
                false => load::load_text(&source, &mut |_| false),
            };
            // Helm rejects the whole release, with its Jobs and hooks.
            part.problems.iter_mut().for_each(|problem| problem.misses_work = has_work);
            loaded.add(part);
            owners.resize(loaded.objects.len(), (file, start));
        }
        loaded.problems.extend(unrendered::missing(&rendering));
        loaded.secrets.extend(&secrets::of_rendering(&rendering));
        let ignores = |data: &[u8]| memchr::memmem::find(data, b"joblint:").is_some();
        let commented = rendered.templates.iter().filter(|one| ignores(&one.file().data));
        loaded.sources = commented.map(helm::TemplateFile::source).collect();
        if loaded.objects.iter().any(is_for_helm_2) {
            loaded.crds = crds(&rendering);
        }
        loaded.rendering = Some(rendering.clone());
        Self { loaded, rendering, owners }
    }

    /// Predicts what the next releases change in Jobs, CronJobs and hooks, unless it is known.
    pub(super) fn predict(&mut self) {
        let Self { loaded, rendering, owners } = self;
        let objects = &mut loaded.objects;
        let runs = |object: &Object| {
            job_lifecycle::workload::kind_of(object).is_some()
                || job_lifecycle::workload::pod_path(object).is_some() && object.is_annotated_hook()
        };
        let counts = |index: &usize| {
            let only = loaded.only.as_ref();
            only.is_none_or(|only| only.iter().any(|(own, _)| own == index))
                && loaded.changes.of(&objects[*index]).is_none()
        };
        let found: Vec<usize> =
            (0..objects.len()).filter(|index| runs(&objects[*index]) && counts(index)).collect();
        let made = |index: &usize| {
            let (file, start) = owners[*index];
            RenderedWorkload { file, start, root: &objects[*index].root }
        };
        let works: Vec<_> = found.iter().map(made).collect();
        let Rendering { chart, options, rendered, .. } = &**rendering;
        let predicted = release_changes::predict(chart, options, rendered, &works);
        for (index, changes) in found.into_iter().zip(predicted) {
            loaded.changes.insert(&objects[index], changes);
        }
    }
}
