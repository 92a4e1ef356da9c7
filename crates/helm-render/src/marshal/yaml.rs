//! Printing YAML as `sigs.k8s.io/yaml` (JSON, then go-yaml 2) or go-yaml 3 does.
//!
//! A port of libyaml's emitter, which both versions of go-yaml contain, for the events that values
//! produce: no tags, no anchors, and no flow collections except empty ones.

mod layout;
mod scalar_writer;

use std::borrow::Cow;

use go_template::{
    Data, Executor, List, Map, Text, TextBuilder, Value, format::format_float, provenance::Taint,
};

use yaml_spans::emit::{self, Analysis, GoYaml, ScalarStyle};

use self::scalar_writer::ScalarWriter;
use super::json::{self, MarshalError, json_number};
use crate::go_objects;

/// `toYaml`: the YAML without its final line break. The error has Go's message.
pub(crate) fn to_yaml(context: &mut Executor<'_>, value: &Value) -> Result<Value, MarshalError> {
    Emitter::new(context, GoYaml::V2).document(value)
}

/// `toYamlPretty`, with go-yaml 3.
pub(crate) fn to_yaml_pretty(
    context: &mut Executor<'_>,
    value: &Value,
) -> Result<Value, MarshalError> {
    Emitter::new(context, GoYaml::V3).document(value)
}

/// The position of a node in its parent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodePosition {
    Root,
    Item,
    Key,
    SimpleKey,
    MapValue,
}

struct Emitter<'c, 'e> {
    context: &'c mut Executor<'e>,
    out: TextBuilder,
    version: GoYaml,
    column: usize,
    indent: Option<usize>,
    whitespace: bool,
    indention: bool,
    /// The inputs of the enclosing containers.
    taint: Taint,
    /// The enclosing maps below the depth from which Go checks for cycles.
    deep: Vec<Map>,
    depth: usize,
}

/// The maximum length of a simple key.
const MAX_SIMPLE_KEY: usize = 128;
/// Lines are folded after this column.
const WIDTH: usize = 80;
/// The maximum length of a simple key in JSON read as YAML, including its quotes.
const MAX_JSON_KEY: usize = 1024;

impl<'c, 'e> Emitter<'c, 'e> {
    fn new(context: &'c mut Executor<'e>, version: GoYaml) -> Self {
        Self {
            context,
            out: TextBuilder::new(),
            version,
            column: 0,
            indent: None,
            whitespace: true,
            indention: true,
            taint: Taint::NONE,
            deep: Vec::new(),
            depth: 0,
        }
    }

    /// Whether to print as go-yaml 3, which encodes Go values directly.
    fn is_v3(&self) -> bool {
        self.version == GoYaml::V3
    }

    fn document(mut self, value: &Value) -> Result<Value, MarshalError> {
        self.node(value, NodePosition::Root)?;
        // A block scalar can end with its own line break; then go-yaml adds none for `toYaml` to
        // remove.
        if self.column == 0 && self.indention {
            self.out.truncate(self.out.len() - 1);
        }
        Ok(self.out.finish())
    }

    fn node(&mut self, value: &Value, position: NodePosition) -> Result<(), MarshalError> {
        let outer = self.taint;
        self.taint = self.context.tracker.join(outer, value.taint());
        let result = self.tainted_node(value, position);
        self.taint = outer;
        result
    }

    /// A node whose taint `self.taint` already includes.
    fn tainted_node(&mut self, value: &Value, position: NodePosition) -> Result<(), MarshalError> {
        match value.data() {
            Data::Nil | Data::NilInterface => self.plain("null"),
            Data::Bool(flag) => self.plain(if *flag { "true" } else { "false" }),
            Data::Int(_, number) => self.plain(&number.to_string()),
            Data::Uint(_, number) => self.plain(&number.to_string()),
            Data::Float(number) => {
                let text = if self.is_v3() { plain_float(*number) } else { number_text(*number)? };
                self.plain(&text);
            }
            Data::String(text) => self.string(text, value, position)?,
            Data::Bytes(bytes) if self.is_v3() => self.numbers(bytes, position)?,
            Data::Bytes(bytes) => {
                let text = Value::from(json::base64(bytes.as_bytes()));
                self.node(&text, position)?;
            }
            Data::List(list) => self.list(list, position)?,
            Data::Map(map) => self.map(map, position)?,
            Data::Object(object) => {
                if let (true, Some(time)) = (self.is_v3(), go_objects::plain_time(value)) {
                    self.plain(&time);
                    return Ok(());
                }
                match json::encode(value, self.is_v3()) {
                    Some(encoded) => self.tainted_node(&encoded, position)?,
                    None => self.plain(&object.string().unwrap_or_default()),
                }
            }
        }
        Ok(())
    }

