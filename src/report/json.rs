//! `--output json`, version 1 of the format.

use job_lifecycle::ObjectName;
use serde::Serialize;
use yaml_spans::{Location, Span};

use super::{summary, upgrade};
use crate::{
    diagnostic::{Also, Diagnostic, Fix},
    finding::{Applicability, Confidence, Severity},
    report::RedactedReport,
    results::Part,
};

/// Within a version, keys are only added. Absent values have no key.
const VERSION: u32 = 1;

pub(crate) fn print(report: &RedactedReport) -> String {
    let output = Output {
        version: VERSION,
        tool: TOOL,
        summary: Summary::new(report),
        findings: report.findings.iter().map(Finding::new).collect(),
        unchecked: report
            .unchecked
            .iter()
            .map(|own| Unchecked { path: &own.path, line: own.line, reason: &own.reason })
            .collect(),
        skipped: report.skipped.iter().map(Unchecked::skipped).collect(),
        errors: &report.errors,
        jobs: report.comparison.as_ref().map(upgrade::jobs),
        shard: report.part.as_ref(),
    };
    text(&output)
}

/// The number of findings by rule, with the rules that fired most first.
pub(crate) fn statistics(report: &RedactedReport) -> String {
    let rules = summary::rules(report).into_iter().map(|rule| RuleCount {
        rule: rule.id,
        severity: rule.worst,
        findings: rule.findings,
        fixable: rule.fixable,
    });
    text(&Statistics {
        version: VERSION,
        tool: TOOL,
        summary: Summary::new(report),
        rules: rules.collect(),
        errors: &report.errors,
    })
}

fn text(output: &impl Serialize) -> String {
    serde_json::to_string_pretty(output).expect("keys are texts and values plain") + "\n"
}

const TOOL: Tool = Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };

#[derive(Serialize)]
struct Statistics<'a> {
    version: u32,
    tool: Tool,
    summary: Summary,
    rules: Vec<RuleCount>,
    errors: &'a [String],
}

/// The findings of one rule: how many, of which highest severity, and how many of them a fix can apply to.
#[derive(Serialize)]
struct RuleCount {
    rule: &'static str,
    severity: Severity,
    findings: usize,
    fixable: usize,
}

#[derive(Serialize)]
struct Output<'a> {
    version: u32,
    tool: Tool,
    summary: Summary,
    findings: Vec<Finding<'a>>,
    unchecked: Vec<Unchecked<'a>>,
    /// What the run left out, unless it is a finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<Unchecked<'a>>,
    errors: &'a [String],
    /// The workloads that `upgrade` compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<upgrade::Job<'a>>>,
    /// What `merge` reads of a shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<&'a Part>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    objects: usize,
    workloads: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
    ignored: usize,
    unchecked: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'a> {
    rule: &'static str,
    severity: Severity,
    confidence: Confidence,
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    help: &'a str,
    url: String,
    #[serde(flatten)]
    range: FileRange<'a>,
    /// The labels that are not empty, the primary one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Label<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workload: Option<Workload<'a>>,
    /// The other objects with the same cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<AlsoOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deployers: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    per_deployer: Vec<PerDeployer<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumed: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    inputs: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    value_sets: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixOut<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    fingerprint: &'a str,
}

/// A range of a file. Lines and columns count from 1, columns in code points; the end is exclusive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileRange<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

#[derive(Serialize)]
struct Label<'a> {
    #[serde(flatten)]
    range: FileRange<'a>,
    text: &'a str,
}

/// Another object of a finding, where the rule reports it, and the fingerprint that a baseline holds.
#[derive(Serialize)]
struct AlsoOut<'a> {
    workload: Workload<'a>,
    path: &'a str,
    line: usize,
    column: usize,
    /// The values that enable it: `with backup.enabled=true`.
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    fingerprint: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Workload<'a> {
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generate_name: Option<&'a str>,
}

#[derive(Serialize)]
struct PerDeployer<'a> {
    deployer: &'static str,
    severity: Severity,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
}

#[derive(Serialize)]
struct FixOut<'a> {
    title: &'a str,
    applicability: Applicability,
    edits: Vec<Edit<'a>>,
}

/// An edit; offsets are in bytes of the file.
#[derive(Serialize)]
struct Edit<'a> {
    path: &'a str,
    start: u32,
    end: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct Unchecked<'a> {
    path: &'a str,
    line: usize,
    reason: &'a str,
}

impl<'a> Unchecked<'a> {
    fn skipped(finding: &'a Diagnostic) -> Self {
        let at = &finding.location;
        Self { path: &at.source.path, line: at.start().line, reason: &finding.label }
    }
}

impl Summary {
    fn new(report: &RedactedReport) -> Self {
        let of = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
        Self {
            files: report.counts.files,
            objects: report.counts.objects,
            workloads: report.counts.workloads,
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            infos: of(Severity::Info),
            ignored: report.counts.ignored,
            unchecked: report.unchecked.len(),
        }
    }
}

impl<'a> Finding<'a> {
    fn new(finding: &'a Diagnostic) -> Self {
        Self {
            rule: finding.rule.id,
            severity: finding.severity,
            confidence: finding.confidence,
            message: &finding.message,
            help: &finding.help,
            url: finding.rule.url(),
            range: FileRange::new(&finding.location),
            labels: std::iter::once((&finding.location, &finding.label))
                .chain(finding.secondary.iter().map(|(at, text)| (at, text)))
                .filter(|(_, text)| !text.is_empty())
                .map(|(at, text)| Label { range: FileRange::new(at), text })
                .collect(),
            workload: finding.workload.as_ref().map(Workload::new),
            also: finding.also.iter().map(AlsoOut::new).collect(),
            deployers: finding.deployers.iter().map(|own| own.tool.name()).collect(),
            per_deployer: finding
                .differing()
                .iter()
                .map(|own| PerDeployer {
                    deployer: own.tool.name(),
                    severity: own.severity,
                    text: &own.text,
                })
                .collect(),
            assumed: finding.assumed,
            inputs: &finding.inputs,
            value_sets: finding.value_sets.iter().map(|name| &**name).collect(),
            fixes: finding.fixes.iter().map(FixOut::new).collect(),
            fingerprint: &finding.fingerprint,
        }
    }
}

impl<'a> Workload<'a> {
    fn new(name: &'a ObjectName) -> Self {
        Self {
            kind: &name.kind,
            namespace: name.namespace.as_deref(),
            name: name.name.as_deref(),
            generate_name: name.generate_name.as_deref(),
        }
    }
}

impl<'a> AlsoOut<'a> {
    fn new(one: &'a Also) -> Self {
        let start = one.location.start();
        Self {
            workload: Workload::new(&one.workload),
            path: &one.location.source.path,
            line: start.line,
            column: start.column,
            note: &one.note,
            fingerprint: &one.fingerprint,
        }
    }
}

impl<'a> FileRange<'a> {
    fn new(at: &'a Location) -> Self {
        let (start, end) = (at.start(), at.end());
        Self {
            path: &at.source.path,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

impl<'a> FixOut<'a> {
    fn new(fix: &'a Fix) -> Self {
        let edit = |edit: &'a yaml_spans::Edit| {
            let Span { start, end } = edit.span;
            Edit { path: &fix.source.path, start, end, text: &edit.text }
        };
        Self {
            title: &fix.title,
            applicability: fix.applicability,
            edits: fix.edits.iter().map(edit).collect(),
        }
    }
}
