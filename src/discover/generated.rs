//! Charts whose `Chart.yaml` another tool makes: they cannot be rendered as they are.

use std::{collections::BTreeSet, fs, path::Path};

use super::shown;
use crate::{
    load::may_hold_jobs,
    unit::{Boundary, File, Unit, is_filled_in},
    words::count,
};

/// The endings of files that tools fill in.
const ENDINGS: [&str; 8] = ["gotmpl", "in", "j2", "jinja", "template", "tmpl", "tmplt", "tpl"];
/// The folder of a chart's templates.
const TEMPLATES: &str = "templates";

/// The note about files of which the `Chart.yaml` of charts with Jobs or hooks are made.
pub(super) fn note(all: &BTreeSet<String>) -> Option<String> {
    let first = all.first()?;
    Some(match all.len() {
        1 => format!("the chart of `{first}`, which another tool fills in: not checked"),
        more => {
            let charts = count(more, "chart");
            format!("{charts}, such as that of `{first}`, which another tool fills in: not checked")
        }
    })
}

/// The `Chart.yaml` of a chart with Jobs or hooks that is itself a template, as Cookiecutter's are.
pub(super) fn chart(unit: &Unit) -> Option<String> {
    let path = unit.root.join("Chart.yaml");
    let text = unit.boundary.read_to_string(&path).ok()?;
    if !text.lines().any(is_template) {
        return None;
    }
    let mut files = fs::read_dir(unit.root.join(TEMPLATES)).ok()?.flatten();
    let holds = |path: &Path| unit.boundary.read(path).is_ok_and(|text| may_hold_jobs(&text));
    files.any(|file| holds(&file.path())).then(|| shown(&path))
}

/// Whether a line of a `Chart.yaml` is no YAML, or names the chart with a template or a placeholder.
fn is_template(line: &str) -> bool {
    let mut marks = ["{{", "{%", "<%"].iter();
    let name = line.strip_prefix("name:").map(|name| name.trim().trim_matches(['"', '\'']));
    if name.is_some_and(is_filled_in) {
        return true;
    }
    match ["name:", "version:"].iter().any(|key| line.starts_with(key)) {
        true => marks.any(|mark| line.contains(mark)),
        false => marks.any(|mark| line.trim_start().starts_with(mark)),
    }
}

/// The file of which a `Chart.yaml` is made, such as `Chart.yaml.in`, beside a folder `templates` whose files may hold
/// Jobs or hooks.
pub(super) fn around(folder: &Path, files: &[File], boundary: &Boundary) -> Option<String> {
    let root = folder.parent().filter(|_| folder.file_name() == Some(TEMPLATES.as_ref()))?;
    let holds = |file: &File| match &file.text {
        Some(text) => may_hold_jobs(text),
        None => boundary.read(&file.path).is_ok_and(|text| may_hold_jobs(&text)),
    };
    let here = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let names = fs::read_dir(here).ok()?.flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let is_source = |name: &String| {
        name.strip_prefix("Chart.yaml.").is_some_and(|ending| ENDINGS.contains(&ending))
    };
    let first = names.filter(is_source).min()?;
    files.iter().any(holds).then(|| shown(&root.join(first)))
}
