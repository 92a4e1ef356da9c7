//! What evaluation costs, in the API server's units.

use crate::functions::Failure;
use crate::value::Value;

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

/// The cost of a call, as the API server's cost estimator counts it.
pub(crate) fn call(function: &str, arguments: &[Value], result: Option<&Value>) -> u64 {
    let size = |index: usize| arguments.get(index).map_or(0, size);
    match function {
        "startsWith" | "endsWith" | "bytes" | "strings.quote" | "format" | "url" | "lowerAscii"
        | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR" | "ip" | "quantity"
        | "isQuantity" | "semver" | "isSemver" => tenth(size(0)),
        "string" if matches!(arguments, [Value::Bytes(_)]) => tenth(size(0)),
        "replace" | "split" | "ip.isCanonical" => tenth(2 * size(0)),
        "join" => tenth(2 * result.map_or(0, crate::cost::size)),
        "@in" if matches!(arguments, [_, Value::List(_)]) => size(1),
        "_<_" | "_<=_" | "_>_" | "_>=_" | "_==_" | "_!=_" => tenth(size(0).min(size(1))),
        "_+_" if matches!(arguments, [Value::String(_) | Value::Bytes(_), ..]) => {
            tenth(size(0) + size(1))
        }
        "matches" | "find" | "findAll" => tenth(1 + size(0)) * size(1).div_ceil(4),
        "validate" => tenth(1 + size(1)) * 15,
        "contains" => tenth(size(0)) * tenth(size(1)),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => match arguments.first() {
            Some(Value::List(items)) => {
                items.iter().map(|item| 1 + tenth(crate::cost::size(item))).sum()
            }
            _ => tenth(size(0)),
        },
        "sets.contains" | "sets.intersects" => size(0) * size(1),
        "sets.equivalent" => 2 * size(0) * size(1),
        "distinct" | "sort" | "@sortByAssociatedKeys" => 11 + 2 * size(0).pow(2),
        "slice" | "reverse" | "lists.range" | "flatten" => 11 + result.map_or(0, crate::cost::size),
        "containsIP" | "containsCIDR" => tenth(32 + size(1)) + 1,
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
        Value::Optional(Some(inner)) => return self::size(inner),
        _ => 1,
    };
    size as u64
}
