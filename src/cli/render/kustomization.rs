//! A folder with a kustomization file, printed as `kustomize build` prints it.

use std::{fmt::Write, path::Path, process::ExitCode, sync::Arc};

use kustomize_build::{Built, Charts, FILE_NAMES, Options, Origin, Value};
use serde::Serialize;
use yaml_spans::{Location, Source};

use crate::{
    cli::{
        UNCHECKED,
        args::{OriginFormat, RenderArgs},
        note, print,
    },
    discover::is_overlay_file,
    kustomize::HelmCharts,
    unit::Boundary,
};

/// The folder of the kustomization that a path names: that of a kustomization file, or a folder that holds one and is no
/// chart.
pub(super) fn folder_of(path: &Path) -> Option<&Path> {
    let has = |name: &&str| path.join(name).is_file();
    if is_overlay_file(path) && path.is_file() {
        let folder = path.parent()?;
        return Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    }
    (!has(&"Chart.yaml") && FILE_NAMES.iter().any(has)).then_some(path)
}

pub(super) fn run(arguments: &RenderArgs, folder: &Path) -> ExitCode {
    let charts = || Arc::new(HelmCharts::on_disk(Boundary::around([folder]))) as Arc<dyn Charts>;
    let options = Options {
        charts: arguments.enable_helm.then(charts),
        load_restrictor: arguments.load_restrictor.into(),
        ..Options::default()
    };
    match Built::from_folder(folder, &options) {
        Ok(built) => {
            built.warnings().iter().for_each(|warning| note(warning));
            match arguments.origin {
                None => print(built.print()),
                Some(OriginFormat::Human) => print(&human(&built)),
                Some(OriginFormat::Json) => print(&json(&built)),
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            note(&format!("Error: {error}"));
            ExitCode::from(UNCHECKED)
        }
    }
}

/// The output, with the places that each line comes from as a comment.
fn human(built: &Built) -> String {
    let mut text = String::new();
    let mut start = 0;
    for line in built.print().split_inclusive('\n') {
        let end = start + line.len();
        let values = built.values().iter().filter(|value| {
            let at = value.span.start as usize;
            (start..end).contains(&at)
        });
        text.push_str(line.trim_end_matches('\n'));
        let places = places(values.map(|value| &value.origin));
        if !places.is_empty() {
            write!(text, "  # {}", places.join(", ")).expect("writing to a String");
        }
        text.push('\n');
        start = end;
    }
    text
}

/// The distinct places of origins; that of the value itself before what changed it.
fn places<'o>(origins: impl Iterator<Item = &'o Origin>) -> Vec<String> {
    let mut places = Vec::new();
    for part in origins.flat_map(Origin::parts) {
        let place = place(&part.at);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn place(at: &Location) -> String {
    format!("{}:{}", at.source.path, at.start().line)
}

/// A value of the output with its sources. Lines and columns count from 1.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Traced {
    line: usize,
    column: usize,
    is_key: bool,
    sources: Vec<TracedSource>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TracedSource {
    path: String,
    line: usize,
    column: usize,
    /// The entries of kustomizations that lead there, outermost first.
    through: Vec<String>,
}

fn json(built: &Built) -> String {
    let printed = Source::read_only("", built.print());
    let traced = |value: &Value| {
        let start = printed.position(value.span.start);
        let sources = value.origin.parts().iter().map(|part| TracedSource {
            path: part.at.source.path.clone(),
            line: part.at.start().line,
            column: part.at.start().column,
            through: part.path().into_iter().map(place).collect(),
        });
        Traced {
            line: start.line,
            column: start.column,
            is_key: value.is_key,
            sources: sources.collect(),
        }
    };
    let values: Vec<_> = built.values().iter().map(traced).collect();
    serde_json::to_string_pretty(&values).expect("texts and numbers become JSON") + "\n"
}
