//! The conversation with one client.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    io::Write,
    path::PathBuf,
};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams, LogMessageParams,
    MessageType, PublishDiagnosticsParams, ShowMessageParams, TextDocumentItem,
};
use serde::Serialize;
use serde_json::Value;

use super::{
    diagnostics::{Client, address},
    documents::Documents,
    draft, jobs, lifecycle,
    position::Encoding,
    requests::{self, Answer, Kind, Now, Refusal, parsed},
    snapshot::{MarkKey, Snapshot, Task},
    transport::Malformed,
    uri::path_of,
    worker::Worker,
};

/// How far the conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// Whether the conversation goes on.
type GoesOn = io::Result<bool>;

/// The diagnostics of a file that the client was told last.
#[derive(Debug)]
struct Shown {
    /// That of the open text; `None` for a file on disk, and for one that has been opened since.
    version: Option<i32>,
    diagnostics: Vec<Diagnostic>,
}

/// A client and what the server knows of it.
pub(super) struct Session<W> {
    output: W,
    worker: Worker,
    phase: Phase,
    client: Client,
    encoding: Encoding,
    documents: Documents,
    folders: Vec<PathBuf>,
    /// Grows with every change.
    generation: u64,
    /// What was found in the newest texts that are checked completely.
    snapshot: Snapshot,
    /// What the client shows until newer texts are.
    draft: Option<Snapshot>,
    /// What a check in part found in the texts of the snapshot, and in those of the draft.
    plain: [BTreeSet<MarkKey>; 2],
    /// Files on disk have changed since the client asked for anything.
    is_stale: bool,
    /// Requests that wait for the newest texts.
    waiting: Vec<Request>,
    /// What the client was told, by path.
    shown: BTreeMap<PathBuf, Shown>,
    logged: Vec<String>,
}

impl<W: Write> Session<W> {
    pub(super) fn new(output: W, worker: Worker) -> Self {
        Self {
            output,
            worker,
            phase: Phase::New,
            client: Client::default(),
            encoding: Encoding::default(),
            documents: Documents::default(),
            folders: Vec::new(),
            generation: 0,
            snapshot: Snapshot::default(),
            draft: None,
            plain: Default::default(),
            is_stale: false,
            waiting: Vec::new(),
            shown: BTreeMap::new(),
            logged: Vec::new(),
        }
    }

    pub(super) fn is_shut_down(&self) -> bool {
        self.phase == Phase::ShutDown
    }

    pub(super) fn malformed(&mut self, message: &Malformed) -> GoesOn {
        message.answer(&mut self.output)?;
        Ok(true)
    }

    pub(super) fn message(&mut self, message: Message) -> GoesOn {
        match message {
            Message::Request(request) => self.request(request)?,
            Message::Notification(own) if own.method == "exit" => return Ok(false),
            Message::Notification(own) if self.phase == Phase::Running => self.notification(own)?,
            // Nothing that the server asks needs an answer, and nothing counts before the start and after the end.
            Message::Notification(_) | Message::Response(_) => {}
        }
        Ok(true)
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        match (self.phase, &*request.method) {
            (Phase::New, "initialize") => self.initialize(request),
            (Phase::New, _) => {
                let reason = "`initialize` comes first".to_owned();
                self.refuse(request.id, (ErrorCode::ServerNotInitialized, reason))
            }
            (Phase::Running, "shutdown") => self.shut_down(request.id),
            (Phase::Running, "initialize") | (Phase::ShutDown, _) => {
                let reason = format!("`{}` comes too late", request.method);
                self.refuse(request.id, (ErrorCode::InvalidRequest, reason))
            }
            (Phase::Running, method) => match requests::find(method) {
                Some(kind) if kind.waits && !self.can_answer(kind) => {
                    self.waiting.push(request);
                    Ok(())
                }
                Some(kind) => self.answer_or_look(kind, request),
                None => {
                    let reason = format!("`{method}` is not supported");
                    self.refuse(request.id, (ErrorCode::MethodNotFound, reason))
                }
            },
        }
    }

    fn initialize(&mut self, request: Request) -> io::Result<()> {
        let raw = request.params;
        let params: InitializeParams = match parsed(raw.clone()) {
            Ok(params) => params,
            Err(refusal) => return self.refuse(request.id, refusal),
        };
        self.client = Client::new(&params, &raw);
        self.encoding = Encoding::negotiated(&params);
        self.folders = lifecycle::folders(&params);
        self.phase = Phase::Running;
        self.send(Response::new_ok(request.id, lifecycle::result(self.encoding, &self.client)))
    }

