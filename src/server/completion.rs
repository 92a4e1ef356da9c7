//! Completion of what deployers and joblint read: annotations with their values, sync options, the settings file, and
//! the rules in ignore comments.

mod context;
mod settings;

use std::{collections::BTreeMap, path::Path};

use context::Context;
use job_lifecycle::{
    annotations as keys,
    deploy::{APP_OPTIONS, ARGO_EVENTS, ARGO_POLICIES, HELM_EVENTS, HELM_POLICIES, OPTION_KEYS},
};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionTextEdit, Range, TextEdit,
};

use super::{
    documents::Documents,
    position::{Encoding, Lines},
    snapshot::Snapshot,
};
use crate::{
    rules::{self, Rule},
    settings::file::NAME,
};

/// The characters after which an editor asks by itself.
pub(super) const TRIGGERS: [&str; 6] = ["/", "[", ",", "=", "\"", " "];

/// A word that fits, and what it means.
#[derive(Clone)]
struct Choice {
    text: String,
    about: String,
    kind: CompletionItemKind,
}

impl Choice {
    fn new(text: impl Into<String>, about: impl Into<String>, kind: CompletionItemKind) -> Self {
        Self { text: text.into(), about: about.into(), kind }
    }
}

/// The words that fit at a position. The rules of the user are those of the last run.
pub(super) fn at(
    params: &CompletionParams,
    snapshot: &Snapshot,
    documents: &Documents,
    encoding: Encoding,
) -> Vec<CompletionItem> {
    let place = &params.text_document_position;
    let Some((path, document)) = documents.get(&place.text_document.uri) else {
        return Vec::new();
    };
    let lines = Lines::new(&document.text, encoding);
    let context = Context::at(&document.text, lines.offset(place.position));
    let start = lines.position(context.start);
    let range = Range::new(start, place.position);
    let rules = Rules(&snapshot.own_rules);
    choices(path, &context, rules).into_iter().map(|choice| item(choice, range)).collect()
}

fn item(choice: Choice, range: Range) -> CompletionItem {
    CompletionItem {
        filter_text: Some(choice.text.trim_end_matches([':', ' ']).to_owned()),
        label: choice.text.trim_end_matches([':', ' ']).to_owned(),
        detail: Some(choice.about).filter(|about| !about.is_empty()),
        kind: Some(choice.kind),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, choice.text))),
        ..CompletionItem::default()
    }
}

fn choices(path: &Path, context: &Context<'_>, rules: Rules<'_>) -> Vec<Choice> {
    if context.names_rules() {
        return rules.ids();
    }
    if path.file_name().is_some_and(|name| name == NAME) {
        return settings::choices(context, rules);
    }
    match (&context.key, context.path.last().map(String::as_str)) {
        (Some(key), _) if key == "joblint.dev/ignore" => rules.ids(),
        (Some(key), _) => values_of(key),
        (None, Some("syncOptions")) => words(APP_OPTIONS),
        (None, Some(parent)) if is_annotations(parent) && !context.is_item => annotation_keys(),
        _ => Vec::new(),
    }
}

/// The rules that exist: those of the user, then joblint's.
#[derive(Clone, Copy)]
struct Rules<'a>(&'a [&'static Rule]);

impl Rules<'_> {
    /// All ids, with the summaries.
    fn ids(self) -> Vec<Choice> {
        let known = rules::all().iter().map(|rule| choice(rule));
        self.own().into_iter().chain(known).collect()
    }

    /// The ids of the user's rules.
    fn own(self) -> Vec<Choice> {
        let own: BTreeMap<_, _> = self.0.iter().map(|rule| (rule.id, *rule)).collect();
        own.into_values().map(choice).collect()
    }
}

fn choice(rule: &Rule) -> Choice {
    Choice::new(rule.id, rule.meta().summary.clone(), CompletionItemKind::VALUE)
}

/// `annotations`, or a value that charts pass on as annotations: `podAnnotations`, `commonAnnotations`.
fn is_annotations(key: &str) -> bool {
    key.to_ascii_lowercase().ends_with("annotations")
}

/// Annotations that are no lists of options, with what they do.
const ANNOTATIONS: &[(&str, &str)] = &[
    (keys::HELM_HOOK, "the events for which Helm runs this as a hook"),
    (keys::HELM_WEIGHT, "the order in which Helm runs the hooks of an event"),
    (keys::HELM_DELETE_POLICY, "when Helm deletes the hook"),
    (keys::RESOURCE_POLICY, "`keep` stops Helm from deleting the object"),
    (keys::ARGO_HOOK, "the phases of a sync in which Argo CD runs this as a hook"),
    (keys::ARGO_DELETE_POLICY, "when Argo CD deletes the hook"),
    (keys::ARGO_WAVE, "the order in which Argo CD applies the objects of a phase"),
    ("joblint.dev/ignore", "rules to ignore for this object, with a reason"),
];

fn annotation_keys() -> Vec<Choice> {
    let options = OPTION_KEYS.iter().map(|own| (own.key, own.tool.title()));
    let all = ANNOTATIONS.iter().copied().chain(options);
    all.map(|(key, about)| Choice::new(format!("{key}: "), about, CompletionItemKind::PROPERTY))
        .collect()
}

/// The values that a deployer knows for an annotation.
fn values_of(key: &str) -> Vec<Choice> {
    match key {
        keys::HELM_HOOK => words(HELM_EVENTS),
        keys::HELM_DELETE_POLICY => words(HELM_POLICIES),
        keys::RESOURCE_POLICY => words(&["keep"]),
        keys::ARGO_HOOK => ARGO_EVENTS.iter().map(|(event, since)| phase(event, since)).collect(),
        keys::ARGO_DELETE_POLICY => words(ARGO_POLICIES),
        _ => {
            let known = OPTION_KEYS.iter().find(|own| own.key == key);
            known.map(|own| [words(own.known), words(own.defaults)].concat()).unwrap_or_default()
        }
    }
}

fn phase(event: &str, since: &[u32]) -> Choice {
    let version: Vec<_> = since.iter().map(u32::to_string).collect();
    let about = format!("since Argo CD {}", version.join("."));
    Choice::new(event, about, CompletionItemKind::ENUM_MEMBER)
}

fn words(all: &[&str]) -> Vec<Choice> {
    all.iter().map(|word| Choice::new(*word, "", CompletionItemKind::ENUM_MEMBER)).collect()
}
