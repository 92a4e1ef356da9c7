//! `joblint check --watch`.

use std::{
    io::{BufRead, BufReader},
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
struct Watching(Child, Receiver<String>);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Watching {
    fn start(folder: &std::path::Path) -> Self {
        let arguments = ["check", "--watch", "--output", "concise"];
        let mut command = joblint(folder, &arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let streams: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for stream in streams {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        Self(child, lines)
    }

    /// The next line that contains a text. Lines before it are passed over.
    fn until(&self, text: &str) -> String {
        loop {
            let line = self.1.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{text}`"));
            if line.contains(text) {
                return line;
            }
        }
    }
}

#[test]
fn a_change_is_checked() {
    let folder = tree(&[("job.yaml", &*JOB.replace("POLICY", "Never")), (".git/HEAD", "")]);
    let watching = Watching::start(folder.path());
    watching.until("No problems");
    watching.until(READY);
    write(folder.path(), &[("job.yaml", &JOB.replace("POLICY", "Always"))]);
    let found = watching.until("restart-policy-always");
    assert!(found.starts_with("job.yaml:8:"), "{found}");
    watching.until(READY);
    write(folder.path(), &[(".joblint.yaml", "rules: {restart-policy-always: off, what: 1}\n")]);
    watching.until(".joblint.yaml:1:32");
    watching.until(READY);
    write(folder.path(), &[(".joblint.yaml", "fail-on: error\n")]);
    write(folder.path(), &[("job.yaml", &JOB.replace("POLICY", "OnFailure"))]);
    watching.until("No problems");
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
