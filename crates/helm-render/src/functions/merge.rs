//! `merge` and `mergeOverwrite`, as mergo 1.0.1 merges maps, and `deepCopy`.

use go_template::{Data, Executor, FuncError, FunctionSpec, Key, Map, Value};

use super::args::{ANY, MAP, Outcome, decision, failure, map, map_room};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("merge", &[MAP], ANY, |c, a| merge(c, a, false))
        .variadic(MAP)
        .own_taint()
        .mutating(),
    FunctionSpec::new("mustMerge", &[MAP], ANY, |c, a| merge(c, a, false))
        .variadic(MAP)
        .own_taint()
        .mutating(),
    FunctionSpec::new("mergeOverwrite", &[MAP], ANY, |c, a| merge(c, a, true))
        .variadic(MAP)
        .own_taint()
        .mutating(),
    FunctionSpec::new("mustMergeOverwrite", &[MAP], ANY, |c, a| merge(c, a, true))
        .variadic(MAP)
        .own_taint()
        .mutating(),
    FunctionSpec::new("deepCopy", &[ANY], ANY, deep_copy).own_taint(),
    FunctionSpec::new("mustDeepCopy", &[ANY], ANY, deep_copy).own_taint(),
];

fn merge(context: &mut Executor<'_>, arguments: &[Value], overwrites: bool) -> Outcome {
    let [target, sources @ ..] = arguments else { return Ok(Value::NIL) };
    let mut result = target.clone();
    for source in sources {
        let source_map = map(source);
        if map(&result).is_nil() && !source_map.is_nil() {
            result = Value::from(Map::new()).with_taint(result.taint());
        }
        merge_maps(context, &map(&result), source, &source_map, overwrites)?;
    }
    Ok(result)
}

/// mergo's `deepMerge` of two maps.
fn merge_maps(
    context: &mut Executor<'_>,
    target: &Map,
    holder: &Value,
    source: &Map,
    overwrites: bool,
) -> Result<(), FuncError> {
    context.check_stack()?;
    context.spend(1 + target.len() as u64 + source.len() as u64)?;
    if target.is_same(source) {
        return Ok(());
    }
    context.write_to(target);
    let tracker = &mut context.tracker;
    if tracker.is_on() {
        let shape = tracker.join(source.shape(), holder.taint());
        target.reshape(tracker, shape);
        if overwrites {
            keep_absent(context, target, holder, source);
        }
    }
    for (key, value) in source.entries() {
        let mut value = value;
        value.add_taint(&mut context.tracker, holder.taint());
        let old = target.get(&key);
        if value.is_nil() {
            if overwrites {
                target.adopt(source, key, value);
            }
            continue;
        }
        if let (Some(old), Data::Map(inner)) = (&old, value.data())
            && let Data::Map(old) = old.data()
            && (!old.is_nil() || inner.is_nil())
        {
            merge_maps(context, old, &value, inner, overwrites)?;
        }
        // The merge above may have filled an empty map, so this check comes after it.
        let is_empty = old.as_ref().is_none_or(is_empty_value);
        if let (Some(old), false) = (&old, is_empty) {
            let both_maps = matches!((old.data(), value.data()), (Data::Map(_), Data::Map(_)));
            let is_list = matches!(value.data(), Data::List(_) | Data::Bytes(_));
            if both_maps || is_list && !overwrites {
                continue;
            }
        }
        if overwrites || is_empty {
            let by_old = match (&old, overwrites) {
                (Some(old), false) => decision(&mut context.tracker, old),
                _ => go_template::provenance::Taint::NONE,
            };
            value.add_taint(&mut context.tracker, by_old);
            map_room(context, 1)?;
            target.adopt(source, key, value);
        }
    }
    Ok(())
}

/// Marks the entries that stay because the source lacks their key: that absence controls them.
fn keep_absent(context: &mut Executor<'_>, target: &Map, holder: &Value, source: &Map) {
    for (key, mut value) in target.entries() {
        if source.contains_key(&key) {
            continue;
        }
        let absence = source.absence(&mut context.tracker, &key);
        let taint = context.tracker.join(absence, holder.taint());
        if taint.is_none() {
            continue;
        }
        let decided = context.tracker.decide(taint);
        value.add_taint(&mut context.tracker, decided);
        target.insert(key, value);
    }
}

/// mergo's `isEmptyValue`.
fn is_empty_value(value: &Value) -> bool {
    !value.truth()
}

fn deep_copy(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    if arguments[0].is_nil() {
        return failure("reflect: call of reflect.Value.Type on zero Value");
    }
    copy(context, &arguments[0])
}

/// Values that share parts grow when they are copied.
fn copy(context: &mut Executor<'_>, value: &Value) -> Outcome {
    context.check_stack()?;
    context.spend(1)?;
    map_room(context, 0)?;
    Ok(match value.data() {
        Data::List(list) if !list.is_nil() => {
            let items = list.items().iter().map(|item| copy(context, item));
            let items = items.collect::<Result<Vec<_>, _>>()?;
            super::args::list_of(list.go_type(), items, list.shape()).with_taint(value.taint())
        }
        Data::Map(map) if !map.is_nil() => {
            let entry = |(key, entry): (Key, Value)| Ok((key, copy(context, &entry)?));
            let entries = map.entries().into_iter().map(entry).collect::<Result<_, FuncError>>()?;
            Value::from(map.with_entries(entries)).with_taint(value.taint())
        }
        _ => value.clone(),
    })
}
