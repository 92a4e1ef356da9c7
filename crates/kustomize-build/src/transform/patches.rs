//! `patches`, `patchesStrategicMerge` and `patchesJson6902`.

use std::rc::Rc;

use super::Transform;
use crate::{
    Origin,
    error::{Error, Result},
    go::Text,
    idle_patch::IdlePatch,
    json_patch::{self, Operation},
    merge::merge,
    node::{Kind, Node},
    resource::Resource,
    resources::Resources,
    schema::Schemas,
    selector::Matcher,
    types::{PatchOptions, Selector},
    work::Work,
};

/// `patchesStrategicMerge`.
pub(crate) struct StrategicMerge {
    pub(crate) patches: Vec<Resource>,
    pub(crate) schemas: Rc<Schemas>,
}

/// An entry of `patches`.
pub(crate) struct Patch {
    pub(crate) content: Content,
    pub(crate) target: Option<Selector>,
    pub(crate) options: PatchOptions,
    /// The patch in messages: `[path: "patch.yaml"]`.
    pub(crate) shown: String,
    pub(crate) at: Text,
    pub(crate) schemas: Rc<Schemas>,
}

/// What a patch is.
pub(crate) enum Content {
    Merge(Vec<Resource>),
    Json(Vec<Operation>),
}

/// An entry of `patchesJson6902`.
pub(crate) struct JsonPatch {
    pub(crate) operations: Vec<Operation>,
    pub(crate) target: Selector,
}

impl Transform for StrategicMerge {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        for patch in &self.patches {
            let at = location(&patch.node);
            let index = resources.by_id(&patch.original_id()).map_err(|error| error.at(at))?;
            let id = resources.list[index].id();
            let how = How { options: &PatchOptions::default(), schemas: &self.schemas };
            apply_to(resources, patch, how, |resource| resource.id() == id)?;
        }
        Ok(())
    }
}

fn location(node: &Node) -> Option<yaml_spans::Location> {
    node.origin.parts().first().map(|part| part.at.clone())
}

impl Transform for Patch {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        match &self.content {
            Content::Merge(patches) => self.merge(resources, patches),
            Content::Json(operations) => self.json(resources, operations),
        }
    }

    fn idle(&self, resources: &Resources) -> Option<IdlePatch> {
        let split = |target: &Selector| {
            let (group, version) = target.group.split_once('/')?;
            Some((group.to_owned(), version.to_owned()))
        };
        let split_group = self.target.as_ref().and_then(split);
        // A patch of all objects of a kind may be meant for those to come.
        let is_meant = |target: &&Selector| !target.name.is_empty() || split_group.is_some();
        let target = self.target.as_ref().filter(is_meant)?;
        let selected = |target: &Selector| {
            let matcher = Matcher::new(target).ok()?;
            Some(resources.list.iter().filter(|one| matcher.selects(one)).collect::<Vec<_>>())
        };
        if !selected(target)?.is_empty() {
            return None;
        }
        let nameless = Selector { name: Text::default(), ..target.clone() };
        let nearest = match selected(&nameless)?[..] {
            [one] => Some(one.original_id()),
            _ => None,
        };
        let nearest = nearest.map(|id| (id.gvk.kind.into_owned(), id.name));
        let written = if split_group.is_some() { &target.group } else { &target.name };
        let at = written.at.clone().or_else(|| self.at.at.clone())?;
        Some(IdlePatch { at, kind: target.kind.to_string(), nearest, split_group })
    }
}

impl Patch {
    fn merge(&self, resources: &mut Resources, patches: &[Resource]) -> Result<()> {
        let how = How { options: &self.options, schemas: &self.schemas };
        if let (Some(target), Some(patch)) = (&self.target, patches.first()) {
            if patches.len() > 1 {
                let message = format!(
                    "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: {}",
                    self.shown
                );
                return Err(Error::transformer(message).at(self.at.at.clone()));
            }
            let matcher = Matcher::new(target).map_err(|error| {
                error.prefixed(format!(
                    "unable to find patch target {:?} in `resources`",
                    target.id().to_string()
                ))
            })?;
            return apply_to(resources, patch, how, |resource| matcher.selects(resource));
        }
        for patch in patches {
            let id = patch.original_id();
            let index = resources.by_id(&id).map_err(|error| {
                let shown =
                    format!("no resource matches strategic merge patch {:?}", id.to_string());
                error.prefixed(shown).at(location(&patch.node))
            })?;
            resources.work.look(resources.list.len())?;
            resources.list[index].apply_patch(patch, how)?;
        }
        Ok(())
    }

