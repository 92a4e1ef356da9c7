//! `replacements`.

mod paths;

use std::rc::Rc;

use self::paths::{lookup, visit};
use super::{Place, Transform};
use crate::{
    error::{Error, Result},
    field_spec::split_bracketed,
    go::{Decode, Decoder, Text},
    node::{Data, Kind, Node},
    resource::Resource,
    resources::Resources,
    selector::Matcher,
    types::{FieldOptions, Replacement, Source, Target},
    work::Work,
    workspace::Progress,
};

/// `replacements`.
pub(crate) struct Replacements {
    pub(crate) replacements: Vec<Replacement>,
    pub(crate) place: Place,
    /// Where a partial build notes what it leaves out.
    pub(crate) partial: Option<Rc<Progress>>,
}

/// The replacements of a file: a list, or one.
pub(crate) fn read_file(source: &std::sync::Arc<yaml_spans::Source>) -> Result<Vec<Replacement>> {
    let Some(document) = yaml_spans::parse(&source.text).into_iter().next() else {
        let message = "unsupported replacement type encountered within replacement path: invalid";
        return Err(Error::transformer(message));
    };
    let root = document.map_err(|error| {
        let at = yaml_spans::Location { source: source.clone(), span: error.span };
        Error::transformer(format!("yaml: {}", error.reason)).at(Some(at))
    })?;
    let decoder = Decoder { source, inside: None, root: "Replacement", is_strict: false };
    match &root.root.value {
        yaml_spans::Value::Seq(_) => Vec::decode(&decoder, &root.root, ""),
        _ => Ok(vec![Replacement::decode(&decoder, &root.root, "")?]),
    }
}

impl Transform for Replacements {
    fn apply(&self, resources: &mut Resources) -> Result<()> {
        for replacement in &self.replacements {
            let Some(targets) = &replacement.targets else { return Err(incomplete()) };
            resources.work.look(resources.list.len())?;
            let value = self.value(replacement, &resources.list)?;
            resources.work.copy(&value)?;
            for target in targets {
                set(resources, &value, target, self.partial.as_deref())?;
            }
        }
        resources.drop_deleted();
        Ok(())
    }
}

fn incomplete() -> Error {
    Error::transformer("replacements must specify a source and at least one target")
}

impl Replacements {
    fn value(&self, replacement: &Replacement, resources: &[Resource]) -> Result<Node> {
        match (&replacement.source, &replacement.source_value) {
            (None, None) => Err(incomplete()),
            (Some(_), Some(value)) => {
                let message = "value and resource selectors are mutually exclusive";
                Err(Error::transformer(message).at(value.at.clone()))
            }
            (None, Some(value)) => Ok(Node::untyped(value.text.clone(), self.place.origin(value))),
            (Some(source), None) => source_value(source, resources),
        }
    }
}

/// The selector as kustomize shows it.
fn shown(source: &Source) -> String {
    let mut parts = vec![source.id().to_string()];
    if !source.field_path.is_empty() {
        parts.push(source.field_path.to_string());
    }
    if let Some(options) = source.options.as_ref().filter(|o| !o.delimiter.is_empty() || o.create) {
        parts
            .push(format!("{}({}), create={}", &*options.delimiter, options.index, options.create));
    }
    parts.join(":")
}

fn source_value(source: &Source, resources: &[Resource]) -> Result<Node> {
    let selector = source.id();
    let at =
        [&source.name, &source.kind, &source.field_path].iter().find_map(|text| text.at.clone());
    let fail = |message: String| Err(Error::transformer(message).at(at.clone()));
    let mut found = resources
        .iter()
        .filter(|resource| resource.ids().iter().any(|id| id.is_selected_by(&selector)));
    let resource = match (found.next(), found.next()) {
        (None, _) => return fail(format!("nothing selected by {}", shown(source))),
        (Some(_), Some(_)) => {
            return fail(format!("multiple matches for selector {}", shown(source)));
        }
        (Some(resource), None) => resource,
    };
    let path = if source.field_path.is_empty() { "metadata.name" } else { &*source.field_path };
    let value = lookup(&resource.node, &split_bracketed(path))
        .map_err(|error| error.prefixed("error looking up replacement source").at(at.clone()))?;
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return fail(format!("fieldPath `{path}` is missing for replacement source {selector}"));
    };
    refined(value, source.options.as_ref()).map_err(|error| error.at(at.clone()))
}

