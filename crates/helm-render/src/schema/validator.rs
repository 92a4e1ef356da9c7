//! A validator for JSON Schema drafts 4 to 2020-12. References resolve within the same file.
//! Nothing is fetched: a schema elsewhere allows everything.

mod arrays;
mod objects;
mod scalars;

use std::{cell::RefCell, collections::BTreeSet};

use go_template::{Budget, Meter};
use regex::Regex;
use serde_json::{Map, Value as Json};

use super::{
    failure::{Failure, FailureKind, display, quote},
    formats,
    json::{decode, enum_message, equal, find, has_type, type_name},
};

/// Limit for schemas applied within each other to one value; a cycle of references would never end.
const MAX_DEPTH: usize = 200;
/// Steps that stand for checking a value against a schema, and for compiling a regular expression.
const CHECK_STEPS: u64 = 10;
const REGEX_STEPS: u64 = 1_000;
/// Bytes of a failure, and of each step of its path, without texts.
const FAILURE_BYTES: usize = 64;

pub(super) struct Validator<'s> {
    root: &'s Json,
    draft: u16,
    path: Vec<String>,
    depth: usize,
    /// Steps to search the whole schema.
    weight: u64,
    meter: RefCell<Meter>,
}

/// The number of items or entries, or the length of a text.
fn len(value: &Json) -> u64 {
    let len = match value {
        Json::Array(items) => items.len(),
        Json::Object(object) => object.len(),
        Json::String(text) => text.len() / 16,
        _ => 0,
    };
    len as u64
}

/// The properties and items that a schema evaluated.
#[derive(Default)]
struct Evaluated {
    properties: BTreeSet<String>,
    items: BTreeSet<usize>,
}

type Schema<'s> = &'s Map<String, Json>;

impl<'s> Validator<'s> {
    /// A validator for a schema of `len` bytes.
    pub(super) fn new(root: &'s Json, len: usize, budget: &Budget) -> Self {
        let dialect = root.get("$schema").and_then(Json::as_str).unwrap_or_default();
        let known = [("draft-04", 4), ("draft-06", 6), ("draft-07", 7), ("2019-09", 2019)];
        let draft = known.into_iter().find(|(name, _)| dialect.contains(name));
        Self {
            root,
            draft: draft.map_or(2020, |(_, draft)| draft),
            path: Vec::new(),
            depth: 0,
            weight: len as u64 / 16,
            meter: RefCell::new(Meter::new(budget)),
        }
    }

    pub(super) fn validate(&mut self, value: &Json) -> Result<(), Failure> {
        self.check(self.root, value).map(drop)
    }

    fn check(&mut self, schema: &'s Json, value: &Json) -> Result<Evaluated, Failure> {
        let schema = match schema {
            Json::Bool(false) => return Err(self.failure("false schema")),
            Json::Object(schema) => schema,
            _ => return Ok(Evaluated::default()),
        };
        if self.depth > MAX_DEPTH {
            return Err(self.failure("reference cycle"));
        }
        self.charge(CHECK_STEPS + len(value) / 4)?;
        self.depth += 1;
        let result = self.check_object(schema, value);
        self.depth -= 1;
        result
    }

