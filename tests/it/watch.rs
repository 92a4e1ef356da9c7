//! `joblint check --watch`.

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use super::support::{joblint, run, tree, write};

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec:\n  ttlSecondsAfterFinished: 600\n  \
                   template:\n    spec:\n      restartPolicy: POLICY\n      containers: [{name: a, image: \"a:1\"}]\n";
const READY: &str = "Waiting for changes";
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that ends with the test.
struct Watching {
    child: Child,
    found: Receiver<String>,
    notes: Receiver<String>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watching {
    fn start(folder: &std::path::Path) -> Self {
        let arguments = ["check", "--watch", "--output", "concise"];
        let mut command = joblint(folder, &arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let found = lines(child.stdout.take().unwrap());
        let notes = lines(child.stderr.take().unwrap());
        Self { child, found, notes }
    }
}

/// The lines of a stream as they come.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

/// The next line that contains a text. Lines before it are passed over.
fn until(lines: &Receiver<String>, text: &str) -> String {
    loop {
        let line = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{text}`"));
        if line.contains(text) {
            return line;
        }
    }
}

#[test]
fn a_change_is_checked() {
    let folder = tree(&[("job.yaml", &*JOB.replace("POLICY", "Never")), (".git/HEAD", "")]);
    let watching = Watching::start(folder.path());
    until(&watching.notes, "No problems");
    until(&watching.notes, READY);
    write(folder.path(), &[("job.yaml", &JOB.replace("POLICY", "Always"))]);
    let found = until(&watching.found, "restart-policy-always");
    assert!(found.starts_with("job.yaml:8:"), "{found}");
    until(&watching.notes, READY);
    write(folder.path(), &[(".joblint.yaml", "rules: {restart-policy-always: off, what: 1}\n")]);
    until(&watching.notes, ".joblint.yaml:1:32");
    until(&watching.notes, READY);
    write(folder.path(), &[(".joblint.yaml", "fail-on: error\n")]);
    write(folder.path(), &[("job.yaml", &JOB.replace("POLICY", "OnFailure"))]);
    until(&watching.notes, "No problems");
}

#[test]
fn standard_input_cannot_be_watched() {
    let folder = tree(&[("job.yaml", JOB)]);
    let (code, _, error) = run(&mut joblint(folder.path(), &["check", "--watch", "-"]));
    assert_eq!(code, 2);
    assert_eq!(error, "error: `--watch` waits for files to change, not for standard input\n");
    let (code, ..) = run(&mut joblint(folder.path(), &["check", "--watch", "--fix"]));
    assert_eq!(code, 2);
}
