//! The data, types and functions of `testdata/main.go`.

use serde_json::Value as Json;

use crate::{
    Data, Executor, FuncError, FunctionSpec, Functions, GoKind, IntType, List, Map, Method, Object,
    Params, Text, Type, UintType, Value, format,
};

static VALUES: Type = Type::map("main.Values", &Type::INTERFACE).named(&Type::MAP);
static VALUES_METHODS: [Method; 3] = [
    Method {
        name: "Size",
        params: Params::NONE,
        call: |_, receiver, _| Ok(Value::int(receiver.as_map().map_or(0, |map| map.len() as i64))),
    },
    Method {
        name: "Join",
        params: Params { fixed: &[&Type::STRING], rest: Some(&Type::STRING) },
        call: |_, _, arguments| {
            let parts: Vec<_> = arguments[1..].iter().map(Value::bytes).collect();
            Ok(Value::from(parts.join(arguments[0].bytes())))
        },
    },
    Method {
        name: "Fail",
        params: Params::fixed(&[&Type::STRING]),
        call: |_, _, arguments| Err(FuncError::new(format!("no {}", string(&arguments[0])))),
    },
];

static INFO: Type = Type::new("main.Info", GoKind::Struct);
static VERSION: Type = Type::new("*main.Version", GoKind::Pointer);
static VERSION_METHODS: [Method; 2] = [
    Method {
        name: "String",
        params: Params::NONE,
        call: |_, receiver, _| Ok(version(receiver).string().unwrap().into()),
    },
    Method {
        name: "AtLeast",
        params: Params::fixed(&[&Type::STRING]),
        call: |_, receiver, arguments| {
            Ok(Value::from(version(receiver).0.as_str() >= &*string(&arguments[0])))
        },
    },
];

#[derive(Debug)]
struct Info {
    name: Value,
    any: Value,
    tags: Value,
}

impl Object for Info {
    fn go_type(&self) -> &'static Type {
        &INFO
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let nil = Value::from(Data::NilInterface);
        let any = if self.any.is_nil() { nil } else { self.any.clone() };
        vec![("Name", self.name.clone()), ("Any", any), ("Tags", self.tags.clone())]
    }

    fn equals(&self, _: &dyn Object) -> Option<bool> {
        None
    }
}

#[derive(Debug)]
struct Version(String);

impl Object for Version {
    fn go_type(&self) -> &'static Type {
        &VERSION
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("Major", Value::from(&*self.0))]
    }

    fn string(&self) -> Option<String> {
        Some(format!("v{}", self.0))
    }
}

fn version(value: &Value) -> &Version {
    value.as_object().unwrap()
}

fn string(value: &Value) -> String {
    String::from_utf8_lossy(value.bytes()).into_owned()
}

/// Test data from JSON: `build` in `main.go`.
pub(super) fn build(json: &Json) -> Value {
    match json {
        Json::Null => Value::NIL,
        Json::Bool(value) => Value::from(*value),
        Json::Number(value) => Value::from(value.as_f64().unwrap()),
        Json::String(value) => Value::from(&**value),
        Json::Array(items) => Value::from(items.iter().map(build).collect::<Vec<_>>()),
        Json::Object(entries) => {
            let mut entries_iter = entries.iter();
            match (entries_iter.next(), entries_iter.next()) {
                (Some((key, value)), None) if key.starts_with('$') => typed(key, value),
                _ => {
                    entries.iter().map(|(key, value)| (key.as_str().into(), build(value))).collect()
                }
            }
        }
    }
}

fn typed(key: &str, json: &Json) -> Value {
    let number = || json.as_i64().or_else(|| json.as_str()?.parse().ok()).unwrap();
    let text = || json.as_str().unwrap();
    let entries = |value: Value, go_type| {
        let entries = value.as_map().map(Map::entries).unwrap_or_default();
        Value::from(Map::of(go_type, entries.into_iter().collect()))
    };
    match key {
        "$int" => Value::int(number()),
        "$int64" => Value::int64(number()),
        "$int32" => Value::from(Data::Int(IntType::Int32, number())),
        "$uint8" => Value::from(Data::Uint(UintType::Uint8, number() as u64)),
        "$uint64" => Value::from(Data::Uint(UintType::Uint64, number() as u64)),
        "$float" => Value::from(text().parse::<f64>().unwrap()),
        "$bytes" => Value::from(Data::Bytes(Text::from(text()))),
        "$strings" => {
            let items = json.as_array().unwrap().iter().map(build).collect();
            Value::from(List::of(&Type::STRINGS, items))
        }
        "$values" => entries(build(json), &VALUES),
        "$tags" => entries(build(json), &Type::STRING_MAP),
        "$nilmap" => Value::from(Map::nil(&Type::MAP)),
        "$nillist" => Value::from(List::nil(&Type::LIST)),
        "$info" => Value::object(Info {
            name: build(&json["name"]),
            any: build(&json["any"]),
            tags: entries(build(&json["tags"]), &Type::STRING_MAP),
        }),
        "$version" => Value::object(Version(text().into())),
        _ => panic!("unknown type {key}"),
    }
}

