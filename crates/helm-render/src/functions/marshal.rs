//! Functions that print and parse YAML, JSON and TOML.

use go_template::{Data, Executor, FuncError, FunctionSpec, Map, Value};

use super::{
    args::{ANY, LIST, MAP, Outcome, STRING, list_of},
    host::host,
};
use crate::marshal::{self, JsonStyle, MarshalError};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("toYaml", &[ANY], STRING, to_yaml).own_taint(),
    FunctionSpec::new("toYamlPretty", &[ANY], STRING, to_yaml_pretty).own_taint(),
    FunctionSpec::new("fromYaml", &[STRING], MAP, from_yaml).own_taint(),
    FunctionSpec::new("fromYamlArray", &[STRING], LIST, from_yaml_array).own_taint(),
    FunctionSpec::new("toJson", &[ANY], STRING, |c, a| lenient_json(c, a, COMPACT)).own_taint(),
    FunctionSpec::new("mustToJson", &[ANY], STRING, |c, a| json(c, a, COMPACT)).own_taint(),
    FunctionSpec::new("toPrettyJson", &[ANY], STRING, |c, a| lenient_json(c, a, PRETTY))
        .own_taint(),
    FunctionSpec::new("mustToPrettyJson", &[ANY], STRING, |c, a| json(c, a, PRETTY)).own_taint(),
    FunctionSpec::new("toRawJson", &[ANY], STRING, |c, a| json(c, a, RAW)).own_taint(),
    FunctionSpec::new("mustToRawJson", &[ANY], STRING, |c, a| json(c, a, RAW)).own_taint(),
    FunctionSpec::new("fromJson", &[STRING], MAP, from_json).own_taint(),
    FunctionSpec::new("fromJsonArray", &[STRING], LIST, from_json_array).own_taint(),
    FunctionSpec::new("mustFromJson", &[STRING], ANY, must_from_json).own_taint(),
    FunctionSpec::new("toToml", &[ANY], STRING, to_toml).own_taint(),
    FunctionSpec::new("fromToml", &[STRING], MAP, from_toml).own_taint(),
];

pub(super) const V4_SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("mustToYaml", &[ANY], STRING, must_to_yaml).own_taint(),
    FunctionSpec::new("mustToToml", &[ANY], STRING, must_to_toml).own_taint(),
];

const COMPACT: JsonStyle = JsonStyle { escape_html: true, indent: false };
const PRETTY: JsonStyle = JsonStyle { escape_html: true, indent: true };
const RAW: JsonStyle = JsonStyle { escape_html: false, indent: false };

fn to_yaml(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let result = marshal::to_yaml(context, &arguments[0]);
    or_empty(context, &arguments[0], result)
}

fn must_to_yaml(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    marshal::to_yaml(context, &arguments[0]).map_err(|error| match error.is_fatal {
        false if error.message.starts_with("json: ") => {
            FuncError::new(format!("error marshaling into JSON: {error}"))
        }
        _ => error.into(),
    })
}

fn to_yaml_pretty(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let result = marshal::to_yaml_pretty(context, &arguments[0]);
    or_empty(context, &arguments[0], result)
}

fn json(context: &mut Executor<'_>, arguments: &[Value], style: JsonStyle) -> Outcome {
    Ok(marshal::to_json(context, &arguments[0], style)?)
}

fn lenient_json(context: &mut Executor<'_>, arguments: &[Value], style: JsonStyle) -> Outcome {
    let result = marshal::to_json(context, &arguments[0], style);
    or_empty(context, &arguments[0], result)
}

/// The result, or an empty string for a value that cannot be printed.
fn or_empty(
    context: &mut Executor<'_>,
    value: &Value,
    result: Result<Value, MarshalError>,
) -> Outcome {
    match result {
        Err(error) if !error.is_fatal => {
            let taint = value.observed_deep(&mut context.tracker);
            Ok(Value::from("").with_taint(taint))
        }
        result => Ok(result?),
    }
}