    fn shut_down(&mut self, id: RequestId) -> io::Result<()> {
        self.phase = Phase::ShutDown;
        for request in std::mem::take(&mut self.waiting) {
            let reason = "the server shuts down".to_owned();
            self.refuse(request.id, (ErrorCode::RequestCanceled, reason))?;
        }
        self.send(Response::new_ok(id, Value::Null))
    }

    /// Whether what is found in the newest texts is enough for a request.
    fn can_answer(&self, kind: &Kind) -> bool {
        let is_new = |found: &Snapshot| found.generation == self.generation;
        is_new(&self.snapshot) || kind.takes_draft && self.draft.as_ref().is_some_and(is_new)
    }

    /// Answers a request, at once or when the chart that it is about is rendered again.
    fn answer_or_look(&mut self, kind: &Kind, request: Request) -> io::Result<()> {
        let uri = request.params.pointer("/textDocument/uri").filter(|_| kind.reads_views);
        let uri = uri.and_then(|uri| serde_json::from_value(uri.clone()).ok());
        if let Some(path) = uri.as_ref().and_then(path_of) {
            self.documents.touch(&path);
            if jobs::scenes(&path, &self.snapshot).any(|scene| !scene.has_views()) {
                self.check();
                self.waiting.push(request);
                return Ok(());
            }
        }
        self.answer(kind, request)
    }

    fn answer(&mut self, kind: &Kind, request: Request) -> io::Result<()> {
        let Request { id, params, .. } = request;
        let Self { documents, client, encoding, .. } = &*self;
        let draft = self.draft.as_ref().filter(|_| kind.takes_draft);
        let snapshot = draft.unwrap_or(&self.snapshot);
        match kind.answer(&Now { snapshot, documents, client, encoding: *encoding }, params) {
            Ok(Answer { result, message }) => {
                self.send(Response::new_ok(id, result))?;
                let Some(message) = message else { return Ok(()) };
                self.notify(
                    "window/showMessage",
                    ShowMessageParams { typ: MessageType::INFO, message },
                )
            }
            Err(refusal) => self.refuse(id, refusal),
        }
    }

    fn notification(&mut self, own: Notification) -> io::Result<()> {
        let Notification { method, params } = own;
        let done = match &*method {
            "initialized" => return self.watch_files(),
            "$/cancelRequest" => return self.cancel(&params),
            "textDocument/didOpen" => {
                parsed::<DidOpenTextDocumentParams>(params).map(|own| self.open(own.text_document))
            }
            "textDocument/didChange" => {
                parsed::<DidChangeTextDocumentParams>(params).and_then(|own| {
                    let changed = self.documents.change(own, self.encoding);
                    changed.map_err(|reason| (ErrorCode::InvalidParams, reason))
                })
            }
            "textDocument/didClose" => parsed::<DidCloseTextDocumentParams>(params)
                .map(|own| self.documents.close(&own.text_document.uri)),
            "workspace/didChangeWorkspaceFolders" => {
                parsed::<DidChangeWorkspaceFoldersParams>(params).map(|own| self.move_to(&own))
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.is_stale = true;
                Ok(())
            }
            _ => return Ok(()),
        };
        match done {
            Ok(()) => self.check(),
            Err((_, reason)) => return self.log(MessageType::ERROR, format!("{method}: {reason}")),
        }
        Ok(())
    }

    fn watch_files(&mut self) -> io::Result<()> {
        if !self.client.watches_files {
            return Ok(());
        }
        let id = RequestId::from("joblint-watch".to_owned());
        let method = "client/registerCapability".to_owned();
        self.send(Request::new(id, method, lifecycle::watching()))
    }

    /// Cancels a request that waits; the others are answered at once.
    fn cancel(&mut self, params: &Value) -> io::Result<()> {
        let id =
            params.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        let at = self.waiting.iter().position(|request| Some(&request.id) == id.as_ref());
        let Some(at) = at else { return Ok(()) };
        let request = self.waiting.remove(at);
        self.refuse(request.id, (ErrorCode::RequestCanceled, "cancelled".to_owned()))
    }

    fn move_to(&mut self, params: &DidChangeWorkspaceFoldersParams) {
        let gone: Vec<_> =
            params.event.removed.iter().filter_map(|folder| path_of(&folder.uri)).collect();
        self.folders.retain(|folder| !gone.contains(folder));
        self.folders.extend(params.event.added.iter().filter_map(|folder| path_of(&folder.uri)));
    }

    /// Has the newest texts checked.
    fn check(&mut self) {
        self.generation += 1;
        self.worker.submit(Task {
            generation: self.generation,
            documents: self.documents.clone(),
            folders: self.folders.clone(),
            encoding: self.encoding,
            progress: Default::default(),
        });
    }

