//! Every function that a chart's templates can call: Helm's own and those of Sprig 3.3.
//!
//! `env` and `expandenv` do not exist, as in Helm. Tables of [`FunctionSpec`] by family; the order of
//! a family's table is that of Sprig's source.

mod args;
mod cases;
pub(crate) mod cast;
mod crypto;
mod dates;
mod decimal;
mod defaults;
mod dicts;
mod documents;
mod hashes;
mod helm;
mod host;
mod lists;
mod merge;
mod numbers;
pub(crate) mod objects;
mod paths;
mod random;
mod reflect;
mod regexes;
mod strings;
mod substrings;
mod trim_provenance;
mod urls;
mod versions;

pub(super) use helm::{has_no_value, without_no_value};
pub use host::{HelmVersion, Host};

use go_template::{FunctionSpec, Functions, Type, Value};

const FAMILIES: &[&[FunctionSpec]] = &[
    helm::SPECS,
    documents::SPECS,
    defaults::SPECS,
    strings::SPECS,
    substrings::SPECS,
    cases::SPECS,
    dicts::SPECS,
    merge::SPECS,
    lists::SPECS,
    numbers::SPECS,
    reflect::SPECS,
    hashes::SPECS,
    regexes::SPECS,
    versions::SPECS,
    dates::SPECS,
    paths::SPECS,
    urls::SPECS,
    random::SPECS,
    crypto::SPECS,
];

/// What Helm 3 does not have.
const V4_FAMILIES: &[&[FunctionSpec]] = &[documents::V4_SPECS, dates::V4_SPECS];

/// The functions of a Helm version, those of `text/template` included.
pub fn functions(version: HelmVersion) -> Functions {
    let mut functions = Functions::builtin();
    for family in FAMILIES {
        functions.extend(family);
    }
    if version == HelmVersion::V4 {
        for family in V4_FAMILIES {
            functions.extend(family);
        }
    }
    functions.extend(HELLO);
    objects::set_methods(&mut functions);
    functions
}

/// Sprig's first function.
const HELLO: &[FunctionSpec] =
    &[FunctionSpec::new("hello", &[], &Type::STRING, |_, _| Ok(Value::from("Hello!")))];
