//! Comparison of two values of an API type as by the API server: after defaulting, quantities by value,
//! `null`, empty lists and empty maps as absent. Sources: `apiequality.Semantic.DeepEqual`;
//! kubernetes-jobs 2.4.

use yaml_spans::{Node, Span, Value};

use super::defaults::{is_always_there, when_absent};
use crate::kubernetes::{
    quantity,
    schema::{self, FieldType, ValueType},
};

/// A part of an object that differs between two versions.
#[derive(Clone, Debug)]
pub struct Difference {
    steps: Vec<Step>,
    /// The value in the old version; `None` when absent.
    pub old: Option<Written>,
    /// The value in the new version; `None` when absent.
    pub new: Option<Written>,
}

/// A value with the span to point at.
#[derive(Clone, Debug)]
pub struct Written {
    /// The value.
    pub node: Node,
    /// A scalar itself, the key of a collection.
    pub span: Span,
}

/// A segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A field of a struct.
    Field(&'static str),
    /// A key of a map with arbitrary keys.
    Key(String),
    /// An index of a list.
    Index(usize),
    /// The item of a list with this `name`.
    Name(String),
}

impl Difference {
    /// The path: `spec.template.spec.containers[name="c"].image`, in the server's notation for lists keyed by name.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            match step {
                Step::Field(name) if path.is_empty() => path.push_str(name),
                Step::Field(name) => path.extend([".", name]),
                Step::Key(key) => path.push_str(&format!("[{key:?}]")),
                Step::Index(index) => path.push_str(&format!("[{index}]")),
                Step::Name(name) => path.push_str(&format!("[name={name:?}]")),
            }
        }
        path
    }

    /// The fields of the path below another path, without list items and map keys; empty when it is elsewhere.
    pub(super) fn fields_below(&self, above: &[&'static str]) -> Vec<&'static str> {
        let fields = self.steps.iter().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            _ => None,
        });
        let fields: Vec<_> = fields.collect();
        fields.strip_prefix(above).map(<[_]>::to_vec).unwrap_or_default()
    }

    /// The names in the path: fields, map keys, and `name`s of list items.
    pub fn names(&self) -> Vec<&str> {
        let names = self.steps.iter().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Key(name) | Step::Name(name) => Some(name.as_str()),
            Step::Index(_) => None,
        });
        names.collect()
    }

    /// The key of the deepest part of the path that exists in another version of the object, given by its
    /// root: where that version would contain the missing value.
    pub fn nearest_ancestor(&self, root: &Node) -> Option<Span> {
        let mut node = root;
        let mut span = None;
        for step in &self.steps {
            let next = match step {
                Step::Field(name) => node.entry(name).map(|entry| (entry.key_span, &entry.value)),
                Step::Key(key) => node.entry(key).map(|entry| (entry.key_span, &entry.value)),
                Step::Index(index) => node.items().get(*index).map(|item| (head(item), item)),
                Step::Name(name) => {
                    let own = |item: &&Node| name_of(item) == Some(name);
                    node.items().iter().find(own).map(|item| (head(item), item))
                }
            };
            let Some((at, below)) = next else { break };
            (span, node) = (Some(at), below);
        }
        span
    }
}

/// The differences in one field of two mappings of a type. `path` ends with the field.
pub(super) fn compare(
    of: &'static str,
    field: &str,
    parents: [Option<&Node>; 2],
    path: &[Step],
) -> Vec<Difference> {
    let mut comparison = Comparison { steps: path.to_vec(), found: Vec::new() };
    if let Some(shape) = schema::find(of).and_then(|of| of.field(field)) {
        comparison.field(of, field, shape, parents);
    }
    comparison.found
}

/// The value in either version, with the span to point at.
type Sides<'a> = [Option<(&'a Node, Span)>; 2];

struct Comparison {
    steps: Vec<Step>,
    found: Vec<Difference>,
}

impl Comparison {
    fn field(&mut self, of: &str, field: &str, shape: FieldType, parents: [Option<&Node>; 2]) {
        let sides = parents.map(|parent| written(parent?, field));
        match shape {
            FieldType::One(ValueType::Struct(inner)) => {
                let implied = |side: usize| is_always_there(of, field, parents[side]);
                match sides {
                    [None, None] => {}
                    [None, Some(_)] if !implied(0) => self.differ(sides),
                    [Some(_), None] if !implied(1) => self.differ(sides),
                    _ => self.mapping(inner, sides.map(|side| side.map(|(node, _)| node))),
                }
            }
            FieldType::One(kind) => {
                let absent = parents.map(|parent| when_absent(of, field, parent));
                self.scalar(kind, sides, absent);
            }
            FieldType::List(kind) => self.list(kind, sides),
            FieldType::Map(kind) => self.map(kind, sides),
        }
    }

    fn mapping(&mut self, of: &'static str, nodes: [Option<&Node>; 2]) {
        let Some(found) = schema::find(of) else { return };
        for (field, shape) in found.fields() {
            // A deprecated alias of `serviceAccountName`; the server fills in both.
            if (of, field) == ("PodSpec", "serviceAccount") {
                continue;
            }
            self.steps.push(Step::Field(field));
            match (of, field) {
                ("PodSpec", "serviceAccountName") => {
                    self.scalar(ValueType::String, nodes.map(|node| account(node?)), [Some(""); 2]);
                }
                _ => self.field(of, field, shape, nodes),
            }
            self.steps.pop();
        }
    }

