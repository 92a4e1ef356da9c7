//! Charts that only another chart renders: a sub-chart may include a template that its parent defines.

use std::path::{Path, PathBuf};

use helm_render::{Chart, Error, HelmVersion, Reason};

use super::missed::all_templates;
use crate::{
    discover::{normal, shown},
    unit::Unit,
};

/// What is said of a chart that fails alone, and whose parent elsewhere in the tree defines what it lacks: it is checked
/// there.
pub(super) fn note(unit: &Unit, failure: &Error) -> Option<String> {
    let name = absent_template(failure)?;
    let definition = format!("define \"{name}\"");
    let is_defined_by = |folder: &&PathBuf| defines(folder, &definition, unit, true);
    let parent = unit.umbrellas.iter().find(is_defined_by)?;
    Some(format!(
        "chart {} includes `{name}`, which `{}` defines: it is checked as a part of that chart",
        shown(&unit.root),
        shown(parent)
    ))
}

/// Whether a chart of the tree defines a template, or, as a parent, one of its dependencies in the tree does.
fn defines(folder: &Path, definition: &str, unit: &Unit, is_parent: bool) -> bool {
    let boundary = unit.boundary.with(folder);
    let Ok(chart) = Chart::load_within(folder, "", &[], HelmVersion::V4, &boundary) else {
        return false;
    };
    let holds = |text: &&[u8]| memchr::memmem::find(text, definition.as_bytes()).is_some();
    let declared = chart.metadata.dependencies.iter().flatten();
    let mut linked = declared.filter_map(|one| one.repository.strip_prefix("file://"));
    all_templates(&chart).iter().any(holds)
        || is_parent
            && linked.any(|path| defines(&normal(&folder.join(path)), definition, unit, false))
}

/// The name of the template whose absence makes a render fail.
fn absent_template(failure: &Error) -> Option<&str> {
    let message = Some(&*failure.message).filter(|_| failure.reason == Reason::Execution)?;
    let is_absent = message.contains("no template \"") || message.contains("\" not defined");
    let (_, rest) = message.split_once("template \"").filter(|_| is_absent)?;
    rest.split('"').next()
}
