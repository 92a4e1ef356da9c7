//! Measures what an editor waits for while somebody types, through the language server's protocol:
//! `cargo bench --bench typing [-- CHART [WORKSPACE]]`. Without CHART, it measures a chart that it generates. `JOBLINT`
//! names another build of the command to measure. With WORKSPACE, it also opens all charts below that folder at once, and
//! types into a template of one of them; nothing is written there.
//!
//! It opens a manifest, then a template, the values and a helper of the chart, and types into each. A keystroke waits for
//! the first diagnostics of its text, and for the complete ones: those behind a hover. In the second round the keys come
//! in the rhythm of a fast typist, whether or not the server keeps up. At the end each text is saved and checked by a
//! whole `joblint check`, as an editor without a server does.

#![allow(clippy::print_stdout)]

use std::{
    env,
    ffi::OsString,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const KEYSTROKES: usize = 200;
/// The time between two keys of somebody who types a hundred words a minute.
const RHYTHM: Duration = Duration::from_millis(100);
/// How many keystrokes are checked with the command.
const CHECKS: usize = 20;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    let mut named = env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("typing");
    let manifest = scratch.join("manifest/job.yaml");
    write(&manifest, &manifest_text());
    let chart = scratch.join("chart");
    let _ = fs::remove_dir_all(&chart);
    match named.next() {
        Some(chart_of_user) => copy(Path::new(&chart_of_user), &chart),
        None => generate(&chart),
    }
    println!("{KEYSTROKES} keystrokes each, in milliseconds: p50, p95, p99");
    measured("manifest", &manifest, "# Runs before each upgrade\n");
    let comment = "# Runs before each upgrade of {{ .Release.Name }} in the cluster, and ends\n";
    let chart_files = [
        ("template", largest(&chart.join("templates"), "yaml"), comment),
        ("values.yaml", Some(chart.join("values.yaml")), "typed: before each upgrade\n# of all\n"),
        ("helper", largest(&chart.join("templates"), "tpl"), "{{- /* Before */ -}}\n"),
    ];
    for (name, path, text) in chart_files {
        match path {
            Some(path) => measured(name, &path, text),
            None => println!("{name:12} the chart has none"),
        }
    }
    if let Some(workspace) = named.next() {
        in_workspace(&fs::canonicalize(workspace).expect("a folder"));
    }
}

/// Opens the values of all charts below a folder, types into a template of the first, and prints the percentiles.
fn in_workspace(folder: &Path) {
    let values: Vec<_> = files(folder).filter(|path| path.ends_with("values.yaml")).collect();
    let is_of_chart = |path: &&PathBuf| path.with_file_name("Chart.yaml").is_file();
    let values: Vec<_> = values.iter().filter(is_of_chart).collect();
    let template = |path: &&PathBuf| largest(&path.with_file_name("templates"), "yaml");
    let template = values.iter().find_map(template).expect("a chart with a template");
    let text = fs::read_to_string(&template).expect("a text");
    let mut editor = Editor::start(folder);
    values.iter().for_each(|path| editor.show(path, &fs::read_to_string(path).expect("a text")));
    editor.open(&template, &text);
    let what = format!("{} charts", values.len());
    types(&mut editor, &what, "# Runs before each upgrade of the cluster, and ends\n");
    // The most memory that the server took so far; only Linux tells.
    let status = fs::read_to_string(format!("/proc/{}/status", editor.server.id()));
    let peak = status.unwrap_or_default();
    let peak = peak.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!("{what:12} memory {:>29}", peak.unwrap_or("unknown").trim());
}

/// Types into the open file, each key after the answers to the one before.
fn types(editor: &mut Editor, name: &str, typed: &str) {
    let (mut first, mut complete) = (Vec::new(), Vec::new());
    for key in typed.chars().cycle().take(KEYSTROKES) {
        let start = editor.strike(key);
        let hover = editor.hover();
        first.push(editor.diagnostics().duration_since(start));
        complete.push(editor.answer(hover).duration_since(start));
    }
    line(name, "first diagnostics", &mut first);
    line(name, "complete diagnostics", &mut complete);
}

