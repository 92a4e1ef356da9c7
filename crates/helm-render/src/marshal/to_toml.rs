//! Printing TOML as `Encoder.Encode` of BurntSushi/toml 1.6 does.

use go_template::{
    Data, Executor, Key, List, Map, TextBuilder, Value, format::format_float, provenance::Taint,
};

use super::json::{self, MarshalError};
use crate::go_objects;

/// The TOML of a value. Strings keep the provenance of their bytes. The error has Go's message.
pub(crate) fn to_toml(context: &mut Executor<'_>, value: &Value) -> Result<Value, MarshalError> {
    if value.is_nil() {
        return Err(MarshalError::panic("reflect: call of reflect.Value.Type on zero Value"));
    }
    let mut encoder = Encoder { context, out: TextBuilder::new(), taint: Taint::NONE };
    let value = encoder.simplified(value);
    encoder.encode(&mut Vec::new(), &value)?;
    Ok(encoder.out.finish())
}

struct Encoder<'c, 'e> {
    context: &'c mut Executor<'e>,
    out: TextBuilder,
    /// The inputs of the enclosing containers.
    taint: Taint,
}

type Done = Result<(), MarshalError>;

impl Encoder<'_, '_> {
    /// Replaces an object with the value that is printed for it.
    fn simplified(&mut self, value: &Value) -> Value {
        if !matches!(value.data(), Data::Object(_)) || go_objects::plain_time(value).is_some() {
            return value.clone();
        }
        let encoded = json::encode(value, false).unwrap_or_else(|| Value::from(Map::new()));
        encoded.with_taint(value.taint())
    }

    /// Prints the value at a path.
    fn encode(&mut self, path: &mut Vec<Key>, value: &Value) -> Done {
        self.context.check_stack().map_err(|error| MarshalError::fatal(error.message))?;
        self.context
            .check_size(self.out.len())
            .map_err(|error| MarshalError::fatal(error.message))?;
        let outer = self.taint;
        self.taint = self.context.tracker.join(outer, value.taint());
        match value.data() {
            Data::List(list) if self.is_table_array(list)? => self.array_of_tables(path, list)?,
            Data::Map(map) if map.is_nil() => {}
            Data::Map(map) => self.table(path, map)?,
            _ => self.key_value(path, value)?,
        }
        self.taint = outer;
        Ok(())
    }

    fn key_value(&mut self, path: &[Key], value: &Value) -> Done {
        let Some(key) = path.last() else { return self.element(value) };
        let head = format!("{}{} = ", "  ".repeat(path.len() - 1), bare(key));
        self.put(&head);
        self.element(value)?;
        self.punctuation("\n");
        Ok(())
    }

    fn array_of_tables(&mut self, path: &mut Vec<Key>, list: &List) -> Done {
        if path.is_empty() {
            return Err(MarshalError::new("toml: top-level values must be Go maps or structs"));
        }
        let outer = self.taint;
        self.taint = self.context.tracker.join(outer, list.shape());
        for item in list.items() {
            let item = self.simplified(item);
            let Data::Map(map) = item.data() else { continue };
            if map.is_nil() {
                continue;
            }
            self.new_line();
            let head = format!("{}[[{}]]\n", "  ".repeat(path.len() - 1), dotted(path));
            self.put(&head);
            self.entries(path, map)?;
        }
        self.taint = outer;
        Ok(())
    }

    fn table(&mut self, path: &mut Vec<Key>, map: &Map) -> Done {
        if path.len() == 1 {
            self.new_line();
        }
        if !path.is_empty() {
            let head = format!("{}[{}]\n", "  ".repeat(path.len() - 1), dotted(path));
            self.put(&head);
        }
        self.entries(path, map)
    }

    /// Prints scalars first, then tables.
    fn entries(&mut self, path: &mut Vec<Key>, map: &Map) -> Done {
        let outer = self.taint;
        self.taint = self.context.tracker.join(outer, map.shape());
        for (key, value) in self.sorted(map)? {
            if is_nil(&value) {
                continue;
            }
            path.push(key);
            self.encode(path, &value)?;
            path.pop();
        }
        self.taint = outer;
        Ok(())
    }

    fn sorted(&mut self, map: &Map) -> Result<Vec<(Key, Value)>, MarshalError> {
        let (mut direct, mut tables) = (Vec::new(), Vec::new());
        for (key, value) in map.entries() {
            let value = self.simplified(&value);
            let is_table = match value.data() {
                Data::Map(map) => !map.is_nil(),
                Data::List(list) => self.is_table_array(list)?,
                _ => false,
            };
            if is_table { &mut tables } else { &mut direct }.push((key, value));
        }
        direct.append(&mut tables);
        Ok(direct)
    }

    /// Whether all items are tables. Fails if an array contains nil at any depth.
    fn is_table_array(&mut self, list: &List) -> Result<bool, MarshalError> {
        self.context.check_stack().map_err(|error| MarshalError::fatal(error.message))?;
        let mut all_tables = !list.is_empty();
        for item in list.items() {
            let item = self.simplified(item);
            if is_nil(&item) {
                return Err(MarshalError::new("toml: cannot encode array with nil element"));
            }
            if let Data::List(inner) = item.data() {
                self.is_table_array(inner)?;
            }
            all_tables &= matches!(item.data(), Data::Map(_));
        }
        Ok(all_tables)
    }