const ANY: &Type = &Type::INTERFACE;
const STRING: &Type = &Type::STRING;

/// The functions of `main.go`, `tpl` and `wanted`.
pub(super) fn functions() -> Functions {
    let mut functions = Functions::builtin();
    functions.extend(SPECS);
    functions.set_methods(&VALUES, &VALUES_METHODS);
    functions.set_methods(&VERSION, &VERSION_METHODS);
    functions
}

const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("takesString", &[STRING], STRING, |_, arguments| {
        Ok(Value::from(format!("<{}>", string(&arguments[0]))))
    }),
    FunctionSpec::new("takesInt", &[&Type::INT], STRING, show),
    FunctionSpec::new("takesInt64", &[&Type::INT64], STRING, show),
    FunctionSpec::new("takesUint8", &[&Type::UINT8], STRING, show),
    FunctionSpec::new("takesFloat", &[&Type::FLOAT64], STRING, show),
    FunctionSpec::new("takesBool", &[&Type::BOOL], STRING, show),
    FunctionSpec::new("takesMap", &[&Type::MAP], STRING, show_container),
    FunctionSpec::new("takesList", &[&Type::LIST], STRING, show_container),
    FunctionSpec::new("takesAny", &[ANY], STRING, show),
    FunctionSpec::new("takesTwo", &[STRING], STRING, |context, arguments| {
        let rest = Value::from(arguments[1..].to_vec());
        format::sprint_all(&mut context.tracker, &[arguments[0].clone(), rest])
    })
    .variadic(&Type::INT),
    FunctionSpec::new("list", &[], &Type::LIST, |_, arguments| Ok(Value::from(arguments.to_vec())))
        .variadic(ANY)
        .own_taint(),
    FunctionSpec::new("dict", &[], &Type::MAP, dict).variadic(ANY).own_taint(),
    FunctionSpec::new("set", &[&Type::MAP, STRING, ANY], &Type::MAP, set).own_taint().mutating(),
    FunctionSpec::new("default", &[ANY], ANY, default).variadic(ANY).own_taint(),
    FunctionSpec::new("nothing", &[], ANY, |_, _| Ok(Value::NIL)),
    FunctionSpec::new("wanted", &[], &Type::MAP, wanted).variadic(ANY).own_taint(),
    FunctionSpec::new("fail", &[STRING], STRING, |_, arguments| {
        Err(FuncError::new(string(&arguments[0])))
    }),
    FunctionSpec::new("include", &[STRING, ANY], STRING, |context, arguments| {
        Ok(context.include(&string(&arguments[0]), &arguments[1])?)
    })
    .own_taint(),
    FunctionSpec::new("tpl", &[STRING, ANY], STRING, |context, arguments| {
        Ok(context.run_text("tpl", &arguments[0], &arguments[1])?)
    })
    .own_taint(),
];

/// `fmt.Sprintf("%T %v", v, v)`.
fn show(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let both = [arguments[0].clone(), arguments[0].clone()];
    format::sprintf(&mut context.tracker, &Value::from("%T %v"), &both)
}

fn show_container(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let value = &arguments[0];
    let is_nil = match value.data() {
        Data::Map(map) => map.is_nil(),
        Data::List(list) => list.is_nil(),
        _ => false,
    };
    // A value of a defined type that is assigned to a parameter of its underlying type has that type.
    let go_type = value.go_type().and_then(|go_type| go_type.underlying.or(Some(go_type)));
    let go_type = Value::from(go_type.unwrap().name);
    let all = [go_type, Value::from(is_nil), value.clone()];
    format::sprintf(&mut context.tracker, &Value::from("%s %v %v"), &all)
}

/// A map whose `.a.b` says what is wanted of it.
fn wanted(context: &mut Executor<'_>, _: &[Value]) -> Result<Value, FuncError> {
    let wanted = Value::from(context.wanted().unwrap_or("all"));
    let below = Map::new();
    below.insert("b", wanted);
    let map = Map::new();
    map.insert("a", Value::from(below));
    Ok(Value::from(map))
}

fn dict(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let map = Map::new();
    for pair in arguments.chunks_exact(2) {
        let key = format::sprint(&mut context.tracker, &pair[0])?;
        let observed = pair[0].observed(&mut context.tracker);
        map.reshape(&mut context.tracker, observed);
        map.insert(&*key.to_str(), pair[1].clone());
    }
    Ok(Value::from(map))
}

fn set(_: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let map = arguments[0].as_map().unwrap();
    if map.is_nil() {
        return Err(FuncError::new("assignment to entry in nil map"));
    }
    map.insert(&*string(&arguments[1]), arguments[2].clone());
    Ok(arguments[0].clone())
}

fn default(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let Some(given) = arguments.get(1) else { return Ok(arguments[0].clone()) };
    let chosen = if given.truth() { given } else { &arguments[0] };
    Ok(chosen.clone().decided_by(&mut context.tracker, given))
}
