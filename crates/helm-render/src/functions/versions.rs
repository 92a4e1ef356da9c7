//! `semver` and `semverCompare`.

use std::{collections::HashMap, rc::Rc};

use go_template::{Executor, FuncError, FunctionSpec, Value};

use super::{
    args::{ANY, BOOL, Outcome, STRING, str},
    host::host,
};
use crate::{
    go_objects,
    semver::{Constraint, Version},
};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("semver", &[STRING], ANY, semver),
    FunctionSpec::new("semverCompare", &[STRING, STRING], BOOL, semver_compare),
];

/// The constraints that a render has parsed.
#[derive(Debug, Default)]
pub(super) struct ConstraintCache {
    constraints: HashMap<Box<str>, Rc<Constraint>>,
}

fn semver(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let version = Version::parse(&str(&arguments[0])).map_err(FuncError::new)?;
    Ok(go_objects::version(version))
}

fn semver_compare(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let text = str(&arguments[0]);
    let cache = &mut host(context).versions.constraints;
    let constraint = match cache.get(&*text) {
        Some(constraint) => constraint.clone(),
        None => {
            let constraint = Rc::new(Constraint::parse(&text).map_err(FuncError::new)?);
            cache.insert(text.as_ref().into(), constraint.clone());
            constraint
        }
    };
    let version = Version::parse(&str(&arguments[1])).map_err(FuncError::new)?;
    Ok(Value::from(constraint.check(&version)))
}
