//! Findings as diagnostics of the protocol.

use std::path::Path;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    InitializeParams, Location, NumberOrString, Uri,
};
use serde_json::Value;

use super::{
    documents::Documents,
    snapshot::{Found, Mark, Snapshot},
    uri::uri_of,
};
use crate::finding::Severity;

/// What the client can show.
#[derive(Debug, Default)]
pub(super) struct Client {
    has_related: bool,
    has_links: bool,
    /// Edits can state the version of the text that they fit.
    pub(super) has_versioned_edits: bool,
    /// The server can ask for the changes of files on disk.
    pub(super) watches_files: bool,
    /// The client asks for the diagnostics of open files, and asks again when it is told to.
    pub(super) pulls: bool,
    /// The client shows lines over Jobs.
    pub(super) shows_lenses: bool,
    /// The client asks again for them when it is told to.
    pub(super) refreshes_lenses: bool,
    pub(super) refreshes_hints: bool,
    /// The client shows the results of the server's commands itself.
    pub(super) shows_results: bool,
}

impl Client {
    /// What a client says of itself; `raw` is the same message.
    pub(super) fn new(params: &InitializeParams, raw: &Value) -> Self {
        let own = &params.capabilities;
        let documents = own.text_document.as_ref();
        let publish = documents.and_then(|own| own.publish_diagnostics.as_ref());
        let workspace = own.workspace.as_ref();
        let edits = workspace.and_then(|own| own.workspace_edit.as_ref());
        let watched = workspace.and_then(|own| own.did_change_watched_files.as_ref());
        // `lsp-types` 0.97 reads `diagnostic`, which no client sends.
        let pull = raw.pointer("/capabilities/workspace/diagnostics/refreshSupport");
        let lenses = workspace.and_then(|own| own.code_lens.as_ref());
        let hints = workspace.and_then(|own| own.inlay_hint.as_ref());
        let refreshes = |supported: Option<bool>| supported.unwrap_or_default();
        let asks = documents.is_some_and(|own| own.diagnostic.is_some());
        let shows = own.experimental.as_ref().and_then(|own| own.get("joblintResults"));
        Self {
            pulls: asks && refreshes(pull.and_then(Value::as_bool)),
            shows_lenses: documents.is_some_and(|own| own.code_lens.is_some()),
            refreshes_lenses: refreshes(lenses.and_then(|own| own.refresh_support)),
            refreshes_hints: refreshes(hints.and_then(|own| own.refresh_support)),
            shows_results: shows.and_then(Value::as_bool).unwrap_or_default(),
            has_related: publish.and_then(|own| own.related_information).unwrap_or_default(),
            has_links: publish.and_then(|own| own.code_description_support).unwrap_or_default(),
            has_versioned_edits: edits.and_then(|own| own.document_changes).unwrap_or_default(),
            watches_files: watched.and_then(|own| own.dynamic_registration).unwrap_or_default(),
        }
    }

    /// The diagnostics of a file.
    pub(super) fn of_file(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        documents: &Documents,
    ) -> Vec<Diagnostic> {
        let marks = snapshot.marks.get(path).map(Vec::as_slice).unwrap_or_default();
        let one = |mark: &Mark| self.diagnostic(&snapshot.findings[mark.finding], mark, documents);
        marks.iter().map(one).collect()
    }

    pub(super) fn diagnostic(
        &self,
        finding: &Found,
        mark: &Mark,
        documents: &Documents,
    ) -> Diagnostic {
        let link = |href| CodeDescription { href };
        let url = finding.rule.filter(|_| self.has_links).and_then(|rule| rule.url().parse().ok());
        let related = mark.related.iter().filter_map(|place| {
            let location = Location::new(address(&place.path, documents)?, place.range);
            Some(DiagnosticRelatedInformation { location, message: place.text.clone() })
        });
        let related: Vec<_> = related.filter(|_| self.has_related).collect();
        Diagnostic {
            range: mark.range,
            severity: Some(severity(finding.severity)),
            code: finding.rule.map(|rule| NumberOrString::String(rule.id.to_owned())),
            code_description: url.map(link),
            source: Some("joblint".to_owned()),
            message: mark.message.clone(),
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        }
    }
}

/// The address of a file: as the client writes it if it is open.
pub(super) fn address(path: &Path, documents: &Documents) -> Option<Uri> {
    let open = documents.open.get(path);
    open.map(|document| document.uri.clone()).or_else(|| uri_of(path).filter(|_| path.is_file()))
}

fn severity(level: Severity) -> DiagnosticSeverity {
    match level {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Info => DiagnosticSeverity::INFORMATION,
    }
}
