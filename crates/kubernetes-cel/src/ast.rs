//! The syntax tree: nodes in one list, children before their parents.

use std::ops::Range;

use crate::value::Value;

/// A node's place in [`Ast::nodes`].
pub(crate) type Id = usize;

#[derive(Clone, Debug)]
pub(crate) struct Ast {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: Id,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The bytes of the whole expression.
    pub(crate) range: Range<usize>,
    /// Where the API server points: at the operator, bracket or dot.
    pub(crate) at: usize,
    /// Levels of nodes below and with this one.
    pub(crate) depth: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Literal(Value),
    Name(String),
    /// `operand.field`, `operand.?field` and `has(operand.field)`.
    Select {
        operand: Id,
        field: String,
        mode: Mode,
    },
    /// Functions and operators, as cel-go names them: `_+_`, `_[_]`.
    Call {
        function: String,
        target: Option<Id>,
        arguments: Vec<Id>,
    },
    /// `a && b && …`.
    And(Vec<Id>),
    /// `a || b || …`.
    Or(Vec<Id>),
    Conditional([Id; 3]),
    /// Items; `true`: `?item`, left out when it has no value.
    List(Vec<(Id, bool)>),
    Map(Vec<(Id, Id, bool)>),
    /// `Name{field: value}`: no type of Kubernetes can be made so.
    Message(String),
    Comprehension(Box<Comprehension>),
    /// `operand.optMap(name, body)`, or `optFlatMap`.
    OptionalMap {
        operand: Id,
        name: String,
        body: Id,
        flat: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Plain,
    Optional,
    Has,
}

#[derive(Clone, Debug)]
pub(crate) struct Comprehension {
    pub(crate) over: Over,
    pub(crate) range: Id,
    /// One name, or two: index or key, and value.
    pub(crate) names: Vec<String>,
    pub(crate) condition: Option<Id>,
    pub(crate) body: Id,
}

/// What a macro makes of the items of a list or map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    All,
    Exists,
    ExistsOne,
    /// `map` and `transformList`.
    List,
    Filter,
    TransformMap,
    TransformMapEntry,
    SortBy,
}

/// The nodes directly below one of this kind.
pub(crate) fn children(kind: &Kind) -> Vec<Id> {
    match kind {
        Kind::Literal(_) | Kind::Name(_) | Kind::Message(_) => Vec::new(),
        Kind::Select { operand, .. } => vec![*operand],
        Kind::Call { target, arguments, .. } => target.iter().chain(arguments).copied().collect(),
        Kind::And(terms) | Kind::Or(terms) => terms.clone(),
        Kind::Conditional(parts) => parts.to_vec(),
        Kind::List(items) => items.iter().map(|(item, _)| *item).collect(),
        Kind::Map(entries) => entries.iter().flat_map(|(key, value, _)| [*key, *value]).collect(),
        Kind::Comprehension(parts) => {
            [Some(parts.range), parts.condition, Some(parts.body)].into_iter().flatten().collect()
        }
        Kind::OptionalMap { operand, body, .. } => vec![*operand, *body],
    }
}