    /// Shows what was found, and answers what waited for it.
    pub(super) fn checked(&mut self, found: Snapshot) -> GoesOn {
        if found.generation != self.generation || self.phase != Phase::Running {
            return Ok(true);
        }
        if found.is_draft {
            return self.drafted(found);
        }
        let draft = self.draft.take();
        let is_more = |draft: &Snapshot| !draft.shows_the_same(&found);
        self.is_stale |= self.client.pulls && draft.as_ref().is_some_and(is_more);
        self.plain = [std::mem::take(&mut self.plain[1]), BTreeSet::new()];
        self.snapshot = found;
        self.publish()?;
        let log = self.snapshot.log.clone();
        for text in log.iter().filter(|text| !self.logged.contains(text)).collect::<Vec<_>>() {
            self.log(MessageType::ERROR, text.clone())?;
        }
        self.logged = log;
        self.answer_waiting()?;
        self.refresh()?;
        Ok(true)
    }

    /// Shows what a check in part found, with what the last complete one knows besides.
    fn drafted(&mut self, found: Snapshot) -> GoesOn {
        self.plain[1] = found.keys().collect();
        let [known, _] = &self.plain;
        self.draft = Some(draft::merged(found, &self.snapshot, known, self.encoding));
        self.publish()?;
        self.answer_waiting()?;
        Ok(true)
    }

    fn answer_waiting(&mut self) -> io::Result<()> {
        for request in std::mem::take(&mut self.waiting) {
            match requests::find(&request.method) {
                Some(kind) if self.can_answer(kind) => self.answer_or_look(kind, request)?,
                _ => self.waiting.push(request),
            }
        }
        Ok(())
    }

    fn open(&mut self, item: TextDocumentItem) {
        // An editor may have dropped what it showed when the file was closed.
        if let Some(shown) = path_of(&item.uri).and_then(|path| self.shown.get_mut(&path)) {
            shown.version = None;
        }
        self.documents.open(item);
    }

    /// Sends the diagnostics of open files of which the client does not know that they hold for the newest text, unless it
    /// asks for them, and of others where they differ from what it shows.
    fn publish(&mut self) -> io::Result<()> {
        let snapshot = self.draft.as_ref().unwrap_or(&self.snapshot);
        let found = snapshot.marks.keys().chain(self.documents.open.keys());
        let paths: BTreeSet<_> = found.chain(self.shown.keys()).cloned().collect();
        for path in paths {
            let version = self.documents.open.get(&path).map(|document| document.version);
            let is_asked_for = version.is_some() && self.client.pulls;
            let diagnostics = match is_asked_for {
                true => Vec::new(),
                false => {
                    let snapshot = self.draft.as_ref().unwrap_or(&self.snapshot);
                    self.client.of_file(&path, snapshot, &self.documents)
                }
            };
            let (known, of) = match self.shown.get(&path) {
                Some(known) => (&known.diagnostics[..], known.version),
                None => (&[][..], None),
            };
            let is_of_text = version.is_none() || is_asked_for || of == version;
            if is_of_text && known == diagnostics {
                continue;
            }
            if let Some(uri) = address(&path, &self.documents) {
                self.shown.insert(path, Shown { version, diagnostics: diagnostics.clone() });
                let params = PublishDiagnosticsParams { uri, diagnostics, version };
                self.notify("textDocument/publishDiagnostics", params)?;
            }
        }
        let open = &self.documents.open;
        self.shown.retain(|path, own| !own.diagnostics.is_empty() || open.contains_key(path));
        Ok(())
    }

    /// Has the client ask again for what it has: a change on disk is none of its texts.
    fn refresh(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.is_stale) {
            return Ok(());
        }
        let asked = [
            (self.client.pulls, "workspace/diagnostic/refresh"),
            (self.client.refreshes_lenses, "workspace/codeLens/refresh"),
            (self.client.refreshes_hints, "workspace/inlayHint/refresh"),
        ];
        for (_, method) in asked.into_iter().filter(|(is_known, _)| *is_known) {
            let id = RequestId::from(format!("joblint-{}-{method}", self.generation));
            self.send(Request::new(id, method.to_owned(), Value::Null))?;
        }
        Ok(())
    }

    fn log(&mut self, typ: MessageType, message: String) -> io::Result<()> {
        self.notify("window/logMessage", LogMessageParams { typ, message })
    }

    fn refuse(&mut self, id: RequestId, (code, reason): Refusal) -> io::Result<()> {
        self.send(Response::new_err(id, code as i32, reason))
    }

    fn notify(&mut self, method: &str, params: impl Serialize) -> io::Result<()> {
        self.send(Notification::new(method.to_owned(), params))
    }

    fn send(&mut self, message: impl Into<Message>) -> io::Result<()> {
        message.into().write(&mut self.output)
    }
}