    fn numbers(&mut self, bytes: &Text, position: NodePosition) -> Result<(), MarshalError> {
        let items = bytes.as_bytes().iter().map(|&byte| Value::int(byte.into())).collect();
        self.list(&List::new(items), position)
    }

    fn list(&mut self, list: &List, position: NodePosition) -> Result<(), MarshalError> {
        if list.is_nil() && !self.is_v3() {
            self.plain("null");
            return Ok(());
        }
        let shape = self.context.tracker.join(self.taint, list.shape());
        if list.is_empty() {
            self.empty("[]", shape);
            return Ok(());
        }
        self.descend()?;
        let outer = self.indent;
        let indentless = position == NodePosition::MapValue && !self.indention && !self.is_v3();
        self.increase_indent(false, indentless);
        for item in list.items() {
            self.write_indent(shape);
            self.indicator("-", true, true, shape);
            self.node(item, NodePosition::Item)?;
        }
        self.indent = outer;
        self.depth -= 1;
        Ok(())
    }

    fn map(&mut self, map: &Map, _: NodePosition) -> Result<(), MarshalError> {
        if map.is_nil() && !self.is_v3() {
            self.plain("null");
            return Ok(());
        }
        let shape = self.context.tracker.join(self.taint, map.shape());
        if map.is_empty() {
            self.empty("{}", shape);
            return Ok(());
        }
        self.descend()?;
        self.enter_map(map)?;
        let outer = self.indent;
        self.increase_indent(false, false);
        let mut entries = map.entries();
        emit::sort_by_key(&mut entries, |(key, _)| key, self.version);
        for (key, value) in &entries {
            self.write_indent(shape);
            let tracker = &mut self.context.tracker;
            let by_key = map.key_taint(tracker, key);
            let by_key = tracker.join(self.taint, by_key);
            self.entry(key, value, by_key)?;
        }
        self.indent = outer;
        self.depth -= 1;
        if self.depth > json::CYCLE_DEPTH {
            self.deep.pop();
        }
        Ok(())
    }

