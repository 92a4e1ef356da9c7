//! Printing JSON as `encoding/json` does.

use std::fmt;

use go_template::{
    Data, Executor, FuncError, GoKind, Key, List, Map, Text, TextBuilder, Value,
    format::format_float, provenance::Taint, runes,
};

use crate::go_objects;

/// The depth from which Go checks for values that contain themselves.
pub(super) const CYCLE_DEPTH: usize = 1000;

/// How to print JSON.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JsonStyle {
    /// Escape `<`, `>` and `&`.
    pub escape_html: bool,
    /// Indent by two spaces per level.
    pub indent: bool,
}

/// Why a value cannot be printed or a text cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MarshalError {
    pub(crate) message: String,
    /// Whether the error stops the render: a limit of this crate or a Go panic. Helm turns other
    /// errors into results.
    pub(crate) is_fatal: bool,
}

impl MarshalError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_fatal: false }
    }

    pub(super) fn fatal(message: String) -> Self {
        Self { message, is_fatal: true }
    }

    /// A Go panic.
    pub(super) fn panic(message: &str) -> Self {
        Self { message: message.into(), is_fatal: true }
    }

    pub(super) fn cycle(go_type: &str) -> Self {
        let message = format!("json: unsupported value: encountered a cycle via {go_type}");
        Self::new(message)
    }

    pub(super) fn control_character() -> Self {
        Self::new("yaml: control characters are not allowed")
    }
}

impl fmt::Display for MarshalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<MarshalError> for FuncError {
    fn from(error: MarshalError) -> Self {
        Self::new(error.message)
    }
}

/// The JSON of a value. Strings keep the provenance of their bytes.
pub(crate) fn to_json(
    context: &mut Executor<'_>,
    value: &Value,
    style: JsonStyle,
) -> Result<Value, MarshalError> {
    let out = TextBuilder::new();
    let mut writer = Writer { context, out, style, taint: Taint::NONE, level: 0, deep: Vec::new() };
    writer.node(value)?;
    Ok(writer.out.finish())
}

/// A float in JSON, with an exponent only below 1e-6 and from 1e21.
pub(super) fn json_number(number: f64) -> Result<String, MarshalError> {
    if !number.is_finite() {
        let shown = format_float(number, b'g', None);
        return Err(MarshalError::new(format!("json: unsupported value: {shown}")));
    }
    let size = number.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return Ok(format_float(number, b'f', None));
    }
    let text = format_float(number, b'e', None);
    // Go prints e-9 for e-09.
    Ok(text.replace("e-0", "e-"))
}

/// Standard base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    crate::encoding::base64(bytes)
}

/// The length of a key in JSON, in characters, including its quotes.
pub(super) fn quoted_len(key: &str) -> usize {
    2 + key.chars().map(|c| escaped(c, true).map_or(1, |escaped| escaped.len())).sum::<usize>()
}

/// The value printed instead of an object, in JSON or by go-yaml 3.
pub(super) fn encode(value: &Value, v3: bool) -> Option<Value> {
    if let Some(encoded) = go_objects::encode(value, v3) {
        return Some(encoded);
    }
    let Data::Object(object) = value.data() else { return None };
    if !matches!(object.go_type().kind, GoKind::Struct | GoKind::Pointer) {
        return None;
    }
    let name = |name: &str| if v3 { Key::from(name.to_lowercase()) } else { Key::from(name) };
    Some(object.fields().into_iter().map(|(field, value)| (name(field), value)).collect())
}

struct Writer<'c, 'e> {
    context: &'c mut Executor<'e>,
    out: TextBuilder,
    style: JsonStyle,
    /// The inputs of the enclosing containers.
    taint: Taint,
    level: usize,
    deep: Vec<Map>,
}

impl Writer<'_, '_> {
    fn node(&mut self, value: &Value) -> Result<(), MarshalError> {
        let outer = self.taint;
        self.taint = self.context.tracker.join(outer, value.taint());
        let result = self.tainted_node(value);
        self.taint = outer;
        result
    }

    fn tainted_node(&mut self, value: &Value) -> Result<(), MarshalError> {
        let taint = self.taint;
        match value.data() {
            Data::Nil | Data::NilInterface => self.put("null", taint),
            Data::Bool(flag) => self.put(if *flag { "true" } else { "false" }, taint),
            Data::Int(_, number) => self.put(&number.to_string(), taint),
            Data::Uint(_, number) => self.put(&number.to_string(), taint),
            Data::Float(number) => {
                let text = json_number(*number)?;
                self.put(&text, taint);
            }
            Data::String(text) => self.string(text, value),
            Data::Bytes(text) => {
                self.punctuation("\"", taint);
                self.put(&base64(text.as_bytes()), taint);
                self.punctuation("\"", taint);
            }
            Data::List(list) => self.list(list)?,
            Data::Map(map) => self.map(map)?,
            Data::Object(_) => match encode(value, false) {
                Some(encoded) => self.tainted_node(&encoded)?,
                None => self.put("{}", taint),
            },
        }
        Ok(())
    }