    fn check_object(&mut self, schema: Schema<'s>, value: &Json) -> Result<Evaluated, Failure> {
        let mut evaluated = Evaluated::default();
        let reference = schema.get("$ref").and_then(Json::as_str);
        if let (Some(reference), true) = (reference, self.draft < 2019) {
            return self.check_reference(reference, value);
        }
        self.check_value(schema, value)?;
        let mut failures = Vec::new();
        for keyword in ["$ref", "$recursiveRef", "$dynamicRef"] {
            if let Some(reference) = schema.get(keyword).and_then(Json::as_str) {
                keep(self.check_reference(reference, value), &mut evaluated, &mut failures);
            }
        }
        match value {
            Json::Object(object) => {
                self.check_properties(schema, object, &mut evaluated, &mut failures)
            }
            Json::Array(items) => self.check_items(schema, items, &mut evaluated, &mut failures),
            Json::String(text) => self.check_text(schema, text, &mut failures),
            Json::Number(value) => {
                self.check_number(schema, value.as_f64().unwrap_or_default(), &mut failures);
            }
            _ => {}
        }
        self.check_combined(schema, value, &mut evaluated, &mut failures);
        self.check_unevaluated(schema, value, &mut evaluated, &mut failures);
        match failures.len() {
            0 => Ok(evaluated),
            1 => Err(failures.remove(0)),
            _ => {
                Err(Failure { path: self.path.clone(), kind: FailureKind::Group, causes: failures })
            }
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
            && self.charge(choices.len() as u64).is_ok()
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

    fn check_reference(&mut self, reference: &str, value: &Json) -> Result<Evaluated, Failure> {
        let is_pointer = reference.starts_with("#/") || reference == "#";
        self.charge(reference.len() as u64 / 16 + if is_pointer { 0 } else { self.weight })?;
        let Some(schema) = self.resolve(reference) else { return Ok(Evaluated::default()) };
        self.check(schema, value).map_err(|failure| Failure {
            path: self.path.clone(),
            kind: FailureKind::Reference,
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

    fn check_combined(
        &mut self,
        schema: Schema<'s>,
        value: &Json,
        evaluated: &mut Evaluated,
        failures: &mut Vec<Failure>,
    ) {
        if schema.get("not").is_some_and(|not| self.check(not, value).is_ok()) {
            failures.push(self.failure("'not' failed"));
        }
        let list =
            |key: &str| schema.get(key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let mut causes = Vec::new();
        for all in list("allOf") {
            keep(self.check(all, value), evaluated, &mut causes);
        }
        if !causes.is_empty() {
            failures.push(Failure { causes, ..self.failure("'allOf' failed") });
        }
        let mut causes = Vec::new();
        for any in list("anyOf") {
            keep(self.check(any, value), evaluated, &mut causes);
        }
        if !causes.is_empty() && causes.len() == list("anyOf").len() {
            failures.push(Failure { causes, ..self.failure("'anyOf' failed") });
        }
        let (mut causes, mut matched) = (Vec::new(), Vec::new());
        for (index, one) in list("oneOf").iter().enumerate() {
            let before = causes.len();
            keep(self.check(one, value), evaluated, &mut causes);
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
        self.check_condition(schema, value, evaluated, failures);
    }

    fn check_condition(
        &mut self,
        schema: Schema<'s>,
        value: &Json,
        evaluated: &mut Evaluated,
        failures: &mut Vec<Failure>,
    ) {
        let Some(condition) = schema.get("if").filter(|_| self.draft > 6) else { return };
        let branch = match self.check(condition, value) {
            Ok(found) => {
                evaluated.join(found);
                "then"
            }
            Err(_) => "else",
        };
        if let Some(branch) = schema.get(branch) {
            keep(self.check(branch, value), evaluated, failures);
        }
    }

    fn check_unevaluated(
        &mut self,
        schema: Schema<'s>,
        value: &Json,
        evaluated: &mut Evaluated,
        failures: &mut Vec<Failure>,
    ) {
        if let (Some(below), Json::Object(object)) = (schema.get("unevaluatedProperties"), value) {
            for (name, value) in
                object.iter().filter(|(name, _)| !evaluated.properties.contains(*name))
            {
                failures.extend(self.check_at(below, value, name.clone()));
            }
            evaluated.properties.extend(object.keys().cloned());
        }
        if let (Some(below), Json::Array(items)) = (schema.get("unevaluatedItems"), value) {
            for (index, item) in
                items.iter().enumerate().filter(|(n, _)| !evaluated.items.contains(n))
            {
                failures.extend(self.check_at(below, item, index.to_string()));
            }
            evaluated.items.extend(0..items.len());
        }
    }

    /// Validates a part of the value.
    fn check_at(&mut self, schema: &'s Json, value: &Json, token: String) -> Option<Failure> {
        self.path.push(token);
        let result = self.check(schema, value);
        self.path.pop();
        result.err()
    }

    /// Charges work.
    ///
    /// # Errors
    ///
    /// The budget is used up; the failure never reaches a user.
    fn charge(&self, steps: u64) -> Result<(), Failure> {
        let mut meter = self.meter.borrow_mut();
        meter.spend(steps).map_err(|_| self.stop())
    }

    fn stop(&self) -> Failure {
        Failure { path: Vec::new(), kind: FailureKind::Group, causes: Vec::new() }
    }

    /// A regular expression; `None` if it is invalid or the budget is used up.
    fn regex(&self, pattern: &str) -> Option<Regex> {
        self.charge(REGEX_STEPS + pattern.len() as u64).ok()?;
        Regex::new(pattern).ok()
    }

    fn failure(&self, message: impl Into<String>) -> Failure {
        let message = message.into();
        let text: usize = self.path.iter().map(|token| FAILURE_BYTES + token.len()).sum();
        // The next check reports what this exceeds.
        let _ = self.meter.borrow_mut().allocate(FAILURE_BYTES + text + message.len());
        let kind = FailureKind::Message(message);
        Failure { path: self.path.clone(), kind, causes: Vec::new() }
    }
}

impl Evaluated {
    fn join(&mut self, other: Self) {
        self.properties.extend(other.properties);
        self.items.extend(other.items);
    }
}

fn keep(
    result: Result<Evaluated, Failure>,
    evaluated: &mut Evaluated,
    failures: &mut Vec<Failure>,
) {
    match result {
        Ok(found) => evaluated.join(found),
        Err(failure) => failures.push(failure),
    }
}
