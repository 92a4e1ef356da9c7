//! What evaluation costs, in the API server's units.

use crate::value::functions::Failure;
use crate::value::{Inner, Opaque, Value};

/// Items, bytes and comparisons behind one unit of cost that the API server does not count.
const WORK: u64 = 16;

/// Counts the cost of an evaluation.
#[derive(Debug)]
pub(crate) struct Meter {
    spent: u64,
    limit: u64,
    /// Work that is too small to be a unit of cost yet.
    work: u64,
}

const EXCEEDED: &str = "operation cancelled: actual cost limit exceeded";

impl Meter {
    pub(crate) fn new(limit: u64) -> Self {
        Self { spent: 0, limit, work: 0 }
    }

    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    /// Spends units of cost.
    pub(crate) fn spend(&mut self, cost: u64) -> Result<(), Failure> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > self.limit { Err(Failure::Limit(EXCEEDED)) } else { Ok(()) }
    }

    /// Counts work that the API server counts otherwise or not at all.
    pub(crate) fn work(&mut self, amount: usize) -> Result<(), Failure> {
        self.work += amount as u64;
        if self.work < WORK * self.limit.max(1) {
            return Ok(());
        }
        Err(Failure::Limit(EXCEEDED))
    }

    /// Counts the items of a new list or map.
    pub(crate) fn allocate(&mut self, items: usize) -> Result<(), Failure> {
        self.work(4 * items)
    }
}

/// The cost of a call, as the API server's cost estimator counts it, but for [`result`].
pub(crate) fn call(function: &str, arguments: &[Value]) -> u64 {
    let size = |index: usize| arguments.get(index).map_or(0, size);
    let text = |index: usize| match arguments.get(index) {
        Some(Value::String(_)) => tenth(size(index)),
        _ => 0,
    };
    match function {
        "startsWith" | "endsWith" | "bytes" | "strings.quote" | "format" | "url" | "lowerAscii"
        | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR" | "ip" | "quantity"
        | "isQuantity" | "semver" | "isSemver" => tenth(size(0)),
        "string" if matches!(arguments, [Value::Bytes(_)]) => tenth(size(0)),
        "replace" | "split" | "ip.isCanonical" => tenth(2 * size(0)),
        "join" => 0,
        "@in" if matches!(arguments, [_, Value::List(_)]) => size(1),
        "_<_" | "_<=_" | "_>_" | "_>=_" | "_==_" | "_!=_" => tenth(size(0).min(size(1))),
        "_+_" if matches!(arguments, [Value::String(_) | Value::Bytes(_), ..]) => {
            tenth(size(0) + size(1))
        }
        "matches" | "find" | "findAll" => tenth(1 + size(0)) * size(1).div_ceil(4),
        "validate" => tenth(1 + size(1)) * pattern(arguments.first()),
        "contains" => tenth(size(0)) * tenth(size(1)),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            arguments.first().map_or(0, traversed)
        }
        "sets.contains" | "sets.intersects" => 1 + size(0) * size(1),
        "sets.equivalent" => 1 + 2 * size(0) * size(1),
        "distinct" | "sort" | "@sortByAssociatedKeys" => 11 + compared(arguments),
        "flatten" => 11 + size(0) * depth(arguments.get(1)),
        "slice" | "reverse" | "lists.range" => 11,
        "containsIP" => tenth(2 * size(0)) + text(1),
        "containsCIDR" => tenth(2 * size(0)) + tenth(size(0)) + 1 + text(1),
        _ => 1,
    }
}

/// What the size of a result adds to the cost of a call.
pub(crate) fn result(function: &str, result: &Value) -> u64 {
    match function {
        "join" => tenth(2 * size(result)),
        "slice" | "reverse" | "lists.range" => size(result),
        _ => 0,
    }
}

/// The cost of comparing each item of a list, or each of the keys that it is sorted by, with each other.
fn compared(arguments: &[Value]) -> u64 {
    let items = match arguments {
        [_, Value::List(keys)] | [Value::List(keys)] => keys,
        _ => return 0,
    };
    let square = (items.len() as u64).pow(2);
    match items.first() {
        Some(Value::String(_) | Value::Bytes(_)) => square * 21 / 10,
        _ => square * 2,
    }
}

/// The cost of looking at every part of a value.
fn traversed(value: &Value) -> u64 {
    match value {
        Value::String(_) | Value::Bytes(_) => size(value) / 10,
        Value::List(items) => items.iter().map(traversed).sum(),
        Value::Map(entries) => {
            entries.iter().map(|(key, value)| traversed(&key.into()) + traversed(value)).sum()
        }
        _ => 1,
    }
}

/// What each tenth of a text costs that a format checks.
fn pattern(format: Option<&Value>) -> u64 {
    match format {
        Some(Value::Opaque(Opaque(Inner::Format(format)))) => format.size.div_ceil(4),
        _ => 0,
    }
}

/// How many levels of lists are flattened.
fn depth(levels: Option<&Value>) -> u64 {
    match levels {
        Some(Value::Int(levels)) => u64::try_from(*levels).unwrap_or(0),
        _ => 1,
    }
}

/// A tenth of a size, rounded up: what it costs to read a text.
fn tenth(size: u64) -> u64 {
    size.div_ceil(10)
}

/// The size of a value: 1, if it is not a text or a collection.
fn size(value: &Value) -> u64 {
    let size = match value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Opaque(Opaque(Inner::Cidr(network))) => network.size(),
        Value::Optional(Some(inner)) => return self::size(inner),
        _ => 1,
    };
    size as u64
}
