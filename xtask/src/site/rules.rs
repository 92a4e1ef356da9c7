//! The pages of the rules, and the texts of errors by which they are found.

use std::{error::Error, fs, path::Path};

use joblint::rules::{Example, Files, Rule};
use serde_json::json;

use super::{playground, put};
use crate::own;

/// The search by error text on the page of all rules.
pub const SEARCH: &str = concat!(
    "<div id=\"rule-search\">\n",
    "<label for=\"error\">Paste an error message, or words of a rule:</label>\n",
    "<input id=\"error\" type=\"search\" spellcheck=\"false\" autocomplete=\"off\" ",
    "placeholder=\"UPGRADE FAILED: cannot patch &quot;shop-migrate&quot; with kind Job: field is immutable\">\n",
    "<ul aria-live=\"polite\"></ul>\n</div>\n",
    "<script type=\"module\" src=\"search.js\"></script>\n",
);

/// Writes what the search needs: for each rule its words and the error texts that it predicts.
pub fn write_index(folder: &Path) -> Result<(), Box<dyn Error>> {
    let rules = joblint::rules::all().iter().map(|rule| {
        let meta = rule.meta();
        json!({ "id": rule.id, "summary": meta.summary, "help": meta.help(), "symptoms": meta.symptom })
    });
    let index = serde_json::Value::from_iter(rules);
    put(&folder.join("rules.json"), &index.to_string())?;
    fs::copy(own("docs/site/search.js"), folder.join("search.js"))?;
    Ok(())
}

/// A rule's page.
pub fn page(rule: &Rule) -> String {
    let meta = rule.meta();
    let mut out =
        format!("# {}\n\n**{}**\n\n{}\n", rule.id, capitalised(&meta.summary), meta.facts());
    if !meta.symptom.is_empty() {
        out += "\n## What you may see\n\n";
        out.extend(meta.symptom.iter().map(|text| format!("- `{text}`\n")));
    }
    out += &format!("\n## Why\n\n{}\n## What to do\n\n{}", meta.why, meta.remedy);
    if let Some(text) = &meta.fix_safety {
        out += &format!("\n## The fix\n\n{text}");
    }
    if !meta.options.is_empty() {
        out += "\n## Options\n\n| option | default | |\n|---|---|---|\n";
        for (name, option) in &meta.options {
            out += &format!("| `{name}` | `{}` | {} |\n", option.default, option.about.trim());
        }
    }
    out += "\n## Examples\n";
    out.extend(rule.examples().iter().map(example));
    out += &format!(
        "\n## Ignore it\n\nOn the line of the finding, on the line above it, or above the object:\n\n\
         ```yaml\n# joblint: ignore[{}] the reason\n```\n",
        rule.id
    );
    if !meta.references.is_empty() {
        out += "\n## References\n\n";
        out.extend(meta.references.iter().map(|address| format!("- <{address}>\n")));
    }
    out + &format!("\nSince {}.\n", meta.since)
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn example(example: &Example) -> String {
    let mut out = format!("\n### {}\n", capitalised(&example.name));
    if !example.deployer.is_empty() {
        out += &format!("\nDeployed by `{}`.\n", example.deployer.join("`, `"));
    }
    if let Some(settings) = &example.settings {
        out += &format!("\nWith these settings:\n\n```yaml\n{}\n```\n", settings.trim_end());
    }
    if example.pedantic {
        out += "\nOnly with `--pedantic`.\n";
    }
    let is_better = example.bad.is_some();
    let good = if is_better { "Better" } else { "No finding" };
    for (title, files) in
        [("Deployed before", &example.base), ("Finding", &example.bad), (good, &example.good)]
    {
        out.extend(files.iter().map(|files| format!("\n*{title}*\n{}", listing(files))));
    }
    let bad = example.bad.as_ref().filter(|_| example.base.is_none() && !example.pedantic);
    let link = bad.map(|files| playground::link(example, files));
    out.extend(
        link.map(|link| format!("\n[Open in the playground](../docs/playground.md{link})\n")),
    );
    out
}

fn listing(files: &Files) -> String {
    let single = matches!(files, Files::One(_));
    let each = files.each().into_iter().map(|(path, text)| {
        let name = if single { String::new() } else { format!("\n`{path}`\n") };
        format!("{name}\n```yaml\n{}\n```\n", text.trim_end())
    });
    each.collect()
}