/// Types into one file and prints the percentiles.
fn measured(name: &str, path: &Path, typed: &str) {
    let before = fs::read_to_string(path).expect("a text");
    let folder = path.ancestors().find(|folder| folder.join("Chart.yaml").is_file());
    let mut editor = Editor::start(folder.or(path.parent()).expect("a folder"));
    editor.open(path, &before);
    types(&mut editor, name, typed);
    let mut first = Vec::new();
    for key in typed.chars().cycle().take(KEYSTROKES) {
        let start = editor.strike(key);
        if let Some(seen) = editor.diagnostics_within(RHYTHM) {
            first.push(seen.duration_since(start));
        }
        thread::sleep(RHYTHM.saturating_sub(start.elapsed()));
    }
    let missed = KEYSTROKES - first.len();
    line(name, &format!("first, in rhythm ({missed} late)"), &mut first);
    let folder = editor.folder.clone();
    drop(editor);
    let mut checks = Vec::new();
    let mut text = before.clone();
    for key in typed.chars().cycle().take(CHECKS) {
        text.push(key);
        fs::write(path, &text).expect("a file");
        let start = Instant::now();
        let mut check = Command::new(program());
        let check = check.args(["check", "-q", "."]).current_dir(&folder);
        check.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the program runs");
        checks.push(start.elapsed());
    }
    fs::write(path, before).expect("a file");
    line(name, "a whole `joblint check`", &mut checks);
}

fn line(name: &str, what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |percent: usize| {
        let index = (times.len() * percent).div_ceil(100).saturating_sub(1);
        times.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    };
    println!("{name:12} {what:28} {:8.1} {:8.1} {:8.1}", at(50), at(95), at(99));
}

fn program() -> OsString {
    env::var_os("JOBLINT").unwrap_or_else(|| env!("CARGO_BIN_EXE_joblint").into())
}

/// An editor that types in one of its files, with the cursor at the end.
struct Editor {
    server: Child,
    input: ChildStdin,
    /// With the time at which each came.
    messages: Receiver<(Instant, Value)>,
    folder: PathBuf,
    uri: String,
    version: u64,
    cursor: [usize; 2],
    requests: u64,
    /// The newest version with diagnostics, and the first that were seen of it.
    seen: (u64, Instant),
    answered: (u64, Instant),
}

impl Editor {
    /// Starts a server that works in a folder.
    fn start(folder: &Path) -> Self {
        let mut server = Command::new(program());
        server.arg("server").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = server.spawn().expect("the program runs");
        let input = server.stdin.take().expect("a pipe");
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = receive(&mut output) {
                if sender.send((Instant::now(), message)).is_err() {
                    return;
                }
            }
        });
        let none = (0, Instant::now());
        let mut editor = Self {
            server,
            input,
            messages,
            folder: folder.to_owned(),
            uri: String::new(),
            version: 1,
            cursor: [0, 0],
            requests: 0,
            seen: none,
            answered: none,
        };
        let root = format!("file://{}", editor.folder.display());
        let hello = editor.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": null,
                "workspaceFolders": [{ "uri": root, "name": "root" }],
                "capabilities": { "general": { "positionEncodings": ["utf-32"] } },
            }),
        );
        editor.answer(hello);
        editor.notify("initialized", json!({}));
        editor
    }

    /// Opens the file to type in, and waits until it is checked.
    fn open(&mut self, path: &Path, text: &str) {
        self.uri = format!("file://{}", path.display());
        let last = text.rsplit('\n').next().unwrap_or_default();
        self.cursor = [text.matches('\n').count(), last.chars().count()];
        self.show(path, text);
        let opened = self.hover();
        self.answer(opened);
    }

    /// Opens a file.
    fn show(&mut self, path: &Path, text: &str) {
        let uri = format!("file://{}", path.display());
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Types one character at the cursor. Returns when.
    fn strike(&mut self, key: char) -> Instant {
        self.version += 1;
        let [line, character] = self.cursor;
        let at = json!({ "line": line, "character": character });
        self.cursor = if key == '\n' { [line + 1, 0] } else { [line, character + 1] };
        let params = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "range": { "start": at, "end": at }, "text": key }],
        });
        let start = Instant::now();
        self.notify("textDocument/didChange", params);
        start
    }

    fn hover(&mut self) -> u64 {
        let position = json!({ "line": 0, "character": 0 });
        let params = json!({ "textDocument": { "uri": self.uri }, "position": position });
        self.ask("textDocument/hover", params)
    }

    /// When the first diagnostics of the newest text came.
    fn diagnostics(&mut self) -> Instant {
        self.diagnostics_within(PATIENCE).expect("diagnostics")
    }

    fn diagnostics_within(&mut self, patience: Duration) -> Option<Instant> {
        let version = self.version;
        self.read_until(patience, |editor| editor.seen.0 == version)?;
        Some(self.seen.1)
    }

    /// When a request was answered.
    fn answer(&mut self, request: u64) -> Instant {
        self.read_until(PATIENCE, |editor| editor.answered.0 == request).expect("an answer");
        self.answered.1
    }

    fn read_until(&mut self, patience: Duration, is_done: impl Fn(&Self) -> bool) -> Option<()> {
        let end = Instant::now() + patience;
        while !is_done(self) {
            let left = end.saturating_duration_since(Instant::now());
            let (when, message) = self.messages.recv_timeout(left).ok()?;
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" && params["uri"] == self.uri {
                let version = params["version"].as_u64().unwrap_or_default();
                if version > self.seen.0 {
                    self.seen = (version, when);
                }
            } else if let Some(id) = message["id"].as_u64() {
                self.answered = (id, when);
            }
        }
        Some(())
    }

    fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a server");
        self.input.flush().expect("a server");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn receive(output: &mut impl BufRead) -> Option<Value> {
    let mut header = String::new();
    output.read_line(&mut header).ok()?;
    let length = header.trim().strip_prefix("Content-Length: ")?.parse().ok()?;
    output.read_line(&mut String::new()).ok()?;
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn copy(from: &Path, to: &Path) {
    for path in files(from) {
        let to = to.join(path.strip_prefix(from).expect("a path below"));
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(path, to).expect("a file");
    }
}

/// The largest file of a folder with an ending.
fn largest(folder: &Path, ending: &str) -> Option<PathBuf> {
    let files = files(folder).filter(|path| path.extension().is_some_and(|own| own == ending));
    files.max_by_key(|path| path.metadata().map_or(0, |found| found.len()))
}

/// The files below a folder.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path)
}