    fn json(&self, resources: &mut Resources, operations: &[Operation]) -> Result<()> {
        let Some(target) = &self.target else {
            let message = format!("must specify a target for JSON patch {}", self.shown);
            return Err(Error::transformer(message).at(self.at.at.clone()));
        };
        let matcher = Matcher::new(target)?;
        let Resources { list, work } = resources;
        work.look(list.len())?;
        for resource in list.iter_mut().filter(|resource| matcher.selects(resource)) {
            resource.store_previous_id();
            resource.apply_json(operations, work)?;
        }
        Ok(())
    }
}

impl Transform for JsonPatch {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        let matcher = Matcher::new(&self.target)?;
        let Resources { list, work } = resources;
        work.look(list.len())?;
        for resource in list.iter_mut().filter(|resource| matcher.selects(resource)) {
            resource.apply_json(&self.operations, work)?;
        }
        Ok(())
    }
}

/// How a patch is merged.
#[derive(Clone, Copy)]
struct How<'p> {
    options: &'p PatchOptions,
    schemas: &'p Schemas,
}

/// Applies a patch to the selected resources, whatever its own name is.
fn apply_to(
    resources: &mut Resources,
    patch: &Resource,
    how: How<'_>,
    is_selected: impl Fn(&Resource) -> bool,
) -> Result<()> {
    resources.work.look(resources.list.len())?;
    let selected: Vec<bool> = resources.list.iter().map(&is_selected).collect();
    for (resource, is_selected) in resources.list.iter_mut().zip(selected) {
        if !is_selected {
            continue;
        }
        resources.work.copy(&patch.node)?;
        let mut patch = patch.clone();
        for field in ["labels", "annotations"] {
            patch.stringify(field);
        }
        let own = patch.node.at(&["metadata", "namespace"]).filter(|node| !node.text().is_empty());
        patch.set_namespace(own.cloned());
        let api_version = resource.node.get("apiVersion").cloned().unwrap_or_default();
        patch.node.set("apiVersion", api_version, &Origin::default());
        resource.apply_patch(&patch, how)?;
    }
    resources.drop_deleted();
    let list = std::mem::take(&mut resources.list);
    resources.append_all(list)
}

impl Resource {
    fn apply_patch(&mut self, patch: &Resource, how: How<'_>) -> Result<()> {
        let How { options, schemas } = how;
        let kind = self.node.get("kind").cloned();
        let name = self.name_node();
        let namespace = self.node.at(&["metadata", "namespace"]).cloned();
        if options.allow_name_change || options.allow_kind_change {
            self.store_previous_id();
        }
        let target = std::mem::take(&mut self.node);
        let schemas = schemas.layers()?;
        let Some(merged) = merge(target, patch.node.clone(), &schemas)? else { return Ok(()) };
        self.node = merged;
        if self.is_deleted() {
            return Ok(());
        }
        if let (false, Some(kind)) = (options.allow_kind_change, kind) {
            self.node.set("kind", kind, &Origin::default());
        }
        if !options.allow_name_change {
            self.set_name(name);
        }
        self.set_namespace(namespace.filter(|node| !node.text().is_empty()));
        Ok(())
    }

    fn apply_json(&mut self, operations: &[Operation], work: &mut Work) -> Result<()> {
        if self.has_internal_annotations() {
            let metadata = self.node.get_or_create("metadata", Kind::Map);
            let annotations = metadata.get_or_create("annotations", Kind::Map);
            if annotations.is_null() {
                *annotations = Node::map();
            }
        }
        json_patch::apply(&mut self.node, operations, work)
    }
}
