//! What client and server tell each other at the start.

use std::path::PathBuf;

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions,
    CompletionOptions, DiagnosticOptions, DiagnosticServerCapabilities,
    DidChangeWatchedFilesRegistrationOptions, ExecuteCommandOptions, FileSystemWatcher,
    GlobPattern, HoverProviderCapability, InitializeParams, InitializeResult, OneOf, Registration,
    RegistrationParams, SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use serde_json::json;

use super::{
    actions::FIX_ALL, commands, completion::TRIGGERS, diagnostics::Client, position::Encoding,
    uri::path_of,
};

/// Files whose changes on disk matter.
const WATCHED: &str = "**/{*.yaml,*.yml,*.tpl,*.json,*.txt,*.sh,*.sql,.helmignore}";

/// Diagnostics on request. A change of one file can change those of others.
fn pulled() -> DiagnosticServerCapabilities {
    DiagnosticServerCapabilities::Options(DiagnosticOptions {
        identifier: Some(env!("CARGO_PKG_NAME").to_owned()),
        inter_file_dependencies: true,
        workspace_diagnostics: false,
        ..DiagnosticOptions::default()
    })
}

/// The answer to `initialize`. A client that shows lines over Jobs needs no hints beside them, which say the same.
pub(super) fn result(encoding: Encoding, client: &Client) -> InitializeResult {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::new(FIX_ALL)]),
        ..CodeActionOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(OneOf::Left(true)),
    };
    let completion = CompletionOptions {
        trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
        ..CompletionOptions::default()
    };
    let commands = ExecuteCommandOptions {
        commands: commands::ALL.map(str::to_owned).to_vec(),
        ..ExecuteCommandOptions::default()
    };
    let capabilities = ServerCapabilities {
        definition_provider: Some(OneOf::Left(true)),
        completion_provider: Some(completion),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        inlay_hint_provider: (!client.shows_lenses).then_some(OneOf::Left(true)),
        execute_command_provider: Some(commands),
        diagnostic_provider: client.pulls.then(pulled),
        experimental: Some(json!({ "joblint/rendered": true })),
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    };
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    let server_info = Some(ServerInfo { name: env!("CARGO_PKG_NAME").to_owned(), version });
    InitializeResult { capabilities, server_info }
}

/// The folders that the client works in.
#[allow(deprecated, reason = "older clients only send the root")]
pub(super) fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    match &params.workspace_folders {
        Some(folders) => folders.iter().filter_map(|folder| path_of(&folder.uri)).collect(),
        None => params.root_uri.iter().filter_map(path_of).collect(),
    }
}

/// Asks the client to report changes of files on disk.
pub(super) fn watching() -> RegistrationParams {
    let glob_pattern = GlobPattern::String(WATCHED.to_owned());
    let watchers = vec![FileSystemWatcher { glob_pattern, kind: None }];
    let options = DidChangeWatchedFilesRegistrationOptions { watchers };
    let registration = Registration {
        id: "joblint-files".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    RegistrationParams { registrations: vec![registration] }
}
