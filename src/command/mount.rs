//! The mounts of a container: folders that outlive the pod, and files from ConfigMaps of the same unit.

use std::sync::Arc;

use job_lifecycle::{Object, Workload};
use yaml_spans::{Node, Source};

use crate::{context::Context, unit::UnitKind};

/// Volume types that start fresh in every pod.
const FRESH: [&str; 8] = [
    "configMap",
    "secret",
    "projected",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "gitRepo",
];

/// A key of a ConfigMap, mounted as a file.
pub(super) struct Mounted<'a> {
    pub path: String,
    pub node: &'a Node,
    pub source: &'a Arc<Source>,
}

/// Mount paths of volumes that outlive the pod.
pub(super) fn persistent(job: &Workload<'_>, container: &Node) -> Vec<String> {
    paths(job, container, |volume| {
        volume.entries().len() > 1 && FRESH.iter().all(|kind| volume.get(kind).is_none())
    })
}

/// Whether each mount of a container is of a volume that starts fresh in every pod.
pub(crate) fn are_fresh(job: &Workload<'_>, container: &Node) -> bool {
    let is_fresh = |volume: &Node| FRESH.iter().any(|kind| volume.get(kind).is_some());
    mounts(container).all(|mount| volume(job, mount).is_some_and(is_fresh))
}

/// Mount paths that outlive the container but not the pod: with `OnFailure`, retries run in the same pod.
pub(super) fn restarted(job: &Workload<'_>, container: &Node) -> Vec<String> {
    let same_pod = job.pod.get("restartPolicy").and_then(Node::as_str) == Some("OnFailure");
    paths(job, container, |volume| same_pod && volume.get("emptyDir").is_some())
}

/// Mount paths of an init container whose volume a later container mounts too, and can write to.
pub(super) fn refilled(job: &Workload<'_>, container: &Node) -> Vec<String> {
    let init = job.init_containers().iter();
    let later = init.skip_while(|one| !std::ptr::eq(*one, container)).skip(1);
    let later: Vec<_> = later.chain(job.containers()).collect();
    paths(job, container, |volume| {
        let name = volume.get("name").and_then(Node::as_str);
        later.iter().flat_map(|one| mounts(one)).any(|mount| {
            let is_writable = mount.get("readOnly").and_then(Node::as_bool) != Some(true);
            is_writable && mount.get("name").and_then(Node::as_str) == name
        })
    })
}

/// The kind of the object that provides a file which nobody may execute: without another mode it is 0644, and root needs an `x`
/// too. `None` if the mode is unknown.
pub(crate) fn not_executable(
    job: &Workload<'_>,
    context: &Context<'_>,
    container: &Node,
    path: &str,
) -> Option<&'static str> {
    let folder = |mount: &&Node| mount.get("mountPath").and_then(Node::as_str).map(str::to_owned);
    let holds = |mount: &&Node| {
        let rest = folder(mount).and_then(|own| path.strip_prefix(own.trim_end_matches('/')));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let nearest = mounts(container).filter(holds).max_by_key(|mount| folder(mount))?;
    let volume = volume(job, nearest)?;
    let inside = path.strip_prefix(folder(&nearest)?.trim_end_matches('/'))?;
    let kinds = [("configMap", "ConfigMap"), ("secret", "Secret")];
    let (source, kind) =
        kinds.into_iter().find_map(|(key, kind)| Some((volume.get(key)?, kind)))?;
    let items = source.get("items").map(Node::items).unwrap_or_default().iter();
    // A key has no `/`: a file in a folder is one of the image, unless an item has that path.
    let inside = inside.trim_start_matches('/');
    let is_item = |item: &Node| item.get("path").and_then(Node::as_str) == Some(inside);
    if inside.contains('/') && !items.clone().any(is_item) {
        return None;
    }
    let object = source.get("name").and_then(|name| config_map(job, context, name.as_str()?));
    if items.len() == 0 && object.is_some_and(|object| !keys(object).any(|key| key == inside)) {
        return None;
    }
    let modes = items.map(|item| item.get("mode")).chain([source.get("defaultMode")]);
    let is_without_x = |mode: Option<&Node>| {
        mode.is_none_or(|mode| mode.as_int().is_some_and(|bits| bits & 0o111 == 0))
    };
    modes.into_iter().all(is_without_x).then_some(kind)
}

