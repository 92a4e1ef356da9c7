//! What an editor shows over a place: the forecast over the kind of a Job, what an action of a template prints, and
//! over a finding the page of its rule, as `joblint explain` prints it, in Markdown.

use std::{fmt::Write, ops::Range as Bytes, path::Path};

use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind, Range};

use super::{
    actions::touches,
    documents::{Document, Documents},
    flow, jobs,
    position::{Encoding, Lines},
    snapshot::Snapshot,
    template::{self, Word},
};
use crate::rules::{Example, Files, Rule};

/// The most Jobs that are named for one action.
const MOST_JOBS: usize = 8;

/// What there is to say at a position.
pub(super) fn at(
    params: &HoverParams,
    snapshot: &Snapshot,
    documents: &Documents,
    encoding: Encoding,
) -> Option<Hover> {
    let place = &params.text_document_position_params;
    let (path, document) = documents.get(&place.text_document.uri)?;
    let here = Range::new(place.position, place.position);
    let lines = Lines::new(&document.text, encoding);
    let action = template::action_at(&document.text, lines.offset(place.position));
    let offset = lines.offset(place.position);
    let action = action.and_then(|action| {
        let text = action_text(path, document, &action, offset, snapshot)?;
        let (start, end) = (lines.position(action.start), lines.position(action.end));
        Some((text, Range::new(start, end)))
    });
    let parts = [jobs::table(path, here, snapshot, encoding), action, pages(path, here, snapshot)];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    let range = parts.first().map(|(_, range)| *range);
    let texts: Vec<_> = parts.into_iter().map(|(text, _)| text).collect();
    let value = (!texts.is_empty()).then(|| texts.join("\n---\n\n"))?;
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range })
}

/// What the action at a position prints under each value set, and the Jobs that hold it; the values that it reads, if
/// it prints nothing.
fn action_text(
    path: &Path,
    document: &Document,
    action: &Bytes<usize>,
    offset: usize,
    snapshot: &Snapshot,
) -> Option<String> {
    let word = template::word_at(&document.text, action, offset);
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    let mut objects = flow::Printed::default();
    for scene in &snapshot.scenes {
        let printed = scene.printed(path);
        let redactor = std::cell::LazyCell::new(|| scene.redactor());
        for view in scene.views() {
            let Some(rendering) = &view.rendering else { continue };
            let found = flow::printed(rendering, &printed, action);
            let own =
                found.as_ref().filter(|found| found.texts.iter().any(|text| !text.is_empty()));
            let mut text = match (own, &word) {
                (Some(found), _) => found.texts.iter().map(|text| fenced(text)).collect(),
                (None, Some(Word::Fields(fields))) => {
                    let names = flow::value_path(rendering, &printed, fields);
                    let Some(names) = names else { continue };
                    let setting = rendering.setting(&names);
                    // A set of values holds a part of a table; the chart has the rest.
                    if setting.is_some_and(|setting| setting.as_table().is_some()) {
                        continue;
                    }
                    let value = setting.map(|setting| setting.to_json().to_string());
                    fenced(&value.unwrap_or_else(|| "# not set".to_owned()))
                }
                _ => continue,
            };
            redactor.hide(&mut text);
            let name = format!("`{}`", view.name);
            match texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(name),
                None => texts.push((text, vec![name])),
            }
            if let Some(found) = found {
                objects.jobs.extend(found.jobs);
                objects.others = objects.others.max(found.others);
            }
        }
    }
    let mut out = String::new();
    for (text, names) in &texts {
        write!(out, "With {}:\n\n{text}\n", names.join(", ")).expect("writing to a String");
    }
    out += &reached(&objects);
    (!texts.is_empty()).then_some(out)
}

/// The objects that hold what an action prints.
fn reached(found: &flow::Printed) -> String {
    let jobs: Vec<_> = found.jobs.iter().take(MOST_JOBS).map(String::as_str).collect();
    let left = found.jobs.len() - jobs.len();
    match (&jobs[..], found.others) {
        ([], 0) => String::new(),
        ([], _) => "Reaches no Job or hook.\n".to_owned(),
        (jobs, _) if left == 0 => format!("Reaches {}.\n", jobs.join(", ")),
        (jobs, _) => format!("Reaches {} and {left} more.\n", jobs.join(", ")),
    }
}

/// The pages of the rules at a place.
fn pages(path: &Path, here: Range, snapshot: &Snapshot) -> Option<(String, Range)> {
    let touched = snapshot.marks.get(path)?.iter().filter(|mark| touches(mark.range, here));
    let touched: Vec<_> = touched.collect();
    let mut rules: Vec<&'static Rule> = Vec::new();
    for rule in touched.iter().filter_map(|mark| snapshot.findings[mark.finding].rule) {
        if !rules.iter().any(|known| known.id == rule.id) {
            rules.push(rule);
        }
    }
    let pages: Vec<_> = rules.into_iter().map(page).collect();
    let first = touched.first().filter(|_| !pages.is_empty())?;
    Some((pages.join("\n---\n\n"), first.range))
}

/// The page of a rule in Markdown.
pub(super) fn page(rule: &Rule) -> String {
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
