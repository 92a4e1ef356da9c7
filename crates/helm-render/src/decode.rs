//! Decoding YAML into the fields of a Go struct, as `sigs.k8s.io/yaml` and `encoding/json` do:
//! field names match regardless of case, and numbers and booleans are converted where Go wants a
//! string.

use go_template::format::format_float;
use yaml_spans::{Entry, Node, Span, Value};

/// Reads the fields of one struct and keeps the first type mismatch.
pub(crate) struct Decoder<'n, 'p> {
    /// The Go name of the struct, without its package.
    name: &'static str,
    /// The path of the struct in the document, with a trailing dot.
    path: String,
    node: &'n Node,
    problem: &'p mut Option<String>,
}

/// Decodes a document into a struct; null gives an empty one.
///
/// # Errors
///
/// Go's message for the first field of the wrong type.
pub(crate) fn decode<T>(
    go_type: &'static str,
    node: &Node,
    read: impl FnOnce(&mut Decoder<'_, '_>) -> T,
) -> Result<T, String> {
    let mut problem = None;
    if !matches!(node.value, Value::Map(_) | Value::Null) {
        let kind = node.value.json_type();
        let text = format!("json: cannot unmarshal {kind} into Go value of type {go_type}");
        return Err(mismatch(&text));
    }
    let (name, path) = (base(go_type), String::new());
    let value = read(&mut Decoder { name, path, node, problem: &mut problem });
    problem.map_or(Ok(value), |problem| Err(mismatch(&problem)))
}

impl<'n> Decoder<'n, '_> {
    pub(crate) fn is_null(&self) -> bool {
        self.node.is_null()
    }

    /// The range of a field including its key, or of the whole struct if nothing sets the field.
    pub(crate) fn span_of(&self, name: &str) -> Span {
        self.entry(name).map_or(self.node.span, |Entry { key_span, value, .. }| Span {
            start: key_span.start,
            end: value.span.end,
        })
    }

    /// A `string`; `None` if nothing sets it.
    pub(crate) fn string(&mut self, name: &str) -> Option<String> {
        let node = self.field(name)?;
        match text(node) {
            Some(text) => Some(text),
            None => self.mismatch(node, name, "string"),
        }
    }

    pub(crate) fn bool(&mut self, name: &str) -> Option<bool> {
        let node = self.field(name)?;
        match node.value {
            Value::Bool(flag) => Some(flag),
            _ => self.mismatch(node, name, "bool"),
        }
    }

    /// A `[]string`.
    pub(crate) fn strings(&mut self, name: &str, into: &mut Option<Vec<String>>) {
        let Some(node) = self.field(name) else { return };
        let Value::Seq(items) = &node.value else {
            return self.mismatch(node, name, "[]string").unwrap_or_default();
        };
        let mut texts = Vec::new();
        for item in items.iter() {
            match (text(item), item.is_null()) {
                (Some(text), _) => texts.push(text),
                (None, true) => texts.push(String::new()),
                (None, false) => _ = self.mismatch::<()>(item, name, "string"),
            }
        }
        *into = Some(texts);
    }

    /// A `map[string]string`, sorted.
    pub(crate) fn string_map(&mut self, name: &str, into: &mut Option<Vec<(String, String)>>) {
        let Some(node) = self.field(name) else { return };
        let Value::Map(map) = &node.value else {
            return self.mismatch(node, name, "map[string]string").unwrap_or_default();
        };
        let mut texts = Vec::new();
        for Entry { key, value, .. } in &map.entries {
            match (text(value), value.is_null()) {
                (Some(text), _) => texts.push((key.to_string(), text)),
                (None, true) => texts.push((key.to_string(), String::new())),
                (None, false) => _ = self.mismatch::<()>(value, name, "string"),
            }
        }
        texts.sort();
        *into = Some(texts);
    }

    /// A list of pointers to structs.
    pub(crate) fn structs<T>(
        &mut self,
        name: &str,
        go_type: &'static str,
        into: &mut Option<Vec<T>>,
        mut read: impl FnMut(&mut Decoder<'n, '_>) -> T,
    ) {
        let Some(node) = self.field(name) else { return };
        let Value::Seq(items) = &node.value else {
            return self.mismatch(node, name, &format!("[]*{go_type}")).unwrap_or_default();
        };
        let mut structs = Vec::new();
        for item in items.iter() {
            if let Some(item) = self.nested(item, name, go_type, &mut read) {
                structs.push(item);
            }
        }
        *into = Some(structs);
    }

    /// A pointer to a struct.
    pub(crate) fn pointer<T>(
        &mut self,
        name: &str,
        go_type: &'static str,
        mut read: impl FnMut(&mut Decoder<'n, '_>) -> T,
    ) -> Option<T> {
        let node = self.field(name)?;
        self.nested(node, name, go_type, &mut read)
    }

    /// The items of a `[]interface{}`.
    pub(crate) fn items(&mut self, name: &str) -> &'n [Node] {
        let Some(node) = self.field(name) else { return &[] };
        if !matches!(node.value, Value::Seq(_)) {
            _ = self.mismatch::<()>(node, name, "[]interface {}");
        }
        node.items()
    }

    fn nested<T>(
        &mut self,
        node: &'n Node,
        name: &str,
        go_type: &'static str,
        read: &mut impl FnMut(&mut Decoder<'n, '_>) -> T,
    ) -> Option<T> {
        if !matches!(node.value, Value::Map(_) | Value::Null) {
            return self.mismatch(node, name, go_type);
        }
        let path = format!("{}{name}.", self.path);
        let problem = &mut *self.problem;
        Some(read(&mut Decoder { name: base(go_type), path, node, problem }))
    }

    /// The value of a field: that of the exact name, else the last one whose name differs only in
    /// case.
    fn field(&self, name: &str) -> Option<&'n Node> {
        self.entry(name).map(|entry| &entry.value)
    }

    fn entry(&self, name: &str) -> Option<&'n Entry> {
        let entries = self.node.entries();
        let exact = entries.iter().find(|entry| &*entry.key == name);
        let folded = || entries.iter().rev().find(|entry| entry.key.eq_ignore_ascii_case(name));
        exact.or_else(folded).filter(|entry| !entry.value.is_null())
    }

    fn mismatch<T>(&mut self, node: &Node, name: &str, wanted: &str) -> Option<T> {
        let Self { name: owner, path, .. } = self;
        let kind = node.value.json_type();
        let problem = format!(
            "json: cannot unmarshal {kind} into Go struct field {owner}.{path}{name} of type {wanted}"
        );
        self.problem.get_or_insert(problem);
        None
    }
}

fn mismatch(problem: &str) -> String {
    format!("error unmarshaling JSON: while decoding JSON: {problem}")
}

/// The name of a struct type without its package; empty for an anonymous struct.
fn base(go_type: &'static str) -> &'static str {
    if go_type.starts_with("struct {") {
        return "";
    }
    go_type.rsplit('.').next().unwrap_or(go_type)
}

/// The string that Go decodes a scalar into.
fn text(node: &Node) -> Option<String> {
    match &node.value {
        Value::Str(text) => Some(text.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Uint(number) => Some(number.to_string()),
        Value::Float(number) => Some(float32(*number)),
        Value::Null | Value::Seq(_) | Value::Map(_) => None,
    }
}

/// `strconv.FormatFloat(number, 'g', -1, 32)`: the shortest text that parses to the same 32 bits.
fn float32(number: f64) -> String {
    let short = (number as f32).to_string().parse().unwrap_or(number);
    format_float(short, b'g', None)
}
