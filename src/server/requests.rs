//! The requests about the open files, one line each.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
};

use lsp_server::ErrorCode;
use lsp_types::{
    CodeActionParams, CodeLensParams, CompletionParams, DocumentDiagnosticParams,
    ExecuteCommandParams, GotoDefinitionParams, HoverParams, InlayHintParams,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    actions, commands, completion, definition::Lookup, diagnostics::Client, documents::Documents,
    hover, jobs, position::Encoding, rendered, snapshot::Snapshot, uri::path_of, worker::guarded,
};

/// Why a request has no result.
pub(super) type Refusal = (ErrorCode, String);

/// What requests are answered from.
pub(super) struct Now<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) documents: &'a Documents,
    pub(super) client: &'a Client,
    pub(super) encoding: Encoding,
}

/// The result of a request.
pub(super) struct Answer {
    pub(super) result: Value,
    /// For a person, where the client does not show the result.
    pub(super) message: Option<String>,
}

/// A request that the server knows.
pub(super) struct Kind {
    method: &'static str,
    /// Positions and edits must fit the newest text, so it waits until that is checked.
    pub(super) waits: bool,
    /// What is found in part is enough; the client asks again when there is more.
    pub(super) takes_draft: bool,
    /// It is about what a chart prints, which is only known of files that somebody has just looked at.
    pub(super) reads_views: bool,
    answer: fn(&Now<'_>, Value) -> Result<Answer, Refusal>,
}

const KINDS: [Kind; 9] = [
    waiting("textDocument/codeAction", |now, params| {
        let params: CodeActionParams = parsed(params)?;
        result(actions::all(&params, now.snapshot, now.documents, now.client))
    }),
    waiting("textDocument/codeLens", |now, params| {
        let CodeLensParams { text_document, .. } = parsed(params)?;
        let lenses = |path| jobs::lenses(&text_document.uri, path, now.snapshot, now.encoding);
        result(path_of(&text_document.uri).as_deref().map(lenses))
    }),
    Kind {
        reads_views: true,
        ..waiting("textDocument/definition", |now, params| {
            let params: GotoDefinitionParams = parsed(params)?;
            let Now { snapshot, documents, encoding, .. } = *now;
            result(Lookup { snapshot, documents, encoding }.definitions(&params))
        })
    },
    Kind {
        takes_draft: true,
        ..waiting("textDocument/diagnostic", |now, params| result(now.pulled(&parsed(params)?)))
    },
    Kind {
        reads_views: true,
        ..waiting("textDocument/hover", |now, params| {
            let params: HoverParams = parsed(params)?;
            result(hover::at(&params, now.snapshot, now.documents, now.encoding))
        })
    },
    waiting("textDocument/inlayHint", |now, params| {
        let InlayHintParams { text_document, range, .. } = parsed(params)?;
        let hints = |path| jobs::hints(path, range, now.snapshot, now.encoding);
        result(path_of(&text_document.uri).as_deref().map(hints))
    }),
    Kind {
        reads_views: true,
        ..waiting(rendered::METHOD, |now, params| {
            result(rendered::of(&parsed(params)?, now.snapshot, now.documents, now.encoding))
        })
    },
    waiting("workspace/executeCommand", |now, params| {
        let params: ExecuteCommandParams = parsed(params)?;
        let shown = commands::run(&params, now.snapshot);
        let shown = shown.map_err(|reason| (ErrorCode::InvalidParams, reason))?;
        let message = Some(shown.message).filter(|_| !now.client.shows_results);
        Ok(Answer { result: shown.result, message })
    }),
    Kind {
        method: "textDocument/completion",
        waits: false,
        takes_draft: false,
        reads_views: false,
        answer: |now, params| {
            let params: CompletionParams = parsed(params)?;
            result(completion::at(&params, now.snapshot, now.documents, now.encoding))
        },
    },
];

const fn waiting(
    method: &'static str,
    answer: fn(&Now<'_>, Value) -> Result<Answer, Refusal>,
) -> Kind {
    Kind { method, waits: true, takes_draft: false, reads_views: false, answer }
}

/// The request of this name.
pub(super) fn find(method: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.method == method)
}

impl Kind {
    /// The result of a request. A panic in it is an error of this request alone.
    ///
    /// # Errors
    /// The parameters do not fit, or the server fails.
    pub(super) fn answer(&self, now: &Now<'_>, params: Value) -> Result<Answer, Refusal> {
        guarded(|| (self.answer)(now, params))
            .unwrap_or_else(|reason| Err((ErrorCode::InternalError, reason)))
    }
}

impl Now<'_> {
    /// The diagnostics of a file for a client that asks, or a word that they are as it knows them.
    fn pulled(&self, params: &DocumentDiagnosticParams) -> Value {
        let path = path_of(&params.text_document.uri);
        let items = path.map(|path| self.client.of_file(&path, self.snapshot, self.documents));
        let items = json!(items.unwrap_or_default());
        let mut hasher = DefaultHasher::new();
        items.to_string().hash(&mut hasher);
        let id = format!("{:016x}", hasher.finish());
        match params.previous_result_id.as_ref() == Some(&id) {
            true => json!({ "kind": "unchanged", "resultId": id }),
            false => json!({ "kind": "full", "resultId": id, "items": items }),
        }
    }
}

/// The parameters of a message.
///
/// # Errors
/// They do not fit.
pub(super) fn parsed<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn result(result: impl Serialize) -> Result<Answer, Refusal> {
    let result = serde_json::to_value(result);
    let result = result.map_err(|error| (ErrorCode::InternalError, error.to_string()))?;
    Ok(Answer { result, message: None })
}
