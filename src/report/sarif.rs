//! SARIF 2.1.0, for code scanning.

mod schema;

use job_lifecycle::ObjectName;
use schema::*;
use yaml_spans::Location;

use super::Options;
use crate::{
    diagnostic::{Diagnostic, Fix},
    discover::Root,
    finding::{Applicability, Confidence, Severity},
    report::RedactedReport,
    results::{Report, Unchecked},
    rules::{Category, Rule},
};

/// The conventional SARIF name of the repository root.
const ROOT: &str = "%SRCROOT%";

pub(crate) fn print(report: &RedactedReport, options: &Options) -> String {
    let rules = fired(report);
    let run = Run {
        tool: Tool { driver: driver(&rules) },
        invocations: [invocation(report, options.exit_code)],
        original_uri_base_ids: BaseIds {
            root: Base { description: text("root of the repository") },
        },
        column_kind: "unicodeCodePoints",
        results: report.findings.iter().map(|f| result(f, &rules, &report.root)).collect(),
        properties: report.part.as_ref().map(|shard| RunProperties { shard }),
    };
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [run],
    };
    serde_json::to_string_pretty(&log).expect("keys are texts and values plain") + "\n"
}

/// The rules that fired, by id.
fn fired(report: &Report) -> Vec<&'static Rule> {
    let mut rules: Vec<_> = report.findings.iter().map(|finding| finding.rule).collect();
    rules.sort_by_key(|rule| rule.id);
    rules.dedup();
    rules
}