/// The parts of a Secret or ConfigMap that hold its keys.
const PARTS: [&str; 3] = ["data", "stringData", "binaryData"];

/// The keys of a Secret or ConfigMap.
pub(crate) fn keys(object: &Object) -> impl Iterator<Item = &str> {
    let parts = PARTS.iter().filter_map(|part| object.root.get(part));
    parts.flat_map(Node::entries).map(|entry| &*entry.key)
}

fn paths(job: &Workload<'_>, container: &Node, wanted: impl Fn(&Node) -> bool) -> Vec<String> {
    mounts(container)
        .filter(|mount| volume(job, mount).is_some_and(&wanted))
        .filter_map(|mount| Some(mount.get("mountPath")?.as_str()?.to_owned()))
        .collect()
}

/// The files that ConfigMaps of the same unit provide.
pub(super) fn files<'a>(
    job: &Workload<'a>,
    context: &Context<'a>,
    container: &'a Node,
) -> Vec<Mounted<'a>> {
    let mut files = Vec::new();
    for mount in mounts(container) {
        let Some(volume) = volume(job, mount) else { continue };
        let projected = volume.at(&["projected", "sources"]).map(Node::items).unwrap_or_default();
        let sources = std::iter::once(volume).chain(projected);
        for map in sources.filter_map(|source| source.get("configMap")) {
            files.extend(of_map(job, context, mount, map).into_iter().flatten());
        }
    }
    files
}

fn of_map<'a>(
    job: &Workload<'a>,
    context: &Context<'a>,
    mount: &Node,
    map: &Node,
) -> Option<Vec<Mounted<'a>>> {
    let folder = mount.get("mountPath")?.as_str()?;
    let part = mount.get("subPath").and_then(Node::as_str);
    let name = map.get("name")?.as_str()?;
    let object = config_map(job, context, name)?;
    let item = |key: &str| {
        let Some(items) = map.get("items") else { return Some(key.to_owned()) };
        let named = |item: &&Node| item.get("key").and_then(Node::as_str) == Some(key);
        Some(items.items().iter().find(named)?.get("path")?.as_str()?.to_owned())
    };
    let file = |key: &str| {
        let name = item(key)?;
        match part {
            None => Some(format!("{}/{name}", folder.trim_end_matches('/'))),
            Some(part) => (part == name).then(|| folder.to_owned()),
        }
    };
    let data = object.root.get("data")?.entries().iter();
    let mounted = data.filter_map(|entry| {
        entry.value.as_str()?;
        Some(Mounted { path: file(&entry.key)?, node: &entry.value, source: &object.source })
    });
    Some(mounted.collect())
}

fn config_map<'a>(job: &Workload<'a>, context: &Context<'a>, name: &str) -> Option<&'a Object> {
    provided_with(job, context, "ConfigMap", name)
}

/// An object deployed with the Job: in the same file, in files that are deployed together, or else the only one of that
/// name in the folder.
pub(crate) fn provided_with<'a>(
    job: &Workload<'a>,
    context: &Context<'a>,
    kind: &str,
    name: &str,
) -> Option<&'a Object> {
    let together = context.together || context.kind != UnitKind::Plain;
    let is_it = |object: &&Object| {
        let same = object.kind() == kind && object.name() == Some(name);
        let namespaces = (object.namespace(), job.object.namespace());
        let apart = matches!(namespaces, (Some(one), Some(other)) if one != other);
        same && !apart
    };
    let mut found = context.objects.iter().filter(is_it);
    let is_beside = |object: &&Object| Arc::ptr_eq(&object.source, &job.object.source);
    let first = found.clone().find(|object| together || is_beside(object));
    first.or_else(|| found.next().filter(|_| found.next().is_none()))
}

fn mounts(container: &Node) -> impl Iterator<Item = &Node> {
    container.get("volumeMounts").map(Node::items).unwrap_or_default().iter()
}

fn volume<'a>(job: &Workload<'a>, mount: &Node) -> Option<&'a Node> {
    let name = mount.get("name")?.as_str()?;
    let mut volumes = job.pod.get("volumes").map(Node::items).unwrap_or_default().iter();
    volumes.find(|volume| volume.get("name").and_then(Node::as_str) == Some(name))
}