/// The part of the source's value that the options select.
fn refined(value: &Node, options: Option<&FieldOptions>) -> Result<Node> {
    let Some(options) = options.filter(|options| !options.delimiter.is_empty()) else {
        return Ok(value.clone());
    };
    let Data::Scalar(scalar) = &value.data else { return Err(only_scalars()) };
    let parts: Vec<_> = scalar.text.split(&*options.delimiter).collect();
    let part = usize::try_from(options.index).ok().and_then(|index| parts.get(index));
    let Some(part) = part else {
        let message =
            format!("options.index {} is out of bounds for value {}", options.index, scalar.text);
        return Err(Error::transformer(message));
    };
    let mut value = value.clone();
    if let Data::Scalar(scalar) = &mut value.data {
        scalar.text = (*part).into();
    }
    Ok(value)
}

fn only_scalars() -> Error {
    Error::transformer("delimiter option can only be used with scalar nodes")
}

fn set(
    resources: &mut Resources,
    value: &Node,
    target: &Target,
    partial: Option<&Progress>,
) -> Result<()> {
    let Some(select) = &target.select else {
        return Err(Error::transformer("target must specify resources to select"));
    };
    let invalid = |error: Error| error.prefixed("error creating target selector");
    let select = Matcher::new(select).map_err(invalid)?;
    let rejects: Vec<_> =
        target.reject.iter().map(Matcher::new).collect::<Result<_>>().map_err(invalid)?;
    let Resources { list, work } = resources;
    work.look(list.len())?;
    for resource in list {
        let ids = resource.ids();
        let is_rejected = rejects.iter().any(|reject| {
            reject.selects_by_labels() && reject.fits_labels(resource)
                || !reject.has_no_id() && ids.iter().any(|id| reject.fits_id(id))
        });
        if is_rejected || !select.fits_labels(resource) || !ids.iter().any(|id| select.fits_id(id))
        {
            continue;
        }
        for absent in set_fields(resource, value, target, work)? {
            // What a Job lacks may be what it needs.
            match partial.filter(|_| !is_work(resource)) {
                Some(progress) => progress.skipped.borrow_mut().push(absent),
                None => return Err(absent),
            }
        }
    }
    Ok(())
}

fn is_work(resource: &Resource) -> bool {
    ["Job", "CronJob"].contains(&&*resource.id().gvk.kind)
}

/// Sets the fields of a target, and returns an error for each that the resource lacks.
fn set_fields(
    resource: &mut Resource,
    value: &Node,
    target: &Target,
    work: &mut Work,
) -> Result<Vec<Error>> {
    let mut absent = Vec::new();
    let default = [Text { text: "metadata.name".into(), ..Text::default() }];
    let paths = if target.field_paths.is_empty() { &default[..] } else { &target.field_paths[..] };
    let create = target.options.as_ref().is_some_and(|options| options.create);
    let create = create.then(|| value.kind());
    for path in paths {
        work.copy(value)?;
        let parts = split_bracketed(path);
        if paths::set_inside(&mut resource.node, &parts, value, create) {
            continue;
        }
        let or_create = if create.is_some() { " or create" } else { "" };
        let what = format!("unable to find{or_create} field {:?} in replacement target", &**path);
        let mut count = 0;
        visit(&mut resource.node, &parts, create, &mut |node| {
            count += 1;
            work.copy(value)?;
            set_field(node, value, target.options.as_ref())
        })
        .map_err(|error| {
            if count == 0 { error.prefixed(&what) } else { error }.at(path.at.clone())
        })?;
        if count == 0 {
            absent.push(Error::transformer(what).at(path.at.clone()));
        }
    }
    Ok(absent)
}

fn set_field(node: &mut Node, value: &Node, options: Option<&FieldOptions>) -> Result<()> {
    let mut value = value.clone();
    if let Some(options) = options.filter(|options| !options.delimiter.is_empty()) {
        let Data::Scalar(own) = &node.data else { return Err(only_scalars()) };
        let mut parts: Vec<_> = own.text.split(&*options.delimiter).map(str::to_owned).collect();
        let text = value.text().to_owned();
        match usize::try_from(options.index) {
            Err(_) => parts.insert(0, text),
            Ok(index) if index >= parts.len() => parts.push(text),
            Ok(index) => parts[index] = text,
        }
        let joined = parts.join(&options.delimiter);
        value.origin = value.origin.and(&node.origin);
        if let Data::Scalar(scalar) = &mut value.data {
            scalar.text = joined.into();
        }
    }
    match &mut node.data {
        Data::Scalar(scalar) => {
            // Only the text is copied, so that the type stays.
            let text = match value.kind() {
                Kind::Scalar => value.text().into(),
                _ => "".into(),
            };
            scalar.text = text;
            node.origin = value.origin;
        }
        _ => *node = value,
    }
    Ok(())
}
