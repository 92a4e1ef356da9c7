//! The keywords that apply to objects.

use serde_json::{Map, Value as Json};

use super::{Evaluated, Schema, Validator, keep};
use crate::schema::{
    failure::{Failure, FailureKind, quote},
    json::missing,
};

impl<'s> Validator<'s> {
    pub(super) fn check_properties(
        &mut self,
        schema: Schema<'s>,
        object: &Map<String, Json>,
        evaluated: &mut Evaluated,
        failures: &mut Vec<Failure>,
    ) {
        self.count(schema, object.len(), ["minProperties", "maxProperties"], failures);
        if let Some(Json::Array(required)) = schema.get("required") {
            let missing = missing(object, required);
            if !missing.is_empty() {
                let word = if missing.len() == 1 { "property" } else { "properties" };
                failures.push(self.failure(format!("missing {word} {}", missing.join(", "))));
            }
        }
        self.check_dependencies(schema, object, evaluated, failures);
        let object_of = |key: &str| schema.get(key).and_then(Json::as_object);
        let properties = object_of("properties");
        let patterns = object_of("patternProperties").into_iter().flatten();
        let patterns: Vec<_> =
            patterns.filter_map(|(pattern, below)| Some((self.regex(pattern)?, below))).collect();
        let mut surplus = Vec::new();
        let mut names: Vec<&String> = object.keys().collect();
        names.sort();
        for name in names {
            let value = &object[name];
            let own = properties.and_then(|properties| properties.get(name));
            if self.charge(patterns.len() as u64 * (1 + name.len() as u64 / 16)).is_err() {
                return;
            }
            let matching = patterns.iter().filter(|(regex, _)| regex.is_match(name));
            let mut schemas: Vec<&Json> =
                own.into_iter().chain(matching.map(|(_, s)| *s)).collect();
            match schema.get("additionalProperties") {
                Some(Json::Bool(false)) if schemas.is_empty() => surplus.push(quote(name)),
                Some(additional) if schemas.is_empty() => schemas.push(additional),
                _ => {}
            }
            if !schemas.is_empty() {
                evaluated.properties.insert(name.clone());
            }
            for below in schemas {
                failures.extend(self.check_at(below, value, name.clone()));
            }
        }
        if !surplus.is_empty() {
            let surplus = surplus.join(", ");
            failures.push(self.failure(format!("additional properties {surplus} not allowed")));
        }
        self.check_names(schema, object, failures);
    }

    fn check_names(
        &mut self,
        schema: Schema<'s>,
        object: &Map<String, Json>,
        failures: &mut Vec<Failure>,
    ) {
        let Some(schema) = schema.get("propertyNames").filter(|_| self.draft > 4) else { return };
        for name in object.keys() {
            if let Err(failure) = self.check(schema, &Json::String(name.clone())) {
                let kind = FailureKind::Message(format!("invalid propertyName {}", quote(name)));
                failures.push(Failure { kind, ..failure });
            }
        }
    }

    fn check_dependencies(
        &mut self,
        schema: Schema<'s>,
        object: &Map<String, Json>,
        evaluated: &mut Evaluated,
        failures: &mut Vec<Failure>,
    ) {
        for keyword in ["dependencies", "dependentSchemas", "dependentRequired"] {
            let Some(Json::Object(dependencies)) = schema.get(keyword) else { continue };
            for (name, wanted) in dependencies.iter().filter(|(name, _)| object.contains_key(*name))
            {
                if let Json::Array(required) = wanted {
                    let missing = missing(object, required);
                    if !missing.is_empty() {
                        let (missing, name) = (missing.join(", "), quote(name));
                        let message = format!("properties {missing} required, if {name} exists");
                        failures.push(self.failure(message));
                    }
                } else {
                    let value = Json::Object(object.clone());
                    keep(self.check(wanted, &value), evaluated, failures);
                }
            }
        }
    }
}
