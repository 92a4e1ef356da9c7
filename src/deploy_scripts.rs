//! What the scripts, pipelines and guides that serve a unit do when they deploy it.

pub(crate) mod ansible;
pub(crate) mod deletions;
mod names;
pub(crate) mod references;
pub(crate) mod settings;

use std::path::{Path, PathBuf};

use crate::{
    discover::absolute,
    scripts::{is_pipeline, may_be_script, serving},
    unit::{Unit, UnitKind},
};

/// Whether something holds for a script or pipeline that serves a unit.
fn any(unit: &Unit, holds: impl Fn(&str) -> bool) -> bool {
    first(unit, holds).is_some()
}

/// The first script or pipeline that serves a unit of which something holds.
fn first(unit: &Unit, holds: impl Fn(&str) -> bool) -> Option<PathBuf> {
    first_text(unit, |path, text| is_run(path) && holds(text))
}

fn is_run(path: &Path) -> bool {
    may_be_script(path) || is_pipeline(path)
}

/// The first of the scripts, pipelines and guides that serve a unit of which something holds.
fn first_text(unit: &Unit, is_it: impl Fn(&Path, &str) -> bool) -> Option<PathBuf> {
    let first = match (unit.kind, unit.roots.first()) {
        (UnitKind::Chart, _) => Some(unit.root.join("Chart.yaml")),
        (_, Some(root)) => Some(root.folder.join("kustomization.yaml")),
        (_, None) => unit.files.first().map(|file| file.path.clone()),
    };
    let first = absolute(&first?);
    let mut all = serving(&first, &unit.boundary);
    all.find(|(_, path, text)| is_it(path, text)).map(|(_, path, _)| path)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use job_lifecycle::Object;
    use yaml_spans::Source;

    use crate::load;

    pub(super) fn job() -> Object {
        let text = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: shop-migrate, labels: {app: shop, part: init}}\n";
        let source = Arc::new(Source::new("app/templates/job.yaml", text.to_owned()));
        let loaded = load::load_text(&source, &mut |_| true);
        loaded.objects.into_iter().next().unwrap()
    }
}
