//! A report with everything that is hard to print.

use std::sync::Arc;

use job_lifecycle::{ObjectName, Tool};
use joblint::{
    diagnostic::{Diagnostic, Fix},
    finding::{Applicability, PerDeployer, Severity},
    fingerprint, resolve,
    results::{Report, Unchecked},
    rules,
    settings::Settings,
};
use yaml_spans::{Edit, Location, Source, Span};

/// CRLF, wide characters, a tab, a secret.
const MIGRATE: &str = "apiVersion: batch/v1\r\nkind: Job\r\nmetadata:\r\n  name: migrate # 日本語\r\n\
                       spec:\r\n  template:\r\n    spec:\r\n      containers:\r\n        - name: \"日本\"\r\n\
                       \x20         image: {{ .Values.image }}\r\n          env:\r\n\
                       \x20           - {name: DB_PASSWORD, value: \"hunter2-zebra\"}\r\n\
                       \x20     restartPolicy:\tAlways # 日本\r\n";

const VALUES: &str = "# what runs\nimage: app\n\nauth:\n  password: hunter3-zebra\n";

pub fn report() -> Report {
    let migrate = Arc::new(Source::new("charts/my app/templates/migrate.yaml", MIGRATE));
    let values = Arc::new(Source::new("charts/my app/values.yaml", VALUES));
    let long = format!(
        "{{\"a\":\"{}\",\"kind\":\"Job\",\"b\":\"{}\"}}\n",
        "x".repeat(400),
        "y".repeat(400)
    );
    let long = Arc::new(Source::new("long.json", long));
    let mut report = Report {
        findings: vec![
            everything(&migrate, &values),
            insertion(&migrate),
            block(&migrate),
            nasty(&migrate),
            unreadable(&values),
            of(&long, "\"Job\"", "a Job in a long line"),
        ],
        unchecked: vec![Unchecked {
            path: values.path.clone(),
            line: 5,
            reason: "found `hunter3-zebra`".into(),
        }],
        ..Report::default()
    };
    report.findings.sort_by(|a, b| {
        (a.location.sort_key(), a.rule.id).cmp(&(b.location.sort_key(), b.rule.id))
    });
    fingerprint::fill(&mut report.findings, &report.root, &mut report.redactor);
    fingerprint::count(&mut report.findings);
    report.counts.files = 17;
    report.counts.objects = 42;
    report.counts.workloads = 3;
    report.counts.ignored = 2;
    report
}

/// A finding at some bytes of a source.
pub fn finding(source: &Arc<Source>, start: usize, length: usize) -> Diagnostic {
    at(source, Span::new(start, start + length), "what is wrong here")
}

fn at(source: &Arc<Source>, span: Span, label: &str) -> Diagnostic {
    let location = Location { source: source.clone(), span };
    run_finding("restart-policy-always", location, label)
}

fn of(source: &Arc<Source>, text: &str, label: &str) -> Diagnostic {
    at(source, span(source, text), label)
}

fn span(source: &Source, text: &str) -> Span {
    let start = source.text.find(text).expect("part of the text");
    Span::new(start, start + text.len())
}

/// Labels in two files, a workload, two deployers, an unsafe fix.
fn everything(migrate: &Arc<Source>, values: &Arc<Source>) -> Diagnostic {
    let edit = Edit { span: span(migrate, "Always"), text: "Never".into() };
    let deployer = |tool, severity, text: &str| PerDeployer { tool, severity, text: text.into() };
    Diagnostic {
        secondary: vec![
            (here(migrate, "Job"), "the Job".into()),
            (here(values, "app"), "the tag comes from here".into()),
        ],
        workload: Some(ObjectName {
            kind: "Job".into(),
            namespace: Some("data".into()),
            name: Some("migrate".into()),
            generate_name: None,
        }),
        deployers: vec![
            deployer(Tool::Argocd, Severity::Error, "the sync fails"),
            deployer(Tool::Flux, Severity::Warning, "the object is left out"),
            deployer(Tool::Fleet, Severity::Error, "the sync fails"),
        ],
        assumed: true,
        fixes: vec![fix(migrate, "use `Never`", Applicability::Unsafe, vec![edit])],
        ..of(migrate, "Always", "must be `Never` or `OnFailure`")
    }
}

/// A safe fix of two edits: a line more, a line less.
fn insertion(migrate: &Arc<Source>) -> Diagnostic {
    let spec = span(migrate, "  template:");
    let env = span(migrate, "          env:\r\n");
    let edits = vec![
        Edit { span: Span { end: spec.start, ..spec }, text: "  backoffLimit: 0\r\n".into() },
        Edit { span: env, text: String::new() },
    ];
    Diagnostic {
        severity: Severity::Warning,
        fixes: vec![fix(migrate, "set `backoffLimit`", Applicability::Safe, edits)],
        ..of(migrate, "spec", "")
    }
}

/// A place of several lines, and a fix that moves a secret.
fn block(migrate: &Arc<Source>) -> Diagnostic {
    let start = span(migrate, "- name: \"日本\"").start;
    let end = span(migrate, "      restartPolicy").start;
    let text = "env: [{name: DB_PASSWORD, value: \"hunter2-zebra\"}]\r\n      ";
    let edits = vec![Edit { span: Span { start: end + 6, end: end + 6 }, text: text.into() }];
    Diagnostic {
        severity: Severity::Info,
        help: String::new(),
        fixes: vec![fix(migrate, "move `env`", Applicability::Safe, edits)],
        ..at(migrate, Span { start, end }, "this container\nreads `hunter2-zebra`")
    }
}

/// Texts with everything that some format must escape.
fn nasty(migrate: &Arc<Source>) -> Diagnostic {
    Diagnostic {
        message: "100% <b>bold</b> | a, b: c & 'd' \"e\" @team #1 [x](y)".into(),
        help: "say `a|b` *twice*,\r\nthen \u{1b}[31mstop\u{1b}[0m `".into(),
        ..of(migrate, "日本語", "two\tof `them`\u{202e}")
    }
}

fn unreadable(values: &Arc<Source>) -> Diagnostic {
    let location = here(values, "hunter3-zebra");
    run_finding("unreadable", location, "found `hunter3-zebra`")
}

fn run_finding(rule: &str, location: Location, label: &str) -> Diagnostic {
    let rule = rules::find(rule).expect("a rule");
    resolve::run_finding(rule, location, label.into(), &Settings::default())
}

fn here(source: &Arc<Source>, text: &str) -> Location {
    Location { source: source.clone(), span: span(source, text) }
}

fn fix(source: &Arc<Source>, title: &str, applicability: Applicability, edits: Vec<Edit>) -> Fix {
    Fix { title: title.into(), applicability, source: source.clone(), edits }
}
