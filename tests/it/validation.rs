//! The rules against recorded answers of API servers: every reason for a rejection is predicted, in the server's words
//! or by a rule listed here, and an accepted manifest has no errors.

use std::{collections::BTreeSet, fs, path::Path};

use joblint::{check::check_unit, finding::Severity, results::Report, settings::Settings};

use super::support::{file, plain};

/// Rules that report a reason in their own words: part of the reason, the rule.
const NAMED: &[(&str, &str)] = &[
    ("restartPolicy: Required value", "restart-policy-always"),
    ("restartPolicy: Unsupported value: \"never\"", "restart-policy-always"),
    ("will not able to create pod with invalid DNS label: mig.v1", "invalid-name"),
    ("will not able to create pod", "name-too-long"),
    ("must be no more than 52 characters", "name-too-long"),
    ("must be no more than 253 characters", "name-too-long"),
    ("spec.template.labels: Invalid value: \"aaaa", "name-too-long"),
    ("metadata.name: ", "invalid-name"),
    ("metadata.generateName: ", "invalid-name"),
    ("`selector` ", "selector-set-by-hand"),
    ("spec.selector: Required value", "selector-set-by-hand"),
    ("manualSelector: ", "selector-set-by-hand"),
    ("controller-uid]: ", "selector-set-by-hand"),
    ("job-name]: ", "selector-set-by-hand"),
    ("metadata.annotations of type string", "annotation-not-string"),
    ("cannot be handled as a Job", "wrong-type"),
];

/// The rules that predict a rejection by the server.
const RULES: &[&str] = &[
    "invalid-cronjob",
    "invalid-job",
    "invalid-name",
    "misplaced-field",
    "name-too-long",
    "restart-policy-always",
    "selector-set-by-hand",
    "unknown-field",
    "wrong-type",
];

/// Cases that are not compared, each with the reason.
const SKIPPED: &[(&str, &str)] = &[
    ("annotation int", "annotation-not-string reports it"),
    ("int as float", "kubectl turns YAML's 2.0 into 2 before it sends it"),
    ("cron v1beta1", "the request went to another address; the manifest is that of batch/v1"),
    (
        "unknown field spec.foo (Warn)",
        "unknown-field reports it, though the server accepted that request",
    ),
    ("unknown backoffLimit in pod spec (Warn)", "misplaced-field reports it in the same way"),
    ("unknown field beside", "unknown-field reports it in the same way"),
    ("cron job-name label", "the CronJob is accepted, but each of its Jobs will be rejected"),
];

/// Reasons that are not predicted: they follow from another one, or print internal names of the server.
const UNREPORTED: &[(&str, &str)] = &[
    ("`selector` does not match template `labels`", "follows from the selector"),
    ("spec.successPolicy: Invalid value: {\"Rules\"", "reported without the internal names"),
    (
        "must be a standard resource type or fully qualified",
        "reported once: not a resource for containers",
    ),
    ("unknown time zone local", "reported once: not an explicit zone"),
    ("unknown time zone Local", "reported once: not an explicit zone"),
    ("supported values: \"OnFailure\", \"Never\"", "reported once"),
    ("metadata.labels: Invalid value: \"1.0+a\"", "the Job's labels are those of the template"),
    ("volumeMounts[0].name: Not found: \"\"", "reported once: no name"),
    ("nfs.path: Invalid value: \"\": must be an absolute path", "reported once: no path"),
    (
        "limits[a b]: Invalid value: \"a b\": must be a standard",
        "reported once: no name of a resource",
    ),
    ("securityContext: Invalid value: {\"Capabilities\"", "reported without the internal names"),
    ("localhostProfile: Invalid value: {\"Type\"", "reported without the internal names"),
    ("provided bad location", "the schedule may not hold a zone at all"),
];

struct Case {
    name: String,
    manifest: String,
    accepted: bool,
    reasons: Vec<String>,
}