    fn entry(&mut self, key: &str, value: &Value, shape: Taint) -> Result<(), MarshalError> {
        let key: Cow<'_, str> = if self.is_v3() {
            Cow::Borrowed(key)
        } else {
            if key.len() + 2 > MAX_JSON_KEY && json::quoted_len(key) > MAX_JSON_KEY {
                return Err(MarshalError::new("yaml: did not find expected ',' or '}'"));
            }
            emit::through_json(key).ok_or_else(MarshalError::control_character)?
        };
        let analysis = emit::analyze(&key, self.version);
        let is_simple = !analysis.multiline && key.len() <= MAX_SIMPLE_KEY;
        let key_value = Value::from(&*key).with_taint(shape);
        if is_simple {
            self.scalar(&key_value, &key, &analysis, NodePosition::SimpleKey);
            self.indicator(":", false, false, shape);
        } else {
            self.indicator("?", true, true, shape);
            self.scalar(&key_value, &key, &analysis, NodePosition::Key);
            self.write_indent(shape);
            self.indicator(":", true, true, shape);
        }
        self.node(value, NodePosition::MapValue)
    }

    fn string(
        &mut self,
        text: &Text,
        value: &Value,
        position: NodePosition,
    ) -> Result<(), MarshalError> {
        if self.is_v3() && text.as_str().is_none() {
            self.binary(text, value);
            return Ok(());
        }
        let whole = text.to_str();
        let shown = if self.is_v3() {
            whole.clone()
        } else {
            match emit::through_json(&whole).ok_or_else(MarshalError::control_character)? {
                Cow::Borrowed(_) => whole.clone(),
                Cow::Owned(folded) => Cow::Owned(folded),
            }
        };
        let analysis = emit::analyze(&shown, self.version);
        if matches!(shown, Cow::Borrowed(_)) {
            let value = value.clone().with_taint(self.taint);
            self.scalar(&value, &shown, &analysis, position);
        } else {
            // The printed bytes are no longer those of the value.
            let observed = value.observed(&mut self.context.tracker);
            let taint = self.context.tracker.join(self.taint, observed);
            let value = Value::from(&*shown).with_taint(taint);
            self.scalar(&value, &shown, &analysis, position);
        }
        Ok(())
    }

    /// Prints a string; `value` holds its bytes with their provenance.
    fn scalar(&mut self, value: &Value, text: &str, analysis: &Analysis, position: NodePosition) {
        let is_simple_key = position == NodePosition::SimpleKey;
        let style = emit::style(text, analysis, is_simple_key, self.version);
        let outer = self.indent;
        self.increase_indent(true, false);
        let mut writer = ScalarWriter {
            observed: value.observed(&mut self.context.tracker),
            value,
            text,
            may_break: !is_simple_key,
            emitter: self,
        };
        match style {
            ScalarStyle::Plain => writer.plain(),
            ScalarStyle::Single => writer.single_quoted(),
            ScalarStyle::Double => writer.double_quoted(),
            ScalarStyle::Literal => writer.literal(),
        }
        self.indent = outer;
    }

    /// Prints a string that is not UTF-8 with go-yaml 3.
    fn binary(&mut self, text: &Text, value: &Value) {
        const LINE: usize = 70;
        let observed = value.observed(&mut self.context.tracker);
        let taint = self.context.tracker.join(self.taint, observed);
        let encoded = json::base64(text.as_bytes());
        self.indicator("!!binary", true, false, taint);
        if encoded.len() <= LINE {
            self.space(taint);
            self.put(&encoded, taint);
            return;
        }
        let lines =
            encoded.as_bytes().chunks(LINE).map(|line| format!("{}\n", line.escape_ascii()));
        let encoded: String = lines.collect();
        let value = Value::from(&*encoded).with_taint(taint);
        let outer = self.indent;
        self.increase_indent(true, false);
        let mut writer = ScalarWriter {
            emitter: self,
            value: &value,
            text: &encoded,
            observed: taint,
            may_break: true,
        };
        writer.literal();
        self.indent = outer;
    }

    /// Prints a scalar that is not a string.
    fn plain(&mut self, text: &str) {
        let taint = self.taint;
        self.space(taint);
        self.put(text, taint);
        self.whitespace = false;
        self.indention = false;
    }

    /// Prints an empty container, which is data rather than punctuation.
    fn empty(&mut self, both: &str, taint: Taint) {
        self.space(taint);
        self.put(both, taint);
        self.whitespace = false;
        self.indention = false;
    }

    fn descend(&mut self) -> Result<(), MarshalError> {
        self.depth += 1;
        self.context.check_stack().map_err(|error| MarshalError::fatal(error.message))?;
        self.context.check_size(self.out.len()).map_err(|error| MarshalError::fatal(error.message))
    }

    /// Checks for cycles from the depth at which Go does.
    fn enter_map(&mut self, map: &Map) -> Result<(), MarshalError> {
        if self.depth <= json::CYCLE_DEPTH + 1 {
            return Ok(());
        }
        if self.deep.iter().any(|outer| outer.is_same(map)) {
            return Err(MarshalError::cycle(map.go_type().name));
        }
        self.deep.push(map.clone());
        Ok(())
    }
}

/// A float after a round trip through JSON read as YAML.
fn number_text(number: f64) -> Result<String, MarshalError> {
    let json = json_number(number)?;
    let digits = json.strip_prefix('-').unwrap_or(&json);
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        if let Ok(number) = json.parse::<i64>() {
            return Ok(number.to_string());
        }
        if let Ok(number) = json.parse::<u64>() {
            return Ok(number.to_string());
        }
    }
    Ok(plain_float(number))
}

fn plain_float(number: f64) -> String {
    if number.is_nan() {
        return ".nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf".into() } else { "-.inf".into() };
    }
    format_float(number, b'g', None)
}
