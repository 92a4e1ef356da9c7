//! Helm's own functions: `include`, `tpl`, `required`, `fail`, `lookup` and their relatives.

use go_template::{
    Data, Executor, FuncError, FunctionSpec, Map, TextBuilder, TextError, Value, provenance::Taint,
    quote::quote,
};

use super::{
    args::{ANY, MAP, Outcome, STRING, failure, str},
    host::{Host, host, looked_up, root_taint},
};
use crate::guards::PLACEHOLDER;

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("include", &[STRING, ANY], STRING, include).own_taint(),
    FunctionSpec::new("tpl", &[STRING, ANY], STRING, tpl).own_taint(),
    FunctionSpec::new("required", &[STRING, ANY], ANY, required).own_taint(),
    FunctionSpec::new("fail", &[STRING], STRING, fail),
    FunctionSpec::new("lookup", &[STRING, STRING, STRING, STRING], MAP, lookup).own_taint(),
    FunctionSpec::new("getHostByName", &[STRING], STRING, |_, _| Ok(Value::from(""))).own_taint(),
];

/// How often Helm allows a name to be included within itself (`recursionMaxNums`).
const MAX_INCLUDES: usize = 1000;

/// The name under which `tpl` parses texts: that of the whole template set.
const SET_NAME: &str = "gotpl";

fn include(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let name = str(&arguments[0]);
    let includes = &mut host(context).includes;
    let count = match includes.get_mut(&*name) {
        Some(count) => count,
        None => includes.entry(name.as_ref().into()).or_default(),
    };
    // Helm starts to count at the second inclusion of a name.
    if *count > MAX_INCLUDES {
        let problem = "unable to execute template";
        return failure(format!(
            "rendering template has a nested reference name: {name}: {problem}"
        ));
    }
    *count += 1;
    let result = context.include(&name, &arguments[1]);
    if let Some(count) = host(context).includes.get_mut(name.as_ref()) {
        *count -= 1;
    }
    let mut text = result?;
    if arguments[0].taint().is_none() {
        return Ok(text);
    }
    text = text.decided_by(&mut context.tracker, &arguments[0]);
    Ok(text)
}

fn tpl(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [template, data] = arguments else { return Ok(Value::NIL) };
    let text = context.run_text(SET_NAME, template, data).map_err(|error| {
        let quoted = quote(template.bytes());
        match error {
            TextError::Parse(error) => {
                FuncError::new(format!("cannot parse template {quoted}: {error}"))
            }
            TextError::Exec(error) => {
                let prefix = format!("error during tpl function execution for {quoted}: ");
                FuncError::wrap(prefix, error)
            }
        }
    })?;
    Ok(if has_no_value(text.bytes()) { without_no_value(context, &text).finish() } else { text })
}

/// What Go prints for a missing value.
const NO_VALUE: &[u8] = b"<no value>";

pub(crate) fn has_no_value(text: &[u8]) -> bool {
    memchr::memmem::find(text, NO_VALUE).is_some()
}

/// A text without [`NO_VALUE`], as Helm removes it from what templates print.
pub(crate) fn without_no_value(context: &mut Executor<'_>, value: &Value) -> TextBuilder {
    let found: Vec<usize> = memchr::memmem::find_iter(value.bytes(), NO_VALUE).collect();
    let mut text = TextBuilder::new();
    let mut start = 0;
    for at in found {
        text.push_slice(&mut context.tracker, value, start..at);
        let mut removed = TextBuilder::new();
        removed.push_slice(&mut context.tracker, value, at..at + NO_VALUE.len());
        let taint = removed.finish().observed(&mut context.tracker);
        text.push(&mut context.tracker, "", taint);
        start = at + NO_VALUE.len();
    }
    text.push_slice(&mut context.tracker, value, start..value.bytes().len());
    text
}

/// Kinds of [`FuncError`] whose message Helm shows alone, at the location in the executed template.
const REQUIRED: &str = "required";
const FAIL: &str = "fail";

fn required(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [message, value] = arguments else { return Ok(Value::NIL) };
    let is_empty_string = matches!(value.data(), Data::String(text) if text.is_empty());
    if !value.is_nil() && !is_empty_string {
        return Ok(value.clone());
    }
    if host(context).is_lint {
        let taint = value.observed(&mut context.tracker);
        return Ok(Value::from(PLACEHOLDER).with_taint(taint));
    }
    Err(FuncError::of_kind(REQUIRED, str(message)))
}

fn fail(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    if host(context).is_lint && !host(context).honours_fail {
        return Ok(Value::from(""));
    }
    Err(FuncError::of_kind(FAIL, str(&arguments[0])))
}

/// `lookup`, which finds nothing without a cluster. What it looks for is an input of its own, see [`Host::looked_up`].
fn lookup(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let found = Map::new();
    let mut taint = root_taint(&mut context.tracker, Host::LOOKUP);
    if let [_, kind, _, name] = arguments
        && context.tracker.is_on()
    {
        let inputs = context.tracker.inputs();
        let root = inputs.root(Host::LOOKUP);
        let object = inputs.child(root, &looked_up(&str(kind), &str(name)));
        taint = context.tracker.join(taint, Taint::of(object));
    }
    found.reshape(&mut context.tracker, taint);
    Ok(Value::from(found).with_taint(taint))
}
