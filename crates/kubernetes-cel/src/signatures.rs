//! The functions, their overloads and types.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::types::Type;

/// One way to call a function.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    pub(crate) is_member: bool,
    /// The types of the arguments, the receiver's first.
    pub(crate) arguments: Vec<Type>,
    pub(crate) result: Type,
    /// How many type parameters it has, from 0.
    pub(crate) parameters: u32,
}

/// The overloads of each function.
pub(crate) static SIGNATURES: LazyLock<HashMap<&str, Vec<Overload>>> = LazyLock::new(|| {
    let mut signatures: HashMap<_, Vec<_>> = HashMap::new();
    for line in include_str!("signatures.txt").lines() {
        let Some((function, overload)) = line.split_once('\t') else { continue };
        signatures
            .entry(function)
            .or_default()
            .extend(variants(overload).iter().map(|text| parse(text)));
    }
    signatures
});

const COMPARABLE: &[&str] =
    &["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];

const SUMMABLE: &[&str] = &["int", "uint", "double", "duration"];

/// The types that only functions look into, with their names in the table.
pub(crate) const OPAQUE: &[(&str, &str)] = &[
    ("Quantity", "kubernetes.Quantity"),
    ("Semver", "kubernetes.Semver"),
    ("URL", "kubernetes.URL"),
    ("IP", "net.IP"),
    ("CIDR", "net.CIDR"),
    ("Format", "kubernetes.NamedFormat"),
    ("Authorizer", "kubernetes.authorization.Authorizer"),
    ("PathCheck", "kubernetes.authorization.PathCheck"),
    ("GroupCheck", "kubernetes.authorization.GroupCheck"),
    ("ResourceCheck", "kubernetes.authorization.ResourceCheck"),
    ("Decision", "kubernetes.authorization.Decision"),
];

/// An overload for each type that a placeholder stands for.
fn variants(overload: &str) -> Vec<String> {
    for (placeholder, types) in [("comparable", COMPARABLE), ("summable", SUMMABLE)] {
        if overload.contains(placeholder) {
            return types.iter().map(|of| overload.replace(placeholder, of)).collect();
        }
    }
    vec![overload.to_owned()]
}

fn parse(text: &str) -> Overload {
    let (call, result) = text.split_once(" -> ").expect("each overload has a result");
    let mut names = Vec::new();
    let (receiver, arguments) = match call.split_once(".(") {
        Some((receiver, arguments)) => (Some(receiver), arguments),
        None => (None, &call[1..]),
    };
    let arguments = arguments.strip_suffix(')').expect("arguments end with a parenthesis");
    let types = receiver.into_iter().chain(split(arguments));
    let arguments = types.map(|text| read(text, &mut names)).collect();
    let result = read(result, &mut names);
    let parameters = u32::try_from(names.len()).expect("a handful");
    Overload { is_member: receiver.is_some(), arguments, result, parameters }
}

/// The parts between the commas that are not inside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_end = |character: char| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth == 0
    };
    text.split(is_end).map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// A type by its name in the table. Single capital letters are type parameters.
fn read<'t>(text: &'t str, parameters: &mut Vec<&'t str>) -> Type {
    if let Some((outer, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let mut parts: Vec<_> =
            split(inner).into_iter().map(|part| read(part, parameters)).collect();
        let last = parts.pop().expect("a type has a parameter");
        return match outer {
            "list" => Type::list(last),
            "map" => Type::map(parts.remove(0), last),
            "optional" => Type::optional(last),
            "type" => Type::Type(last.into()),
            _ => panic!("unknown type {text}"),
        };
    }
    if let Some((_, name)) = OPAQUE.iter().find(|(short, _)| *short == text) {
        return Type::Opaque(name);
    }
    match text {
        "dyn" => Type::Dyn,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        name => {
            assert!(name.len() == 1, "unknown type {name}");
            let known = parameters.iter().position(|parameter| *parameter == name);
            let index = known.unwrap_or_else(|| {
                parameters.push(name);
                parameters.len() - 1
            });
            Type::Parameter(u32::try_from(index).expect("a handful"))
        }
    }
}
