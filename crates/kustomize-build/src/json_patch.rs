//! JSON patches (RFC 6902), with the rules and error texts of evanphx/json-patch 4.

use yaml_spans::Location;

use crate::{
    Origin,
    error::{Error, Result},
    node::{Data, Entry, Kind, Node, Style},
    number,
    scalar::Tag,
    work::Work,
};

/// One operation.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    kind: String,
    path: Option<String>,
    from: Option<String>,
    value: Node,
    at: Option<Location>,
}

/// Reads the operations of a patch. `None` if it is not a list of maps.
pub(crate) fn operations(patch: &Node) -> Option<Vec<Operation>> {
    let Data::Seq(items) = &patch.data else { return None };
    items
        .iter()
        .map(|item| {
            matches!(item.data, Data::Map(_)).then(|| {
                let text = |key| item.get(key).filter(|node| node.is_string()).map(Node::text);
                let path = item.get("path").unwrap_or(item);
                Operation {
                    kind: text("op").unwrap_or("unknown").to_owned(),
                    path: text("path").map(str::to_owned),
                    from: text("from").map(str::to_owned),
                    value: item.get("value").cloned().unwrap_or_default(),
                    at: path.origin.parts().first().map(|part| part.at.clone()),
                }
            })
        })
        .collect()
}

/// Applies operations to a resource, which takes the way through JSON.
pub(crate) fn apply(root: &mut Node, operations: &[Operation], work: &mut Work) -> Result<()> {
    for operation in operations {
        operation.apply(root, work).map_err(|error| error.at(operation.at.clone()))?;
    }
    normalize(root);
    Ok(())
}

impl Operation {
    fn apply(&self, root: &mut Node, work: &mut Work) -> Result<()> {
        work.copy(&self.value)?;
        let kind = self.kind.as_str();
        let known = ["add", "remove", "replace", "move", "copy", "test"];
        if !known.contains(&kind) {
            return Err(Error::transformer(format!("Unexpected kind: {kind}")));
        }
        let Some(path) = self.path.as_deref() else {
            return Err(Error::transformer(format!(
                "{kind} operation failed to decode path: missing value"
            )));
        };
        match kind {
            "add" => self.add(root, path, self.value.clone()),
            "remove" => remove(root, path).map(drop),
            "replace" => replace(root, path, self.value.clone()),
            "test" => self.test(root, path),
            _ => {
                let Some(from) = self.from.as_deref() else {
                    let message = format!("{kind} operation failed to decode from: missing value");
                    return Err(Error::transformer(message));
                };
                let Some(value) = get(root, from) else {
                    let message = format!(
                        "{kind} operation does not apply: doc is missing from path: {from}: missing value"
                    );
                    return Err(Error::transformer(message));
                };
                work.copy(value)?;
                let value = value.clone();
                if kind == "move" {
                    remove(root, from)?;
                }
                self.add(root, path, value)
            }
        }
    }

    fn add(&self, root: &mut Node, path: &str, value: Node) -> Result<()> {
        let kind = &self.kind;
        let Some((parent, key)) = parent(root, path) else {
            let message = format!(
                "{kind} operation does not apply: doc is missing path: \"{path}\": missing value"
            );
            return Err(Error::transformer(message));
        };
        let fail = |message: String| {
            Err(Error::transformer(format!("error in {kind} for path: '{path}': {message}")))
        };
        match &mut parent.data {
            Data::Seq(items) if key == "-" => items.push(value),
            Data::Seq(items) => {
                let Ok(number) = key.parse::<i64>() else {
                    return fail(format!(
                        "value was not a proper array index: '{key}': strconv.Atoi: parsing \"{key}\": invalid syntax"
                    ));
                };
                match index(number, items.len() + 1) {
                    Some(index) => items.insert(index, value),
                    None => {
                        return fail(format!(
                            "Unable to access invalid index: {number}: invalid index referenced"
                        ));
                    }
                }
            }
            _ => put(parent, &key, value),
        }
        Ok(())
    }

    fn test(&self, root: &mut Node, path: &str) -> Result<()> {
        let found = get(root, path);
        let is_equal = match found {
            Some(found) => is_equal(found, &self.value),
            None => self.value.is_null(),
        };
        if is_equal {
            return Ok(());
        }
        let message = format!("testing value {path} failed: test failed");
        Err(Error::transformer(message))
    }
}

fn put(parent: &mut Node, key: &str, mut value: Node) {
    match parent.get_mut(key) {
        Some(own) => *own = value,
        None => {
            let origin = value.all_origins();
            let Data::Map(entries) = &mut parent.data else { return };
            value.origin = value.origin.and(&Origin::default());
            entries.push(Entry { key: key.into(), is_quoted: true, origin, value });
        }
    }
}

