//! Go structs whose exported fields templates read.

use go_template::{Object, Type, Value};

/// A struct with its exported fields.
#[derive(Debug)]
pub(crate) struct GoStruct {
    pub(crate) go_type: &'static Type,
    pub(crate) fields: Vec<GoField>,
    /// The results of the `String` methods of the value and of a pointer to it.
    pub(crate) text: Option<(String, String)>,
    /// Whether the struct promotes the fields of its first field.
    pub(crate) is_embedding: bool,
}

#[derive(Debug)]
pub(crate) struct GoField {
    pub(crate) name: &'static str,
    /// The name in JSON. A trailing `?` omits empty values; an empty name embeds the struct.
    pub(crate) json: &'static str,
    pub(crate) value: Value,
}

impl GoStruct {
    pub(crate) fn new(go_type: &'static Type, fields: Vec<GoField>) -> Self {
        Self { go_type, fields, text: None, is_embedding: false }
    }

    pub(super) fn to_json(&self) -> Value {
        let mut entries = Vec::new();
        for GoField { json, value, .. } in &self.fields {
            match json.strip_suffix('?') {
                _ if json.is_empty() => {
                    let embedded = value.as_object::<Self>().map(Self::to_json);
                    let embedded = embedded.as_ref().and_then(Value::as_map);
                    entries.extend(embedded.map(go_template::Map::entries).into_iter().flatten());
                }
                Some(_) if !value.truth() => {}
                Some(name) => entries.push((name.into(), value.clone())),
                None => entries.push(((*json).into(), value.clone())),
            }
        }
        entries.into_iter().collect()
    }
}

impl Object for GoStruct {
    fn go_type(&self) -> &'static Type {
        self.go_type
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        self.fields.iter().map(|field| (field.name, field.value.clone())).collect()
    }

    fn field(&self, name: &str) -> Option<Value> {
        let own = self.fields.iter().find(|field| field.name == name);
        if let (None, true, Some(first)) = (own, self.is_embedding, self.fields.first()) {
            return first.value.as_object::<Self>()?.field(name);
        }
        own.map(|field| field.value.clone())
    }

    fn string(&self) -> Option<String> {
        self.text.as_ref().map(|(text, _)| text.clone())
    }

    fn pointer_string(&self) -> Option<String> {
        self.text.as_ref().map(|(_, text)| text.clone())
    }
}
