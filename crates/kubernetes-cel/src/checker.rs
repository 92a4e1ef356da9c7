//! The type check of the API server: cel-go's, with its words.

mod comprehension;
mod literals;

use crate::ast::{Ast, Id, Kind, Mode};
use crate::environment::Environment;
use crate::issue::Issue;
use crate::signatures::SIGNATURES;
use crate::stack::Stack;
use crate::types::Type;
use crate::unify::{Mapping, shifted};
use crate::value::Value;

/// Parts of a type that are kept. Larger ones come from expressions that double a type again and again.
const LARGEST: usize = 500;

/// Issues that are reported.
const MOST: usize = 100;

/// Resolves names, and returns the type of the expression.
pub(crate) fn check(ast: &mut Ast, environment: &Environment) -> Result<Type, Vec<Issue>> {
    let types = vec![Type::Dyn; ast.nodes.len()];
    let root = ast.root;
    let mut checker = Checker {
        ast,
        environment,
        types,
        scopes: Vec::new(),
        mapping: Mapping::default(),
        stack: Stack::here(),
        issues: Vec::new(),
    };
    let output = checker.check(root);
    let output = checker.mapping.substitute(&output, true);
    if checker.issues.is_empty() {
        literals::check(&mut checker);
    }
    let mut issues = checker.issues;
    if issues.is_empty() {
        return Ok(output);
    }
    issues.sort_by_key(|issue| issue.at);
    Err(issues)
}

struct Checker<'c> {
    ast: &'c mut Ast,
    environment: &'c Environment,
    /// The type of each node that has been checked.
    types: Vec<Type>,
    /// The names that macros bind, the innermost last.
    scopes: Vec<(String, Type)>,
    mapping: Mapping,
    stack: Stack,
    issues: Vec<Issue>,
}

