//! `joblint rules`.

use std::process::ExitCode;

use serde_json::json;

use super::{args::ListFormat, print};
use crate::rules::{self, Category, Meta, Persona};

pub(crate) fn run(format: ListFormat) -> ExitCode {
    print(&match format {
        ListFormat::Table => table(),
        ListFormat::Json => catalogue(),
        ListFormat::Markdown => markdown(),
    });
    ExitCode::SUCCESS
}

fn table() -> String {
    let width = rules::all().iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    let row = |meta: &Meta| {
        let severity = format!("{}{}", meta.severity.name(), mark(meta));
        format!("{:width$}  {severity:<9}  {}\n", meta.id, meta.summary)
    };
    let rows: String = rules::all().iter().map(|rule| row(rule.meta())).collect();
    rows + "\n* only with --pedantic. `joblint explain RULE` shows a rule's page.\n"
}

fn mark(meta: &Meta) -> &'static str {
    if meta.persona == Persona::Pedantic { "*" } else { "" }
}

fn catalogue() -> String {
    let rule = |meta: &Meta| {
        let mut rule = json!({
            "id": meta.id,
            "summary": meta.summary,
            "category": meta.category.name(),
            "severity": meta.severity,
            "confidence": meta.confidence,
            "pedantic": meta.persona == Persona::Pedantic,
            "deployer": meta.deployer,
            "help": meta.help(),
        });
        if let Some(fix) = meta.fix {
            rule["fix"] = json!(fix);
        }
        rule
    };
    let all: Vec<_> = rules::all().iter().map(|each| rule(each.meta())).collect();
    serde_json::to_string_pretty(&json!({ "version": 1, "rules": all })).expect("plain JSON") + "\n"
}

/// The text of `rules/README.md`.
fn markdown() -> String {
    let mut out = "# Rules\n\nWritten by `joblint rules --output markdown`; each id links to the rule's page.\n\
                   **p**: only with `--pedantic`. **D**: depends on what deploys the object.\n\n\
                   <!-- site: rules -->\n"
        .to_owned();
    for category in Category::ALL {
        let own: Vec<_> =
            rules::all().iter().filter(|rule| rule.meta().category == category).collect();
        if own.is_empty() {
            continue;
        }
        out += &format!(
            "\n## {}\n\n| rule | severity | what is true when it fires | fix |\n|---|---|---|---|\n",
            category.title()
        );
        for rule in own {
            let meta = rule.meta();
            let pedantic = if meta.persona == Persona::Pedantic { " p" } else { "" };
            let deployer = if meta.deployer { " D" } else { "" };
            let fix = meta.fix.map_or("", |fix| fix.name());
            let severity = meta.severity.name();
            out += &format!(
                "| [`{0}`]({0}.yaml) | {severity}{pedantic}{deployer} | {1} | {fix} |\n",
                meta.id, meta.summary
            );
        }
    }
    out
}