/// The rows of a table: name, manifest, HTTP status, message.
fn cases(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/job-lifecycle/testdata/kubernetes")
        .join(file);
    let text = fs::read_to_string(path).expect("the table");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let columns: Vec<_> = row.split('\t').collect();
        let kind = if columns[1].contains("\"jobTemplate\"") || columns[1].contains("\"schedule\"")
        {
            "CronJob"
        } else {
            "Job"
        };
        let body = columns[1].strip_prefix('{').expect("an object");
        let manifest = format!("{{\"apiVersion\":\"batch/v1\",\"kind\":\"{kind}\",{body}");
        let accepted = columns[2] == "201";
        Case { name: columns[0].into(), manifest, accepted, reasons: reasons(columns[3]) }
    })
    .collect()
}

/// The reasons in a message: one behind `is invalid: `, or several in brackets.
fn reasons(message: &str) -> Vec<String> {
    let Some((_, list)) = message.split_once(" is invalid: ") else { return vec![message.into()] };
    let Some(list) = list.strip_prefix('[').and_then(|list| list.strip_suffix(']')) else {
        return vec![list.into()];
    };
    let mut reasons: Vec<String> = Vec::new();
    for part in list.split(", ") {
        match reasons.last_mut() {
            Some(last) if !part.starts_with("spec.") && !part.starts_with("metadata.") => {
                last.push_str(", ");
                last.push_str(part);
            }
            _ => reasons.push(part.to_owned()),
        }
    }
    reasons
}

/// What a program has to complete is shown with `--pedantic` only.
fn check(manifest: &str) -> Report {
    let settings = Settings { pedantic: true, ..Settings::default() };
    check_unit(&plain(vec![file("a.json", manifest)]), &settings)
}

fn compare(case: &Case, failures: &mut Vec<String>) {
    let report = check(&case.manifest);
    let reported: BTreeSet<_> =
        report.findings.iter().map(|f| (f.rule.id, f.label.as_str())).collect();
    let mut fail = |text: String| failures.push(format!("{}: {text}", case.name));
    // Without containers, the missing restart policy is not worth a finding.
    let no_pod = case.reasons.iter().any(|reason| reason.ends_with(".containers: Required value"));
    let is_unreported = |reason: &str| {
        UNREPORTED.iter().any(|(part, _)| reason.contains(part))
            || no_pod && reason.contains(".restartPolicy: Required value")
    };
    if !case.accepted {
        for reason in case.reasons.iter().filter(|reason| !is_unreported(reason)) {
            let named = NAMED.iter().find(|(part, _)| reason.contains(part)).map(|(_, rule)| *rule);
            let predicted = reported.iter().any(|(rule, label)| match named {
                Some(named) => *rule == named,
                None => label == reason,
            });
            if !predicted {
                fail(format!("not predicted: {reason}\n    reported: {reported:?}"));
            }
        }
    }
    let ours = report.findings.iter().filter(|finding| RULES.contains(&finding.rule.id));
    for finding in ours.filter(|finding| finding.severity == Severity::Error) {
        let (rule, label) = (finding.rule.id, &finding.label);
        let own_words = rule == "invalid-job" || rule == "invalid-cronjob";
        // Where the server prints a value with internal names, the label omits the value.
        let (path, detail) = label.split_once("Invalid value: ").unwrap_or((label, ""));
        let is_stated = case.reasons.iter().any(|reason| {
            reason == label
                || reason.starts_with(path) && reason.ends_with(detail) && is_unreported(reason)
        });
        if case.accepted || own_words && !is_stated {
            fail(format!("the server did not say: {rule}: {label}"));
        }
    }
}

#[test]
fn the_rules_predict_the_answers_of_api_servers() {
    let mut failures = Vec::new();
    for case in cases("invalid.tsv").iter().chain(&cases("pod.tsv")) {
        if !SKIPPED.iter().any(|(name, _)| *name == case.name) {
            compare(case, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n"));
}
