//! A validator for JSON Schema drafts 4 to 2020-12. References resolve within the same file.
//! Nothing is fetched: a schema elsewhere allows everything.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::{Map, Value as Json};

use super::{
    failure::{Failure, Kind, display, number, quote},
    formats,
    json::{decode, duplicates, enum_message, equal, find, has_type, missing, type_name},
};

/// Limit for schemas applied within each other to one value; a cycle of references would never end.
const MAX_DEPTH: usize = 200;

pub(super) struct Validator<'s> {
    root: &'s Json,
    draft: u16,
    path: Vec<String>,
    depth: usize,
}

/// The properties and items that a schema evaluated.
#[derive(Default)]
struct Seen {
    properties: BTreeSet<String>,
    items: BTreeSet<usize>,
}

type Schema<'s> = &'s Map<String, Json>;

impl<'s> Validator<'s> {
    pub(super) fn new(root: &'s Json) -> Self {
        let dialect = root.get("$schema").and_then(Json::as_str).unwrap_or_default();
        let known = [("draft-04", 4), ("draft-06", 6), ("draft-07", 7), ("2019-09", 2019)];
        let draft = known.into_iter().find(|(name, _)| dialect.contains(name));
        Self { root, draft: draft.map_or(2020, |(_, draft)| draft), path: Vec::new(), depth: 0 }
    }

    pub(super) fn validate(&mut self, value: &Json) -> Result<(), Failure> {
        self.check(self.root, value).map(drop)
    }

    fn check(&mut self, schema: &'s Json, value: &Json) -> Result<Seen, Failure> {
        let schema = match schema {
            Json::Bool(false) => return Err(self.failure("false schema")),
            Json::Object(schema) => schema,
            _ => return Ok(Seen::default()),
        };
        if self.depth > MAX_DEPTH {
            return Err(self.failure("reference cycle"));
        }
        self.depth += 1;
        let result = self.check_object(schema, value);
        self.depth -= 1;
        result
    }

    fn check_object(&mut self, schema: Schema<'s>, value: &Json) -> Result<Seen, Failure> {
        let mut seen = Seen::default();
        let reference = schema.get("$ref").and_then(Json::as_str);
        if let (Some(reference), true) = (reference, self.draft < 2019) {
            return self.check_reference(reference, value);
        }
        self.check_value(schema, value)?;
        let mut failures = Vec::new();
        for keyword in ["$ref", "$recursiveRef", "$dynamicRef"] {
            if let Some(reference) = schema.get(keyword).and_then(Json::as_str) {
                keep(self.check_reference(reference, value), &mut seen, &mut failures);
            }
        }
        match value {
            Json::Object(object) => self.check_properties(schema, object, &mut seen, &mut failures),
            Json::Array(items) => self.check_items(schema, items, &mut seen, &mut failures),
            Json::String(text) => self.check_text(schema, text, &mut failures),
            Json::Number(value) => {
                self.check_number(schema, value.as_f64().unwrap_or_default(), &mut failures);
            }
            _ => {}
        }
        self.check_combined(schema, value, &mut seen, &mut failures);
        self.check_unseen(schema, value, &mut seen, &mut failures);
        match failures.len() {
            0 => Ok(seen),
            1 => Err(failures.remove(0)),
            _ => Err(Failure { path: self.path.clone(), kind: Kind::Group, causes: failures }),
        }
    }

    /// Checks the keywords that end validation at once: type, constants, format.
    fn check_value(&self, schema: Schema<'s>, value: &Json) -> Result<(), Failure> {
        if let Some(wanted) = schema.get("type") {
            let wanted: Vec<&str> = match wanted {
                Json::Array(types) => types.iter().filter_map(Json::as_str).collect(),
                wanted => wanted.as_str().into_iter().collect(),
            };
            if !wanted.iter().any(|wanted| has_type(value, wanted)) {
                let order = ["null", "boolean", "number", "integer", "string", "array", "object"];
                let wanted: Vec<_> =
                    order.into_iter().filter(|name| wanted.contains(name)).collect();
                let message = format!("got {}, want {}", type_name(value), wanted.join(" or "));
                return Err(self.failure(message));
            }
        }
        if let Some(wanted) = schema.get("const").filter(|_| self.draft > 4)
            && !equal(value, wanted)
        {
            let message = match wanted {
                Json::Array(_) | Json::Object(_) => "'const' failed".into(),
                wanted => format!("value must be {}", display(wanted)),
            };
            return Err(self.failure(message));
        }
        if let Some(Json::Array(choices)) = schema.get("enum")
            && !choices.iter().any(|choice| equal(value, choice))
        {
            return Err(self.failure(enum_message(choices)));
        }
        if let (Some(format), Json::String(text), true) =
            (schema.get("format").and_then(Json::as_str), value, self.draft < 2019)
        {
            formats::check(format, text).map_err(|problem| {
                self.failure(format!("{} is not valid {format}: {problem}", quote(text)))
            })?;
        }
        Ok(())
    }