impl Checker<'_> {
    fn report(&mut self, at: Id, message: impl Into<String>) -> Type {
        if self.issues.len() < MOST {
            let node = &self.ast.nodes[at];
            self.issues.push(Issue { at: node.at, ..Issue::new(node.range.clone(), message) });
        }
        Type::Error
    }

    fn undeclared(&mut self, at: Id, name: &str) -> Type {
        self.report(at, format!("undeclared reference to '{name}' (in container '')"))
    }

    fn mismatch(&mut self, at: Id, expected: &Type, found: &Type) {
        self.report(at, format!("expected type '{expected}' but found '{found}'"));
    }

    fn known(&self, of: &Type) -> Type {
        self.mapping.substitute(of, false)
    }

    /// Checks a node and remembers its type.
    fn check(&mut self, id: Id) -> Type {
        if self.stack.is_exhausted() {
            return self.report(id, "expression recursion limit exceeded");
        }
        let of = match self.ast.nodes[id].kind.clone() {
            Kind::Literal(value) => of_literal(&value),
            Kind::Name(name) => self.name(id, &name),
            Kind::Select { operand, field, mode } => self.select(id, operand, &field, mode),
            Kind::Call { function, target, arguments } => {
                self.call(id, &function, target, &arguments)
            }
            Kind::And(terms) | Kind::Or(terms) => self.logical(&terms),
            Kind::Conditional(parts) => {
                let types = parts.map(|part| self.check(part));
                self.resolve(id, "_?_:_", false, &types)
            }
            Kind::List(items) => self.list(&items),
            Kind::Map(entries) => self.map(&entries),
            Kind::Message(name) => self.undeclared(id, &name),
            Kind::Comprehension(parts) => self.comprehension(id, &parts),
            Kind::OptionalMap { operand, name, body, flat } => {
                self.optional_map(id, operand, name, body, flat)
            }
        };
        let of = if is_large(&self.known(&of), &mut 0) {
            self.report(id, format!("type has more than {LARGEST} parts"))
        } else {
            of
        };
        self.types[id] = of.clone();
        of
    }

    fn name(&mut self, id: Id, name: &str) -> Type {
        if let Some((_, of)) = self.scopes.iter().rev().find(|(own, _)| own == name) {
            return of.clone();
        }
        match self.environment.root(name) {
            Some(of) => of,
            None => self.type_name(id, name).unwrap_or_else(|| self.undeclared(id, name)),
        }
    }

    /// A name of a type, which becomes its value.
    fn type_name(&mut self, id: Id, name: &str) -> Option<Type> {
        let of = named_type(name)?;
        self.ast.nodes[id].kind = Kind::Literal(Value::Type(name.into()));
        Some(Type::Type(of.into()))
    }

    fn select(&mut self, id: Id, operand: Id, field: &str, mode: Mode) -> Type {
        if let Some(name) = self.qualified(operand).filter(|_| mode == Mode::Plain) {
            let name = format!("{name}.{field}");
            if let Some(of) = self.environment.root(&name) {
                self.ast.nodes[id].kind = Kind::Name(name);
                return of;
            }
            if let Some(of) = self.type_name(id, &name) {
                return of;
            }
        }
        let found = self.check(operand);
        let found = self.known(&found);
        let (found, is_optional) = unwrapped(found);
        let of = match &found {
            Type::Map(entry) => entry.1.clone(),
            Type::Object(structure) => match structure.fields.get(field) {
                Some(of) => of.clone(),
                None => self.report(id, format!("undefined field '{field}'")),
            },
            Type::Opaque(name) if name.starts_with("kubernetes.") => {
                self.report(id, format!("unexpected failed resolution of '{name}'"))
            }
            Type::Parameter(_) => {
                self.mapping.is_assignable(&Type::Dyn, &found);
                Type::Dyn
            }
            Type::Dyn | Type::Error => Type::Dyn,
            other => self.report(id, format!("type '{other}' does not support field selection")),
        };
        match mode {
            Mode::Has => Type::Bool,
            Mode::Optional => Type::optional(of),
            Mode::Plain if is_optional => Type::optional(of),
            Mode::Plain => of,
        }
    }

    /// `a.b.c`, if the expression is nothing else and `a` is not a name that a macro binds.
    fn qualified(&self, id: Id) -> Option<String> {
        match &self.ast.nodes[id].kind {
            Kind::Name(name) => {
                let is_bound = self.scopes.iter().any(|(own, _)| own == name);
                (!is_bound).then(|| name.clone())
            }
            Kind::Select { operand, field, mode: Mode::Plain } => {
                Some(format!("{}.{field}", self.qualified(*operand)?))
            }
            _ => None,
        }
    }

    fn call(&mut self, id: Id, function: &str, target: Option<Id>, arguments: &[Id]) -> Type {
        let mut types: Vec<_> = arguments.iter().map(|argument| self.check(*argument)).collect();
        let qualified = target
            .and_then(|target| self.qualified(target))
            .map(|prefix| format!("{prefix}.{function}"));
        if let Some(function) = qualified.filter(|function| SIGNATURES.contains_key(&**function)) {
            let of = self.resolve(id, &function, false, &types);
            self.ast.nodes[id].kind =
                Kind::Call { function, target: None, arguments: arguments.to_vec() };
            return of;
        }
        if let Some(target) = target {
            types.insert(0, self.check(target));
        }
        if function.contains('@') && function != "@in" || !SIGNATURES.contains_key(function) {
            return self.undeclared(id, function);
        }
        self.resolve(id, function, target.is_some(), &types)
    }

    /// The type of a call of a function that exists, with arguments of these types.
    fn resolve(&mut self, id: Id, function: &str, is_member: bool, arguments: &[Type]) -> Type {
        let mut result: Option<Type> = None;
        for overload in &SIGNATURES[function] {
            if overload.is_member != is_member || overload.arguments.len() != arguments.len() {
                continue;
            }
            let first = self.mapping.fresh_many(overload.parameters);
            let own: Vec<_> = overload.arguments.iter().map(|of| shifted(of, first)).collect();
            let pairs: Vec<_> = arguments.iter().zip(&own).collect();
            if !self.mapping.are_assignable(&pairs) {
                continue;
            }
            let of = self.known(&shifted(&overload.result, first));
            result = match result {
                None => Some(of),
                Some(Type::Dyn) => Some(Type::Dyn),
                Some(before) if before == of => Some(before),
                Some(_) => Some(Type::Dyn),
            };
        }
        result.unwrap_or_else(|| self.no_overload(id, function, is_member, arguments))
    }

    fn no_overload(&mut self, id: Id, function: &str, is_member: bool, arguments: &[Type]) -> Type {
        let types: Vec<_> =
            arguments.iter().map(|of| self.mapping.substitute(of, true).to_string()).collect();
        let signature = match &types[..] {
            [receiver, rest @ ..] if is_member => format!("{receiver}.({})", rest.join(", ")),
            types => format!("({})", types.join(", ")),
        };
        self.report(
            id,
            format!("found no matching overload for '{function}' applied to '{signature}'"),
        )
    }

    fn logical(&mut self, terms: &[Id]) -> Type {
        let types: Vec<_> = terms.iter().map(|term| self.check(*term)).collect();
        for (term, of) in terms.iter().zip(types) {
            self.expect_bool(*term, &of);
        }
        Type::Bool
    }

    fn expect_bool(&mut self, id: Id, of: &Type) {
        if !self.mapping.is_assignable(of, &Type::Bool) {
            let of = self.known(of);
            self.mismatch(id, &Type::Bool, &of);
        }
    }

    fn list(&mut self, items: &[(Id, bool)]) -> Type {
        let mut joined = None;
        for (item, optional) in items {
            let of = self.entry(*item, *optional);
            joined = Some(self.join(joined, of));
        }
        Type::list(joined.unwrap_or_else(|| self.mapping.fresh()))
    }

    fn map(&mut self, entries: &[(Id, Id, bool)]) -> Type {
        let (mut keys, mut values) = (None, None);
        for (key, value, optional) in entries {
            let of = self.check(*key);
            keys = Some(self.join(keys, of));
            let of = self.entry(*value, *optional);
            values = Some(self.join(values, of));
        }
        let key = keys.unwrap_or_else(|| self.mapping.fresh());
        let value = values.unwrap_or_else(|| self.mapping.fresh());
        Type::map(key, value)
    }

    /// The type of an item; of an optional one, the type of its value.
    fn entry(&mut self, id: Id, optional: bool) -> Type {
        let of = self.check(id);
        if !optional {
            return of;
        }
        let (of, is_optional) = unwrapped(self.known(&of));
        if !is_optional && !matches!(of, Type::Dyn | Type::Error) {
            self.mismatch(id, &Type::optional(of.clone()), &of);
        }
        of
    }

    /// The type of items of two types.
    fn join(&mut self, before: Option<Type>, of: Type) -> Type {
        let Some(before) = before else { return of };
        if self.mapping.is_assignable(&before, &of) {
            return if crate::unify::is_less_specific(&before, &of) { before } else { of };
        }
        // Mixed lists are refused later, because a list of arguments of `format` may be mixed.
        Type::Dyn
    }
}

