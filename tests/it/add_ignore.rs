//! `--add-ignore`: the comments cover what was found, change no object, and are written once.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::support::{joblint, run, run_with_input, tree};

/// A Job that anyone may restart for ever; its script hides a failure.
const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    spec:
      restartPolicy: Always
      containers:
        - name: migrate
          image: app:1.4.2
          command: [sh, -c]
          args:
            - |
              alembic upgrade head
              echo done
";

const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.4.0\n";

fn seen(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    run(&mut joblint(folder, arguments))
}

/// The findings in short, without those that are ignored.
fn findings(folder: &TempDir) -> String {
    seen(folder.path(), &["-q", "--pedantic", "--output", "concise"]).1
}

/// Adds the comments. Asserts that nothing is found then, and that they are not added again.
fn accept(folder: &TempDir) {
    assert_ne!(findings(folder), "");
    seen(folder.path(), &["--pedantic", "--add-ignore", "moves away in May"]);
    assert_eq!(findings(folder), "");
    let again = seen(folder.path(), &["--pedantic", "--diff", "--add-ignore", "again"]);
    assert_eq!((again.0, &*again.1), (0, ""));
}

fn text(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap()
}

/// Everything without the lines and line ends that hold comments.
fn uncommented(text: &str) -> String {
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
        let comment = [" # joblint:", " {{- /* joblint:"].iter().find_map(|mark| line.find(mark));
        let is_own = ["# joblint:", "{{/* joblint:", "{{- /* joblint:"]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark));
        match comment {
            _ if is_own => None,
            Some(at) => Some(format!("{}{end}", &line[..at])),
            None => Some(line.to_owned()),
        }
    });
    lines.collect()
}

#[test]
fn comments_in_manifests_change_no_object() {
    let windows = JOB.replace('\n', "\r\n");
    for job in [JOB.to_owned(), windows, format!("---\n{JOB}---\n{}", JOB.replace("migrate", "b"))]
    {
        let folder = tree(&[("job.yaml", &job)]);
        accept(&folder);
        let after = text(&folder, "job.yaml");
        assert_eq!(uncommented(&after), job, "{after}");
        let objects = |text: &str| -> Vec<_> {
            let documents = yaml_spans::parse(text).into_iter().map(Result::unwrap);
            documents.map(|document| document.root.to_json()).collect()
        };
        assert_eq!(objects(&after), objects(&job));
    }
}

/// A line of a script is no place for a comment of YAML: it would become a part of the script.
#[test]
fn a_comment_stands_at_the_line_or_above_the_object() {
    let folder = tree(&[("job.yaml", JOB)]);
    let select = "restart-policy-always,failure-hidden";
    let (_, _, stderr) = seen(folder.path(), &["--select", select, "--add-ignore", "known"]);
    assert!(stderr.starts_with("Added 2 ignores in 1 file\n"), "{stderr}");
    let policy = "      restartPolicy: Always\n";
    let comment = "      # joblint: ignore[restart-policy-always] known\n";
    let expected = JOB.replace(policy, &format!("{comment}{policy}"));
    assert_eq!(
        text(&folder, "job.yaml"),
        format!("# joblint: ignore[failure-hidden] known\n{expected}")
    );
}

#[test]
fn comments_in_a_chart_print_nothing() {
    let template = JOB
        .replace("name: migrate\nspec", "name: {{ .Release.Name }}\nspec")
        .replace(
            "spec:\n  template",
            "spec:\n{{- if .Values.ttl }}\n\n  {{- /* none */ -}}\n{{- end }}\n  template",
        )
        .replace("Always", "{{ .Values.policy }}");
    let folder = tree(&[
        ("shop/Chart.yaml", CHART),
        ("shop/values.yaml", "policy: Always\nttl: false\n"),
        ("shop/templates/job.yaml", &template),
        (
            "shop/templates/random.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: random\n  annotations:\n    \
          helm.sh/hook: pre-install\n    helm.sh/resource-policy: keep\ndata:\n  a: {{ randAlphaNum 9 | b64enc }}\n",
        ),
    ]);
    let rendered =
        || seen(folder.path(), &["render", "shop", "--show-only", "templates/job.yaml"]).1;
    let before = rendered();
    accept(&folder);
    assert_eq!(rendered(), before, "byte for byte");
    assert_eq!(uncommented(&text(&folder, "shop/templates/job.yaml")), template);
    let values = "policy: Always\nttl: false\n";
    assert_eq!(text(&folder, "shop/values.yaml"), values, "the template is where the value counts");
}

