//! A client of the protocol, without any code of the server.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::joblint;

/// The longest wait for one message.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server and what it has said.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    folder: PathBuf,
    next: i64,
    versions: BTreeMap<String, i64>,
    /// The last diagnostics of each file, by address.
    published: BTreeMap<String, Value>,
    /// The first of each version.
    first: BTreeMap<(String, i64), Value>,
    /// How often each file was told of.
    told: BTreeMap<String, usize>,
    answers: BTreeMap<i64, Value>,
    /// What the server logged.
    pub log: Vec<String>,
    /// Answers without an id.
    pub refusals: Vec<Value>,
    /// The methods of the server's own requests.
    pub asked: Vec<String>,
    /// The messages that the server shows.
    pub messages_shown: Vec<String>,
}

impl Client {
    /// A server that has not been initialised.
    pub fn start(folder: &Path) -> Self {
        let mut command = joblint(folder, &["server"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            messages,
            folder: folder.canonicalize().unwrap(),
            next: 0,
            versions: BTreeMap::new(),
            published: BTreeMap::new(),
            first: BTreeMap::new(),
            told: BTreeMap::new(),
            answers: BTreeMap::new(),
            log: Vec::new(),
            refusals: Vec::new(),
            asked: Vec::new(),
            messages_shown: Vec::new(),
        }
    }

    /// A server that works in a folder, with columns in this encoding.
    pub fn in_folder(folder: &Path, encoding: &str) -> Self {
        let capabilities = json!({
            "general": { "positionEncodings": [encoding] },
            "workspace": { "workspaceEdit": { "documentChanges": true } },
            "textDocument": {
                "publishDiagnostics": { "relatedInformation": true, "codeDescriptionSupport": true },
            },
        });
        let (client, answer) = Self::with(folder, &capabilities);
        assert_eq!(answer["positionEncoding"], encoding, "{answer}");
        client
    }

    /// A server that works in a folder for a client with these capabilities, and its own capabilities.
    pub fn with(folder: &Path, capabilities: &Value) -> (Self, Value) {
        let mut client = Self::start(folder);
        let root = client.uri("");
        let params = json!({
            "processId": null,
            "rootUri": null,
            "workspaceFolders": [{ "uri": root, "name": "root" }],
            "capabilities": capabilities,
        });
        let answer = client.request("initialize", params);
        client.notify("initialized", json!({}));
        (client, answer["result"]["capabilities"].clone())
    }

    pub fn uri(&self, path: &str) -> String {
        let path = self.folder.join(path);
        format!("file://{}", path.to_str().unwrap().trim_end_matches('/'))
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its number.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request, with `result` or `error`.
    pub fn answer(&mut self, id: i64) -> Value {
        self.wait(|client| client.answers.remove(&id))
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Reads messages until there is what is wanted.
    pub fn wait<T>(&mut self, mut wanted: impl FnMut(&mut Self) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = wanted(self) {
                return found;
            }
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).unwrap();
            self.receive(message);
        }
    }

    fn receive(&mut self, message: Value) {
        let params = &message["params"];
        match (message["method"].as_str(), message["id"].as_i64()) {
            (Some("textDocument/publishDiagnostics"), _) => {
                let uri = params["uri"].as_str().unwrap().to_owned();
                let version = params["version"].as_i64().unwrap_or_default();
                self.first.entry((uri.clone(), version)).or_insert_with(|| params.clone());
                *self.told.entry(uri.clone()).or_default() += 1;
                self.published.insert(uri, params.clone());
            }
            (Some("window/logMessage"), _) => {
                self.log.push(params["message"].as_str().unwrap().to_owned());
            }
            (Some("window/showMessage"), _) => {
                self.messages_shown.push(params["message"].as_str().unwrap().to_owned());
            }
            (Some(method), None) if message["id"].is_string() => self.asked.push(method.to_owned()),
            (Some(other), _) => panic!("{other}"),
            (None, Some(id)) => _ = self.answers.insert(id, message),
            (None, None) => self.refusals.push(message),
        }
    }

    pub fn open(&mut self, path: &str, text: &str) {
        let uri = self.uri(path);
        self.versions.insert(path.to_owned(), 1);
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Opens a file as it is on disk.
    pub fn open_file(&mut self, path: &str) {
        let text = std::fs::read_to_string(self.folder.join(path)).unwrap();
        self.open(path, &text);
    }

    /// Changes an open file: one edit, or the whole text if it has no `range`.
    pub fn change(&mut self, path: &str, change: Value) {
        let version = self.versions.get_mut(path).unwrap();
        *version += 1;
        let document = json!({ "version": *version, "uri": self.uri(path) });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.notify("textDocument/didChange", params);
    }

    pub fn document(&self, path: &str) -> Value {
        json!({ "uri": self.uri(path) })
    }

    pub fn close(&mut self, path: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": self.document(path) }));
    }

    /// The result of a request about a position.
    pub fn about(&mut self, method: &str, path: &str, [line, character]: [u64; 2]) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": self.document(path), "position": position });
        let answer = self.request(method, params);
        answer.get("result").unwrap_or_else(|| panic!("{answer}")).clone()
    }

    pub fn hover(&mut self, path: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": self.document(path), "position": position });
        self.request("textDocument/hover", params)
    }

    /// The diagnostics of a file after everything that was sent: a hover is answered after them.
    pub fn diagnostics(&mut self, path: &str) -> Vec<Value> {
        self.hover(path, 0, 0);
        let uri = self.uri(path);
        let Some(published) = self.published.get(&uri) else { return Vec::new() };
        let version = self.versions.get(path).filter(|_| !published["version"].is_null());
        assert_eq!(published["version"].as_i64(), version.copied(), "of the newest text");
        published["diagnostics"].as_array().unwrap().clone()
    }

    /// How often the server has told of a file, after everything that was sent.
    pub fn told(&mut self, path: &str) -> usize {
        self.hover("none", 0, 0);
        self.told.get(&self.uri(path)).copied().unwrap_or_default()
    }

    /// The first diagnostics of the newest text of an open file.
    pub fn first_published(&mut self, path: &str) -> Vec<Value> {
        let key = (self.uri(path), self.versions[path]);
        let found = self.wait(|client| client.first.get(&key).cloned());
        found["diagnostics"].as_array().unwrap().clone()
    }

    /// All diagnostics that the editor shows now, by path.
    pub fn shown(&mut self) -> BTreeMap<String, Vec<Value>> {
        self.hover("none", 0, 0);
        let root = self.uri("") + "/";
        let one = |(uri, params): (&String, &Value)| {
            let found = params["diagnostics"].as_array().unwrap().clone();
            (uri.strip_prefix(&root).unwrap_or(uri).to_owned(), found)
        };
        self.published.iter().map(one).filter(|(_, found)| !found.is_empty()).collect()
    }

    /// The code actions at a position, of these kinds.
    pub fn actions(&mut self, path: &str, line: u32, character: u32, only: &[&str]) -> Vec<Value> {
        let position = json!({ "line": line, "character": character });
        let mut context = json!({ "diagnostics": [] });
        if !only.is_empty() {
            context["only"] = json!(only);
        }
        let params = json!({
            "textDocument": self.document(path),
            "range": { "start": position, "end": position },
            "context": context,
        });
        let answer = self.request("textDocument/codeAction", params);
        answer["result"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Applies the edits of an action to an open file, as an editor does.
    pub fn apply(&mut self, path: &str, action: &Value) {
        let changes = action["edit"]["documentChanges"].as_array().unwrap();
        assert_eq!(changes.len(), 1, "{action}");
        assert_eq!(changes[0]["textDocument"]["uri"], self.uri(path));
        assert_eq!(changes[0]["textDocument"]["version"], self.versions[path]);
        let mut edits = changes[0]["edits"].as_array().unwrap().clone();
        let start = |edit: &Value| {
            let start = &edit["range"]["start"];
            (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
        };
        // All ranges are of the text before the edits.
        edits.sort_by_key(|edit| std::cmp::Reverse(start(edit)));
        for edit in edits {
            self.change(path, json!({ "range": edit["range"], "text": edit["newText"] }));
        }
    }

    /// Closes the input, and returns the exit code.
    pub fn leave(mut self) -> i32 {
        drop(self.input.take());
        self.end()
    }

    /// The exit code of a server that ends by itself.
    pub fn end(&mut self) -> i32 {
        // The output ends with the process.
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) => self.receive(message),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("the server does not end"),
            }
        }
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok(),
            _ => break,
        }
    }
    let mut bytes = vec![0; length?];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The rules of diagnostics, in order.
pub fn rules(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|one| one["code"].as_str().unwrap_or_default()).collect()
}
