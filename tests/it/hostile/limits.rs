//! Nothing runs away: what exceeds a limit is one finding that names the limit, the exit code is 2, and the other
//! units are still checked. Every case runs an optimised build of the command with 1 GiB of memory and 10 seconds of
//! processor time.

mod charts;
mod documents;
mod gitops;
mod time;

use std::{
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::joblint;
use crate::support::{tree, write};

/// The longest to wait for a case.
const LONGEST: Duration = Duration::from_secs(120);

const STEPS: &str = "million template steps";
const BYTES: &str = "MiB of text in one render";

/// A chart with one finding: a Job with `restartPolicy: Always`.
const HEALTHY: [(&str, &str); 2] = [
    ("healthy/Chart.yaml", "apiVersion: v2\nname: healthy\nversion: 0.1.0\n"),
    (
        "healthy/templates/job.yaml",
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: healthy\nspec:\n  template:\n    spec:\n      \
         restartPolicy: Always\n      containers:\n        - name: main\n          image: busybox:1.36\n",
    ),
];
const HEALTHY_FINDING: &str = "healthy/templates/job.yaml:8";

const CHART: &str = "apiVersion: v2\nname: hostile\nversion: 0.1.0\n";

/// What a run of the command left.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Runs the command in a folder, with limited memory and time.
#[track_caller]
fn run(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = joblint(folder, arguments);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = Instant::now();
    let child = command.spawn().unwrap();
    let watched = watch(child);
    let took = started.elapsed();
    assert!(took < LONGEST, "took {took:?}: {}", watched.stderr);
    watched
}

/// Waits for a process and reads what it prints; ends it when its time is over.
fn watch(mut child: Child) -> Run {
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let read = |from: &mut dyn std::io::Read| {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    thread::scope(|scope| {
        let stdout = scope.spawn(move || read(&mut out));
        let stderr = scope.spawn(move || read(&mut err));
        let end = Instant::now() + LONGEST;
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break Some(status),
                None if Instant::now() > end => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => thread::sleep(Duration::from_millis(5)),
            }
        };
        let code = status.and_then(|status| status.code()).unwrap_or(-1);
        Run { code, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
    })
}

/// A folder with the healthy chart and these files.
fn beside_healthy(files: &[(&str, &str)]) -> TempDir {
    let folder = tree(&HEALTHY);
    write(folder.path(), files);
    folder
}

/// Checks a folder with the healthy chart: one finding names the limit, the healthy chart is still checked.
#[track_caller]
fn assert_limited(folder: &Path, limit: &str) {
    let Run { code, stdout, stderr } = run(folder, &["check", "--output", "concise", "."]);
    let context = format!("code {code}\n{:.3000}\n{:.3000}", stdout, stderr);
    // On a busy machine, the guard of the time can come first.
    let names = |line: &&str| line.contains(limit) || line.contains("takes longer than");
    // What nobody can mend is a note.
    let findings = stdout.lines().filter(names).count();
    let is_noted = findings == 0 && stderr.lines().any(|line| names(&line));
    assert!(findings == 1 || is_noted, "one finding or note names the limit `{limit}`: {context}");
    assert!(stdout.contains(HEALTHY_FINDING), "the other unit is checked: {context}");
    assert_eq!(code, 2, "{context}");
    assert!(!stderr.contains("panicked"), "{context}");
}

/// Checks a chart with one template.
#[track_caller]
fn assert_template_limited(template: &str, limit: &str) {
    assert_chart_limited(&[("templates/hostile.yaml", template)], limit);
}

/// Checks a chart with these files.
#[track_caller]
fn assert_chart_limited(files: &[(&str, &str)], limit: &str) {
    let folder = beside_healthy(&[("hostile/Chart.yaml", CHART)]);
    write(&folder.path().join("hostile"), files);
    assert_limited(folder.path(), limit);
}
