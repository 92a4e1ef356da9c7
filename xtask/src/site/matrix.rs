//! The matrix "What happens to my Job?": every observed cell, with the tool that was seen and what it said.

use std::{error::Error, fs, path::Path};

use job_lifecycle::forecast::legend;
use serde_json::{Value, json};

use super::put;
use crate::{
    observe::{self, Kustomized},
    own,
};

/// The names of the columns in the tables of `testdata/observed`.
const COLUMNS: &str = "case\tworkload\tdeployer\tevent\toutcome\talso\tended\tobjects\tmessage";

/// The tables in the order of the page: command-line tools, and controllers before the engines inside them.
const TABLES: [&str; 8] = [
    "helm3",
    "helm4",
    "kubectl",
    "argocd-controller",
    "argocd",
    "helm-controller",
    "kustomize-controller",
    "flux",
];

/// Writes the cells as `matrix.json`, and the script that shows them.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let path = |name: &&str| own(observe::FOLDER).join(format!("{name}.tsv"));
    let tables = TABLES.iter().map(|name| table(&path(name)));
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    let mut matrix = serde_json::to_value(legend())?;
    matrix["tables"] = json!(tables);
    matrix["cases"] = cases();
    put(&folder.join("matrix.json"), &matrix.to_string())?;
    fs::copy(own("docs/site/matrix.js"), folder.join("matrix.js"))?;
    Ok(())
}

/// A table: who played it, and its rows.
fn table(path: &Path) -> Result<Value, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let mut lines = text.lines();
    let head = lines.next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
    if lines.next().and_then(|line| line.strip_prefix("# ")) != Some(COLUMNS) {
        return Err(format!("{}: other columns than expected", path.display()).into());
    }
    let rows = lines.map(|line| {
        let mut cells: Vec<_> = line.split('\t').collect();
        cells.resize(COLUMNS.split('\t').count(), "");
        json!(cells)
    });
    let (tool, server) = head.split_once(", ").unwrap_or((head, ""));
    let name = path.file_stem().map(|name| name.to_string_lossy());
    Ok(json!({ "name": name, "tool": tool, "server": server, "rows": rows.collect::<Vec<_>>() }))
}

/// The objects of each case as YAML, as a chart's template or the base of a kustomization contains them, and the
/// overlay of a kustomization.
fn cases() -> Value {
    let all = observe::played().into_iter().map(|case| {
        let mut texts: Vec<_> = case.kustomization.iter().flat_map(overlay).collect();
        texts.extend(case.objects().iter().chain(&case.beside).map(yaml));
        (case.case, json!(texts.join("---\n")))
    });
    Value::Object(all.collect())
}

fn overlay(overlay: &Kustomized) -> Vec<String> {
    let mut texts = vec![format!("# the overlay's kustomization.yaml\n{}", yaml(&overlay.fields))];
    texts.extend(overlay.next.iter().map(|next| format!("# in the next version\n{}", yaml(next))));
    let file = |(path, text): (&String, &String)| format!("# {path} of the overlay\n{text}");
    texts.extend(overlay.files.iter().map(file));
    texts
}

fn yaml(value: &Value) -> String {
    serde_yaml::to_string(value).expect("plain values")
}