    /// A map with arbitrary keys.
    fn map(&mut self, kind: ValueType, sides: Sides<'_>) {
        let [old, new] = sides.map(|side| side.map(|(node, _)| node));
        let added = new
            .map_or(&[][..], Node::entries)
            .iter()
            .filter(|entry| old.is_none_or(|old| old.set(&entry.key).is_none()));
        for entry in old.map_or(&[][..], Node::entries).iter().chain(added) {
            self.steps.push(Step::Key(entry.key.to_string()));
            let sides = [old, new].map(|node| written(node?, &entry.key));
            self.scalar(kind, sides, [None; 2]);
            self.steps.pop();
        }
    }

    fn list(&mut self, kind: ValueType, sides: Sides<'_>) {
        let [old, new] = sides.map(|side| side.map_or(&[][..], |(node, _)| node.items()));
        if let (ValueType::Struct(of), Some(names)) = (kind, names([old, new])) {
            return self.named(of, [old, new], names, sides);
        }
        if old.len() != new.len() {
            return self.differ(sides);
        }
        for (index, pair) in old.iter().zip(new).enumerate() {
            self.steps.push(Step::Index(index));
            let pair = [pair.0, pair.1].map(|item| Some((item, head(item))));
            match kind {
                ValueType::Struct(of) => {
                    self.mapping(of, pair.map(|side| side.map(|(node, _)| node)))
                }
                kind => self.scalar(kind, pair, [None; 2]),
            }
            self.steps.pop();
        }
    }

    /// Lists keyed by name: added, removed and changed items; without any of these, a different order.
    fn named(
        &mut self,
        of: &'static str,
        items: [&[Node]; 2],
        names: [Vec<&str>; 2],
        all: Sides<'_>,
    ) {
        let before = self.found.len();
        let [old, new] = &names;
        let added = new.iter().filter(|name| !old.contains(name));
        for name in old.iter().chain(added) {
            self.steps.push(Step::Name((*name).to_owned()));
            let side = |side: usize| {
                let at = names[side].iter().position(|own| own == name)?;
                items[side].get(at).map(|item| (item, head(item)))
            };
            let sides = [side(0), side(1)];
            match sides {
                [Some((old, _)), Some((new, _))] => self.mapping(of, [Some(old), Some(new)]),
                _ => self.differ(sides),
            }
            self.steps.pop();
        }
        if self.found.len() == before && names[0] != names[1] {
            self.differ(all);
        }
    }

    fn scalar(&mut self, kind: ValueType, sides: Sides<'_>, absent: [Option<&'static str>; 2]) {
        let [old, new] = [0, 1].map(|side| {
            let node = sides[side].map(|(node, _)| node);
            ApiValue::of(kind, node, absent[side])
        });
        // If neither version writes a value, only a default differs; the field it depends on is reported instead.
        if old != new && sides.iter().any(Option::is_some) {
            self.differ(sides);
        }
    }

    fn differ(&mut self, sides: Sides<'_>) {
        let [old, new] =
            sides.map(|side| side.map(|(node, span)| Written { node: node.clone(), span }));
        self.found.push(Difference { steps: self.steps.clone(), old, new });
    }
}

/// A scalar as the API server stores it.
#[derive(Clone, Debug, PartialEq)]
enum ApiValue {
    Nothing,
    Text(String),
    Billionths(i128),
    Other(Node),
}

impl ApiValue {
    fn of(kind: ValueType, node: Option<&Node>, absent: Option<&str>) -> Self {
        let Some(node) = node else {
            return absent.map_or(ApiValue::Nothing, |text| ApiValue::text(kind, text));
        };
        let text = match &node.value {
            Value::Str(text) => text.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Uint(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Null => return ApiValue::Nothing,
            Value::Seq(_) | Value::Map(_) => return ApiValue::Other(node.clone()),
        };
        match kind {
            // Numbers and strings differ: port 80 and the port named "80".
            ValueType::IntOrString | ValueType::Any => ApiValue::Other(node.clone()),
            kind => ApiValue::text(kind, &text),
        }
    }

    fn text(kind: ValueType, text: &str) -> Self {
        match (kind, text) {
            (ValueType::Quantity, "") => ApiValue::Billionths(0),
            (ValueType::Quantity, text) => quantity::parse(text)
                .map_or_else(|| ApiValue::Text(text.to_owned()), ApiValue::Billionths),
            (ValueType::IntOrString | ValueType::Any, "") => ApiValue::Nothing,
            (ValueType::Bool, "false") | (ValueType::Int32 | ValueType::Int64, "0") => {
                ApiValue::Text(String::new())
            }
            (_, text) => ApiValue::Text(text.to_owned()),
        }
    }
}

/// The value under a key, unless it is `null`.
fn written<'a>(parent: &'a Node, key: &str) -> Option<(&'a Node, Span)> {
    let entry = parent.entry(key).filter(|entry| !entry.value.is_null())?;
    let large =
        matches!(entry.value.value, Value::Map(_) | Value::Seq(_)) || entry.value.span.is_empty();
    Some((&entry.value, if large { entry.key_span } else { entry.value.span }))
}

/// `serviceAccountName`, or its deprecated alias.
fn account(pod: &Node) -> Option<(&Node, Span)> {
    written(pod, "serviceAccountName").or_else(|| written(pod, "serviceAccount"))
}

/// The start of a list item: its first key.
fn head(item: &Node) -> Span {
    item.entries().first().map_or(item.span, |entry| entry.key_span)
}

fn name_of(item: &Node) -> Option<&str> {
    item.get("name")?.as_str()
}

/// The names of all items, if each item has a distinct one.
fn names<'a>(lists: [&'a [Node]; 2]) -> Option<[Vec<&'a str>; 2]> {
    let names = |items: &'a [Node]| -> Option<Vec<&'a str>> {
        let names: Vec<_> = items.iter().map(name_of).collect::<Option<_>>()?;
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        (sorted.len() == names.len()).then_some(names)
    };
    Some([names(lists[0])?, names(lists[1])?])
}
