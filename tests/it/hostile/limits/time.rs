//! Repositories with many findings, comments and workloads take time and memory in proportion to their size.

use std::fmt::Write as _;

use super::{HEALTHY_FINDING, Run, beside_healthy, run};
use crate::support::{tree, write};

/// Runs the check; the healthy chart beside the files has its finding.
#[track_caller]
fn check(files: &[(&str, &str)]) -> Run {
    let folder = beside_healthy(files);
    let run = run(folder.path(), &["check", "--output", "concise", "."]);
    assert!(run.stdout.contains(HEALTHY_FINDING), "code {}: {:.3000}", run.code, run.stderr);
    assert!(!run.stderr.contains("panicked"), "{:.3000}", run.stderr);
    run
}

const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n";

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn four_thousand_numeric_annotations() {
    let mut text = format!("{JOB}  annotations:\n");
    for number in 0..4000 {
        writeln!(text, "    key-{number}: {number}").unwrap();
    }
    let run = check(&[("plain/job.yaml", &text)]);
    assert_eq!(run.stdout.matches("annotation-not-string").count(), 4000);
}

/// A pattern that remembers the last 250 letters has a state for each text of that length.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn fifty_patterns_and_four_hundred_jobs() {
    let mut settings = "require:\n".to_owned();
    for number in 0..50 {
        let length = 200 + number;
        writeln!(settings, "  - {{annotation: a, pattern: '(a|b)*a(a|b){{{length}}}c$'}}").unwrap();
    }
    let value: String =
        (0..1020_u32).map(|at| if (at * at / 7) % 3 == 1 { 'a' } else { 'b' }).collect();
    let mut text = String::new();
    for number in 0..400 {
        let job = JOB.replace("name: a", &format!("name: job-{number}"));
        writeln!(text, "---\n{job}  annotations: {{a: {value}}}").unwrap();
    }
    let run = check(&[(".joblint.yaml", &settings), ("plain/jobs.yaml", &text)]);
    assert_eq!(
        run.stdout.matches("missing-required").count(),
        401 * 50,
        "the healthy Job lacks it too"
    );
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn two_hundred_thousand_ignore_comments() {
    let mut text = JOB.to_owned();
    for number in 0..200_000 {
        writeln!(text, "# joblint: ignore[missing-ttl{}] why", number % 10).unwrap();
    }
    check(&[("plain/job.yaml", &text)]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn a_long_rule_name_in_an_ignore_comment() {
    let text = format!("{JOB}# joblint: ignore[{}] why\n", "x".repeat(1_000_000));
    check(&[("plain/job.yaml", &text)]);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn three_thousand_renamed_jobs() {
    let jobs = |version: &str| {
        let mut text = String::new();
        for number in 0..3000 {
            let digits = number.to_string();
            let letters: String =
                digits.bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
            writeln!(
                text,
                "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: job-{letters}-{version}\nspec:\n  template:\n    \
                 spec:\n      restartPolicy: Never\n      containers:\n        - name: main\n          image: a:1"
            )
            .unwrap();
        }
        text
    };
    let folder = tree(&[("old/jobs.yaml", &jobs("v1")), ("new/jobs.yaml", &jobs("v2"))]);
    let arguments = ["upgrade", "--output", "concise", "--base", "./old", "new"];
    let Run { code, stdout, stderr } = run(folder.path(), &arguments);
    assert!(code == 0 || code == 1, "code {code}: {:.3000}", stderr);
    assert!(!stderr.contains("panicked"), "{:.3000}", stdout);
}

/// A file of 200 MiB needs less than three times its size, as the memory of the run is limited.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn a_large_file() {
    let folder = beside_healthy(&[]);
    let line = format!("  key: {}\n", "x".repeat(1000));
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n".to_owned();
    let text = head + &line.repeat((200 << 20) / line.len());
    write(folder.path(), &[("plain/map.yaml", &text)]);
    let run = run(folder.path(), &["check", "--output", "concise", "."]);
    assert!(run.stdout.contains(HEALTHY_FINDING), "code {}: {:.3000}", run.code, run.stderr);
}
