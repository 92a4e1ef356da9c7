//! Manifests beside a kustomization that does not list them. Nothing deploys them, and they are often incomplete objects, unless a
//! script or guide tells to apply one of them by hand: `kubectl apply -f k8s/migrate.yaml`.

use crate::{
    discover::{self, Discovered, Request},
    load, scripts,
    unit::{File, Unit},
    words::count,
};

/// Turns paths into units, with the files that are applied by hand. A note counts the others.
pub(crate) fn discover(request: &Request) -> Discovered {
    let mut found = discover::discover(request);
    let mut left = 0;
    for mut unit in std::mem::take(&mut found.beside) {
        let (applied, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut unit.files).into_iter().partition(|file| is_applied(file, &unit));
        left += others.len();
        if !applied.is_empty() {
            found.units.push(Unit { files: applied, ..unit });
        }
    }
    if left > 0 {
        let files = count(left, "file");
        found
            .notes
            .push(format!("{files} beside a kustomization that does not list them: not checked"));
    }
    found
}

/// Whether a file holds a Job or hook, and a script or guide applies it.
fn is_applied(file: &File, unit: &Unit) -> bool {
    let read = || unit.boundary.read(&file.path).ok();
    let text = file.text.clone().or_else(read);
    text.is_some_and(|text| load::declares_jobs(&text))
        && scripts::apply_file(&file.path, &unit.boundary)
}
