//! Which types fit which: cel-go's assignability, with type parameters that are found on the way.

use std::sync::Arc;

use crate::types::Type;

/// What is known of each type parameter.
#[derive(Debug, Default)]
pub(crate) struct Mapping {
    slots: Vec<Option<Type>>,
    /// What the slots held before, to undo an attempt.
    trail: Vec<(u32, Option<Type>)>,
}

impl Mapping {
    /// A type that is not known yet.
    pub(crate) fn fresh(&mut self) -> Type {
        Type::Parameter(self.fresh_many(1))
    }

    /// The first of several type parameters that are not known yet.
    pub(crate) fn fresh_many(&mut self, count: u32) -> u32 {
        let first = self.slots.len();
        self.slots.resize(first + count as usize, None);
        u32::try_from(first).expect("each needs text, and the text is bounded")
    }

    /// Whether the types fit; then the type parameters are bound.
    pub(crate) fn is_assignable(&mut self, from: &Type, to: &Type) -> bool {
        self.are_assignable(&[(from, to)])
    }

    /// Whether all pairs of types fit; then the type parameters are bound.
    pub(crate) fn are_assignable(&mut self, pairs: &[(&Type, &Type)]) -> bool {
        self.trail.clear();
        if pairs.iter().all(|(from, to)| self.fits(from, to)) {
            return true;
        }
        while let Some((slot, before)) = self.trail.pop() {
            self.slots[slot as usize] = before;
        }
        false
    }

    fn find(&self, parameter: u32) -> Option<&Type> {
        self.slots[parameter as usize].as_ref()
    }

    fn bind(&mut self, parameter: u32, to: Type) {
        let before = self.slots[parameter as usize].replace(to);
        self.trail.push((parameter, before));
    }

    fn fits(&mut self, from: &Type, to: &Type) -> bool {
        if let Type::Parameter(parameter) = to {
            match self.substitutes(from, *parameter) {
                (true, _) => return true,
                (false, true) => return false,
                (false, false) => {}
            }
        }
        if let Type::Parameter(parameter) = from {
            return self.substitutes(to, *parameter).0;
        }
        match (from, to) {
            (Type::Dyn | Type::Error, _) | (_, Type::Dyn | Type::Error) => true,
            (Type::Null, other) | (other, Type::Null) => is_nullable(other),
            (Type::List(from), Type::List(to)) | (Type::Optional(from), Type::Optional(to)) => {
                self.fits(from, to)
            }
            (Type::Map(from), Type::Map(to)) => {
                self.fits(&from.0, &to.0) && self.fits(&from.1, &to.1)
            }
            (Type::Type(_), Type::Type(_)) => true,
            (Type::Object(from), Type::Object(to)) => from.name == to.name,
            _ => from == to,
        }
    }

    /// Whether the type can stand for the parameter, and whether another one does so already.
    fn substitutes(&mut self, of: &Type, parameter: u32) -> (bool, bool) {
        if *of == Type::Parameter(parameter) {
            return (true, true);
        }
        if let Some(known) = self.find(parameter).cloned() {
            if *of == known {
                return (true, true);
            }
            if !self.fits(of, &known) {
                return (false, true);
            }
            let general = if is_less_specific(of, &known) { of.clone() } else { known };
            if !self.occurs(parameter, &general) {
                self.bind(parameter, general);
            }
            return (true, true);
        }
        if self.occurs(parameter, of) {
            return (false, false);
        }
        self.bind(parameter, of.clone());
        (true, false)
    }

    fn occurs(&self, parameter: u32, within: &Type) -> bool {
        match within {
            Type::Parameter(other) => {
                *other == parameter
                    || self.find(*other).is_some_and(|known| self.occurs(parameter, known))
            }
            Type::List(inner) | Type::Optional(inner) | Type::Type(inner) => {
                self.occurs(parameter, inner)
            }
            Type::Map(entry) => {
                self.occurs(parameter, &entry.0) || self.occurs(parameter, &entry.1)
            }
            _ => false,
        }
    }

    /// The type with all that is known in the place of parameters. With `dyn`, unknown ones are dynamic.
    pub(crate) fn substitute(&self, of: &Type, dynamic: bool) -> Type {
        match of {
            Type::Parameter(parameter) => match self.find(*parameter) {
                Some(known) => self.substitute(known, dynamic),
                None if dynamic => Type::Dyn,
                None => of.clone(),
            },
            Type::List(item) => Type::list(self.substitute(item, dynamic)),
            Type::Optional(value) => Type::optional(self.substitute(value, dynamic)),
            Type::Type(inner) => Type::Type(Arc::new(self.substitute(inner, dynamic))),
            Type::Map(entry) => {
                Type::map(self.substitute(&entry.0, dynamic), self.substitute(&entry.1, dynamic))
            }
            _ => of.clone(),
        }
    }
}

/// The type of a signature with its parameters counted from another number.
pub(crate) fn shifted(of: &Type, by: u32) -> Type {
    match of {
        Type::Parameter(parameter) => Type::Parameter(parameter + by),
        Type::List(item) => Type::list(shifted(item, by)),
        Type::Optional(value) => Type::optional(shifted(value, by)),
        Type::Type(inner) => Type::Type(Arc::new(shifted(inner, by))),
        Type::Map(entry) => Type::map(shifted(&entry.0, by), shifted(&entry.1, by)),
        _ => of.clone(),
    }
}

fn is_nullable(of: &Type) -> bool {
    matches!(
        of,
        Type::Null
            | Type::Object(_)
            | Type::Opaque(_)
            | Type::Optional(_)
            | Type::Duration
            | Type::Timestamp
    )
}

/// Whether the first type is equal to the second, or says less.
pub(crate) fn is_less_specific(first: &Type, second: &Type) -> bool {
    match (first, second) {
        (Type::Dyn | Type::Parameter(_), _) => true,
        (_, Type::Dyn | Type::Parameter(_)) => false,
        (Type::List(first), Type::List(second))
        | (Type::Optional(first), Type::Optional(second)) => is_less_specific(first, second),
        (Type::Map(first), Type::Map(second)) => {
            is_less_specific(&first.0, &second.0) && is_less_specific(&first.1, &second.1)
        }
        (Type::Type(_), Type::Type(_)) => true,
        _ => first == second,
    }
}
