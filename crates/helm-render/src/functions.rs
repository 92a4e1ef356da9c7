//! The functions of chart templates: those of `text/template`, of Sprig 3.3 and Helm's own.
//!
//! `env` and `expandenv` are missing, as in Helm. Each family has a table of [`FunctionSpec`]s in
//! the order of Sprig's source.

mod args;
mod cases;
mod crypto;
mod dates;
mod decimal;
mod defaults;
mod dicts;
mod hashes;
mod helm;
mod host;
mod lists;
mod marshal;
mod merge;
mod numbers;
mod paths;
mod random;
mod reflect;
mod regexes;
mod strings;
mod substrings;
mod trim_provenance;
mod urls;
mod versions;

use std::sync::OnceLock;

use go_template::{FunctionSpec, Functions, Type, Value};
pub(crate) use helm::{has_no_value, without_no_value};
pub use host::Host;

use crate::HelmVersion;

const FAMILIES: &[&[FunctionSpec]] = &[
    helm::SPECS,
    marshal::SPECS,
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

/// The functions that Helm 3 lacks.
const V4_FAMILIES: &[&[FunctionSpec]] = &[marshal::V4_SPECS, dates::V4_SPECS];

/// The functions that a Helm version gives to templates, including those of `text/template`.
///
/// They expect a [`Host`] as the host of the [`Executor`](go_template::Executor).
pub fn functions(version: HelmVersion) -> &'static Functions {
    static V3: OnceLock<Functions> = OnceLock::new();
    static V4: OnceLock<Functions> = OnceLock::new();
    match version {
        HelmVersion::V3 => V3.get_or_init(|| build(version)),
        HelmVersion::V4 => V4.get_or_init(|| build(version)),
    }
}

/// The functions of [`functions`], for the renderer to add methods to.
pub(crate) fn build(version: HelmVersion) -> Functions {
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
    crate::go_objects::set_methods(&mut functions);
    functions
}

/// Sprig's `hello`.
const HELLO: &[FunctionSpec] =
    &[FunctionSpec::new("hello", &[], &Type::STRING, |_, _| Ok(Value::from("Hello!")))];
