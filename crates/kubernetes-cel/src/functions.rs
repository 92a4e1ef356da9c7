//! The functions at run time, one module for each library.

mod address;
mod convert;
mod decimal;
mod lists;
mod named_format;
mod operators;
mod optional;
mod quantity;
pub(crate) mod regex;
mod semver;
mod sets;
mod strings;
pub(crate) mod time;
mod url;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use crate::cost::Meter;
use crate::value::Value;

pub(crate) use address::{Address, Network};
pub(crate) use convert::text_of;
pub(crate) use decimal::Decimal;
pub(crate) use lists::sorted;
pub(crate) use named_format::NamedFormat;
pub(crate) use regex::Patterns;
pub(crate) use semver::Version;
pub(crate) use url::Url;

/// A function of the table of signatures; the receiver is the first argument.
pub(crate) type Function = fn(&mut Call) -> Answer;

pub(crate) type Answer = Result<Value, Failure>;

/// A call with its arguments.
pub(crate) struct Call<'c> {
    pub(crate) arguments: &'c [Value],
    /// The regular expressions of the whole expression that are constants.
    pub(crate) compiled: &'c HashMap<String, ::regex::Regex>,
    pub(crate) patterns: &'c mut Patterns,
    pub(crate) meter: &'c mut Meter,
}

/// Why a function or an expression has no value.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// No overload takes these arguments.
    NoOverload,
    /// cel-go's words.
    Error(String),
    /// It depends on what only a cluster knows.
    Unknown(Arc<BTreeSet<String>>),
    /// A limit of cost or depth, which no `||` absorbs.
    Limit(&'static str),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Error(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self::Error(message.to_owned())
    }
}

/// An optional value that has one.
pub(crate) fn optional_of(value: Value) -> Value {
    optional::of(Some(value))
}

/// The error of a call that no overload takes.
pub(crate) fn no_overload(function: &str, arguments: &[Value]) -> String {
    operators::no_overload(function, arguments).unwrap_or_else(|| {
        let types: Vec<_> = arguments.iter().map(Value::type_name).collect();
        format!("no such overload: {function}({})", types.join(", "))
    })
}

/// The function of a name, if it has no own rules of evaluation.
pub(crate) fn find(name: &str) -> Option<Function> {
    static FUNCTIONS: LazyLock<HashMap<&str, Function>> = LazyLock::new(|| {
        let libraries = [
            operators::FUNCTIONS,
            convert::FUNCTIONS,
            strings::FUNCTIONS,
            lists::FUNCTIONS,
            sets::FUNCTIONS,
            optional::FUNCTIONS,
            time::FUNCTIONS,
            regex::FUNCTIONS,
            quantity::FUNCTIONS,
            semver::FUNCTIONS,
            url::FUNCTIONS,
            address::FUNCTIONS,
            named_format::FUNCTIONS,
        ];
        libraries.concat().into_iter().collect()
    });
    FUNCTIONS.get(name).copied()
}