    fn list(&mut self, list: &List) -> Result<(), MarshalError> {
        if list.is_nil() {
            self.put("null", self.taint);
            return Ok(());
        }
        let shape = self.context.tracker.join(self.taint, list.shape());
        if list.is_empty() {
            self.put("[]", shape);
            return Ok(());
        }
        self.open("[", shape)?;
        for (i, item) in list.items().iter().enumerate() {
            self.separate(i, shape);
            self.node(item)?;
        }
        self.close("]", shape);
        Ok(())
    }

    fn map(&mut self, map: &Map) -> Result<(), MarshalError> {
        if map.is_nil() {
            self.put("null", self.taint);
            return Ok(());
        }
        let shape = self.context.tracker.join(self.taint, map.shape());
        if map.is_empty() {
            self.put("{}", shape);
            return Ok(());
        }
        self.open("{", shape)?;
        if self.level > CYCLE_DEPTH + 1 {
            if self.deep.iter().any(|outer| outer.is_same(map)) {
                return Err(MarshalError::cycle(map.go_type().name));
            }
            self.deep.push(map.clone());
        }
        for (i, (key, value)) in map.entries().iter().enumerate() {
            self.separate(i, shape);
            let tracker = &mut self.context.tracker;
            let by_key = map.key_taint(tracker, key);
            let by_key = tracker.join(self.taint, by_key);
            let key = Value::from(&**key).with_taint(by_key);
            if let Data::String(text) = key.data() {
                self.quoted(text, &key, shape);
            }
            self.punctuation(if self.style.indent { ": " } else { ":" }, shape);
            self.node(value)?;
        }
        if self.level > CYCLE_DEPTH + 1 {
            self.deep.pop();
        }
        self.close("}", shape);
        Ok(())
    }

    fn open(&mut self, bracket: &str, taint: Taint) -> Result<(), MarshalError> {
        self.punctuation(bracket, taint);
        self.level += 1;
        self.context.check_stack().map_err(|error| MarshalError::fatal(error.message))?;
        // The origins of short values take more memory than the text.
        self.context
            .check_size(self.out.len().saturating_mul(4))
            .map_err(|error| MarshalError::fatal(error.message))
    }

    fn close(&mut self, bracket: &str, taint: Taint) {
        self.level -= 1;
        self.new_line(taint);
        self.punctuation(bracket, taint);
    }

    fn separate(&mut self, index: usize, taint: Taint) {
        self.punctuation(if index > 0 { "," } else { "" }, taint);
        self.new_line(taint);
    }

    fn new_line(&mut self, taint: Taint) {
        if self.style.indent {
            self.punctuation(&format!("\n{}", "  ".repeat(self.level)), taint);
        }
    }

    fn string(&mut self, text: &Text, value: &Value) {
        let observed = value.observed(&mut self.context.tracker);
        let taint = self.context.tracker.join(self.taint, observed);
        let value = value.clone().with_taint(self.taint);
        self.quoted(text, &value, taint);
    }

    /// A quoted string. `taint`, all its inputs, controls the quotes.
    fn quoted(&mut self, text: &Text, value: &Value, taint: Taint) {
        self.punctuation("\"", taint);
        let bytes = text.as_bytes();
        let mut plain = 0;
        for (at, rune, len) in runes::runes(bytes) {
            let is_bad = rune == char::REPLACEMENT_CHARACTER && len == 1;
            let escaped =
                if is_bad { Some("\\ufffd".into()) } else { escaped(rune, self.style.escape_html) };
            if let Some(escaped) = escaped {
                self.out.push_slice(&mut self.context.tracker, value, plain..at);
                let piece = value.taint_at(&mut self.context.tracker, at);
                self.put(&escaped, piece);
                plain = at + len;
            }
        }
        self.out.push_slice(&mut self.context.tracker, value, plain..bytes.len());
        self.punctuation("\"", taint);
    }

    /// Bytes that no value flows into: values only control whether they are printed.
    fn punctuation(&mut self, text: &str, taint: Taint) {
        let decided = self.context.tracker.decide(taint);
        self.put(text, decided);
    }

    fn put(&mut self, text: &str, taint: Taint) {
        if !text.is_empty() {
            self.out.push(&mut self.context.tracker, text, taint);
        }
    }
}

/// The escape sequence of a character in a JSON string, if it needs one.
fn escaped(c: char, escape_html: bool) -> Option<String> {
    Some(match c {
        '"' => "\\\"".into(),
        '\\' => "\\\\".into(),
        '\x08' => "\\b".into(),
        '\x0c' => "\\f".into(),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        '\0'..='\x1f' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", u32::from(c)),
        '<' | '>' | '&' if escape_html => format!("\\u{:04x}", u32::from(c)),
        _ => return None,
    })
}
