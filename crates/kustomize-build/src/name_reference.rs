//! Renames references to resources whose names changed.

use std::collections::HashMap;

use crate::{
    config::{Config, FieldSpec, NameReference},
    error::{Error, Result},
    field_spec::{Create, visit_any},
    id::{Gvk, Id},
    node::{Data, Kind, Node},
    resource::Resource,
    resources::Resources,
    scalar::Tag,
};

/// A resource that can be referred to. Its name does not change any more.
struct Candidate {
    id: Id,
    previous: Vec<Id>,
    prefixes: Vec<String>,
    suffixes: Vec<String>,
    name: Node,
    namespace: Option<Node>,
}

struct Candidates {
    all: Vec<Candidate>,
    /// The candidates that had a name.
    by_name: HashMap<String, Vec<usize>>,
}

/// A resource whose references are renamed.
struct Referrer {
    id: Id,
    prefixes: Vec<String>,
    suffixes: Vec<String>,
    /// The namespaces of the service accounts that a role binding names.
    namespaces: Vec<String>,
    role: Option<Gvk>,
}

/// Renames all references.
pub(crate) fn fix(resources: &mut Resources, config: &Config) -> Result<()> {
    let candidates = Candidates::new(&resources.list);
    let originals: Vec<Gvk> =
        resources.list.iter().map(|resource| resource.original_id().gvk).collect();
    for (resource, original) in resources.list.iter_mut().zip(originals) {
        let referrer = Referrer::new(resource)?;
        let gvk = resource.gvk();
        for NameReference { gvk: target, referrers } in &config.name_reference {
            for spec in referrers.iter().filter(|spec| original.is_selected(&spec.gvk)) {
                let fixer = Fixer { candidates: &candidates, referrer: &referrer, target, spec };
                let mut set = |node: &mut Node| fixer.set(node);
                visit_any(&mut resource.node, &gvk, spec, Create::Never, &mut set).map_err(
                    |error| {
                        error.prefixed(format!(
                            "updating name reference in '{}' field of '{}'",
                            spec.path, referrer.id
                        ))
                    },
                )?;
            }
        }
    }
    Ok(())
}

impl Candidates {
    fn new(resources: &[Resource]) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        let mut all = Vec::new();
        for (index, resource) in resources.iter().enumerate() {
            let previous: Vec<_> = resource.previous_ids().collect();
            for id in &previous {
                let indices = by_name.entry(id.name.clone()).or_default();
                if indices.last() != Some(&index) {
                    indices.push(index);
                }
            }
            all.push(Candidate {
                id: resource.id(),
                previous,
                prefixes: resource.history.prefixes.clone(),
                suffixes: resource.history.suffixes.clone(),
                name: resource.name_node(),
                namespace: resource.node.at(&["metadata", "namespace"]).cloned(),
            });
        }
        Self { all, by_name }
    }

    fn that_were_named(&self, name: &str) -> impl Iterator<Item = &Candidate> {
        let indices = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        indices.iter().map(|&index| &self.all[index])
    }
}

impl Referrer {
    fn new<'n>(resource: &'n Resource) -> Result<Self> {
        let node = &resource.node;
        let text = |node: &'n Node, key: &str| node.get(key).map(Node::text);
        let subjects = node.get("subjects").filter(|_| resource.kind() == "RoleBinding");
        let accounts = subjects.map_or(&[][..], Node::items).iter();
        let accounts =
            accounts.filter(|item| item.get("kind").map(Node::text) == Some("ServiceAccount"));
        for namespace in accounts.clone().filter_map(|item| item.get("namespace")) {
            if !namespace.as_scalar().is_some_and(|scalar| scalar.resolved() == Tag::Str) {
                let id = resource.id().to_string();
                let message = format!("Invalid Input: namespace is blank for resource {id:?}\n");
                let at = namespace.origin.parts().first().map(|part| part.at.clone());
                return Err(Error::transformer(message).at(at));
            }
        }
        let role = node.get("roleRef").and_then(|role| {
            let (group, kind) = (text(role, "apiGroup")?, text(role, "kind")?);
            Some(Gvk::of(group, "", kind))
        });
        Ok(Self {
            id: resource.id(),
            prefixes: resource.history.prefixes.clone(),
            suffixes: resource.history.suffixes.clone(),
            namespaces: accounts
                .filter_map(|item| Some(text(item, "namespace")?.to_owned()))
                .collect(),
            role,
        })
    }

    /// Whether the resource could refer to a candidate at all.
    fn can_see(&self, candidate: &Candidate) -> bool {
        self.id.is_cluster_scoped()
            || candidate.id.is_cluster_scoped()
            || candidate.id.is_same_namespace(&self.id)
            || self.namespaces.contains(&candidate.id.namespace)
    }

    /// Whether a candidate is in the namespace that a name alone refers to.
    fn is_near(&self, candidate: &Candidate) -> bool {
        self.id.is_cluster_scoped()
            || candidate.id.is_cluster_scoped()
            || candidate.id.gvk.kind == "ServiceAccount"
            || candidate.id.is_same_namespace(&self.id)
    }

    /// Whether both came through the same prefixes and suffixes.
    fn has_same_context(&self, candidate: &Candidate, allows_none: bool) -> bool {
        let fits = |own: &[String], other: &[String]| {
            let is_free = allows_none && (own.is_empty() || other.is_empty());
            is_free || is_same_ending(own, other)
        };
        fits(&self.prefixes, &candidate.prefixes) && fits(&self.suffixes, &candidate.suffixes)
    }
}

