//! Every function that a chart's templates can call: Helm's own and those of Sprig 3.3.
//!
//! `env` and `expandenv` do not exist, as in Helm. Tables of [`FunctionSpec`] by family; the order of
//! a family's table is that of Sprig's source.

mod args;
mod defaults;
mod dicts;
mod helm;
mod host;
mod lists;
pub(crate) mod objects;
mod strings;

pub use host::{HelmVersion, Host};

use crate::template::{FunctionSpec, Functions};

const FAMILIES: &[&[FunctionSpec]] =
    &[defaults::SPECS, strings::SPECS, lists::SPECS, dicts::SPECS, helm::SPECS];

/// The functions of a Helm version, those of `text/template` included.
pub fn functions(version: HelmVersion) -> Functions {
    let mut functions = Functions::builtin();
    for family in FAMILIES {
        functions.extend(family.iter().copied());
    }
    if version == HelmVersion::V4 {
        functions.extend(helm::V4_SPECS.iter().copied());
    }
    functions
}