    fn check_reference(&mut self, reference: &str, value: &Json) -> Result<Seen, Failure> {
        let Some(schema) = self.resolve(reference) else { return Ok(Seen::default()) };
        self.check(schema, value).map_err(|failure| Failure {
            path: self.path.clone(),
            kind: Kind::Reference,
            causes: failure.into_causes(),
        })
    }

    /// The schema that a reference names; `None` if it is in another file.
    fn resolve(&self, reference: &str) -> Option<&'s Json> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let is_base = |schema: &Map<String, Json>| {
            let id = schema.get("$id").or_else(|| schema.get("id")).and_then(Json::as_str);
            id.is_some_and(|id| id.trim_end_matches('#').ends_with(base))
        };
        let root = match base {
            "" => self.root,
            _ => find(self.root, &is_base)?,
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return root.pointer(&decode(fragment));
        }
        find(root, &|schema| {
            ["$anchor", "$dynamicAnchor"]
                .iter()
                .any(|key| schema.get(*key).and_then(Json::as_str) == Some(fragment))
        })
    }

    fn check_properties(
        &mut self,
        schema: Schema<'s>,
        object: &Map<String, Json>,
        seen: &mut Seen,
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
        self.check_dependencies(schema, object, seen, failures);
        let object_of = |key: &str| schema.get(key).and_then(Json::as_object);
        let properties = object_of("properties");
        let patterns = object_of("patternProperties").into_iter().flatten();
        let patterns: Vec<_> = patterns
            .filter_map(|(pattern, below)| Some((Regex::new(pattern).ok()?, below)))
            .collect();
        let mut surplus = Vec::new();
        let mut names: Vec<&String> = object.keys().collect();
        names.sort();
        for name in names {
            let value = &object[name];
            let own = properties.and_then(|properties| properties.get(name));
            let matching = patterns.iter().filter(|(regex, _)| regex.is_match(name));
            let mut schemas: Vec<&Json> =
                own.into_iter().chain(matching.map(|(_, s)| *s)).collect();
            match schema.get("additionalProperties") {
                Some(Json::Bool(false)) if schemas.is_empty() => surplus.push(quote(name)),
                Some(additional) if schemas.is_empty() => schemas.push(additional),
                _ => {}
            }
            if !schemas.is_empty() {
                seen.properties.insert(name.clone());
            }
            for below in schemas {
                failures.extend(self.check_at(below, value, name.clone()));
            }
        }
        if !surplus.is_empty() {
            let surplus = surplus.join(", ");
            failures.push(self.failure(format!("additional properties {surplus} not allowed")));
        }
        let names = schema.get("propertyNames").filter(|_| self.draft > 4);
        for name in object.keys().filter(|_| names.is_some()) {
            let schema = names.unwrap_or(&Json::Null);
            if let Err(failure) = self.check(schema, &Json::String(name.clone())) {
                let kind = Kind::Message(format!("invalid propertyName {}", quote(name)));
                failures.push(Failure { kind, ..failure });
            }
        }
    }

    fn check_dependencies(
        &mut self,
        schema: Schema<'s>,
        object: &Map<String, Json>,
        seen: &mut Seen,
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
                    keep(self.check(wanted, &value), seen, failures);
                }
            }
        }
    }

    fn check_items(
        &mut self,
        schema: Schema<'s>,
        items: &[Json],
        seen: &mut Seen,
        failures: &mut Vec<Failure>,
    ) {
        self.count(schema, items.len(), ["minItems", "maxItems"], failures);
        if schema.get("uniqueItems") == Some(&Json::Bool(true))
            && let Some((first, second)) = duplicates(items)
        {
            failures.push(self.failure(format!("items at {first} and {second} are equal")));
        }
        let (prefix, rest) = match self.draft {
            2020 => (schema.get("prefixItems"), schema.get("items")),
            _ => match schema.get("items") {
                Some(Json::Array(_)) => (schema.get("items"), schema.get("additionalItems")),
                items => (None, items),
            },
        };
        let prefix = prefix.and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let left = items.len().saturating_sub(prefix.len());
        if let (Some(Json::Bool(false)), true, true) = (rest, self.draft < 2020, left > 0) {
            failures.push(self.failure(format!("last {left} additionalItem(s) not allowed")));
        }
        for (index, item) in items.iter().enumerate() {
            let below =
                prefix.get(index).or(rest.filter(|rest| !rest.is_boolean() || self.draft == 2020));
            if let Some(below) = below {
                seen.items.insert(index);
                failures.extend(self.check_at(below, item, index.to_string()));
            }
        }
        self.check_contains(schema, items, seen, failures);
    }

    fn check_contains(
        &mut self,
        schema: Schema<'s>,
        items: &[Json],
        seen: &mut Seen,
        failures: &mut Vec<Failure>,
    ) {
        let Some(contains) = schema.get("contains").filter(|_| self.draft > 4) else { return };
        let (mut causes, mut matched) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            match self.check_at(contains, item, index.to_string()) {
                Some(failure) => causes.push(failure),
                None => matched.push(index),
            }
        }
        seen.items.extend(&matched);
        let limit = |key| schema.get(key).and_then(Json::as_u64).map(|limit| limit as usize);
        let at: Vec<_> = matched.iter().map(usize::to_string).collect();
        let got = format!("but matched {} items at {}", matched.len(), at.join(" "));
        let message = match limit("minContains") {
            Some(least) if matched.len() < least => {
                let got = if matched.is_empty() { "but none matched" } else { &*got };
                Some(format!("min {least} items required to match contains schema, {got}"))
            }
            None if matched.is_empty() => Some("no items match contains schema".into()),
            _ => None,
        };
        if let Some(message) = message {
            failures.push(Failure { causes, ..self.failure(message) });
        }
        if let Some(most) = limit("maxContains").filter(|most| matched.len() > *most) {
            let message = format!("max {most} items required to match contains schema, {got}");
            failures.push(self.failure(message));
        }
    }

    fn check_text(&self, schema: Schema<'s>, text: &str, failures: &mut Vec<Failure>) {
        self.count(schema, text.chars().count(), ["minLength", "maxLength"], failures);
        if let Some(pattern) = schema.get("pattern").and_then(Json::as_str)
            && Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text))
        {
            let message = format!("{} does not match pattern {}", quote(text), quote(pattern));
            failures.push(self.failure(message));
        }
    }

    fn check_number(&self, schema: Schema<'s>, value: f64, failures: &mut Vec<Failure>) {
        let limit = |key: &str| schema.get(key).and_then(Json::as_f64);
        // In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are flags of the other limits.
        let is_exclusive = |key: &str| schema.get(key) == Some(&Json::Bool(true));
        type Fails = fn(f64, f64) -> bool;
        let tests: [(&str, &str, Fails); 4] = [
            ("minimum", "exclusiveMinimum", |value, limit| value < limit),
            ("maximum", "exclusiveMaximum", |value, limit| value > limit),
            ("exclusiveMinimum", "", |value, limit| value <= limit),
            ("exclusiveMaximum", "", |value, limit| value >= limit),
        ];
        for (key, flag, fails) in tests {
            let Some(limit) = limit(key) else { continue };
            let touches = value == limit && is_exclusive(flag);
            if fails(value, limit) || touches {
                let key = if is_exclusive(flag) { flag } else { key };
                let message = format!("{key}: got {}, want {}", number(value), number(limit));
                failures.push(self.failure(message));
            }
        }
        if let Some(step) = limit("multipleOf").filter(|step| *step != 0.0) {
            let count = value / step;
            if (count - count.round()).abs() > 1e-9 * count.abs().max(1.0) {
                let message = format!("multipleOf: got {}, want {}", number(value), number(step));
                failures.push(self.failure(message));
            }
        }
    }

    fn check_combined(
        &mut self,
        schema: Schema<'s>,
        value: &Json,
        seen: &mut Seen,
        failures: &mut Vec<Failure>,
    ) {
        if schema.get("not").is_some_and(|not| self.check(not, value).is_ok()) {
            failures.push(self.failure("'not' failed"));
        }
        let list =
            |key: &str| schema.get(key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let mut causes = Vec::new();
        for all in list("allOf") {
            keep(self.check(all, value), seen, &mut causes);
        }
        if !causes.is_empty() {
            failures.push(Failure { causes, ..self.failure("'allOf' failed") });
        }
        let mut causes = Vec::new();
        for any in list("anyOf") {
            keep(self.check(any, value), seen, &mut causes);
        }
        if !causes.is_empty() && causes.len() == list("anyOf").len() {
            failures.push(Failure { causes, ..self.failure("'anyOf' failed") });
        }
        let (mut causes, mut matched) = (Vec::new(), Vec::new());
        for (index, one) in list("oneOf").iter().enumerate() {
            let before = causes.len();
            keep(self.check(one, value), seen, &mut causes);
            if causes.len() == before {
                matched.push(index);
            }
        }
        match matched[..] {
            [first, second, ..] => {
                let message = format!("'oneOf' failed, subschemas {first}, {second} matched");
                failures.push(self.failure(message));
            }
            [] if !causes.is_empty() => {
                failures.push(Failure { causes, ..self.failure("'oneOf' failed, none matched") });
            }
            _ => {}
        }
        self.check_condition(schema, value, seen, failures);
    }

    fn check_condition(
        &mut self,
        schema: Schema<'s>,
        value: &Json,
        seen: &mut Seen,
        failures: &mut Vec<Failure>,
    ) {
        let Some(condition) = schema.get("if").filter(|_| self.draft > 6) else { return };
        let branch = match self.check(condition, value) {
            Ok(found) => {
                seen.join(found);
                "then"
            }
            Err(_) => "else",
        };
        if let Some(branch) = schema.get(branch) {
            keep(self.check(branch, value), seen, failures);
        }
    }

    fn check_unseen(
        &mut self,
        schema: Schema<'s>,
        value: &Json,
        seen: &mut Seen,
        failures: &mut Vec<Failure>,
    ) {
        if let (Some(below), Json::Object(object)) = (schema.get("unevaluatedProperties"), value) {
            for (name, value) in object.iter().filter(|(name, _)| !seen.properties.contains(*name))
            {
                failures.extend(self.check_at(below, value, name.clone()));
            }
            seen.properties.extend(object.keys().cloned());
        }
        if let (Some(below), Json::Array(items)) = (schema.get("unevaluatedItems"), value) {
            for (index, item) in items.iter().enumerate().filter(|(n, _)| !seen.items.contains(n)) {
                failures.extend(self.check_at(below, item, index.to_string()));
            }
            seen.items.extend(0..items.len());
        }
    }

    /// Validates a part of the value.
    fn check_at(&mut self, schema: &'s Json, value: &Json, token: String) -> Option<Failure> {
        self.path.push(token);
        let result = self.check(schema, value);
        self.path.pop();
        result.err()
    }

    /// Checks the limits for a number of items, properties or characters.
    fn count(
        &self,
        schema: Schema<'s>,
        got: usize,
        [least, most]: [&str; 2],
        failures: &mut Vec<Failure>,
    ) {
        let limit = |key| schema.get(key).and_then(Json::as_f64);
        for (key, fails) in [
            (least, limit(least).is_some_and(|limit| (got as f64) < limit)),
            (most, limit(most).is_some_and(|limit| (got as f64) > limit)),
        ] {
            if fails {
                let want = number(limit(key).unwrap_or_default());
                failures
                    .push(self.failure(format!("{key}: got {}, want {want}", number(got as f64))));
            }
        }
    }

    fn failure(&self, message: impl Into<String>) -> Failure {
        let kind = Kind::Message(message.into());
        Failure { path: self.path.clone(), kind, causes: Vec::new() }
    }
}

impl Seen {
    fn join(&mut self, other: Self) {
        self.properties.extend(other.properties);
        self.items.extend(other.items);
    }
}

fn keep(result: Result<Seen, Failure>, seen: &mut Seen, failures: &mut Vec<Failure>) {
    match result {
        Ok(found) => seen.join(found),
        Err(failure) => failures.push(failure),
    }
}
