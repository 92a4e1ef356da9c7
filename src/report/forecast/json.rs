//! `--output json`, version 1 of the format.

use job_lifecycle::{Deployer, Hook, Outcome, deployer::OptionValue};
use serde::Serialize;
use serde_json::{Map, Value, json};
use yaml_spans::Location;

use crate::{
    facts,
    forecast::{Block, Cell, Column, Outlook},
    gitops::Tree,
    unit::{Deployment, DeploymentSource},
};

pub(crate) fn print(outlook: &Outlook) -> String {
    let workloads: Vec<_> = outlook.blocks.iter().map(workload).collect();
    let mut out = json!({ "version": 1, "workloads": workloads });
    if !outlook.deployments.is_empty() {
        out["gitops"] =
            outlook.deployments.iter().map(|one| deployment(one, &outlook.tree)).collect();
    }
    let text = serde_json::to_string_pretty(&out);
    text.expect("keys are texts and values plain") + "\n"
}

/// A GitOps object with what it deploys, or why that is unknown.
fn deployment(deployment: &Deployment, tree: &Tree) -> Value {
    let (place, mut out) = (deployment.place(), Map::new());
    put(&mut out, "title", Some(deployment.title.replace('`', "")));
    put(&mut out, "path", Some(&place.source.path));
    put(&mut out, "line", Some(place.start().line));
    put(&mut out, "deployer", Some(deployment.deployer.tool.name()));
    put(&mut out, "options", options(&deployment.deployer));
    put(&mut out, "assumed", Some(true).filter(|_| deployment.deployer.assumed));
    let (key, text) = match &deployment.source {
        DeploymentSource::Manifests(files) => ("files", json!(files.len())),
        DeploymentSource::Overlay { folder, .. } => ("overlay", json!(tree.shown(folder))),
        DeploymentSource::Chart(folder) => ("chart", json!(tree.shown(folder))),
        DeploymentSource::External(place) => ("elsewhere", json!(place)),
        DeploymentSource::Unresolved(why) => ("unresolved", json!(why)),
    };
    put(&mut out, key, Some(text));
    let missing = Some(&deployment.not_evaluated).filter(|all| !all.is_empty());
    put(&mut out, "notEvaluated", missing);
    Value::Object(out)
}

fn options(deployer: &Deployer) -> Option<Map<String, Value>> {
    let options: Map<_, _> =
        deployer.options().iter().map(|(name, value)| (name.to_string(), option(value))).collect();
    Some(options).filter(|options| !options.is_empty())
}

fn workload(block: &Block) -> Value {
    let start = block.location.start();
    let mut out = Map::new();
    let name = &block.name;
    put(&mut out, "kind", Some(&name.kind));
    put(&mut out, "namespace", name.namespace.as_ref());
    put(&mut out, "name", name.name.as_ref());
    put(&mut out, "generateName", name.generate_name.as_ref());
    put(&mut out, "path", Some(&block.location.source.path));
    put(&mut out, "line", Some(start.line));
    put(&mut out, "column", Some(start.column));
    let sets = Some(&block.value_sets).filter(|sets| !sets.is_empty());
    put(&mut out, "valueSets", sets);
    put(&mut out, "forecast", Some(block.columns.iter().map(column).collect::<Vec<_>>()));
    Value::Object(out)
}

fn column(column: &Column) -> Value {
    let mut out = Map::new();
    put(&mut out, "deployer", Some(column.deployer.tool.name()));
    put(&mut out, "options", options(&column.deployer));
    put(&mut out, "assumed", Some(true).filter(|_| column.deployer.assumed));
    put(&mut out, "hook", column.role.hook().map(hook));
    let events: Map<_, _> =
        column.events.iter().map(|(event, one)| (event.name().to_owned(), cell(one))).collect();
    put(&mut out, "events", Some(events));
    Value::Object(out)
}

fn option(value: &OptionValue) -> Value {
    match value {
        OptionValue::Flag(flag) => json!(flag),
        OptionValue::Text(text) => json!(text),
    }
}

fn hook(hook: &Hook) -> Value {
    json!({ "events": hook.events, "deletePolicies": hook.policies, "weight": hook.weight })
}

fn cell(cell: &Cell) -> Value {
    let mut out = Map::new();
    put(&mut out, "outcome", Some(cell.outcome));
    put(&mut out, "also", Some(&cell.also).filter(|also| !also.is_empty()));
    put(&mut out, "fields", Some(&cell.fields).filter(|fields| !fields.is_empty()));
    put(&mut out, "reason", Some(&cell.reason).filter(|reason| !reason.is_empty()));
    let is_explained = !cell.reason.is_empty() || cell.outcome == Outcome::Unknown;
    put(&mut out, "fact", Some(cell.fact).filter(|_| is_explained));
    put(&mut out, "factUrl", is_explained.then(|| facts::url(cell.fact)));
    let labels: Vec<_> = cell.labels.iter().map(|(at, text)| label(at, text)).collect();
    put(&mut out, "labels", Some(labels).filter(|labels| !labels.is_empty()));
    Value::Object(out)
}

fn label(at: &Location, text: &str) -> Value {
    let (start, end) = (at.start(), at.end());
    json!({
        "path": at.source.path, "line": start.line, "column": start.column,
        "endLine": end.line, "endColumn": end.column, "text": text,
    })
}

/// Inserts a key unless the value is absent.
fn put(out: &mut Map<String, Value>, key: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        out.insert(key.to_owned(), json!(value));
    }
}
