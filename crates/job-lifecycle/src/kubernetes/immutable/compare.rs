//! Two values of one API type compared as the API server does: after defaulting, quantities by value, `null`, empty
//! lists and empty maps as absent (`apiequality.Semantic.DeepEqual`; facts: kubernetes-jobs §2.4).

use yaml_spans::{Node, Span, Value};

use super::defaults::{is_always_there, when_absent};
use crate::kubernetes::{
    quantity,
    schema::{self, Kind, Shape},
};

/// A part of an object that differs between two versions.
#[derive(Clone, Debug)]
pub struct Difference {
    steps: Vec<Step>,
    /// What the old version writes there; `None` when it writes nothing.
    pub old: Option<Written>,
    pub new: Option<Written>,
}

/// A value and where it is written.
#[derive(Clone, Debug)]
pub struct Written {
    pub node: Node,
    /// The value of a scalar, the key of anything larger.
    pub span: Span,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Field(&'static str),
    /// A key of a mapping with free keys.
    Key(String),
    Index(usize),
    /// An item that its `name` tells from the others.
    Name(String),
}

impl Difference {
    /// `spec.template.spec.containers[name="c"].image`, as the server prints paths of lists that are keyed by name.
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

    /// The fields on the way below a path, without items and keys; nothing when it lies elsewhere.
    pub fn fields_below(&self, above: &[&'static str]) -> Vec<&'static str> {
        let fields = self.steps.iter().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            _ => None,
        });
        let fields: Vec<_> = fields.collect();
        fields.strip_prefix(above).map(<[_]>::to_vec).unwrap_or_default()
    }

    /// The names on the way: fields, keys, names of items.
    pub fn names(&self) -> Vec<&str> {
        let names = self.steps.iter().filter_map(|step| match step {
            Step::Field(name) => Some(*name),
            Step::Key(name) | Step::Name(name) => Some(name.as_str()),
            Step::Index(_) => None,
        });
        names.collect()
    }

    /// The deepest fields that both versions have on the way, from the root: where the new version would write what
    /// only the old one does.
    pub fn around(&self, root: &Node) -> Option<Span> {
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
pub fn compare(
    of: &'static str,
    field: &str,
    parents: [Option<&Node>; 2],
    path: &[Step],
) -> Vec<Difference> {
    let mut walk = Walk { steps: path.to_vec(), found: Vec::new() };
    if let Some(shape) = schema::find(of).and_then(|of| of.field(field)) {
        walk.field(of, field, shape, parents);
    }
    walk.found
}

/// A value in either version, with the place to point at.
type Sides<'a> = [Option<(&'a Node, Span)>; 2];

struct Walk {
    steps: Vec<Step>,
    found: Vec<Difference>,
}

impl Walk {
    fn field(&mut self, of: &str, field: &str, shape: Shape, parents: [Option<&Node>; 2]) {
        let sides = parents.map(|parent| written(parent?, field));
        match shape {
            Shape::One(Kind::Struct(inner)) => {
                let implied = |side: usize| is_always_there(of, field, parents[side]);
                match sides {
                    [None, None] => {}
                    [None, Some(_)] if !implied(0) => self.differ(sides),
                    [Some(_), None] if !implied(1) => self.differ(sides),
                    _ => self.mapping(inner, sides.map(|side| side.map(|(node, _)| node))),
                }
            }
            Shape::One(kind) => {
                let absent = parents.map(|parent| when_absent(of, field, parent));
                self.scalar(kind, sides, absent);
            }
            Shape::List(kind) => self.list(kind, sides),
            Shape::Map(kind) => self.free(kind, sides),
        }
    }

    fn mapping(&mut self, of: &'static str, nodes: [Option<&Node>; 2]) {
        let Some(found) = schema::find(of) else { return };
        for (field, shape) in found.fields() {
            // An older name of the other, which the server fills in from either.
            if (of, field) == ("PodSpec", "serviceAccount") {
                continue;
            }
            self.steps.push(Step::Field(field));
            match (of, field) {
                ("PodSpec", "serviceAccountName") => {
                    self.scalar(Kind::String, nodes.map(|node| account(node?)), [Some(""); 2]);
                }
                _ => self.field(of, field, shape, nodes),
            }
            self.steps.pop();
        }
    }