fn replace(root: &mut Node, path: &str, value: Node) -> Result<()> {
    if path.is_empty() {
        if value.kind() == Kind::Scalar {
            let message = "replace operation value must be object or array: %!w(<nil>)";
            return Err(Error::transformer(message));
        }
        *root = value;
        return Ok(());
    }
    let missing = |what: &str| {
        let message = format!(
            "replace operation does not apply: doc is missing {what}: {path}: missing value"
        );
        Err(Error::transformer(message))
    };
    let Some((parent, key)) = parent(root, path) else { return missing("path") };
    if let Data::Seq(items) = &mut parent.data {
        let place = key.parse().ok().and_then(|number| index(number, items.len()));
        match place {
            Some(index) => items[index] = value,
            None => return missing("key"),
        }
        return Ok(());
    }
    put(parent, &key, value);
    Ok(())
}

fn remove(root: &mut Node, path: &str) -> Result<()> {
    let Some((parent, key)) = parent(root, path) else {
        let message = format!(
            "remove operation does not apply: doc is missing path: \"{path}\": missing value"
        );
        return Err(Error::transformer(message));
    };
    let fail = |message: String| {
        Err(Error::transformer(format!("error in remove for path: '{path}': {message}")))
    };
    if let Data::Seq(items) = &mut parent.data {
        let Ok(number) = key.parse::<i64>() else {
            return fail(format!("strconv.Atoi: parsing \"{key}\": invalid syntax"));
        };
        return match index(number, items.len()) {
            Some(index) => {
                items.remove(index);
                Ok(())
            }
            None => {
                fail(format!("Unable to access invalid index: {number}: invalid index referenced"))
            }
        };
    }
    match parent.remove(&key) {
        Some(_) => Ok(()),
        None => fail(format!("Unable to remove nonexistent key: {key}: missing value")),
    }
}

/// The place of an index; negative ones count from the end.
fn index(number: i64, len: usize) -> Option<usize> {
    let len = i64::try_from(len).ok()?;
    let index = if number < 0 { number + len } else { number };
    (0..len).contains(&index).then_some(index as usize)
}

/// The container that a path leads into, and its last key.
fn parent<'n>(root: &'n mut Node, path: &str) -> Option<(&'n mut Node, String)> {
    let (folders, key) = path.rsplit_once('/')?;
    let mut node = root;
    for part in folders.split('/').skip(1) {
        let part = unescape(part);
        node = match &mut node.data {
            Data::Seq(items) => {
                let place = index(part.parse().ok()?, items.len())?;
                &mut items[place]
            }
            Data::Map(entries) => {
                let entry = entries.iter_mut().find(|entry| *entry.key == *part)?;
                &mut entry.value
            }
            Data::Scalar(_) => return None,
        };
    }
    (node.kind() != Kind::Scalar).then(|| (node, unescape(key)))
}

fn get<'n>(root: &'n Node, path: &str) -> Option<&'n Node> {
    path.split('/').skip(1).try_fold(root, |node, part| {
        let part = unescape(part);
        match &node.data {
            Data::Seq(items) => items.get(index(part.parse().ok()?, items.len())?),
            Data::Map(_) => node.get(&part),
            Data::Scalar(_) => None,
        }
    })
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

fn is_equal(a: &Node, b: &Node) -> bool {
    match (&a.data, &b.data) {
        (Data::Seq(a), Data::Seq(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Data::Map(a), Data::Map(other)) => {
            a.len() == other.len()
                && a.iter()
                    .all(|entry| b.get(&entry.key).is_some_and(|b| is_equal(&entry.value, b)))
        }
        (Data::Scalar(_), Data::Scalar(_)) => {
            let (mut a, mut b) = (a.clone(), b.clone());
            normalize(&mut a);
            normalize(&mut b);
            a.is_string() == b.is_string() && a.text() == b.text()
        }
        _ => false,
    }
}

/// Turns scalars into what is left of them after JSON: times are strings, and numbers decimal.
fn normalize(node: &mut Node) {
    match &mut node.data {
        Data::Map(entries) => entries.iter_mut().for_each(|entry| {
            entry.is_quoted = true;
            normalize(&mut entry.value);
        }),
        Data::Seq(items) => items.iter_mut().for_each(normalize),
        Data::Scalar(scalar) => {
            scalar.tag = scalar.resolved();
            let text = match scalar.tag {
                Tag::Timestamp => yaml_spans::timestamp(&scalar.text),
                Tag::Int | Tag::Float => number::printed(&scalar.text),
                Tag::Bool => Some(scalar.text.to_lowercase()),
                Tag::Null => Some("null".to_owned()),
                Tag::Str | Tag::Empty => Some(scalar.string().into_owned()),
            };
            if let Some(text) = text {
                scalar.text = text.into();
            }
            if scalar.tag == Tag::Timestamp {
                scalar.tag = Tag::Str;
            }
            scalar.style = if scalar.tag == Tag::Str { Style::Quoted } else { Style::Plain };
        }
    }
}
