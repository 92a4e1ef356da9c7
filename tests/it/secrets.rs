//! No format prints a secret, however close it is to a finding.

use joblint::{
    check::check_unit,
    diagnostic::Fix,
    discover::Root,
    finding::Applicability,
    fingerprint,
    report::{self, Options, RedactedReport, Style},
    results::Report,
    settings::Settings,
};
use yaml_spans::{Edit, Span};

use super::{
    report::FORMATS,
    support::{file, plain},
};

/// Every line with a canary is at or near a finding.
const MANIFESTS: &str = r#"apiVersion: v1
kind: Secret
metadata:
  name: db
data: {user: CANARYa1}
stringData: {plain: CANARYa2}
---
apiVersion: batch/v1
kind: Job
metadata: {name: one, annotations: {team/api-token: "CANARYa3", note: x}}
spec: {template: {spec: {restartPolicy: Always, containers: [{env: [{name: DB_PASSWORD, value: CANARYa4}]}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: two}
spec:
  template:
    spec: # the old password: CANARYa5
      containers: [{args: ["--password=CANARYa6", "--token", "CANARYa7 CANARYb7"], command: [mysql, -pCANARYa8]}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: three}
spec:
  template:
    spec:
      restartPolicy: "CANARYa9" # apiKey: "CANARYa9"
      containers:
        - command: [sh, -c, "PGPASSWORD=CANARYc1 psql postgres://root:CANARYc2@db; curl -u root:CANARYc3 x"]
---
apiVersion: batch/v1
kind: Job
metadata: {name: four}
spec:
  template:
    spec:
      restartPolicy: Always
      privateKey: |
        CANARYc4
        CANARYc5 äöü CANARYc6
---
apiVersion: batch/v1
kind: Job
metadata: {name: five}
x: &anchor CANARYc7
password: *anchor
spec: {template: {spec: {restartPolicy: Always}}}
---
kind: Secret
stringData:
  broken: [CANARYc8
  next: CANARYc9
---
metadata: [x
credentials: CANARYd1
env: [{name: MY_SECRET, value: CANARYd2}]
last: x
"#;

fn report() -> Report {
    let settings = Settings { pedantic: true, ..Settings::default() };
    let mut report = check_unit(&plain(vec![file("jobs.yaml", MANIFESTS)]), &settings);
    // A finding that quotes values, with a fix that moves them.
    let mut moving = report.findings[0].clone();
    let start = MANIFESTS.find("- command").expect("part of the text");
    let line = &MANIFESTS[start..start + MANIFESTS[start..].find('\n').expect("a line break")];
    moving.label = format!("has {}", line.replace('"', "`"));
    moving.message = "says `CANARYa4`".into();
    moving.help = "remove `CANARYa9`".into();
    moving.secondary.push((moving.location.clone(), "and CANARYc5".into()));
    moving.fixes = vec![Fix {
        title: "move CANARYc1".into(),
        applicability: Applicability::Safe,
        source: moving.location.source.clone(),
        edits: vec![Edit { span: Span::new(start, start), text: format!("{line}\n        ") }],
    }];
    report.findings.push(moving);
    fingerprint::fill(&mut report.findings, &Root::default(), &mut report.redactor);
    report
}

#[test]
fn no_format_prints_a_secret() {
    let found = report().findings;
    assert!(found.len() >= 8, "findings near the secrets: {}", found.len());
    let report = RedactedReport::new(report());
    let rich = Style { color: true, links: true, ..Style::default() };
    for format in FORMATS {
        for style in [Style::default(), rich] {
            let text = report::print(
                &report,
                format,
                &Options { style, exit_code: 1, ..Options::default() },
            );
            let leak = text.lines().find(|line| line.contains("CANARY"));
            assert_eq!(leak, None, "{format:?}");
            assert!(text.contains("***"), "{format:?}");
        }
    }
    assert!(!format!("{report:?}").contains("CANARY"));
}

#[test]
fn a_fix_with_a_masked_value_cannot_be_applied() {
    let report = RedactedReport::new(report());
    for fix in report.findings.iter().flat_map(|finding| &finding.fixes) {
        if fix.edits.iter().any(|edit| edit.text.contains('*')) {
            assert_eq!(fix.applicability, Applicability::Display);
        }
    }
}

#[test]
fn positions_in_masked_texts_are_those_of_the_file() {
    let (plain, masked) = (report(), RedactedReport::new(report()));
    for (plain, masked) in plain.findings.iter().zip(&masked.findings) {
        assert_eq!(plain.location.start(), masked.location.start());
        assert_eq!(plain.location.end(), masked.location.end());
        let (before, after) = (&plain.location.source.text, &masked.location.source.text);
        assert_eq!(before.len(), after.len());
        assert_eq!(before.lines().count(), after.lines().count());
        assert_eq!(before.chars().count(), after.chars().count());
    }
}
