//! Macros over the items of lists and the entries of maps.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ast::{Comprehension, Kind, Over};
use crate::evaluated::Step;
use crate::value::cost;
use crate::value::equality::as_key;
use crate::value::functions::{self, Failure};
use crate::value::text;
use crate::value::{Key, Value};

use super::select::step_to;
use super::{Evaluation, Evaluator, Frame, Traced, known, stronger};

/// Units of cost of asking whether cel-go's loop goes on.
fn going_on(over: Over) -> u64 {
    match over {
        Over::All => 2,
        Over::Exists => 3,
        _ => 0,
    }
}

/// Units of cost of what an iteration adds to the accumulator of cel-go's loop.
fn adding(over: Over) -> u64 {
    match over {
        Over::All | Over::Exists => 1,
        Over::ExistsOne | Over::List | Over::SortBy | Over::TransformMapEntry => 2,
        Over::Filter | Over::TransformMap => 3,
    }
}

/// Units of cost of the result of cel-go's loop.
fn ending(over: Over) -> u64 {
    if over == Over::ExistsOne { 2 } else { 1 }
}

/// Units of cost of a list of one item, which cel-go adds to the accumulator. If the item is a constant, so is the list.
const ITEM: u64 = 10;

/// What a macro has made so far.
struct Made<'f> {
    parts: &'f Comprehension,
    list: Vec<Value>,
    keys: Vec<Value>,
    map: BTreeMap<Key, Value>,
    matches: usize,
    failure: Option<Failure>,
    /// Reads before the first iteration.
    start: usize,
}

impl<'f> Frame<'f> {
    pub(super) fn comprehension(
        &mut self,
        parts: &'f Comprehension,
        state: &mut Evaluator,
    ) -> Evaluation {
        let range = self.evaluate(parts.range, state)?;
        let iterations = iterations(&range, parts.names.len() == 2)?;
        let mut remaining = iterations.len();
        state.meter.spend(ending(parts.over))?;
        let mut made = Made {
            parts,
            list: Vec::new(),
            keys: Vec::new(),
            map: BTreeMap::new(),
            matches: 0,
            failure: None,
            start: state.reads.mark(),
        };
        let depth = self.locals.len();
        for values in iterations {
            remaining -= 1;
            let item = values.last().expect("each macro binds a name").value.clone();
            self.locals.extend(parts.names.iter().map(String::as_str).zip(values));
            let done = self.iterate(&mut made, item, state);
            self.locals.truncate(depth);
            if let Some(result) = done? {
                if remaining > 0 {
                    state.meter.spend(going_on(parts.over))?;
                }
                return Ok(result.into());
            }
        }
        result(made, &range, state)
    }

    /// One iteration. A value ends the loop.
    fn iterate(
        &mut self,
        made: &mut Made,
        item: Value,
        state: &mut Evaluator,
    ) -> Result<Option<Value>, Failure> {
        let parts = made.parts;
        state.meter.spend(going_on(parts.over))?;
        let mark = state.reads.mark();
        if let Some(condition) = parts.condition
            && !self.is_true(condition, state)?
        {
            state.reads.forget(mark);
            return Ok(None);
        }
        let adding = adding(parts.over);
        match parts.over {
            Over::All | Over::Exists => {
                state.meter.spend(adding)?;
                let ends = parts.over == Over::Exists;
                match self.read(parts.body, state) {
                    Ok(Value::Bool(value)) if value == ends => {
                        state.reads.cut(made.start, mark);
                        return Ok(Some(Value::Bool(ends)));
                    }
                    Ok(Value::Bool(_)) => {}
                    Ok(_) => {
                        made.failure =
                            Some(stronger(made.failure.take(), "no such overload".into()))
                    }
                    Err(limit @ Failure::Limit(_)) => return Err(limit),
                    Err(failure) => made.failure = Some(stronger(made.failure.take(), failure)),
                }
            }
            Over::ExistsOne => {
                if self.is_true(parts.body, state)? {
                    state.meter.spend(adding)?;
                    made.matches += 1;
                } else {
                    state.reads.forget(mark);
                }
            }
            Over::Filter => {
                if self.is_true(parts.body, state)? {
                    state.meter.spend(adding + ITEM)?;
                    state.meter.allocate(1)?;
                    made.list.push(item);
                } else {
                    state.reads.forget(mark);
                }
            }
            Over::List => {
                let value = self.read(parts.body, state)?;
                let is_constant =
                    matches!(self.program.ast.nodes[parts.body].kind, Kind::Literal(_));
                state.meter.spend(adding + if is_constant { 0 } else { ITEM })?;
                state.meter.allocate(1)?;
                made.list.push(value);
            }
            Over::SortBy => {
                let key = self.read(parts.body, state)?;
                state.meter.spend(adding + ITEM)?;
                state.meter.allocate(2)?;
                made.keys.push(key);
                made.list.push(item);
            }
            Over::TransformMap | Over::TransformMapEntry => {
                state.meter.spend(adding)?;
                self.insert(made, state)?;
            }
        }
        Ok(None)
    }