fn of_literal(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Uint(_) => Type::Uint,
        Value::Double(_) => Type::Double,
        Value::String(_) => Type::String,
        Value::Bytes(_) => Type::Bytes,
        _ => Type::Dyn,
    }
}

/// The type that a name stands for, as in `type(x) == int`.
fn named_type(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "google.protobuf.Duration" => Type::Duration,
        "google.protobuf.Timestamp" => Type::Timestamp,
        "int" => Type::Int,
        "list" => Type::list(Type::Dyn),
        "map" => Type::map(Type::Dyn, Type::Dyn),
        "net.CIDR" => Type::Opaque("net.CIDR"),
        "net.IP" => Type::Opaque("net.IP"),
        "null_type" => Type::Null,
        "optional_type" => Type::optional(Type::Dyn),
        "string" => Type::String,
        "type" => Type::Type(Type::Dyn.into()),
        "uint" => Type::Uint,
        _ => return None,
    })
}

/// The type of the value of an optional type, and whether it was optional.
fn unwrapped(of: Type) -> (Type, bool) {
    match of {
        Type::Optional(value) => ((*value).clone(), true),
        other => (other, false),
    }
}

/// Whether a type has more parts than are kept.
fn is_large(of: &Type, parts: &mut usize) -> bool {
    *parts += 1;
    if *parts > LARGEST {
        return true;
    }
    match of {
        Type::List(inner) | Type::Optional(inner) | Type::Type(inner) => is_large(inner, parts),
        Type::Map(entry) => is_large(&entry.0, parts) || is_large(&entry.1, parts),
        _ => false,
    }
}