fn is_same_ending(a: &[String], b: &[String]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() { long.is_empty() } else { long.ends_with(short) }
}

struct Fixer<'f> {
    candidates: &'f Candidates,
    referrer: &'f Referrer,
    target: &'f Gvk,
    spec: &'f FieldSpec,
}

impl<'f> Fixer<'f> {
    fn set(&self, node: &mut Node) -> Result<()> {
        if node.is_null() {
            return Ok(());
        }
        match node.kind() {
            Kind::Scalar => self.set_scalar(node),
            Kind::Map => self.set_map(node),
            Kind::Seq => {
                let Data::Seq(items) = &mut node.data else { return Ok(()) };
                items.iter_mut().filter(|item| !item.is_null()).try_for_each(|item| {
                    match item.kind() {
                        Kind::Scalar => self.set_scalar(item),
                        Kind::Map => self.set_map(item),
                        Kind::Seq => Err(Error::transformer(
                            "node is expected to be either a string or a map of string",
                        )),
                    }
                })
            }
        }
    }

    fn set_scalar(&self, node: &mut Node) -> Result<()> {
        let found = self.select(node.text(), |_| true, false)?;
        if let Some(found) = found.filter(|found| found.name.text() != node.text()) {
            let origin = node.origin.and(&found.name.origin);
            node.replace_scalar(Node::untyped(found.name.text(), origin));
        }
        Ok(())
    }

    fn set_map(&self, node: &mut Node) -> Result<()> {
        let Some(name) = node.get("name") else {
            return Err(Error::transformer("path config error; no 'name' field in node"));
        };
        let old = name.text().to_owned();
        let written = node.get("namespace").map(|node| node.origin.clone()).unwrap_or_default();
        let origin = name.origin.and(&written);
        let namespace = node.get("namespace").map(|node| node.text().to_owned());
        let has_original = namespace.as_ref().is_some_and(|namespace| {
            let mut all = self.candidates.all.iter().filter(|c| self.referrer.can_see(c));
            all.any(|candidate| candidate.original_namespace() == namespace)
        });
        let fits = |candidate: &Candidate| match &namespace {
            None => true,
            Some(namespace) if has_original => candidate.original_namespace() == namespace,
            Some(namespace) => candidate.id.effective_namespace() == namespace,
        };
        let Some(found) = self.select(&old, fits, true)? else { return Ok(()) };
        let new_namespace = found.namespace.as_ref().filter(|node| !node.text().is_empty());
        if found.name.text() == old && new_namespace.is_none() {
            return Ok(());
        }
        let name = Node::untyped(found.name.text(), origin.and(&found.name.origin));
        node.set("name", name, &Default::default());
        if let Some(namespace) = new_namespace {
            let origin = namespace.origin.and(&origin).and(&found.name.origin);
            let namespace = Node::untyped(namespace.text(), origin);
            node.set("namespace", namespace, &Default::default());
        }
        Ok(())
    }

    /// The resource that an old name refers to now.
    fn select(
        &self,
        old: &str,
        fits: impl Fn(&Candidate) -> bool,
        by_namespace: bool,
    ) -> Result<Option<&'f Candidate>> {
        let role = self.referrer.role.as_ref().filter(|_| self.spec.path.ends_with("roleRef/name"));
        let was = |candidate: &Candidate, gvk: &Gvk| {
            candidate.previous.iter().any(|id| id.gvk.is_selected(gvk))
        };
        let mut found: Vec<&Candidate> = self
            .candidates
            .that_were_named(old)
            .filter(|candidate| self.referrer.can_see(candidate) && fits(candidate))
            .filter(|candidate| was(candidate, self.target))
            .filter(|candidate| role.is_none_or(|role| was(candidate, role)))
            .filter(|candidate| self.referrer.is_near(candidate))
            .collect();
        if let [one] = found[..] {
            return Ok(Some(one));
        }
        found.retain(|candidate| self.referrer.has_same_context(candidate, true));
        if found.len() > 1 {
            found.retain(|candidate| self.referrer.has_same_context(candidate, false));
        }
        let Some((first, rest)) = found.split_first() else { return Ok(None) };
        let is_same = |other: &&Candidate| {
            other.name.text() == first.name.text()
                && (!by_namespace || other.id.namespace == first.id.namespace)
        };
        if rest.iter().all(is_same) {
            return Ok(Some(first));
        }
        let ids: Vec<_> = found.iter().map(|candidate| candidate.id.to_string()).collect();
        Err(Error::transformer(format!("found multiple possible referrals: {}", ids.join(", "))))
    }
}

impl Candidate {
    fn original_namespace(&self) -> &str {
        self.previous.first().unwrap_or(&self.id).effective_namespace()
    }
}
