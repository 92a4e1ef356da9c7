//! The types of macros that bind names.

use crate::ast::{Comprehension, Id, Over};
use crate::types::Type;

use super::{Checker, unwrapped};

impl Checker<'_> {
    pub(super) fn comprehension(&mut self, id: Id, parts: &Comprehension) -> Type {
        let range = self.check(parts.range);
        let range = self.known(&range);
        let variables = self.variables(parts.range, &range, parts.names.len() == 2);
        let depth = self.scopes.len();
        self.scopes.extend(parts.names.iter().cloned().zip(variables.clone()));
        let condition = parts.condition.map(|condition| self.check(condition));
        let body = self.check(parts.body);
        self.scopes.truncate(depth);
        let first = variables.into_iter().next().expect("each macro binds a name");
        let result = match parts.over {
            Over::All | Over::Exists => {
                self.expect_bool(parts.body, &body);
                return Type::Bool;
            }
            Over::ExistsOne => {
                self.resolve(id, "_?_:_", false, &[body, Type::Int, Type::Int]);
                return Type::Bool;
            }
            Over::Filter => {
                let result = Type::list(first);
                return self.resolve(id, "_?_:_", false, &[body, result.clone(), result]);
            }
            Over::SortBy => {
                let keys = Type::list(body);
                return self.resolve(id, "@sortByAssociatedKeys", true, &[range, keys]);
            }
            Over::List => Type::list(body),
            Over::TransformMap => Type::map(first, body),
            Over::TransformMapEntry => {
                let fresh = Type::map(self.mapping.fresh(), self.mapping.fresh());
                self.resolve(id, "cel.@mapInsert", false, &[fresh, body])
            }
        };
        match condition {
            None => result,
            Some(condition) => {
                self.resolve(id, "_?_:_", false, &[condition, result.clone(), result])
            }
        }
    }

    /// The types of the names that a macro binds to the parts of a range.
    fn variables(&mut self, id: Id, range: &Type, two: bool) -> Vec<Type> {
        match range {
            Type::List(item) if two => vec![Type::Int, (**item).clone()],
            Type::List(item) => vec![(**item).clone()],
            Type::Map(entry) if two => vec![entry.0.clone(), entry.1.clone()],
            Type::Map(entry) => vec![entry.0.clone()],
            Type::Dyn | Type::Error | Type::Parameter(_) => {
                self.mapping.is_assignable(&Type::Dyn, range);
                vec![Type::Dyn; 2]
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.report(id, message);
                vec![Type::Dyn; 2]
            }
        }
    }

    pub(super) fn optional_map(
        &mut self,
        id: Id,
        operand: Id,
        name: String,
        body: Id,
        flat: bool,
    ) -> Type {
        let found = self.check(operand);
        let found = self.known(&found);
        let (value, is_optional) = unwrapped(found.clone());
        if !is_optional && !matches!(value, Type::Dyn | Type::Error) {
            for function in ["hasValue", "value"] {
                self.no_overload(id, function, true, std::slice::from_ref(&found));
            }
        }
        self.scopes.push((name, value));
        let body = self.check(body);
        self.scopes.pop();
        if !flat {
            return Type::optional(body);
        }
        let none = Type::optional(self.mapping.fresh());
        self.resolve(id, "_?_:_", false, &[Type::Bool, body, none])
    }
}
