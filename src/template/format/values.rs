//! Prints operands of any type with a verb.

use super::super::runes;
use super::super::{Data, Object, Text, Type, Value};
use super::printer::Printer;

/// Nesting beyond which a value is taken to contain itself; Go would exhaust its stack.
const MAX_DEPTH: usize = 500;

impl Printer<'_> {
    /// One operand.
    pub(super) fn print_argument(&mut self, value: &Value, verb: char) {
        let outer = self.taint;
        self.taint = self.tracker.join(outer, value.taint());
        match (verb, value.data()) {
            ('T' | 'v', Data::Nil | Data::NilInterface) => self.pad("<nil>"),
            (_, Data::Nil | Data::NilInterface) => self.bad_verb(value, verb),
            ('T', _) => self.print_text(&Text::from(value.type_name()), 's', value),
            ('p', Data::Map(_) | Data::List(_) | Data::Bytes(_)) => self.pad("0xc000000000"),
            ('p', _) => self.bad_verb(value, verb),
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
                self.print_elements(list.go_type(), list.is_nil(), elements, verb);
            }
            Data::Map(map) => {
                let elements = map.entries();
                let elements = elements.into_iter().map(|(key, item)| (Some(key), item)).collect();
                self.print_elements(map.go_type(), map.is_nil(), elements, verb);
            }
            Data::Object(object) => self.print_object(&**object, verb, value),
            Data::Bool(_) => self.bad_verb(value, verb),
        }
        self.depth -= 1;
    }

    fn print_elements(
        &mut self,
        go_type: &Type,
        is_nil: bool,
        elements: Vec<(Option<super::super::Key>, Value)>,
        verb: char,
    ) {
        let sharp = self.flags.sharp_v;
        let is_map = go_type.kind == super::super::GoKind::Map;
        if sharp {
            self.put(go_type.name);
            if is_nil {
                return self.put("(nil)");
            }
        } else if is_map {
            self.put("map");
        }
        self.put(if sharp { "{" } else { "[" });
        for (i, (key, item)) in elements.iter().enumerate() {
            if self.has_failed() {
                return;
            }
            let separator = if sharp { ", " } else { " " };
            self.put(if i > 0 { separator } else { "" });
            if let Some(key) = key {
                let key = Value::from(&**key).with_taint(item.taint());
                self.print_element(&key, verb);
                self.put(":");
            }
            self.print_element(item, verb);
        }
        self.put(if sharp { "}" } else { "]" });
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
        if object.is_stringer()
            && matches!(verb, 'v' | 's' | 'x' | 'X' | 'q')
            && !self.flags.sharp_v
        {
            self.print_text(&Text::from(&*object.print()), verb, value);
        } else if matches!(verb, 'v' | 's') || self.is_erroring {
            self.put(object.print());
        } else {
            self.bad_verb(value, verb);
        }
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
            self.print_value(value, 'v');
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
                    let uint8 = super::super::UintType::Uint8;
                    let byte = Value::from(Data::Uint(uint8, (*byte).into()));
                    self.print_value(&byte, verb);
                }
                self.put(if sharp { "}" } else { "]" });
            }
        }
    }

    /// The length of a text cut to as many runes as the precision says.
    fn truncated(&self, text: &Text) -> usize {
        let bytes = text.as_bytes();
        match self.flags.precision {
            Some(n) => runes::runes(bytes).nth(n).map_or(bytes.len(), |(at, ..)| at),
            None => bytes.len(),
        }
    }

    fn print_quoted(&mut self, text: &Text) {
        use super::super::quote::{can_backquote, quote, quote_ascii};
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
