//! `vars`: replaces `$(NAME)` by the value of a field.

use std::collections::BTreeMap;

use crate::{
    Origin,
    config::Config,
    error::{Error, Result},
    field_spec::{Create, split, visit},
    node::{Data, Node},
    resources::Resources,
    scalar::Tag,
    types::Var,
};

/// The vars of a build by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vars(BTreeMap<String, Var>);

impl Vars {
    /// Adds the vars of a kustomization, and notes at their sources that they refer to them.
    pub(crate) fn add(&mut self, vars: &[Var], resources: &mut Resources) -> Result<()> {
        for var in vars {
            let target = var.object.id();
            let is_exact = !target.namespace.is_empty() || target.gvk.is_cluster_scoped();
            let found = resources.that_have_been(|id| match is_exact {
                true => id.is(&target),
                false => id.is_same_but_namespace(&target),
            });
            match found[..] {
                [] => {}
                [index] => resources.list[index].history.vars.push(var.name.to_string()),
                _ => {
                    let message = format!(
                        "found {} resId matches for var {} (unable to disambiguate)",
                        found.len(),
                        shown(var)
                    );
                    return Err(Error::transformer(message).at(var.name.at.clone()));
                }
            }
        }
        self.merge(vars.iter())
    }

    /// Adds the vars of another kustomization.
    pub(crate) fn merge<'v>(&mut self, vars: impl Iterator<Item = &'v Var>) -> Result<()> {
        for var in vars {
            if self.0.insert(var.name.to_string(), var.clone()).is_some() {
                let message = format!("var '{}' already encountered", &*var.name);
                return Err(Error::transformer(message).at(var.name.at.clone()));
            }
        }
        Ok(())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Var> {
        self.0.values()
    }

    /// Replaces all vars.
    pub(crate) fn resolve(&self, resources: &mut Resources, config: &Config) -> Result<()> {
        let mut values = BTreeMap::new();
        for (name, var) in &self.0 {
            values.insert(name.as_str(), value(var, resources)?);
        }
        if values.is_empty() {
            return Ok(());
        }
        for resource in &mut resources.list {
            let gvk = resource.gvk();
            for spec in &config.var_reference {
                visit(&mut resource.node, &gvk, spec, Create::Never, &mut |node| {
                    replace(node, &values)
                })?;
            }
        }
        Ok(())
    }
}

/// The var as Go prints the struct.
fn shown(var: &Var) -> String {
    let id = var.object.id();
    let path = if var.field.path.is_empty() { "metadata.name" } else { &*var.field.path };
    format!("{{{} {} {{{path}}}}}", &*var.name, id.gvk)
}

fn value(var: &Var, resources: &Resources) -> Result<Node> {
    let fail = |message: String| Err(Error::transformer(message).at(var.name.at.clone()));
    let mut sources = resources.list.iter();
    let name = &*var.name;
    let Some(resource) = sources.find(|resource| resource.history.vars.iter().any(|v| v == name))
    else {
        let message = format!(
            "var '{}' cannot be mapped to a field in the set of known resources",
            shown(var)
        );
        return fail(message);
    };
    let path = if var.field.path.is_empty() { "metadata.name" } else { &*var.field.path };
    match field(&resource.node, path) {
        Some(node) => Ok(node.clone()),
        None => fail(format!(
            "field specified in var '{}' not found in corresponding resource",
            shown(var)
        )),
    }
}

/// The value at a path such as `spec.ports[0].port`.
fn field<'n>(root: &'n Node, path: &str) -> Option<&'n Node> {
    let mut node = root;
    for part in split(path, '.') {
        let (name, indices) = part.split_once('[').unwrap_or((&part, ""));
        if !name.is_empty() {
            node = node.get(name)?;
        }
        for index in indices.split('[').filter(|index| !index.is_empty()) {
            node = node.items().get(index.trim_end_matches(']').parse::<usize>().ok()?)?;
        }
    }
    Some(node)
}

fn replace(node: &mut Node, values: &BTreeMap<&str, Node>) -> Result<()> {
    let is_string = Node::is_string;
    match &mut node.data {
        Data::Scalar(_) => {
            if is_string(node) {
                expand(node, values);
            }
        }
        Data::Map(entries) => {
            entries
                .iter_mut()
                .map(|entry| &mut entry.value)
                .filter(|value| value.is_string())
                .for_each(|value| {
                    expand(value, values);
                });
        }
        Data::Seq(items) => {
            for item in items {
                if !is_string(item) {
                    return Err(Error::transformer("invalid value type expect a string"));
                }
                expand(item, values);
            }
        }
    }
    Ok(())
}

/// Replaces `$(NAME)`; `$$` is a dollar sign. A text that is one var takes over its type.
fn expand(node: &mut Node, values: &BTreeMap<&str, Node>) {
    let input = node.text().to_owned();
    let whole = input.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    if let Some(value) =
        whole.and_then(|name| values.get(name)).filter(|value| value.as_scalar().is_some())
    {
        let origin = value.origin.and(&node.origin);
        *node = Node { origin, ..typed(value) };
        return;
    }
    let (mut out, mut origin) = (String::new(), node.origin.clone());
    let mut rest = input.as_str();
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('$') {
            out.push('$');
            rest = after;
        } else if let Some((name, after)) =
            rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
        {
            match values.get(name).filter(|value| value.as_scalar().is_some()) {
                Some(value) => {
                    out.push_str(&plain_text(value));
                    origin = origin.and(&value.origin);
                }
                None => out.push_str(&format!("$({name})")),
            }
            rest = after;
        } else {
            out.push('$');
            if let Some(c) = rest.chars().next() {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out.push_str(rest);
    *node = Node::string(out, origin);
}

/// A value with its type, as Go's reflection sees it.
fn typed(value: &Node) -> Node {
    let Some(scalar) = value.as_scalar() else { return value.clone() };
    Node::scalar(plain_text(value), scalar.resolved(), Origin::default())
}

fn plain_text(value: &Node) -> String {
    let text = value.text();
    match value.as_scalar().map(|scalar| scalar.tag) {
        Some(Tag::Int | Tag::Float) => {
            crate::number::printed(text).unwrap_or_else(|| text.to_owned())
        }
        _ => text.to_owned(),
    }
}
