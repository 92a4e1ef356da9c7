//! Validation against recorded answers of API servers: the predicted messages are those of the server, and an
//! accepted manifest has none.

use std::sync::Arc;

use job_lifecycle::{
    Object, Workload,
    kubernetes::{
        FieldError, Version,
        schema::{Mismatch, mismatches},
        validate,
    },
    workload::Kind,
};
use yaml_spans::Source;

/// Messages that validation does not predict: parts of them, and why.
const NOT_PREDICTED: &[(&str, &str)] = &[
    (".restartPolicy: ", "left to the caller"),
    ("metadata.name: ", "names are left to the caller"),
    ("metadata.generateName: ", "names are left to the caller"),
    ("will not able to create pod", "names are left to the caller"),
    ("spec.template.labels: Invalid value: \"aaaa", "names are left to the caller"),
    ("`selector` ", "selectors are left to the caller"),
    ("spec.selector: Required value", "selectors are left to the caller"),
    ("manualSelector: ", "selectors are left to the caller"),
    ("controller-uid]: ", "labels that the server generates are left to the caller"),
    ("job-name]: ", "labels that the server generates are left to the caller"),
    ("metadata.annotations of type string", "types of annotations are left to the caller"),
    ("metadata.labels: Invalid value: \"1.0+a\"", "copied from the template, predicted there"),
    ("must be a standard resource type or fully qualified", "a second message for one mistake"),
    ("limits[a b]: Invalid value: \"a b\": must be a standard", "a second message for one mistake"),
    ("unknown time zone local", "a second message for one mistake"),
    ("unknown time zone Local", "a second message for one mistake"),
    ("volumeMounts[0].name: Not found: \"\"", "a second message for one mistake"),
    ("nfs.path: Invalid value: \"\": must be an absolute path", "a second message for one mistake"),
    ("provided bad location", "a second message for one mistake"),
    ("spec.successPolicy: Invalid value: {\"Rules\"", "predicted without the printed value"),
    ("securityContext: Invalid value: {\"Capabilities\"", "predicted without the printed value"),
    ("localhostProfile: Invalid value: {\"Type\"", "predicted without the printed value"),
];

/// Rows that are not compared, each with the reason.
const SKIPPED: &[(&str, &str)] = &[
    ("int as float", "kubectl turns YAML's 2.0 into 2 before it sends it"),
    ("cron v1beta1", "the request went to another address; the manifest is that of batch/v1"),
];

struct Row {
    name: &'static str,
    manifest: String,
    accepted: bool,
    messages: Vec<String>,
}

fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|row| {
        let columns: Vec<_> = row.split('\t').collect();
        let [name, manifest, code, message] = columns[..] else { panic!("four columns: {row}") };
        let is_cron = ["\"jobTemplate\"", "\"schedule\""].iter().any(|key| manifest.contains(key));
        let kind = if is_cron { "CronJob" } else { "Job" };
        let body = manifest.strip_prefix('{').expect("an object");
        let manifest = format!("{{\"apiVersion\":\"batch/v1\",\"kind\":\"{kind}\",{body}");
        Row { name, manifest, accepted: code == "201", messages: messages(message) }
    })
}

/// The messages of an answer: one after `is invalid: `, or several in brackets.
fn messages(answer: &str) -> Vec<String> {
    let Some((_, list)) = answer.split_once(" is invalid: ") else { return vec![answer.into()] };
    let Some(list) = list.strip_prefix('[').and_then(|list| list.strip_suffix(']')) else {
        return vec![list.into()];
    };
    let mut messages: Vec<String> = Vec::new();
    for part in list.split(", ") {
        match messages.last_mut() {
            Some(last) if !part.starts_with("spec.") && !part.starts_with("metadata.") => {
                last.push_str(", ");
                last.push_str(part);
            }
            _ => messages.push(part.to_owned()),
        }
    }
    messages
}

/// The predicted errors, and whether the server is predicted not to decode the manifest.
fn predict(manifest: &str) -> (Vec<FieldError>, bool) {
    let source = Arc::new(Source::new("a.json", manifest));
    let document = yaml_spans::parse(&source.text).remove(0).expect("valid JSON");
    let object = Object::new(&source, document.root, document.span).expect("an object");
    let job = Workload::new(&object).expect("a Job or CronJob");
    let root = if job.kind == Kind::Job { "Job" } else { "CronJob" };
    let found = mismatches(&object.root, root, Version::NEWEST);
    let mut errors = validate::job(&job, &found);
    if job.kind == Kind::CronJob {
        errors.extend(validate::cron_job(&job, &found, Version::NEWEST));
    }
    (errors, found.iter().any(|one| matches!(one, Mismatch::WrongType(_))))
}

/// What is wrong with the prediction for a row.
fn failures(row: &Row) -> Vec<String> {
    let (errors, undecodable) = predict(&row.manifest);
    let unpredicted = |message: &str| NOT_PREDICTED.iter().any(|(part, _)| message.contains(part));
    if row.messages.iter().any(|message| message.contains("cannot be handled as a")) {
        let decodes = format!("{}: the server cannot decode it", row.name);
        let expected = undecodable || row.messages.iter().all(|message| unpredicted(message));
        return if expected { Vec::new() } else { vec![decodes] };
    }
    let missing = row.messages.iter().filter(|message| {
        !row.accepted
            && !unpredicted(message)
            && !errors.iter().any(|error| error.message == **message)
    });
    // Where the server prints a value with internal field names, the prediction omits the value.
    let is_said = |error: &FieldError| {
        let parts = error.message.split_once("Invalid value");
        let (path, detail) = parts.unwrap_or((&error.message, ""));
        row.messages.iter().any(|message| {
            *message == error.message
                || unpredicted(message) && message.starts_with(path) && message.ends_with(detail)
        })
    };
    let wrong = errors.iter().filter(|error| row.accepted || !is_said(error));
    let wrong =
        wrong.map(|error| format!("{}: the server does not say: {}", row.name, error.message));
    let missing = missing.map(|message| format!("{}: not predicted: {message}", row.name));
    missing.chain(wrong).collect()
}

#[test]
fn predictions_match_the_answers_of_api_servers() {
    let tables = [
        include_str!("../testdata/kubernetes/invalid.tsv"),
        include_str!("../testdata/kubernetes/pod.tsv"),
    ];
    let rows: Vec<_> = tables.into_iter().flat_map(rows).collect();
    let compared = rows.iter().filter(|row| !SKIPPED.iter().any(|(name, _)| *name == row.name));
    let failures: Vec<_> = compared.flat_map(failures).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(rows.len() > 300, "{}", rows.len());
}