    fn is_true(&mut self, id: crate::ast::Id, state: &mut Evaluator) -> Result<bool, Failure> {
        match self.read(id, state)? {
            Value::Bool(value) => Ok(value),
            _ => Err("no such overload".into()),
        }
    }

    /// Adds the entries that an iteration makes.
    fn insert(&mut self, made: &mut Made, state: &mut Evaluator) -> Result<(), Failure> {
        let value = self.read(made.parts.body, state)?;
        let entries = match (made.parts.over, value) {
            (Over::TransformMap, value) => {
                let first = self.locals.len() - made.parts.names.len();
                vec![(as_key(&self.locals[first].1.value)?, value)]
            }
            (_, Value::Map(entries)) => {
                entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
            }
            (_, other) => {
                let types = format!("map, {}", other.type_name());
                return Err(Failure::Error(format!("no such overload: cel.@mapInsert({types})")));
            }
        };
        state.meter.allocate(entries.len())?;
        for (key, value) in entries {
            if made.map.contains_key(&key) {
                return Err(Failure::Error(format!(
                    "insert failed: key {} already exists",
                    text::display_key(&key)
                )));
            }
            made.map.insert(key, value);
        }
        Ok(())
    }
}

/// The values of the names in each iteration.
fn iterations(range: &Traced, two: bool) -> Result<Vec<Vec<Traced>>, Failure> {
    Ok(match &range.value {
        Value::List(items) => {
            let items = items.iter().enumerate().map(|(index, item)| {
                let value = range.part(item.clone(), || Step::Index(index));
                let index = Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
                if two { vec![index.into(), value] } else { vec![value] }
            });
            items.collect()
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| {
                // A key has the place of its value: that is where the person wrote it.
                let value = range.part(value.clone(), || step_to(key));
                let key = Traced { value: Value::from(key), path: value.path.clone() };
                if two { vec![key, value] } else { vec![key] }
            });
            entries.collect()
        }
        other => {
            let name = go_type(other);
            return Err(Failure::Error(match two {
                true => format!("unsupported comprehension range type: {name}"),
                false => format!("got '{name}', expected iterable type"),
            }));
        }
    })
}

/// cel-go's type in Go, which its error shows.
fn go_type(value: &Value) -> &str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Optional(_) => "*types.Optional",
        other => other.type_name(),
    }
}

/// What a macro makes once all iterations are over.
fn result(made: Made, range: &Traced, state: &mut Evaluator) -> Evaluation {
    if let Some(failure) = made.failure {
        return Err(failure);
    }
    let is_about_all = match made.parts.over {
        // No item decided, so the list did.
        Over::All | Over::Exists => {
            state.reads.forget(made.start);
            true
        }
        _ => state.reads.mark() == made.start,
    };
    if is_about_all {
        state.reads.add(range.path.as_ref());
    }
    let value = match made.parts.over {
        Over::All => Value::Bool(true),
        Over::Exists => Value::Bool(false),
        Over::ExistsOne => Value::Bool(made.matches == 1),
        Over::List | Over::Filter => Value::List(made.list.into()),
        Over::SortBy => {
            // cel-go binds the list to a name, and sorts with a function.
            let keys = Value::List(made.keys.clone().into());
            let cost = cost::call("@sortByAssociatedKeys", &[Value::Null, keys]);
            state.meter.spend(cost + 2)?;
            functions::sorted(&made.list, &made.keys)?
        }
        Over::TransformMap | Over::TransformMapEntry => Value::Map(Arc::new(made.map)),
    };
    known(value.into(), state)
}