#[test]
fn comments_in_an_overlay_change_no_object() {
    let patch = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\nspec:\n  template:\n    spec:\n      \
                 restartPolicy: Always\n";
    let folder = tree(&[
        ("base/kustomization.yaml", "resources: [job.yaml]\n"),
        ("base/job.yaml", &JOB.replace("Always", "Never")),
        ("prod/kustomization.yaml", "resources: [../base]\npatches:\n  - path: policy.yaml\n"),
        ("prod/policy.yaml", patch),
    ]);
    let built = || seen(folder.path(), &["render", "prod"]).1;
    let before = built();
    accept(&folder);
    assert_eq!(built(), before);
    assert!(text(&folder, "prod/policy.yaml").contains("# joblint: ignore[restart-policy-always]"));
}

#[test]
fn what_cannot_hold_comments_is_left_and_said() {
    let json = "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"a\"}, \"spec\": {\"template\": \
                {\"spec\": {\"restartPolicy\": \"Always\", \"containers\": [{\"name\": \"a\", \"image\": \"a:1\"}]}}}}\n";
    let folder = tree(&[("job.json", json), ("job.yaml", JOB)]);
    let arguments = ["--select", "restart-policy-always", "--add-ignore", "known"];
    let (code, stdout, stderr) = seen(folder.path(), &arguments);
    assert_eq!(code, 1);
    assert!(stdout.contains("job.json") && !stdout.contains("job.yaml"), "{stdout}");
    let note = "note: job.json: JSON has no comments: 1 finding not ignored\n";
    assert!(stderr.contains(note), "{stderr}");
    assert_eq!(text(&folder, "job.json"), json);
}

#[test]
fn fixes_come_first_and_standard_input_is_printed() {
    let folder = tree(&[]);
    let select = ["-", "--select", "restart-policy-always,missing-ttl", "--deployer", "kubectl"];
    let piped = |more: &[&str]| {
        run_with_input(&mut joblint(folder.path(), &[&select[..], more].concat()), JOB).1
    };
    let ignored = piped(&["--add-ignore", "known"]);
    assert_eq!(uncommented(&ignored), JOB);
    assert!(ignored.contains("ignore[restart-policy-always] known"), "{ignored}");
    let flags = ["--fix", "--unsafe-fixes", "--add-ignore", "known"];
    let fixed = piped(&flags);
    let mut verb = joblint(folder.path(), &[&["fix"], &select[..], &flags[1..]].concat());
    assert_eq!(run_with_input(&mut verb, JOB).1, fixed, "the verb is the flag");
    assert!(fixed.contains("restartPolicy: Never"), "{fixed}");
    assert!(!fixed.contains("ignore[restart-policy-always]"), "{fixed}");
}

#[test]
fn a_reason_fits_into_a_comment() {
    let folder = tree(&[("job.yaml", JOB)]);
    for reason in ["", " - ", "two\nlines", "ends */ here", "{{ .Values.a }}"] {
        let (code, _, stderr) = seen(folder.path(), &["--add-ignore", reason]);
        assert_eq!(code, 2);
        assert!(stderr.contains("a reason is one line of words"), "{stderr}");
    }
    assert_eq!(text(&folder, "job.yaml"), JOB);
}