    /// A mapping with free keys.
    fn free(&mut self, kind: Kind, sides: Sides<'_>) {
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

    fn list(&mut self, kind: Kind, sides: Sides<'_>) {
        let [old, new] = sides.map(|side| side.map_or(&[][..], |(node, _)| node.items()));
        if let (Kind::Struct(of), Some(names)) = (kind, names([old, new])) {
            return self.named(of, [old, new], names, sides);
        }
        if old.len() != new.len() {
            return self.differ(sides);
        }
        for (index, pair) in old.iter().zip(new).enumerate() {
            self.steps.push(Step::Index(index));
            let pair = [pair.0, pair.1].map(|item| Some((item, head(item))));
            match kind {
                Kind::Struct(of) => self.mapping(of, pair.map(|side| side.map(|(node, _)| node))),
                kind => self.scalar(kind, pair, [None; 2]),
            }
            self.steps.pop();
        }
    }

    /// Items that their names tell apart: what is new, what is gone, what differs; else their order.
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

    fn scalar(&mut self, kind: Kind, sides: Sides<'_>, absent: [Option<&'static str>; 2]) {
        let [old, new] = [0, 1].map(|side| {
            let node = sides[side].map(|(node, _)| node);
            Meant::of(kind, node, absent[side])
        });
        // Where nobody writes anything only a default differs, and what it follows is reported.
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

/// A scalar as the API server holds it.
#[derive(Clone, Debug, PartialEq)]
enum Meant {
    Nothing,
    Text(String),
    Billionths(i128),
    Other(Node),
}

impl Meant {
    fn of(kind: Kind, node: Option<&Node>, absent: Option<&str>) -> Self {
        let Some(node) = node else {
            return absent.map_or(Meant::Nothing, |text| Meant::text(kind, text));
        };
        let text = match &node.value {
            Value::Str(text) => text.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Uint(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Null => return Meant::Nothing,
            Value::Seq(_) | Value::Map(_) => return Meant::Other(node.clone()),
        };
        match kind {
            // A number and a text are two things: port 80 and the port named "80".
            Kind::IntOrString | Kind::Any => Meant::Other(node.clone()),
            kind => Meant::text(kind, &text),
        }
    }

    fn text(kind: Kind, text: &str) -> Self {
        match (kind, text) {
            (Kind::Quantity, "") => Meant::Billionths(0),
            (Kind::Quantity, text) => quantity::parse(text)
                .map_or_else(|| Meant::Text(text.to_owned()), Meant::Billionths),
            (Kind::IntOrString | Kind::Any, "") => Meant::Nothing,
            (Kind::Bool, "false") | (Kind::Int32 | Kind::Int64, "0") => Meant::Text(String::new()),
            (_, text) => Meant::Text(text.to_owned()),
        }
    }
}

/// What a mapping writes under a key, unless it is `null`.
fn written<'a>(parent: &'a Node, key: &str) -> Option<(&'a Node, Span)> {
    let entry = parent.entry(key).filter(|entry| !entry.value.is_null())?;
    let large =
        matches!(entry.value.value, Value::Map(_) | Value::Seq(_)) || entry.value.span.is_empty();
    Some((&entry.value, if large { entry.key_span } else { entry.value.span }))
}

/// `serviceAccountName`, or the older field that means the same.
fn account(pod: &Node) -> Option<(&Node, Span)> {
    written(pod, "serviceAccountName").or_else(|| written(pod, "serviceAccount"))
}

/// Where an item of a list starts.
fn head(item: &Node) -> Span {
    item.entries().first().map_or(item.span, |entry| entry.key_span)
}

fn name_of(item: &Node) -> Option<&str> {
    item.get("name")?.as_str()
}

/// The names of all items, when every item has one and no two the same.
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