fn driver(rules: &[&'static Rule]) -> Driver {
    Driver {
        name: env!("CARGO_PKG_NAME"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        information_uri: crate::rules::SITE,
        rules: rules.iter().map(|rule| descriptor(rule)).collect(),
    }
}

fn descriptor(rule: &Rule) -> Descriptor {
    let meta = rule.meta();
    let (why, remedy) = (paragraphs(&meta.why), paragraphs(&meta.remedy));
    let links: String = meta.references.iter().map(|link| format!("\n- <{link}>")).collect();
    let references = if links.is_empty() { links } else { format!("\n\nReferences:\n{links}") };
    Descriptor {
        id: rule.id,
        short_description: text(&meta.summary),
        full_description: text(&why),
        help: Help {
            text: format!("{remedy}\n\n{}", rule.url()),
            markdown: format!("{why}\n\n**What to do.** {remedy}{references}"),
        },
        help_uri: rule.url(),
        default_configuration: Configuration { level: level(meta.severity) },
        properties: RuleProperties {
            tags: vec!["kubernetes", category(meta.category)],
            precision: match meta.confidence {
                Confidence::High => "very-high",
                Confidence::Medium => "high",
                Confidence::Low => "medium",
            },
            problem_severity: match meta.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "recommendation",
            },
        },
    }
}

fn result(finding: &Diagnostic, rules: &[&'static Rule], root: &Root) -> ResultOut {
    let related = finding.secondary.iter().enumerate().map(|(id, (at, label))| ReportedLocation {
        id: Some(id),
        physical_location: physical(at, root),
        message: (!label.is_empty()).then(|| text(label)),
        logical_locations: Vec::new(),
    });
    let fixes = finding.fixes.iter().filter(|fix| fix.applicability > Applicability::Display);
    ResultOut {
        rule_id: finding.rule.id,
        rule_index: rules.iter().position(|rule| rule.id == finding.rule.id),
        level: level(finding.severity),
        message: text(&message(finding)),
        locations: [ReportedLocation {
            id: None,
            physical_location: physical(&finding.location, root),
            message: None,
            logical_locations: logical(finding),
        }],
        related_locations: related.collect(),
        partial_fingerprints: (!finding.fingerprint.is_empty())
            .then(|| Fingerprints { own: finding.fingerprint.clone() }),
        fixes: fixes.map(|fix| fix_out(fix, root)).collect(),
        properties: ResultProperties {
            confidence: finding.confidence,
            deployers: finding.deployers.iter().map(|own| own.tool.name()).collect(),
            assumed: finding.assumed,
        },
    }
}

/// Message, label and help. Brackets are escaped if SARIF viewers would read them as a link.
fn message(finding: &Diagnostic) -> String {
    let mut message = finding.sentence();
    if !finding.help.is_empty() {
        message = format!("{message}\nhelp: {}", finding.help);
    }
    for (who, text) in finding.by_deployer() {
        message = format!("{message}\n{who}: {text}");
    }
    match message.contains("](") {
        true => message.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]"),
        false => message,
    }
}

fn logical(finding: &Diagnostic) -> Vec<Logical> {
    let also = finding.also.iter().map(|one| &one.workload);
    let logical = |workload: &ObjectName| {
        let name = workload.name.as_ref().or(workload.generate_name.as_ref())?;
        let namespace = workload.namespace.iter().map(String::as_str);
        let parts: Vec<_> = namespace.chain([workload.kind.as_str(), name]).collect();
        let fully_qualified_name = parts.join("/");
        Some(Logical { name: name.clone(), fully_qualified_name, kind: "object" })
    };
    finding.workload.iter().chain(also).filter_map(logical).collect()
}

fn physical(at: &Location, root: &Root) -> Physical {
    Physical { artifact_location: artifact(&at.source.path, root), region: Some(region(at)) }
}

fn artifact(path: &str, root: &Root) -> Artifact {
    let uri = root.uri(path);
    Artifact { uri: uri.text, uri_base_id: uri.relative.then_some(ROOT) }
}

fn region(at: &Location) -> Region {
    let (start, end) = (at.start(), at.end());
    Region {
        start_line: start.line,
        start_column: start.column,
        end_line: end.line,
        end_column: end.column,
    }
}

fn fix_out(fix: &Fix, root: &Root) -> FixOut {
    let replacement = |edit: &yaml_spans::Edit| {
        let at = Location { source: fix.source.clone(), span: edit.span };
        Replacement {
            deleted_region: region(&at),
            inserted_content: (!edit.text.is_empty()).then(|| text(&edit.text)),
        }
    };
    FixOut {
        description: text(&match fix.applicability {
            Applicability::Safe => fix.title.clone(),
            _ => format!("{} (unsafe)", fix.title),
        }),
        artifact_changes: [ArtifactChange {
            artifact_location: artifact(&fix.source.path, root),
            replacements: fix.edits.iter().map(replacement).collect(),
        }],
    }
}

fn invocation(report: &Report, exit_code: u8) -> Invocation {
    let unchecked = report.unchecked.iter().map(|own| unchecked(own, &report.root));
    let errors = report.errors.iter().map(|error| Notification {
        level: "error",
        message: text(error),
        locations: Vec::new(),
    });
    Invocation {
        execution_successful: exit_code < 2,
        exit_code,
        exit_code_description: match exit_code {
            0 => "nothing found at or above the level that fails the run",
            1 => "findings are left",
            _ => "something could not be checked",
        },
        tool_execution_notifications: unchecked.collect(),
        tool_configuration_notifications: errors.collect(),
    }
}

fn unchecked(unchecked: &Unchecked, root: &Root) -> Notification {
    let region = (unchecked.line > 0).then(|| Region::line(unchecked.line));
    let artifact_location = artifact(&unchecked.path, root);
    Notification {
        level: "error",
        message: text(&format!("could not be checked: {}", unchecked.reason)),
        locations: vec![ReportedLocation {
            id: None,
            physical_location: Physical { artifact_location, region },
            message: None,
            logical_locations: Vec::new(),
        }],
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn category(category: Category) -> &'static str {
    match category {
        Category::Recreation => "recreation",
        Category::Hooks => "hooks",
        Category::Correctness => "correctness",
        Category::Command => "command",
        Category::Gitops => "gitops",
        Category::Versions => "versions",
        Category::Run => "run",
    }
}

/// Joins the wrapped lines of paragraphs and list items.
fn paragraphs(text: &str) -> String {
    let blocks = text.trim().split("\n\n").map(|block| {
        let mut out = String::new();
        for line in block.lines().map(str::trim) {
            let item = line.starts_with("- ") || line.starts_with("* ");
            out.push_str(if out.is_empty() {
                ""
            } else if item {
                "\n"
            } else {
                " "
            });
            out.push_str(line);
        }
        out
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

fn text(text: &str) -> Text {
    Text { text: text.to_owned() }
}
