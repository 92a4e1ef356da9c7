//! `namespace`.

use super::{Place, Transform, fields::check};
use crate::{
    config::FieldSpec,
    error::{Error, Result},
    field_spec::{Create, visit},
    go::Text,
    json,
    node::{Data, Kind, Node},
    resource::Resource,
    resources::Resources,
};

/// `namespace`, or a `NamespaceTransformer`.
pub(crate) struct Namespace {
    pub(crate) namespace: Text,
    pub(crate) specs: Vec<FieldSpec>,
    pub(crate) unset_only: bool,
    pub(crate) subjects: Subjects,
    pub(crate) place: Place,
}

/// Which subjects of role bindings get the namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subjects {
    DefaultOnly,
    AllServiceAccounts,
    None,
}

impl Transform for Namespace {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        if self.namespace.is_empty() {
            return Ok(());
        }
        for index in 0..resources.list.len() {
            let resource = &mut resources.list[index];
            if resource.is_deleted() || resource.history.is_from_helm {
                continue;
            }
            resource.store_previous_id();
            self.set(resource)?;
            let id = resource.id();
            let same: Vec<&Resource> = resources
                .list
                .iter()
                .filter(|other| other.name() == id.name && other.id().is(&id))
                .collect();
            if same.len() != 1 {
                let mut shown = Vec::new();
                // The line of the namespace is right in itself: one of the objects is too many.
                let kind = same.last().and_then(|last| last.node.get("kind"));
                let at = kind.and_then(|kind| Some(kind.origin.parts().first()?.at.clone()));
                let at = at.or_else(|| self.namespace.at.clone());
                for resource in same {
                    let mut text = String::new();
                    json::print(&resource.node, &mut text)?;
                    shown.push(text);
                }
                let message =
                    format!("namespace transformation produces ID conflict: [{}]", shown.join(" "));
                return Err(Error::transformer(message).at(at));
            }
        }
        Ok(())
    }
}

impl Namespace {
    fn set(&self, resource: &mut Resource) -> Result<()> {
        let gvk = resource.gvk();
        let api_version = gvk.api_version();
        if !resource.id().is_cluster_scoped() {
            let spec = FieldSpec {
                path: "metadata/namespace".into(),
                create: true,
                ..FieldSpec::default()
            };
            visit(&mut resource.node, &gvk, &spec, Create::As(Kind::Scalar), &mut |node| {
                self.update(node)
            })?;
        }
        let is_binding = matches!(&*gvk.kind, "RoleBinding" | "ClusterRoleBinding");
        if is_binding && let Some(subjects) = resource.node.get_mut("subjects") {
            self.subjects(subjects)?;
        }
        for spec in &self.specs {
            let is_metadata = spec.path == "metadata/namespace"
                || spec.path == "metadata/name" && api_version != "v1"
                || is_binding
                    && spec.path == "subjects/namespace"
                    && matches!(&*spec.gvk.kind, "RoleBinding" | "ClusterRoleBinding");
            if is_metadata {
                continue;
            }
            visit(&mut resource.node, &gvk, spec, Create::As(Kind::Scalar), &mut |node| {
                self.update(node)
            })
            .map_err(|error| error.prefixed("namespace transformation failed"))?;
        }
        Ok(())
    }

    fn subjects(&self, subjects: &mut Node) -> Result<()> {
        let (key, value) = match self.subjects {
            Subjects::None => return Ok(()),
            Subjects::DefaultOnly => ("name", "default"),
            Subjects::AllServiceAccounts => ("kind", "ServiceAccount"),
        };
        check(subjects, Kind::Seq)?;
        let Data::Seq(items) = &mut subjects.data else { return Ok(()) };
        for item in items.iter_mut().filter(|item| item.get(key).map(Node::text) == Some(value)) {
            self.update(item.get_or_create("namespace", Kind::Scalar))?;
        }
        Ok(())
    }

    fn update(&self, node: &mut Node) -> Result<()> {
        check(node, Kind::Scalar)?;
        if !self.unset_only || node.text().is_empty() {
            let origin = self.place.origin(&self.namespace);
            node.replace_scalar(Node::string(self.namespace.text.clone(), origin));
        }
        Ok(())
    }
}
