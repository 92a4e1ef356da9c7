//! Code actions: the fixes of findings, all safe fixes of a file, ignores, and the pages of rules.

use std::path::Path;

use lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Range, TextDocumentEdit,
    TextEdit, WorkspaceEdit,
};

use super::{
    commands::EXPLAIN,
    diagnostics::Client,
    documents::{Document, Documents},
    ignore,
    snapshot::{Mark, Snapshot},
    uri::uri_of,
};
use crate::rules::Category;

/// The kind of "fix all", which editors can run on save.
pub(super) const FIX_ALL: &str = "source.fixAll.joblint";

/// The actions for a range of a file.
pub(super) fn all(
    params: &CodeActionParams,
    snapshot: &Snapshot,
    documents: &Documents,
    client: &Client,
) -> Vec<CodeActionOrCommand> {
    let Some((path, document)) = documents.get(&params.text_document.uri) else {
        return Vec::new();
    };
    let request = Actions { snapshot, documents, client };
    let mut actions = Vec::new();
    if wants(&params.context, &CodeActionKind::QUICKFIX) {
        let marks = snapshot.marks.get(path).map(Vec::as_slice).unwrap_or_default();
        let touched = marks.iter().filter(|mark| touches(mark.range, params.range));
        for mark in touched {
            actions.extend(request.fixes(mark));
            actions.extend(request.ignore(path, document, mark));
            actions.extend(request.explain(mark));
        }
    }
    if wants(&params.context, &CodeActionKind::new(FIX_ALL)) {
        actions.extend(request.fix_all(path));
    }
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// Whether the client asks for a kind: a kind stands for all below it.
fn wants(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let is_above = |asked: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(asked.as_str());
        rest.is_some_and(|rest| {
            asked.as_str().is_empty() || rest.is_empty() || rest.starts_with('.')
        })
    };
    context.only.as_ref().is_none_or(|only| only.iter().any(is_above))
}

/// Whether two ranges have a position in common; an empty range touches its neighbours.
pub(super) fn touches(a: Range, b: Range) -> bool {
    a.start <= b.end && b.start <= a.end
}

struct Actions<'a> {
    snapshot: &'a Snapshot,
    documents: &'a Documents,
    client: &'a Client,
}

impl Actions<'_> {
    fn fixes(&self, mark: &Mark) -> Vec<CodeAction> {
        let fixes = mark.fixes.iter().enumerate();
        let actions = fixes.filter_map(|(index, fix)| {
            let note = if fix.is_safe { "" } else { " (review it)" };
            Some(CodeAction {
                is_preferred: Some(index == 0 && fix.is_safe),
                ..self.action(mark, format!("{}{note}", fix.title), &fix.path, &fix.edits)?
            })
        });
        actions.collect()
    }

    fn ignore(&self, path: &Path, document: &Document, mark: &Mark) -> Option<CodeAction> {
        let rule = self.snapshot.findings[mark.finding].rule?;
        if rule.meta().category == Category::Run {
            return None;
        }
        let edit = ignore::comment(path, &document.text, mark.range.start.line, rule.id)?;
        self.action(mark, format!("{}: ignore it with a reason", rule.id), path, &[edit])
    }

    fn explain(&self, mark: &Mark) -> Option<CodeAction> {
        let finding = &self.snapshot.findings[mark.finding];
        let rule = finding.rule?;
        let title = format!("{}: explain it", rule.id);
        let arguments = Some(vec![rule.id.into()]);
        let command = Command { title: title.clone(), command: EXPLAIN.to_owned(), arguments };
        Some(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![self.client.diagnostic(finding, mark, self.documents)]),
            command: Some(command),
            ..CodeAction::default()
        })
    }

    fn fix_all(&self, path: &Path) -> Option<CodeAction> {
        let edits = self.snapshot.safe_fixes.get(path).filter(|edits| !edits.is_empty())?;
        Some(CodeAction {
            title: "joblint: apply all safe fixes of this file".to_owned(),
            kind: Some(CodeActionKind::new(FIX_ALL)),
            edit: Some(self.edit(path, edits)?),
            ..CodeAction::default()
        })
    }

    fn action(
        &self,
        mark: &Mark,
        title: String,
        path: &Path,
        edits: &[TextEdit],
    ) -> Option<CodeAction> {
        let finding = &self.snapshot.findings[mark.finding];
        Some(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![self.client.diagnostic(finding, mark, self.documents)]),
            edit: Some(self.edit(path, edits)?),
            ..CodeAction::default()
        })
    }

    /// An edit of one file, with its version if it is open.
    fn edit(&self, path: &Path, edits: &[TextEdit]) -> Option<WorkspaceEdit> {
        let open = self.documents.open.get(path);
        let uri = match open {
            Some(document) => document.uri.clone(),
            None => uri_of(path)?,
        };
        let edits = edits.to_vec();
        if !self.client.has_versioned_edits {
            return Some(WorkspaceEdit::new([(uri, edits)].into()));
        }
        let version = open.map(|document| document.version);
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version };
        let edits = edits.into_iter().map(OneOf::Left).collect();
        let changes = DocumentChanges::Edits(vec![TextDocumentEdit { text_document, edits }]);
        Some(WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() })
    }
}
