//! Sprig's `list.go`.

use go_template::{
    Data, Executor, FuncError, FunctionSpec, List, Text, Type, Value, provenance::Taint,
};

use super::{
    args::{
        ANY, BOOL, INT, LIST, Outcome, STRINGS, decision, failure, int, items, list_of, list_room,
        shape, strval,
    },
    defaults::is_empty,
    reflect::deep_equal,
    strings::strings,
};
use crate::{cast::to_int, go_objects::NIL_DEREFERENCE};

static LISTS: Type = Type::slice("[][]interface {}", &Type::LIST);

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("list", &[], LIST, list).variadic(ANY).own_taint(),
    FunctionSpec::new("tuple", &[], LIST, list).variadic(ANY).own_taint(),
    FunctionSpec::new("append", &[ANY, ANY], LIST, push).own_taint(),
    FunctionSpec::new("push", &[ANY, ANY], LIST, push).own_taint(),
    FunctionSpec::new("mustAppend", &[ANY, ANY], LIST, push).own_taint(),
    FunctionSpec::new("mustPush", &[ANY, ANY], LIST, push).own_taint(),
    FunctionSpec::new("prepend", &[ANY, ANY], LIST, prepend).own_taint(),
    FunctionSpec::new("mustPrepend", &[ANY, ANY], LIST, prepend).own_taint(),
    FunctionSpec::new("chunk", &[INT, ANY], &LISTS, chunk).own_taint(),
    FunctionSpec::new("mustChunk", &[INT, ANY], &LISTS, chunk).own_taint(),
    FunctionSpec::new("last", &[ANY], ANY, last).own_taint(),
    FunctionSpec::new("mustLast", &[ANY], ANY, last).own_taint(),
    FunctionSpec::new("first", &[ANY], ANY, first).own_taint(),
    FunctionSpec::new("mustFirst", &[ANY], ANY, first).own_taint(),
    FunctionSpec::new("rest", &[ANY], LIST, rest).own_taint(),
    FunctionSpec::new("mustRest", &[ANY], LIST, rest).own_taint(),
    FunctionSpec::new("initial", &[ANY], LIST, initial).own_taint(),
    FunctionSpec::new("mustInitial", &[ANY], LIST, initial).own_taint(),
    FunctionSpec::new("sortAlpha", &[ANY], STRINGS, sort_alpha).own_taint(),
    FunctionSpec::new("toStrings", &[ANY], STRINGS, to_strings).own_taint(),
    FunctionSpec::new("reverse", &[ANY], LIST, reverse).own_taint(),
    FunctionSpec::new("mustReverse", &[ANY], LIST, reverse).own_taint(),
    FunctionSpec::new("compact", &[ANY], LIST, compact).own_taint(),
    FunctionSpec::new("mustCompact", &[ANY], LIST, compact).own_taint(),
    FunctionSpec::new("uniq", &[ANY], LIST, uniq).own_taint(),
    FunctionSpec::new("mustUniq", &[ANY], LIST, uniq).own_taint(),
    FunctionSpec::new("without", &[ANY], LIST, without).variadic(ANY).own_taint(),
    FunctionSpec::new("mustWithout", &[ANY], LIST, without).variadic(ANY).own_taint(),
    FunctionSpec::new("has", &[ANY, ANY], BOOL, has),
    FunctionSpec::new("mustHas", &[ANY, ANY], BOOL, has),
    FunctionSpec::new("slice", &[ANY], ANY, slice).variadic(ANY).own_taint(),
    FunctionSpec::new("mustSlice", &[ANY], ANY, slice).variadic(ANY).own_taint(),
    FunctionSpec::new("concat", &[], ANY, concat).variadic(ANY).own_taint(),
];

/// `list`. Without arguments it returns an empty slice that is not nil.
fn list(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    list_room(context, arguments.len())?;
    Ok(Value::from(arguments.to_vec()))
}

