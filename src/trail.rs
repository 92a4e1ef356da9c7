//! What was read and why, for `--verbose`.

use crate::{
    beside, chart, deployers,
    discover::{self, Discovered, Request, shown},
    settings::Settings,
    unit::{Counts, Loaded, Unit, UnitKind},
    words::count,
};

/// The most value sets, files or deployments that one line names.
const MOST: usize = 8;

/// The title of a unit, and what was read of it, with which values and for which deployer.
pub(crate) fn of_unit(
    unit: &Unit,
    views: &[Loaded],
    counts: &Counts,
    settings: &Settings,
) -> (String, String) {
    let mut line = format!(
        "{}, {}, {}",
        count(counts.files, "file"),
        count(counts.objects, "object"),
        count(counts.workloads, "workload")
    );
    let names = views.iter().filter_map(|view| view.rendering.as_ref()).map(|rendering| {
        let mark = if rendering.is_explored { " (to enable Jobs)" } else { "" };
        format!("{}{mark}", rendering.values)
    });
    let names: Vec<_> = names.collect();
    if !names.is_empty() {
        line += &format!("; values: {}", some(&names));
    }
    if let Some(first) = views.first().filter(|_| counts.objects > 0) {
        line += &format!("; deployer: {}", deployer(unit, first, settings));
    }
    (title(unit), line)
}

fn title(unit: &Unit) -> String {
    let root = shown(&unit.root);
    let root = if root.is_empty() { "." } else { &root };
    match unit.kind {
        UnitKind::Chart => format!("chart {root}"),
        UnitKind::Overlay => kustomizations(unit),
        UnitKind::Plain if unit.files.iter().all(|file| file.named) => {
            let names: Vec<_> = unit.files.iter().map(|file| file.shown.clone()).collect();
            format!("{} (named)", some(&names))
        }
        UnitKind::Plain => format!("manifests in {root}"),
    }
}

/// The kustomizations that share files.
fn kustomizations(unit: &Unit) -> String {
    let folders = unit.roots.iter().map(|root| root.shown.as_str());
    let mut names: Vec<_> =
        folders.map(|folder| if folder.is_empty() { "." } else { folder }.to_owned()).collect();
    names.dedup();
    let several = if names.len() == 1 { "" } else { "s" };
    format!("kustomization{several} {}", some(&names))
}

/// The deployers of a view and what decided them.
fn deployer(unit: &Unit, view: &Loaded, settings: &Settings) -> String {
    let found = deployers::of_check(unit, view, settings);
    let names: Vec<_> = found.iter().map(|one| one.tool.name()).collect();
    let titles: Vec<_> =
        view.deployments(unit).iter().map(|one| one.title.replace('`', "")).collect();
    let why = if !settings.deployers.is_empty() {
        "stated by a flag or the settings".to_owned()
    } else if !titles.is_empty() {
        format!("stated by {}", some(&titles))
    } else if found.iter().all(|one| one.assumed) {
        "assumed".to_owned()
    } else {
        "stated by annotations".to_owned()
    };
    format!("{} ({why})", names.join(", "))
}

fn some(names: &[String]) -> String {
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The files that a check of a request reads, in order, and what is wrong with its paths.
pub(crate) fn files(request: &Request) -> (Vec<String>, Vec<String>) {
    let Discovered { units, walked, errors, .. } = beside::discover(request);
    let overlays = walked.iter().filter(|path| discover::is_overlay_file(path));
    let mut files: Vec<_> = overlays.map(|path| shown(path)).collect();
    for unit in units.iter().filter(|unit| !unit.unlisted) {
        match unit.kind {
            UnitKind::Chart => files.extend(chart::files_of(unit)),
            UnitKind::Plain | UnitKind::Overlay => {
                files.extend(unit.files.iter().map(|file| file.shown.clone()));
            }
        }
    }
    files.sort();
    files.dedup();
    (files, errors)
}
