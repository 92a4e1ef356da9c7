//! Field paths: `spec.containers.[name=app].image`, `spec.args.0`, `spec.containers.*.image`.

use std::sync::Arc;

use crate::{
    Origin,
    error::{Error, Result},
    json,
    node::{Data, Entry, Kind, Node},
    origin::Field,
    read::Input,
    transform::fields::check,
};

/// The value at a path.
pub(super) fn lookup<'n>(root: &'n Node, path: &[String]) -> Result<Option<&'n Node>> {
    let mut node = root;
    for part in path.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        let next = if let Ok(index) = part.parse::<i64>() {
            let Ok(index) = usize::try_from(index) else {
                return Err(Error::transformer(format!("array index {index} cannot be negative")));
            };
            check(node, Kind::Seq)?;
            node.items().get(index)
        } else if part == "-" {
            check(node, Kind::Seq)?;
            node.items().last()
        } else if part == "*" {
            return Err(Error::transformer("wildcard is not supported in PathGetter"));
        } else if let Some((key, value)) = item_match(part)? {
            check(node, Kind::Seq)?;
            node.items().iter().find(|item| match key {
                "" => item.text() == value,
                key => item.get(key).is_some_and(|field| field.text() == value),
            })
        } else {
            check(node, Kind::Map)?;
            node.get(part)
        };
        match next.filter(|next| !next.is_null()) {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

/// The field and value of `[field=value]`.
fn item_match(part: &str) -> Result<Option<(&str, &str)>> {
    let Some(inner) = part.strip_prefix('[').and_then(|part| part.strip_suffix(']')) else {
        return Ok(None);
    };
    inner.split_once('=').map(Some).ok_or_else(|| {
        Error::transformer(
            "list path element must contain fieldName=fieldValue for element to match",
        )
    })
}

type Visit<'v> = &'v mut dyn FnMut(&mut Node) -> Result<()>;

/// Visits all values at a path, creating them as nodes of a kind when asked to.
pub(super) fn visit(
    node: &mut Node,
    path: &[String],
    create: Option<Kind>,
    each: Visit<'_>,
) -> Result<()> {
    let Some((part, rest)) = path.split_first() else { return each(node) };
    if part.parse::<usize>().is_ok() {
        return visit_index(node, part, rest, create, each);
    }
    if let Some((key, value)) = item_match(part)? {
        return visit_items(node, (key, value), rest, create, each);
    }
    if part == "*" {
        check(node, Kind::Seq)?;
        let Data::Seq(items) = &mut node.data else { return Ok(()) };
        return items.iter_mut().try_for_each(|item| visit(item, rest, create, each));
    }
    if node.is_null() {
        return Ok(());
    }
    check(node, Kind::Map)?;
    if node.get(part).is_none() {
        let Some(kind) = create else { return Ok(()) };
        let Data::Map(entries) = &mut node.data else { return Ok(()) };
        let value = Node::empty(kind_for(rest, kind));
        let key = part.as_str().into();
        entries.push(Entry { key, is_quoted: false, origin: Origin::default(), value });
    }
    let Some(field) = node.get_mut(part) else { return Ok(()) };
    if field.kind() == Kind::Scalar && !field.is_null() && !rest.is_empty() {
        // Text with structure was tried before.
        return Ok(());
    }
    visit(field, rest, create, each)
}

/// What to create for a path whose rest is known.
fn kind_for(rest: &[String], kind: Kind) -> Kind {
    match rest.first() {
        None => kind,
        Some(next) if next.starts_with('[') && next.ends_with(']') => Kind::Seq,
        Some(next) if next.parse::<usize>().is_ok() => Kind::Seq,
        Some(_) => Kind::Map,
    }
}

fn visit_index(
    node: &mut Node,
    part: &str,
    rest: &[String],
    create: Option<Kind>,
    each: Visit<'_>,
) -> Result<()> {
    check(node, Kind::Seq)?;
    let index: usize = part.parse().unwrap_or_default();
    let mut none = Vec::new();
    let items = match &mut node.data {
        Data::Seq(items) => items,
        _ => &mut none,
    };
    if let (true, Some(kind)) = (index == items.len(), create) {
        items.push(Node::empty(kind_for(rest, kind)));
    }
    let count = items.len();
    match items.get_mut(index) {
        Some(item) => visit(item, rest, create, each),
        None => {
            let message = format!("index {index} specified but only {count} elements found");
            Err(Error::transformer(message))
        }
    }
}

fn visit_items(
    node: &mut Node,
    (key, value): (&str, &str),
    rest: &[String],
    create: Option<Kind>,
    each: Visit<'_>,
) -> Result<()> {
    check(node, Kind::Seq)?;
    let pattern = go_regexp::compile(value).map_err(Error::transformer)?;
    let is_match = |item: &Node| match key {
        "" => item.kind() == Kind::Scalar && pattern.is_match(item.text().as_bytes()),
        key => item.get(key).is_some_and(|field| pattern.is_match(field.text().as_bytes())),
    };
    let Data::Seq(items) = &mut node.data else { return Ok(()) };
    if let (Some(_), false) = (create, items.iter().any(is_match)) {
        let mut item = Node::untyped(value, Origin::default());
        if !key.is_empty() {
            let mut map = Node::map();
            map.set(key, item, &Origin::default());
            item = map;
        }
        items.push(item);
    }
    for item in items.iter_mut().filter(|item| is_match(item)) {
        match key {
            "" => each(item)?,
            _ => visit(item, rest, create, each)?,
        }
    }
    Ok(())
}

/// Sets a value inside text that is itself JSON or YAML. False when the path does not lead into such a text.
pub(super) fn set_inside(
    root: &mut Node,
    path: &[String],
    value: &Node,
    create: Option<Kind>,
) -> bool {
    let is_text = |node: &Node| node.kind() == Kind::Scalar && !node.is_null();
    let end =
        (1..path.len()).find(|&end| lookup(root, &path[..end]).ok().flatten().is_some_and(is_text));
    let Some(end) = end else { return false };
    let text = match lookup(root, &path[..end]) {
        Ok(Some(node)) => node.text().to_owned(),
        _ => return false,
    };
    let Some(new) = set_in_text(&text, &path[end..], value, create) else { return false };
    let result = visit(root, &path[..end], None, &mut |node| {
        if let Data::Scalar(scalar) = &mut node.data {
            scalar.text = new.as_str().into();
            node.origin = value.origin.and(&node.origin);
        }
        Ok(())
    });
    result.is_ok()
}

fn set_in_text(text: &str, path: &[String], value: &Node, create: Option<Kind>) -> Option<String> {
    let source = Arc::new(yaml_spans::Source::read_only("", text));
    let field = Field::Replacements;
    let input = Input { text, source, documents: None, inside: None, field, chain: None };
    let mut parsed = input.documents().ok()?.into_iter().next()?;
    let mut spans = Vec::new();
    visit(&mut parsed, path, create, &mut |node| {
        spans.push(node.origin.parts().first().map(|part| part.at.span));
        match (&mut node.data, value.kind()) {
            (Data::Scalar(scalar), Kind::Scalar) => scalar.text = value.text().into(),
            _ => *node = value.clone(),
        }
        Ok(())
    })
    .ok()?;
    if spans.is_empty() {
        return None;
    }
    if text.trim_start().starts_with(['{', '[']) {
        let mut out = String::new();
        json::print(&parsed, &mut out).ok()?;
        if !(text.contains('\n') && text.contains("  ")) {
            return Some(out);
        }
        let value: serde_json::Value = serde_json::from_str(&out).ok()?;
        return serde_json::to_string_pretty(&value).ok();
    }
    // The rest of the text stays as it is.
    let mut out = text.to_owned();
    for span in spans.into_iter().rev() {
        out.replace_range(span?.range(), value.text());
    }
    Some(out.trim().to_owned())
}