/// The items of a list and the inputs of its length; `verb` is for the error message.
fn open(
    context: &mut Executor<'_>,
    value: &Value,
    verb: &str,
) -> Result<(Vec<Value>, Taint), FuncError> {
    let Some(items) = items(&mut context.tracker, value) else {
        if value.is_nil() {
            return failure(NIL_DEREFERENCE);
        }
        return failure(format!("{verb} type {}", value.kind_name()));
    };
    list_room(context, items.len())?;
    Ok((items, shape(&mut context.tracker, value)))
}

fn push(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (mut items, shape) = open(context, &arguments[0], "Cannot push on")?;
    items.push(arguments[1].clone());
    Ok(list_of(LIST, items, shape))
}

fn prepend(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (mut items, shape) = open(context, &arguments[0], "Cannot prepend on")?;
    items.insert(0, arguments[1].clone());
    Ok(list_of(LIST, items, shape))
}

fn chunk(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [size, value] = arguments else { return Ok(Value::NIL) };
    let (items, mut shape) = open(context, value, "Cannot chunk")?;
    let by_size = decision(&mut context.tracker, size);
    shape = context.tracker.join(shape, by_size);
    let Ok(size @ 1..) = usize::try_from(int(size)) else {
        return bad_chunk(int(size), items, shape);
    };
    list_room(context, items.len() / size * 2)?;
    let chunks = items.chunks(size).map(|chunk| list_of(LIST, chunk.to_vec(), shape)).collect();
    Ok(list_of(&LISTS, chunks, shape))
}

/// `chunk` with a size of 0 or less: Go's float arithmetic decides the result.
fn bad_chunk(size: i64, items: Vec<Value>, shape: Taint) -> Outcome {
    let len = items.len() as f64;
    if size < 0 && len > 0.0 {
        let count = ((len - 1.0) / size as f64).floor() + 1.0;
        if count == 0.0 {
            return Ok(list_of(&LISTS, Vec::new(), shape));
        }
        if count == 1.0 && size < -1 {
            return Ok(list_of(&LISTS, vec![list_of(LIST, items, shape)], shape));
        }
    }
    failure("runtime error: makeslice: len out of range")
}

/// One item of a list, or nil; the length decides which.
fn pick(context: &mut Executor<'_>, item: Option<&Value>, shape: Taint) -> Value {
    let by_shape = context.tracker.decide(shape);
    let mut item = item.cloned().unwrap_or(Value::NIL);
    item.add_taint(&mut context.tracker, by_shape);
    item
}

fn last(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (items, shape) = open(context, &arguments[0], "Cannot find last on")?;
    Ok(pick(context, items.last(), shape))
}

fn first(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (items, shape) = open(context, &arguments[0], "Cannot find first on")?;
    Ok(pick(context, items.first(), shape))
}

fn rest(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (items, shape) = open(context, &arguments[0], "Cannot find rest on")?;
    Ok(match items.split_first() {
        Some((_, rest)) => list_of(LIST, rest.to_vec(), shape),
        None => nil_list(shape),
    })
}

fn initial(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (items, shape) = open(context, &arguments[0], "Cannot find initial on")?;
    Ok(match items.split_last() {
        Some((_, initial)) => list_of(LIST, initial.to_vec(), shape),
        None => nil_list(shape),
    })
}

fn nil_list(shape: Taint) -> Value {
    Value::from(List::nil(LIST).shaped_by(shape))
}

fn to_strings(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let shape = match arguments[0].data() {
        Data::List(_) => shape(&mut context.tracker, &arguments[0]),
        _ => arguments[0].taint(),
    };
    let strings = strings(context, &arguments[0])?;
    Ok(list_of(STRINGS, strings, shape))
}

/// `sortAlpha`. The position of each string depends on all strings.
fn sort_alpha(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    if !matches!(value.data(), Data::List(_) | Data::Bytes(_)) {
        let text = strval(context, value)?;
        return Ok(list_of(STRINGS, vec![text], Taint::NONE));
    }
    let mut order = shape(&mut context.tracker, value);
    let mut strings = strings(context, value)?;
    for text in &strings {
        let observed = text.observed(&mut context.tracker);
        order = context.tracker.join(order, observed);
    }
    context.spend(strings.len() as u64)?;
    strings.sort_by(|a, b| a.bytes().cmp(b.bytes()));
    let order = context.tracker.decide(order);
    Ok(list_of(STRINGS, strings, order))
}