/// The result of Helm's `from…` functions: an error becomes part of the returned map or list.
fn decoded(
    context: &mut Executor<'_>,
    text: &Value,
    result: Result<Value, MarshalError>,
    wants_map: bool,
    prefix: &str,
) -> Outcome {
    let problem = match result {
        Ok(value) => match (value.data(), wants_map) {
            (Data::Map(_), true) | (Data::List(_), false) => return Ok(value),
            // sigs.k8s.io/yaml decodes null into the map that exists; encoding/json replaces it
            // with nil.
            (Data::Nil, true) if prefix == IN_YAML => {
                return Ok(Value::from(Map::new()).with_taint(value.taint()));
            }
            (Data::Nil, false) if prefix == IN_YAML => {
                return Ok(list_of(LIST, Vec::new(), value.taint()));
            }
            (Data::Nil, true) => return Ok(Value::from(Map::nil(MAP)).with_taint(value.taint())),
            (Data::Nil, false) => {
                let list = go_template::List::nil(LIST);
                return Ok(Value::from(list).with_taint(value.taint()));
            }
            _ => {
                let wanted = if wants_map { MAP } else { LIST };
                let got = json_kind(&value);
                let message = format!("json: cannot unmarshal {got} into Go value of type");
                format!("{prefix}{message} {}", wanted.name)
            }
        },
        Err(error) if error.is_fatal => return Err(error.into()),
        Err(error) => error.message,
    };
    let taint = text.observed(&mut context.tracker);
    let problem = Value::from(problem).with_taint(taint);
    if wants_map {
        let map = Map::new();
        map.insert("Error", problem);
        map.reshape(&mut context.tracker, taint);
        return Ok(Value::from(map));
    }
    Ok(list_of(LIST, vec![problem], taint))
}

fn json_kind(value: &Value) -> &'static str {
    match value.data() {
        Data::Bool(_) => "bool",
        Data::String(_) => "string",
        Data::List(_) => "array",
        Data::Map(_) => "object",
        _ => "number",
    }
}

/// Charges the values that a text decodes to.
fn decode_room(context: &mut Executor<'_>, text: &Value) -> Result<(), FuncError> {
    context.spend(text.bytes().len() as u64)?;
    context.allocate(text.bytes().len().saturating_mul(24))
}

const IN_YAML: &str = "error unmarshaling JSON: while decoding JSON: ";

fn from_yaml(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    decode_room(context, &arguments[0])?;
    let result = unmarshal(context, &arguments[0]);
    decoded(context, &arguments[0], result, true, IN_YAML)
}

fn from_yaml_array(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    decode_room(context, &arguments[0])?;
    let result = unmarshal(context, &arguments[0]);
    decoded(context, &arguments[0], result, false, IN_YAML)
}

fn unmarshal(context: &mut Executor<'_>, text: &Value) -> Result<Value, MarshalError> {
    let (known, is_trusted) = (host(context).manifests.clone(), host(context).trusts_files);
    marshal::from_yaml(context, text, &known, is_trusted)
}

fn from_json(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    decode_room(context, &arguments[0])?;
    let result = marshal::from_json(context, &arguments[0]);
    decoded(context, &arguments[0], result, true, "")
}

fn from_json_array(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    decode_room(context, &arguments[0])?;
    let result = marshal::from_json(context, &arguments[0]);
    decoded(context, &arguments[0], result, false, "")
}

fn must_from_json(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    decode_room(context, &arguments[0])?;
    Ok(marshal::from_json(context, &arguments[0])?)
}

/// `toToml`. An error's message becomes the result.
fn to_toml(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    match marshal::to_toml(context, &arguments[0]) {
        Err(error) if !error.is_fatal => {
            let taint = arguments[0].observed_deep(&mut context.tracker);
            Ok(Value::from(error.message).with_taint(taint))
        }
        result => Ok(result?),
    }
}

fn must_to_toml(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    Ok(marshal::to_toml(context, &arguments[0])?)
}

fn from_toml(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    decode_room(context, &arguments[0])?;
    let result = marshal::from_toml(context, &arguments[0]);
    decoded(context, &arguments[0], result, true, "")
}
