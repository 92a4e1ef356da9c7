//! Commands: the forecast of a file as a page, and the page of a rule.

use lsp_types::ExecuteCommandParams;
use serde_json::{Value, json};

use super::{
    hover,
    jobs::{self, FORECAST},
    snapshot::Snapshot,
    uri::path_of,
};
use crate::{
    report::{ForecastFormat, Style, print_forecast},
    rules,
};

/// The command that shows the page of a rule.
pub(super) const EXPLAIN: &str = "joblint.explain";

/// All commands of the server.
pub(super) const ALL: [&str; 2] = [FORECAST, EXPLAIN];

/// What a command shows.
#[derive(Debug, PartialEq)]
pub(super) struct Shown {
    /// For clients that ask for it: HTML and Markdown.
    pub(super) result: Value,
    /// For all others: a message.
    pub(super) message: String,
}

/// Runs a command.
///
/// # Errors
/// The command or its argument is unknown; the text says which.
pub(super) fn run(params: &ExecuteCommandParams, snapshot: &Snapshot) -> Result<Shown, String> {
    let argument = params.arguments.first().and_then(Value::as_str);
    match (&*params.command, argument) {
        (FORECAST, Some(uri)) => forecast(uri, snapshot),
        (EXPLAIN, Some(id)) => {
            let rule = rules::find(id).ok_or_else(|| format!("`{id}` is no rule"))?;
            let meta = rule.meta();
            let message = format!("{id}: {}\n\n{}", meta.summary, meta.remedy.trim());
            Ok(Shown { result: json!({ "title": id, "markdown": hover::page(rule) }), message })
        }
        (FORECAST, None) => Err(format!("`{FORECAST}` needs the address of a file")),
        (EXPLAIN, None) => Err(format!("`{EXPLAIN}` needs a rule")),
        (other, _) => Err(format!("`{other}` is no command")),
    }
}

fn forecast(uri: &str, snapshot: &Snapshot) -> Result<Shown, String> {
    let path = uri.parse().ok().as_ref().and_then(path_of);
    let path = path.ok_or_else(|| format!("`{uri}` is not the address of a file"))?;
    let mut shown = jobs::scenes(&path, snapshot).filter(|scene| !scene.outlook.blocks.is_empty());
    let Some(scene) = shown.next() else {
        let message = "no Job, CronJob or hook here".to_owned();
        return Ok(Shown { result: Value::Null, message });
    };
    let print = |format| print_forecast(&scene.outlook, format, &Style::default());
    let result = json!({
        "title": scene.title,
        "html": print(ForecastFormat::Html),
        "markdown": print(ForecastFormat::Markdown),
    });
    Ok(Shown { result, message: print(ForecastFormat::Table) })
}
