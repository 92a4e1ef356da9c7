//! What an editor shows over a finding: the page of its rule, as `joblint explain` prints it, in Markdown.

use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind, Range};

use super::{actions::touches, documents::Documents, snapshot::Snapshot};
use crate::rules::{Example, Files, Rule};

/// The pages of the rules at a position; `None` without a finding there.
pub(super) fn at(
    params: &HoverParams,
    snapshot: &Snapshot,
    documents: &Documents,
) -> Option<Hover> {
    let place = &params.text_document_position_params;
    let (path, _) = documents.get(&place.text_document.uri)?;
    let here = Range::new(place.position, place.position);
    let touched = snapshot.marks.get(path)?.iter().filter(|mark| touches(mark.range, here));
    let touched: Vec<_> = touched.collect();
    let mut rules: Vec<&'static Rule> = Vec::new();
    for rule in touched.iter().filter_map(|mark| snapshot.findings[mark.finding].rule) {
        if !rules.iter().any(|known| known.id == rule.id) {
            rules.push(rule);
        }
    }
    let pages: Vec<_> = rules.into_iter().map(page).collect();
    let value = (!pages.is_empty()).then(|| pages.join("\n---\n\n"))?;
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: touched.first().map(|mark| mark.range) })
}

/// The page of a rule in Markdown.
fn page(rule: &Rule) -> String {
    let meta = rule.meta();
    let mut out = format!("### {}\n\n{}\n\n_{}_\n", rule.id, meta.summary, meta.facts());
    out += &section("Why", &meta.why);
    out += &section("What to do", &meta.remedy);
    out += &meta.fix_safety.as_deref().map(|text| section("The fix", text)).unwrap_or_default();
    let options = meta.options.iter();
    let options = options.map(|(name, option)| {
        format!("- `{name}`: {} (default {})\n", option.about.trim(), option.default)
    });
    out += &section("Options", &options.collect::<String>());
    rule.examples().iter().for_each(|one| out += &example(one));
    let references = meta.references.iter().map(|address| format!("- <{address}>\n"));
    out += &section("References", &references.collect::<String>());
    out
}

fn section(title: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("\n**{title}**\n\n{text}\n"),
    }
}

fn example(example: &Example) -> String {
    let deployers = match example.deployer.as_slice() {
        [] => String::new(),
        deployers => format!(", deployed by {}", deployers.join(", ")),
    };
    let mut out = format!("\n**Example: {}**{deployers}\n", example.name);
    let parts = [("deployed", &example.base), ("bad", &example.bad), ("good", &example.good)];
    for (title, files) in parts {
        for (path, text) in files.iter().flat_map(Files::each) {
            let single = matches!(files, Some(Files::One(_)));
            let name = if single { String::new() } else { format!(": `{path}`") };
            out += &format!("\n{title}{name}\n\n{}", fenced(text));
        }
    }
    out
}

/// A block of code. Its fence is longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}yaml\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    #[test]
    fn every_rule_has_a_page() {
        for rule in rules::all() {
            let page = page(rule);
            assert!(page.starts_with(&format!("### {}\n", rule.id)), "{page}");
            assert!(page.contains("**Why**") && page.contains("**What to do**"), "{page}");
            assert_eq!(page.matches("\n```").count() % 2, 0, "{page}");
        }
    }
}