fn reverse(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (mut items, shape) = open(context, &arguments[0], "Cannot find reverse on")?;
    items.reverse();
    Ok(list_of(LIST, items, shape))
}

fn compact(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (items, shape) = open(context, &arguments[0], "Cannot compact on")?;
    filtered(context, items, shape, |_, item, _| Ok(!is_empty(item)))
}

fn uniq(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (items, shape) = open(context, &arguments[0], "Cannot find uniq on")?;
    filtered(context, items, shape, |context, item, kept| Ok(!is_in(context, kept, item)?))
}

fn without(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [value, omitted @ ..] = arguments else { return Ok(Value::NIL) };
    let (items, mut shape) = open(context, value, "Cannot find without on")?;
    for omitted in omitted {
        let taint = omitted.observed_deep(&mut context.tracker);
        let taint = context.tracker.decide(taint);
        shape = context.tracker.join(shape, taint);
    }
    filtered(context, items, shape, |context, item, _| Ok(!is_in(context, omitted, item)?))
}

/// The items that pass a test, which also decides the length of the result.
fn filtered(
    context: &mut Executor<'_>,
    items: Vec<Value>,
    mut shape: Taint,
    mut keeps: impl FnMut(&mut Executor<'_>, &Value, &[Value]) -> Result<bool, FuncError>,
) -> Outcome {
    let mut kept = Vec::new();
    for item in items {
        let observed = item.observed_deep(&mut context.tracker);
        let observed = context.tracker.decide(observed);
        shape = context.tracker.join(shape, observed);
        if keeps(context, &item, &kept)? {
            kept.push(item);
        }
    }
    Ok(list_of(LIST, kept, shape))
}

fn is_in(context: &mut Executor<'_>, list: &[Value], needle: &Value) -> Result<bool, FuncError> {
    for item in list {
        if deep_equal(context, needle, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [needle, haystack] = arguments else { return Ok(Value::NIL) };
    if haystack.is_nil() {
        return Ok(Value::from(false));
    }
    let (items, _) = open(context, haystack, "Cannot find has on")?;
    Ok(Value::from(is_in(context, &items, needle)?))
}

fn slice(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [value, indexes @ ..] = arguments else { return Ok(Value::NIL) };
    let (items, mut shape) = open(context, value, "list should be type of slice or array but")
        .map_err(|error| {
            match error.message.strip_prefix("list should be type of slice or array but type ") {
                Some(kind) => {
                    FuncError::new(format!("list should be type of slice or array but {kind}"))
                }
                None => error,
            }
        })?;
    for index in indexes {
        let by_index = decision(&mut context.tracker, index);
        shape = context.tracker.join(shape, by_index);
    }
    if items.is_empty() {
        return Ok(Value::NIL.with_taint(shape));
    }
    let start = indexes.first().map_or(0, to_int);
    let end = indexes.get(1).map_or(items.len() as i64, to_int);
    if start < 0 || start > end || end > items.len() as i64 {
        return failure("reflect.Value.Slice: slice index out of bounds");
    }
    let range = start as usize..end as usize;
    if let Data::Bytes(bytes) = value.data() {
        let part = Text::new(&bytes.as_bytes()[range]);
        return Ok(Value::from(Data::Bytes(part)).with_taint(shape));
    }
    let go_type = value.go_type().unwrap_or(LIST);
    Ok(list_of(go_type, items[range].to_vec(), shape))
}

fn concat(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let (mut all, mut whole) = (Vec::new(), Taint::NONE);
    for value in arguments {
        let (items, shape) = open(context, value, "Cannot concat").map_err(|error| {
            if error.message == NIL_DEREFERENCE {
                return error;
            }
            FuncError::new(format!("{} as list", error.message))
        })?;
        all.extend(items);
        whole = context.tracker.join(whole, shape);
        list_room(context, all.len())?;
    }
    Ok(if all.is_empty() { nil_list(whole) } else { list_of(LIST, all, whole) })
}
