//! The objects that `kubectl` and `oc` make and remove by name.

use crate::{
    analysis::{Analysis, Invocation},
    deletions,
    text::ElementSpan,
};

/// An object that a script makes or removes by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedObject {
    /// The command.
    pub location: ElementSpan,
    /// The name, without variables.
    pub name: String,
    /// It is removed.
    pub is_removed: bool,
}

/// The objects that the commands make and remove by name.
pub fn changed_objects(analysis: &Analysis) -> Vec<ChangedObject> {
    analysis.invocations.iter().flat_map(changed_by).collect()
}

/// The objects that a command makes and removes by name.
pub fn changed_by(invocation: &Invocation) -> Vec<ChangedObject> {
    let operands = deletions::client_operands(invocation);
    let Some((verb, operands)) = operands.split_first() else { return Vec::new() };
    let mut names = invocation.manifests.clone();
    match *verb {
        "create" => {
            names.extend(operands.get(1..).and_then(<[_]>::last).map(|name| (*name).to_owned()))
        }
        "apply" | "replace" => {}
        "delete" => names = deletions::named(operands).into_iter().map(|one| one.name).collect(),
        _ => return Vec::new(),
    }
    let (location, is_removed) = (invocation.location, *verb == "delete");
    names.retain(|name| !name.contains('$'));
    names.into_iter().map(|name| ChangedObject { location, name, is_removed }).collect()
}