    /// Prints a value after `=` or in an array.
    fn element(&mut self, value: &Value) -> Done {
        self.context.check_stack().map_err(|error| MarshalError::fatal(error.message))?;
        let outer = self.taint;
        let value = self.simplified(value);
        self.taint = self.context.tracker.join(outer, value.taint());
        match value.data() {
            Data::String(_) => self.quoted(&value),
            Data::Bool(flag) => self.put(if *flag { "true" } else { "false" }),
            Data::Int(_, number) => self.put(&number.to_string()),
            Data::Uint(_, number) => self.put(&number.to_string()),
            Data::Float(number) => self.put(&float(*number)),
            Data::Bytes(bytes) => {
                let numbers: Vec<String> = bytes.as_bytes().iter().map(u8::to_string).collect();
                self.put(&format!("[{}]", numbers.join(", ")));
            }
            Data::List(list) => self.array(list)?,
            Data::Map(map) => self.inline_table(map)?,
            Data::Object(_) => {
                let time = go_objects::plain_time(&value).unwrap_or_default();
                self.put(&time);
            }
            Data::Nil | Data::NilInterface => {
                let problem = "reflect: call of reflect.Value.Interface on zero Value";
                return Err(MarshalError::panic(problem));
            }
        }
        self.taint = outer;
        Ok(())
    }

    fn array(&mut self, list: &List) -> Done {
        let outer = self.taint;
        self.taint = self.context.tracker.join(outer, list.shape());
        self.punctuation("[");
        for (i, item) in list.items().iter().enumerate() {
            self.punctuation(if i > 0 { ", " } else { "" });
            self.element(item)?;
        }
        self.punctuation("]");
        self.taint = outer;
        Ok(())
    }

    fn inline_table(&mut self, map: &Map) -> Done {
        let outer = self.taint;
        self.taint = self.context.tracker.join(outer, map.shape());
        let entries = self.sorted(map)?;
        self.punctuation("{");
        for (i, (key, value)) in entries.iter().enumerate() {
            if is_nil(value) {
                continue;
            }
            let head = format!("{} = ", bare(key));
            self.put(&head);
            self.element(value)?;
            self.punctuation(if i + 1 < entries.len() { ", " } else { "" });
        }
        self.punctuation("}");
        self.taint = outer;
        Ok(())
    }

    fn quoted(&mut self, value: &Value) {
        let observed = value.observed(&mut self.context.tracker);
        let taint = self.context.tracker.join(self.taint, observed);
        let decided = self.context.tracker.decide(taint);
        let value = value.clone().with_taint(self.taint);
        self.out.push(&mut self.context.tracker, "\"", decided);
        let mut plain = 0;
        for (at, &byte) in value.bytes().iter().enumerate() {
            if let Some(escaped) = escaped(byte) {
                self.out.push_slice(&mut self.context.tracker, &value, plain..at);
                let piece = value.taint_at(&mut self.context.tracker, at);
                self.out.push(&mut self.context.tracker, escaped, piece);
                plain = at + 1;
            }
        }
        let len = value.bytes().len();
        self.out.push_slice(&mut self.context.tracker, &value, plain..len);
        self.out.push(&mut self.context.tracker, "\"", decided);
    }

    /// An empty line, except at the start.
    fn new_line(&mut self) {
        if !self.out.is_empty() {
            self.punctuation("\n");
        }
    }

    /// Bytes that no value flows into: values only control whether they are printed.
    fn punctuation(&mut self, text: &str) {
        let decided = self.context.tracker.decide(self.taint);
        if !text.is_empty() {
            self.out.push(&mut self.context.tracker, text, decided);
        }
    }

    fn put(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.push(&mut self.context.tracker, text, self.taint);
        }
    }
}

fn is_nil(value: &Value) -> bool {
    match value.data() {
        Data::Nil | Data::NilInterface => true,
        Data::List(list) => list.is_nil(),
        Data::Map(map) => map.is_nil(),
        _ => false,
    }
}

fn float(number: f64) -> String {
    if number.is_nan() {
        return if number.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf" } else { "inf" }.into();
    }
    let text = format_float(number, b'g', None);
    if text.contains(['e', '.']) { text } else { text + ".0" }
}

fn escaped(byte: u8) -> Option<String> {
    Some(match byte {
        b'"' => "\\\"".into(),
        b'\\' => "\\\\".into(),
        0x08 => "\\b".into(),
        b'\t' => "\\t".into(),
        b'\n' => "\\n".into(),
        0x0c => "\\f".into(),
        b'\r' => "\\r".into(),
        ..0x20 | 0x7f => format!("\\u{byte:04x}"),
        _ => return None,
    })
}

/// A key, quoted if necessary.
fn bare(key: &str) -> String {
    let is_bare = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(is_bare) {
        return key.into();
    }
    let mut quoted = String::from("\"");
    for c in key.chars() {
        match u8::try_from(c).ok().and_then(escaped) {
            Some(escaped) => quoted.push_str(&escaped),
            None => quoted.push(c),
        }
    }
    quoted + "\""
}

fn dotted(path: &[Key]) -> String {
    path.iter().map(|key| bare(key)).collect::<Vec<_>>().join(".")
}
