//! Prints operands of any type with a verb.

use super::printer::Printer;
use crate::provenance::Taint;
use crate::quote::{can_backquote, quote, quote_ascii};
use crate::runes;
use crate::text::Text;
use crate::types::{GoKind, Type};
use crate::value::{Data, Key, Object, UintType, Value};

/// The deepest nesting that is printed. A deeper value probably contains itself; Go would exhaust its
/// stack.
const MAX_DEPTH: usize = 500;

/// Stands for the address of a pointer, which differs between runs of a Go program.
const SOME_ADDRESS: &str = "0xc000000000";

impl Printer<'_> {
    /// One operand.
    pub(super) fn print_argument(&mut self, value: &Value, verb: char) {
        let outer = self.taint;
        self.taint = self.tracker.join(outer, value.taint());
        match (verb, value.data()) {
            ('T' | 'v', Data::Nil | Data::NilInterface) => self.pad("<nil>"),
            (_, Data::Nil | Data::NilInterface) => self.bad_verb(value, verb),
            ('T', _) => self.print_text(&Text::from(value.type_name()), 's', value),
            ('p', Data::Map(_) | Data::List(_) | Data::Bytes(_)) => self.put(SOME_ADDRESS),
            ('p', _) | ('w', Data::Map(_) | Data::List(_) | Data::Object(_)) => {
                self.bad_verb(value, verb);
            }
            _ => self.print_value(value, verb),
        }
        self.taint = outer;
    }

    /// A value that is not nil.
    fn print_value(&mut self, value: &Value, verb: char) {
        if self.depth > MAX_DEPTH {
            return self.fail("value is nested too deeply to be printed");
        }
        self.depth += 1;
        match value.data() {
            Data::Nil | Data::NilInterface => self.put("<nil>"),
            Data::Bool(flag) if matches!(verb, 't' | 'v') => {
                self.pad(if *flag { "true" } else { "false" });
            }
            Data::Int(_, n) => self.print_integer(n.unsigned_abs(), *n < 0, verb, value),
            Data::Uint(_, n) => self.print_unsigned(*n, verb, value),
            Data::Float(n) => self.print_float(*n, verb, value),
            Data::String(text) => self.print_text(text, verb, value),
            Data::Bytes(text) => self.print_bytes(text, verb, value),
            Data::List(list) => {
                let elements = list.items().iter().map(|item| (None, item.clone())).collect();
                let kind = (list.go_type(), list.is_nil());
                self.print_elements(kind, list.shape(), elements, verb);
            }
            Data::Map(map) => {
                let elements = map.entries();
                let elements = elements.into_iter().map(|(key, item)| (Some(key), item)).collect();
                let kind = (map.go_type(), map.is_nil());
                self.print_elements(kind, map.shape(), elements, verb);
            }
            Data::Object(object) => self.print_object(&**object, verb, value),
            Data::Bool(_) => self.bad_verb(value, verb),
        }
        self.depth -= 1;
    }

    /// A slice or map. Its shape taints the punctuation but not the elements.
    fn print_elements(
        &mut self,
        (go_type, is_nil): (&Type, bool),
        shape: Taint,
        elements: Vec<(Option<Key>, Value)>,
        verb: char,
    ) {
        let outer = self.taint;
        let shape = self.tracker.join(outer, shape);
        let decided = self.tracker.decide(shape);
        let sharp = self.flags.sharp_v;
        let (open, separator, close) = if sharp { ("{", ", ", "}") } else { ("[", " ", "]") };
        self.taint = decided;
        match (sharp, go_type.kind) {
            (true, _) => self.put(go_type.name),
            (false, GoKind::Map) => self.put("map"),
            _ => {}
        }
        self.put(if sharp && is_nil { "(nil)" } else { open });
        for (i, (key, item)) in elements.iter().enumerate() {
            if self.has_failed() {
                break;
            }
            self.taint = decided;
            self.put(if i > 0 { separator } else { "" });
            self.taint = outer;
            if let Some(key) = key {
                let observed = item.observed(self.tracker);
                let taint = self.tracker.join(shape, observed);
                self.print_element(&Value::from(&**key).with_taint(taint), verb);
                self.taint = decided;
                self.put(":");
                self.taint = outer;
            }
            self.print_element(item, verb);
        }
        self.taint = decided;
        self.put(if sharp && is_nil { "" } else { close });
        self.taint = outer;
    }

    fn print_element(&mut self, item: &Value, verb: char) {
        let outer = self.taint;
        self.taint = self.tracker.join(outer, item.taint());
        match item.is_nil() {
            true if self.flags.sharp_v => self.put("interface {}(nil)"),
            true => self.put("<nil>"),
            false => self.print_value(item, verb),
        }
        self.taint = outer;
    }

    fn print_object(&mut self, object: &dyn Object, verb: char, value: &Value) {
        let wants_string = matches!(verb, 'v' | 's' | 'x' | 'X' | 'q') && !self.flags.sharp_v;
        if let (true, false, Some(text)) = (wants_string, self.is_erroring, object.string()) {
            let outer = self.taint;
            let inner = value.observed_deep(self.tracker);
            self.taint = self.tracker.join(outer, inner);
            self.print_text(&Text::from(&*text), verb, &Value::NIL);
            self.taint = outer;
            return;
        }
        if object.go_type().kind == GoKind::Pointer {
            match verb {
                _ if self.depth == 1 => self.put("&"),
                'v' | 'b' | 'o' | 'd' | 'x' | 'X' => return self.put(SOME_ADDRESS),
                _ => return self.bad_verb(value, verb),
            }
        }
        self.print_fields(object, verb);
    }

    /// The struct behind an object, without its methods.
    pub(super) fn print_fields(&mut self, object: &dyn Object, verb: char) {
        let sharp = self.flags.sharp_v;
        self.put(if sharp { object.go_type().name.trim_start_matches('*') } else { "" });
        self.put("{");
        for (i, (name, value)) in object.fields().into_iter().enumerate() {
            let separator = if sharp { ", " } else { " " };
            self.put(if i > 0 { separator } else { "" });
            if sharp || self.flags.plus_v {
                self.put(name);
                self.put(":");
            }
            self.print_element(&value, verb);
        }
        self.put("}");
    }

    /// `%!verb(type=value)`.
    pub(super) fn bad_verb(&mut self, value: &Value, verb: char) {
        self.is_erroring = true;
        self.put(format!("%!{verb}("));
        if value.is_nil() {
            self.put("<nil>");
        } else {
            self.put(value.type_name());
            self.put("=");
            let depth = std::mem::take(&mut self.depth);
            self.print_value(value, 'v');
            self.depth = depth;
        }
        self.put(")");
        self.is_erroring = false;
    }

    fn print_text(&mut self, text: &Text, verb: char, value: &Value) {
        match verb {
            'v' if self.flags.sharp_v => self.print_quoted(text),
            'v' | 's' => {
                let shown = self.truncated(text);
                let missing = self.missing(runes::count(&text.as_bytes()[..shown]));
                self.pad_left(missing);
                self.put_piece(text, 0..shown);
                self.pad_right(missing);
            }
            'x' | 'X' => self.print_hex(text.as_bytes(), verb),
            'q' => self.print_quoted(text),
            _ => self.bad_verb(value, verb),
        }
    }

    fn print_bytes(&mut self, text: &Text, verb: char, value: &Value) {
        match verb {
            's' | 'x' | 'X' | 'q' => self.print_text(text, verb, value),
            _ => {
                let sharp = self.flags.sharp_v;
                self.put(if sharp { "[]byte{" } else { "[" });
                for (i, byte) in text.as_bytes().iter().enumerate() {
                    let separator = if sharp { ", " } else { " " };
                    self.put(if i > 0 { separator } else { "" });
                    let byte = Value::from(Data::Uint(UintType::Uint8, (*byte).into()));
                    self.print_value(&byte, verb);
                }
                self.put(if sharp { "}" } else { "]" });
            }
        }
    }

    /// The number of bytes of a text that the precision, counted in runes, leaves.
    fn truncated(&self, text: &Text) -> usize {
        let bytes = text.as_bytes();
        match self.flags.precision {
            Some(n) => runes::runes(bytes).nth(n).map_or(bytes.len(), |(at, ..)| at),
            None => bytes.len(),
        }
    }

    fn print_quoted(&mut self, text: &Text) {
        let shown = self.truncated(text);
        let bytes = &text.as_bytes()[..shown];
        if self.flags.sharp && can_backquote(bytes) {
            let missing = self.missing(runes::count(bytes) + 2);
            self.pad_left(missing);
            self.put("`");
            self.put_piece(text, 0..shown);
            self.put("`");
            return self.pad_right(missing);
        }
        let ascii = self.flags.plus;
        let missing = self.flags.width.map_or(0, |_| {
            let quoted = if ascii { quote_ascii(bytes) } else { quote(bytes) };
            self.missing(runes::count(quoted.as_bytes()))
        });
        self.pad_left(missing);
        self.put_quoted(text, 0..shown, ascii);
        self.pad_right(missing);
    }

    /// `%x` of a string.
    fn print_hex(&mut self, bytes: &[u8], verb: char) {
        let shown = self.flags.precision.map_or(bytes.len(), |n| n.min(bytes.len()));
        let prefix = if verb == 'x' { "0x" } else { "0X" };
        let mut hex = String::new();
        for (i, byte) in bytes[..shown].iter().enumerate() {
            if self.flags.space && i > 0 {
                hex.push(' ');
            }
            if self.flags.sharp && (i == 0 || self.flags.space) {
                hex.push_str(prefix);
            }
            let digits = format!("{byte:02x}");
            hex.push_str(&if verb == 'x' { digits } else { digits.to_uppercase() });
        }
        self.pad(hex);
    }
}