/// Three Jobs and what surrounds them in an application.
fn manifest_text() -> String {
    let job = |name: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\nspec:\n  template:\n    spec:\n      \
             restartPolicy: Always\n      containers:\n        - name: main\n          \
             image: registry.example.com/{name}:1.2\n          command: [sh, -c, \"alembic upgrade head\"]\n---\n"
        )
    };
    let service = |index: usize| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web-{index}\nspec:\n  ports: [{{port: 80}}]\n---\n"
        )
    };
    let services: String = (0..20).map(service).collect();
    format!("{}{}{services}{}", job("migrate"), job("seed"), job("notify"))
}

/// Writes a large chart: 120 applications, three hooks that call a helper, four sets of values.
fn generate(chart: &Path) {
    write(&chart.join("Chart.yaml"), "apiVersion: v2\nname: large\nversion: 1.0.0\n");
    let mut values =
        "image: {repository: registry.example.com/shop, tag: \"1.2\"}\nhooks: {seed: false}\n"
            .to_owned();
    for index in 0..120 {
        values += &format!("app{index}: {{enabled: true, replicas: {index}}}\n");
        let path = chart.join(format!("templates/app{index}.yaml"));
        write(&path, &application(index));
    }
    write(&chart.join("values.yaml"), &values);
    for (index, line) in ["hooks: {seed: true}", "image: {tag: \"2.0\"}", "app1: {enabled: false}"]
        .iter()
        .enumerate()
    {
        write(&chart.join(format!("ci/set{index}-values.yaml")), &format!("{line}\n"));
    }
    let labels = "{{- define \"large.labels\" -}}\napp.kubernetes.io/name: {{ .Chart.Name }}\n\
                  app.kubernetes.io/instance: {{ .Release.Name }}\nhelm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}\n\
                  {{- end }}\n";
    write(&chart.join("templates/_helpers.tpl"), labels);
    for name in ["migrate", "seed", "notify"] {
        write(&chart.join(format!("templates/{name}.yaml")), &hook(name));
    }
}

fn application(index: usize) -> String {
    let variables: String = (0..40)
        .map(|number| {
            format!("            - {{name: VARIABLE_{number}, value: {{{{ .Values.image.tag | quote }}}}}}\n")
        })
        .collect();
    format!(
        "{{{{- if .Values.app{index}.enabled }}}}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  \
         name: {{{{ .Release.Name }}}}-app{index}\n  labels: {{{{- include \"large.labels\" . | nindent 4 }}}}\nspec:\n  \
         replicas: {{{{ .Values.app{index}.replicas }}}}\n  selector: {{matchLabels: {{app: app{index}}}}}\n  template:\n    \
         metadata: {{labels: {{app: app{index}}}}}\n    spec:\n      containers:\n        - name: main\n          \
         image: \"{{{{ .Values.image.repository }}}}:{{{{ .Values.image.tag }}}}\"\n          env:\n{variables}\
         {{{{- end }}}}\n"
    )
}

fn hook(name: &str) -> String {
    let condition = if name == "seed" { ".Values.hooks.seed" } else { "true" };
    format!(
        "{{{{- if {condition} }}}}\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{{{ .Release.Name }}}}-{name}\n  \
         labels: {{{{- include \"large.labels\" . | nindent 4 }}}}\n  annotations: {{helm.sh/hook: \"pre-upgrade\"}}\nspec:\n  \
         template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - name: main\n          \
         image: \"{{{{ .Values.image.repository }}}}:{{{{ .Values.image.tag }}}}\"\n          \
         command: [alembic, upgrade, head]\n{{{{- end }}}}\n"
    )
}
