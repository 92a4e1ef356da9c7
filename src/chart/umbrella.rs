//! Charts that only another chart renders: a sub-chart may include a template that its parent defines.

use std::path::PathBuf;

use helm_render::{Chart, Error, HelmVersion, Reason};

use super::missed::all_templates;
use crate::{discover::shown, unit::Unit};

/// What is said of a chart that fails alone, and whose parent elsewhere in the tree defines what it lacks, or has it from a linked
/// dependency: it is checked there.
pub(super) fn note(unit: &Unit, failure: &Error) -> Option<String> {
    let name = absent_template(failure)?;
    let definition = format!("define \"{name}\"");
    let defines = |folder: &&PathBuf| {
        let boundary = unit.boundary.with(folder);
        let chart = Chart::load_linked(folder, "", &[], HelmVersion::V4, &boundary);
        chart.is_ok_and(|chart| {
            let holds = |text: &&[u8]| memchr::memmem::find(text, definition.as_bytes()).is_some();
            all_templates(&chart).iter().any(holds)
        })
    };
    let parent = unit.umbrellas.iter().find(defines)?;
    Some(format!(
        "chart {} includes `{name}`, which `{}` defines: it is checked as a part of that chart",
        shown(&unit.root),
        shown(parent)
    ))
}

/// The name of the template whose absence makes a render fail.
fn absent_template(failure: &Error) -> Option<&str> {
    let message = Some(&*failure.message).filter(|_| failure.reason == Reason::Execution)?;
    let is_absent = message.contains("no template \"") || message.contains("\" not defined");
    let (_, rest) = message.split_once("template \"").filter(|_| is_absent)?;
    rest.split('"').next()
}
