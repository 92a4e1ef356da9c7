//! The fields of a GitOps object that change the kustomization that it deploys.

use std::sync::Arc;

use job_lifecycle::Object;
use kustomize_build::Overrides;
use yaml_spans::{Entry, Map, Node, Source, Span, Value};

use super::options::flag;

/// Fields of a Flux Kustomization, with their names in a kustomization file (`fluxcd/pkg` `kustomize_generator.go`).
const FLUX: [(&str, &str); 6] = [
    ("targetNamespace", "namespace"),
    ("namePrefix", "namePrefix"),
    ("nameSuffix", "nameSuffix"),
    ("patches", "patches"),
    ("components", "components"),
    ("images", "images"),
];

/// Fields of `kustomize` in a source of an Application (argocd 4).
const ARGO_CD: [&str; 7] = [
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonAnnotations",
    "patches",
    "components",
    "replicas",
];

/// What a Flux Kustomization adds; `None` if it is nothing.
pub(super) fn of_flux(object: &Object) -> Option<Overrides> {
    let spec = object.root.get("spec")?;
    let field = |(from, to): &(&str, &str)| renamed(&without_templates(spec.entry(from)?), to);
    let metadata = spec.get("commonMetadata").filter(|metadata| !metadata.is_empty());
    overrides(object, spec, FLUX.iter().filter_map(field).collect(), metadata.cloned())
}

/// What a source of an Argo CD Application adds; `None` if it is nothing.
pub(super) fn of_argocd(object: &Object, source: &Node) -> Option<Overrides> {
    let kustomize = source.get("kustomize")?;
    let mut fields: Vec<Entry> =
        ARGO_CD.iter().filter_map(|name| kustomize.entry(name)).map(without_templates).collect();
    fields.extend(labels(kustomize));
    if let Some(entry) = kustomize.entry("images") {
        let images: Vec<Node> =
            entry.value.items().iter().filter_map(|node| image(node, &object.source)).collect();
        let value = Node { value: Value::Seq(images.into()), ..entry.value.clone() };
        fields.push(Entry { value, ..entry.clone() });
    }
    overrides(object, kustomize, fields, None)
}

/// `commonLabels` as `kustomize edit add label` adds them, with `--without-selector` and `--include-templates` where the
/// source says so (argocd 4).
fn labels(kustomize: &Node) -> Option<Entry> {
    let all = kustomize.entry("commonLabels")?;
    if !flag(kustomize, &["labelWithoutSelector"]) {
        return Some(all.clone());
    }
    let templates = kustomize.entry("labelIncludeTemplates");
    let label = [renamed(all, "pairs")?].into_iter();
    let label = label.chain(templates.and_then(|entry| renamed(entry, "includeTemplates")));
    let value = Value::Seq(vec![mapping(&all.value, label.collect())].into());
    Some(Entry { key: "labels".into(), value: Node { value, ..all.value.clone() }, ..all.clone() })
}

/// The entry without those components whose path something fills in that is not here: `../../components/${CLUSTER}`.
fn without_templates(entry: &Entry) -> Entry {
    if &*entry.key != "components" {
        return entry.clone();
    }
    let is_stated = |item: &&Node| item.as_str().is_none_or(|path| !path.contains(['$', '{']));
    let stated: Vec<Node> = entry.value.items().iter().filter(is_stated).cloned().collect();
    let value = Node { value: Value::Seq(stated.into()), ..entry.value.clone() };
    Entry { value, ..entry.clone() }
}

fn renamed(entry: &Entry, name: &str) -> Option<Entry> {
    (!entry.value.is_empty()).then(|| Entry { key: name.into(), ..entry.clone() })
}

fn overrides(
    object: &Object,
    at: &Node,
    fields: Vec<Entry>,
    metadata: Option<Node>,
) -> Option<Overrides> {
    if fields.is_empty() && metadata.is_none() {
        return None;
    }
    let source = object.source.clone();
    Some(Overrides { source, fields: mapping(at, fields), metadata })
}

fn mapping(at: &Node, entries: Vec<Entry>) -> Node {
    let mut map = Map::default();
    map.entries = entries;
    Node { value: Value::Map(Arc::new(map)), ..at.clone() }
}

/// An image as `kustomize edit set image` takes it: `name=other:tag`, `name:tag` or `name@digest`. Its parts have their
/// own places.
fn image(node: &Node, source: &Source) -> Option<Node> {
    let text = node.as_str()?;
    let (name, rest) = text.split_once('=').unwrap_or((text, text));
    let (image, digest) = match rest.split_once('@') {
        Some((image, digest)) => (image, Some(digest)),
        None => (rest, None),
    };
    let tagged = image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'));
    let (new, tag) = tagged.map_or((image, None), |(new, tag)| (new, Some(tag)));
    let name = if text.contains('=') { name } else { new };
    let fields = [
        ("name", Some(name)),
        ("newName", Some(new).filter(|new| *new != name)),
        ("newTag", tag),
        ("digest", digest),
    ];
    let entry = |(key, part): (&str, Option<&str>)| {
        let part = part?;
        let written = source.slice(node.span).rfind(part);
        let span = written.map_or(node.span, |at| {
            let start = node.span.start as usize + at;
            Span::new(start, start + part.len())
        });
        let value = Node { value: Value::Str(part.into()), span, ..node.clone() };
        Some(Entry { key: key.into(), key_span: node.span, value, merged: false })
    };
    Some(mapping(node, fields.into_iter().filter_map(entry).collect()))
}
