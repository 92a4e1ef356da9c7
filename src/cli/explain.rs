//! `joblint explain`.

mod search;

use std::process::ExitCode;

use job_lifecycle::suggest::nearest;

use super::{Error, print, session::Session};
use crate::rules::{self, Example, Files, Rule};

pub(crate) fn run(text: &str) -> Result<ExitCode, Error> {
    let id = text.trim().to_lowercase().replace(['_', ' '], "-");
    if let Some(rule) = rules::find(&id).or_else(|| own(text.trim())) {
        print(&page(rule));
        return Ok(ExitCode::SUCCESS);
    }
    let predicting = search::predicting(text);
    let (title, found) = match predicting.is_empty() {
        true => ("Rules that match", search::matching(text)),
        false => ("Rules that predict this error", predicting),
    };
    if found.is_empty() {
        let near = nearest(text, rules::all().iter().map(|rule| rule.id));
        return Err(Error::UnknownRule { text: text.to_owned(), near });
    }
    if let [rule] = found[..] {
        print(&page(rule));
        return Ok(ExitCode::SUCCESS);
    }
    print(&format!("{title}:\n\n"));
    for rule in found {
        print(&format!("{}\n    {}\n    {}\n", rule.id, rule.meta().summary, rule.meta().help()));
    }
    print("\nRun `joblint explain RULE` for the whole page.\n");
    Ok(ExitCode::SUCCESS)
}

/// A policy or rule of the user, by its name or by the id of its findings.
fn own(text: &str) -> Option<&'static Rule> {
    // The API server's answer names the policy.
    let quoted =
        text.split_once("ValidatingAdmissionPolicy '").and_then(|(_, rest)| rest.split_once('\''));
    let text = quoted.map_or(text, |(name, _)| name);
    let ids = [text.to_owned(), format!("policy[{text}]"), format!("rule[{text}]")];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-.[]".contains(c);
    if !text.chars().all(is_name) {
        return None;
    }
    let session = Session::of_paths(&[], None).ok()?;
    session.policies().rules.into_iter().find(|rule| ids.iter().any(|id| id == rule.id))
}

/// A rule's page for a terminal.
fn page(rule: &Rule) -> String {
    let meta = rule.meta();
    let mut out = format!("{}: {}\n\n{}\n", rule.id, meta.summary, meta.facts());
    out += &format!("\nWhy\n{}\nWhat to do\n{}", indented(&meta.why), indented(&meta.remedy));
    if let Some(text) = &meta.fix_safety {
        out += &format!("\nThe fix\n{}", indented(text));
    }
    if !meta.options.is_empty() {
        out += "\nOptions\n";
        for (name, option) in &meta.options {
            out += &format!("    {name}: {} (default {})\n", option.about.trim(), option.default);
        }
    }
    for example in &rule.examples() {
        out += &shown(example);
    }
    if !meta.references.is_empty() {
        out += &format!("\nReferences\n{}", indented(&meta.references.join("\n")));
    }
    out
}

fn shown(example: &Example) -> String {
    let mut out = format!("\nExample: {}\n", example.name);
    let deployers = match example.deployer.as_slice() {
        [] => String::new(),
        deployers => format!(" (deployed by {})", deployers.join(", ")),
    };
    for (title, files) in
        [("deployed", &example.base), ("bad", &example.bad), ("good", &example.good)]
    {
        if let Some(files) = files {
            out += &format!("  {title}{deployers}\n{}", listing(files));
        }
    }
    out
}

fn listing(files: &Files) -> String {
    let single = matches!(files, Files::One(_));
    let each = files.each().into_iter().map(|(path, text)| {
        let name = if single { String::new() } else { format!("    # {path}\n") };
        name + &indented(text)
    });
    each.collect()
}

fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    text.trim_end().lines().map(line).collect()
}
