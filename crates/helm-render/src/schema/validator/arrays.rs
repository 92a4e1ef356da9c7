//! The keywords that apply to arrays.

use serde_json::Value as Json;

use super::{Evaluated, Schema, Validator};
use crate::schema::{failure::Failure, json::duplicates};

impl<'s> Validator<'s> {
    pub(super) fn check_items(
        &mut self,
        schema: Schema<'s>,
        items: &[Json],
        evaluated: &mut Evaluated,
        failures: &mut Vec<Failure>,
    ) {
        self.count(schema, items.len(), ["minItems", "maxItems"], failures);
        if schema.get("uniqueItems") == Some(&Json::Bool(true))
            && self.charge((items.len() as u64).pow(2) / 8).is_ok()
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
                evaluated.items.insert(index);
                failures.extend(self.check_at(below, item, index.to_string()));
            }
        }
        self.check_contains(schema, items, evaluated, failures);
    }

    fn check_contains(
        &mut self,
        schema: Schema<'s>,
        items: &[Json],
        evaluated: &mut Evaluated,
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
        evaluated.items.extend(&matched);
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
}
