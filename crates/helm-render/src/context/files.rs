//! `.Files`: the files of a chart that are neither templates nor values. Helm `pkg/engine/files.go`.

use go_template::{
    Data, Executor, FuncError, Functions, Key, List, Map, Method, Params, Text, Type, Value,
    provenance::{Input, Inputs, Taint},
};

use super::glob::Glob;
use crate::{chart::File, encoding::base64, marshal::to_yaml};

static FILE_MAP: Type = Type::map("map[string][]uint8", &Type::BYTES);
static FILES: Type = Type::map("engine.files", &Type::BYTES).named(&FILE_MAP);

pub(super) fn set_methods(functions: &mut Functions) {
    functions.set_methods(&FILES, &METHODS);
}

static METHODS: [Method; 6] = [
    method("Get", &[&Type::STRING], |context, files, arguments| {
        let found = content(context, files, &arguments[0]);
        let taint = found.taint();
        Ok(match found.into_data() {
            Data::Bytes(text) => Value::new(Data::String(text), taint),
            data => Value::new(data, taint),
        })
    }),
    method("GetBytes", &[&Type::STRING], |context, files, arguments| {
        Ok(content(context, files, &arguments[0]))
    }),
    method("Glob", &[&Type::STRING], glob),
    method("Lines", &[&Type::STRING], lines),
    method("AsConfig", &[], |context, files, _| {
        encoded(context, files, |text| Value::from(text.clone()))
    }),
    method("AsSecrets", &[], |context, files, _| {
        encoded(context, files, |text| Value::from(base64(text.as_bytes())))
    }),
];

const fn method(
    name: &'static str,
    fixed: &'static [&'static Type],
    call: fn(&mut Executor<'_>, &Value, &[Value]) -> Result<Value, FuncError>,
) -> Method {
    Method { name, params: Params::fixed(fixed), call }
}

/// The value of `.Files`, each file labelled with its input below `input`.
pub(crate) fn files(inputs: &mut Inputs, files: &[File], input: Input) -> Value {
    let entry = |file: &File| {
        let taint = Taint::of(inputs.child(input, &file.name));
        (file.name.clone(), Value::new(Data::Bytes(Text::new(file.data.clone())), taint))
    };
    let entries = files.iter().map(entry).collect();
    Value::from(Map::loaded(inputs, &FILES, entries, input))
}

/// The bytes of a file; empty if it does not exist.
fn content(context: &mut Executor<'_>, files: &Value, name: &Value) -> Value {
    let none = || Data::Bytes(Text::from(""));
    let Some(map) = files.as_map() else { return Value::from(none()) };
    let key = name.as_text().map(Text::to_str).unwrap_or_default();
    let value = map.get(&key).unwrap_or_else(|| {
        let taint = map.absence(&mut context.tracker, &key);
        Value::new(none(), taint)
    });
    let mut value = value.decided_by(&mut context.tracker, name);
    value.add_taint(&mut context.tracker, files.taint());
    value
}

fn glob(
    context: &mut Executor<'_>,
    files: &Value,
    arguments: &[Value],
) -> Result<Value, FuncError> {
    let pattern = arguments[0].as_text().map(Text::to_str).unwrap_or_default();
    let glob = Glob::parse(&pattern);
    let all = files.as_map().map(Map::entries).unwrap_or_default();
    let found = all.into_iter().filter(|(name, _)| glob.matches(name)).collect();
    let map = Map::of(&FILES, found);
    let shape = files.observed(&mut context.tracker);
    let wanted = arguments[0].observed(&mut context.tracker);
    let wanted = context.tracker.decide(wanted);
    let shape = context.tracker.join(shape, wanted);
    map.reshape(&mut context.tracker, shape);
    Ok(Value::from(map).with_taint(wanted))
}

fn lines(
    context: &mut Executor<'_>,
    files: &Value,
    arguments: &[Value],
) -> Result<Value, FuncError> {
    let found = content(context, files, &arguments[0]);
    let taint = found.taint();
    let Data::Bytes(text) = found.into_data() else { return Ok(Value::NIL) };
    let bytes = text.as_bytes().strip_suffix(b"\n").unwrap_or(text.as_bytes());
    let line = |line: &[u8]| Value::from(line.to_vec()).with_taint(taint);
    let lines = match text.is_empty() {
        true => Vec::new(),
        false => bytes.split(|byte| *byte == b'\n').map(line).collect(),
    };
    Ok(Value::from(List::of(&Type::STRINGS, lines).shaped_by(taint)).with_taint(taint))
}

/// The YAML of all files by base name.
fn encoded(
    context: &mut Executor<'_>,
    files: &Value,
    encode: fn(&Text) -> Value,
) -> Result<Value, FuncError> {
    let Some(map) = files.as_map() else { return Ok(Value::from("")) };
    let entry = |(name, value): (Key, Value)| {
        let base = name.rsplit('/').next().unwrap_or(&name);
        let taint = value.taint();
        let text = match value.into_data() {
            Data::Bytes(text) => encode(&text),
            _ => Value::from(""),
        };
        (Key::from(base), text.with_taint(taint))
    };
    let named = Map::of(&Type::STRING_MAP, map.entries().into_iter().map(entry).collect());
    let shape = files.observed(&mut context.tracker);
    named.reshape(&mut context.tracker, shape);
    Ok(to_yaml(context, &Value::from(named)).unwrap_or_else(|_| Value::from("")))
}
