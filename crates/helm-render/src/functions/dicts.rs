//! Sprig's `dict.go`.

use go_template::{Data, Executor, FunctionSpec, Key, Map, Tracker, Value, provenance::Taint};

use super::args::{
    ANY, BOOL, LIST, MAP, Outcome, STRING, STRINGS, decision, failure, list_of, list_room, map,
    map_room, str, strval,
};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("dict", &[], MAP, dict).variadic(ANY).own_taint(),
    FunctionSpec::new("get", &[MAP, STRING], ANY, get).own_taint(),
    FunctionSpec::new("set", &[MAP, STRING, ANY], MAP, set).own_taint().mutating(),
    FunctionSpec::new("unset", &[MAP, STRING], MAP, unset).own_taint().mutating(),
    FunctionSpec::new("hasKey", &[MAP, STRING], BOOL, has_key).own_taint(),
    FunctionSpec::new("pluck", &[STRING], LIST, pluck).variadic(MAP).own_taint(),
    FunctionSpec::new("keys", &[], STRINGS, keys).variadic(MAP).own_taint(),
    FunctionSpec::new("pick", &[MAP], MAP, pick).variadic(STRING).own_taint(),
    FunctionSpec::new("omit", &[MAP], MAP, omit).variadic(STRING).own_taint(),
    FunctionSpec::new("values", &[MAP], LIST, values).own_taint(),
    FunctionSpec::new("dig", &[], ANY, dig).variadic(ANY).own_taint(),
];

fn dict(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    map_room(context, arguments.len() / 2)?;
    let result = Map::new();
    for pair in arguments.chunks(2) {
        let key = strval(context, &pair[0])?;
        let value = pair.get(1).cloned().unwrap_or_else(|| Value::from(""));
        let by_key = decision(&mut context.tracker, &key);
        result.reshape(&mut context.tracker, by_key);
        result.insert(&*str(&key), value);
    }
    Ok(Value::from(result))
}

/// The entry of a map, or the inputs that explain its absence.
fn entry(tracker: &mut Tracker, holder: &Value, map: &Map, key: &str) -> Result<Value, Taint> {
    match map.get(key) {
        Some(mut value) => {
            value.add_taint(tracker, holder.taint());
            Ok(value)
        }
        None => {
            let absence = map.absence(tracker, key);
            Err(tracker.join(absence, holder.taint()))
        }
    }
}

fn get(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [holder, key] = arguments else { return Ok(Value::NIL) };
    let found = entry(&mut context.tracker, holder, &map(holder), &str(key));
    let value = found.unwrap_or_else(|taint| Value::from("").with_taint(taint));
    Ok(value.decided_by(&mut context.tracker, key))
}

fn set(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [holder, key, value] = arguments else { return Ok(Value::NIL) };
    map_room(context, 1)?;
    let target = map(holder);
    if target.is_nil() {
        return failure("assignment to entry in nil map");
    }
    choose(context, &target, key);
    context.write_to(&target);
    target.insert(&*str(key), value.clone().decided_by(&mut context.tracker, key));
    Ok(holder.clone())
}

fn unset(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [holder, key] = arguments else { return Ok(Value::NIL) };
    let target = map(holder);
    choose(context, &target, key);
    context.write_to(&target);
    target.remove(&str(key));
    Ok(holder.clone())
}

/// Marks every entry of a map as possibly changed: an input chooses the key.
fn choose(context: &mut Executor<'_>, target: &Map, key: &Value) {
    let by_key = decision(&mut context.tracker, key);
    if by_key.is_none() {
        return;
    }
    target.reshape(&mut context.tracker, by_key);
    for (key, mut value) in target.entries() {
        value.add_taint(&mut context.tracker, by_key);
        target.insert(key, value);
    }
}

fn has_key(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [holder, key] = arguments else { return Ok(Value::NIL) };
    let target = map(holder);
    let tracker = &mut context.tracker;
    let is_there = target.contains_key(&str(key));
    let taint = match is_there {
        true => tracker.join(target.shape(), holder.taint()),
        false => {
            let absence = target.absence(tracker, &str(key));
            tracker.join(absence, holder.taint())
        }
    };
    Ok(Value::from(is_there).with_taint(taint).decided_by(tracker, key))
}

fn pluck(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [key, holders @ ..] = arguments else { return Ok(Value::NIL) };
    let mut shape = decision(&mut context.tracker, key);
    let mut found = Vec::new();
    for holder in holders {
        let map = map(holder);
        let taint = map.absence(&mut context.tracker, &str(key));
        let taint = context.tracker.join(taint, holder.taint());
        shape = context.tracker.join(shape, taint);
        let entry = entry(&mut context.tracker, holder, &map, &str(key)).ok();
        found.extend(entry.map(|entry| entry.decided_by(&mut context.tracker, key)));
    }
    list_room(context, found.len())?;
    Ok(list_of(LIST, found, shape))
}

/// `keys`. Go returns them in random order; here they are sorted.
fn keys(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let mut shape = Taint::NONE;
    let mut keys = Vec::new();
    for holder in arguments {
        let taint = holder.observed(&mut context.tracker);
        shape = context.tracker.join(shape, taint);
        let entries = map(holder).entries();
        context.spend(entries.len() as u64)?;
        list_room(context, entries.len())?;
        keys.extend(entries.iter().map(|(key, _)| Value::from(&**key).with_taint(taint)));
    }
    Ok(list_of(STRINGS, keys, shape))
}

fn values(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [holder] = arguments else { return Ok(Value::NIL) };
    let shape = holder.observed(&mut context.tracker);
    context.spend(map(holder).len() as u64)?;
    list_room(context, map(holder).len())?;
    let values = map(holder).entries().into_iter().map(|(_, mut value)| {
        value.add_taint(&mut context.tracker, holder.taint());
        value
    });
    let values = values.collect();
    Ok(list_of(LIST, values, shape))
}

fn pick(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [holder, keys @ ..] = arguments else { return Ok(Value::NIL) };
    let (source, result) = (map(holder), Map::new());
    map_room(context, keys.len())?;
    for key in keys {
        let by_key = decision(&mut context.tracker, key);
        result.reshape(&mut context.tracker, by_key);
        let key = str(key);
        match entry(&mut context.tracker, holder, &source, &key) {
            Ok(value) => {
                result.reshape(&mut context.tracker, source.shape());
                result.insert(&*key, value);
            }
            Err(taint) => result.reshape(&mut context.tracker, taint),
        }
    }
    Ok(Value::from(result))
}

fn omit(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [holder, keys @ ..] = arguments else { return Ok(Value::NIL) };
    let (source, result) = (map(holder), Map::new());
    let shape = holder.observed(&mut context.tracker);
    result.reshape(&mut context.tracker, shape);
    for key in keys {
        let by_key = decision(&mut context.tracker, key);
        result.reshape(&mut context.tracker, by_key);
    }
    map_room(context, source.len())?;
    for (key, mut value) in source.entries() {
        context.spend(1 + keys.len() as u64)?;
        if !keys.iter().any(|omitted| *str(omitted) == *key) {
            value.add_taint(&mut context.tracker, holder.taint());
            result.insert(key, value);
        }
    }
    Ok(Value::from(result))
}

/// `dig`. It descends only into values of the exact type `map[string]interface{}`.
fn dig(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [keys @ .., default, start] = arguments else {
        return failure("dig needs at least three arguments");
    };
    if keys.is_empty() {
        return failure("dig needs at least three arguments");
    }
    as_dict(start)?;
    let mut names: Vec<Key> = Vec::new();
    for key in keys {
        match key.data() {
            Data::String(_) => names.push(Key::from(&*str(key))),
            _ => return failure(conversion(key, "string")),
        }
    }
    let mut value = start.clone();
    let mut decided = Taint::NONE;
    for name in &names {
        let map = as_dict(&value)?;
        match entry(&mut context.tracker, &value, &map, name) {
            Ok(next) => {
                let shape = context.tracker.decide(map.shape());
                decided = context.tracker.join(decided, shape);
                value = next;
            }
            Err(taint) => {
                let absent = context.tracker.decide(taint);
                let mut default = default.clone();
                default.add_taint(&mut context.tracker, decided);
                default.add_taint(&mut context.tracker, absent);
                return Ok(default);
            }
        }
    }
    for key in keys {
        value = value.decided_by(&mut context.tracker, key);
    }
    Ok(value)
}

fn as_dict(value: &Value) -> Result<Map, go_template::FuncError> {
    match value.data() {
        Data::Map(map) if map.go_type().is(MAP) => Ok(map.clone()),
        _ => failure(conversion(value, MAP.name)),
    }
}

/// The message of Go's runtime for a failed type assertion.
fn conversion(value: &Value, wanted: &str) -> String {
    let got = value.go_type().map_or("nil", |go_type| go_type.name);
    format!("interface conversion: interface {{}} is {got}, not {wanted}")
}
