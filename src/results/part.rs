//! The result of a shard as it is written for `merge`: redacted, with one finding for each object, before the
//! baseline. [`crate::merge`] makes a report of all parts of a run.

use std::{collections::HashMap, sync::Arc};

use job_lifecycle::{ObjectName, Tool};
use serde::{Deserialize, Serialize};
use yaml_spans::{Edit, Location, Source, Span};

use super::{Report, Unchecked, Undecided};
use crate::{
    diagnostic::{Diagnostic, Fix},
    discover::Root,
    finding::{Applicability, Confidence, PerDeployer, Severity},
    rules::{self, Meta, Rule},
    shard::Shard,
    unit::Counts,
};

/// The result of a shard.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    /// The shard, such as `2/5`.
    pub(crate) shard: String,
    /// The same in all shards of a run, and different for other units.
    pub(crate) run: String,
    pub(crate) fail_on: Severity,
    /// The working directory and the root of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<(String, String)>,
    counts: [usize; 6],
    /// The redacted texts that locations refer to by position.
    sources: Vec<Text>,
    findings: Vec<Finding>,
    /// What the run left out although nothing is known to be wrong with it.
    skipped: Vec<Finding>,
    /// Findings about ignores of the settings; they hold if no shard found a use.
    entries: Vec<Finding>,
    /// The fingerprints in the baseline.
    pub(crate) accepted: Vec<String>,
    unchecked: Vec<(String, usize, String)>,
    errors: Vec<String>,
    /// The policies that the shard cannot decide.
    undecided: Undecided,
    /// The pages of policies and of rules of one's own that have findings.
    rules: Vec<Meta>,
}

/// A path and its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Text {
    path: String,
    text: String,
    editable: bool,
}

/// The position of a source and a range in its text.
type Place = (usize, u32, u32);

/// The name of an object.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Name {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generate_name: Option<String>,
}

/// Title, applicability and source of a fix, and its edits: start, end, text.
type Correction = (String, Applicability, usize, Vec<(u32, u32, String)>);

/// A finding about one object.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule: String,
    severity: Severity,
    confidence: Confidence,
    message: String,
    note: String,
    help: String,
    at: Place,
    label: String,
    secondary: Vec<(Place, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workload: Option<Name>,
    unit: String,
    unit_index: usize,
    deployers: Vec<(String, Severity, String)>,
    assumed: bool,
    fixes: Vec<Correction>,
    fingerprint: String,
    inputs: Vec<String>,
    value_sets: Vec<String>,
    is_absent: bool,
    is_gap: bool,
}

impl Part {
    /// The part of a redacted report, with the fingerprints of the baseline.
    pub(crate) fn new(
        report: &Report,
        accepted: Vec<String>,
        shard: Shard,
        fail_on: Severity,
    ) -> Self {
        let mut sources = Sources::default();
        let counts = &report.counts;
        let unchecked = |one: &Unchecked| (one.path.clone(), one.line, one.reason.clone());
        Self {
            shard: shard.to_string(),
            run: report.run.clone(),
            fail_on,
            root: report.root.places(),
            counts: [
                counts.files,
                counts.objects,
                counts.workloads,
                counts.ignored,
                counts.other_yaml,
                counts.foreign_templates,
            ],
            findings: report.findings.iter().map(|one| Finding::new(one, &mut sources)).collect(),
            skipped: report.skipped.iter().map(|one| Finding::new(one, &mut sources)).collect(),
            entries: report.entries.iter().map(|one| Finding::new(one, &mut sources)).collect(),
            accepted,
            unchecked: report.unchecked.iter().map(unchecked).collect(),
            errors: report.errors.clone(),
            undecided: report.undecided.clone(),
            rules: own_rules(report),
            sources: sources.texts,
        }
    }

    /// The report of the part; `None` if it was changed after it was written.
    pub(crate) fn report(self) -> Option<Report> {
        let source = |one: Text| match one.editable {
            true => Arc::new(Source::new(one.path, one.text)),
            false => Arc::new(Source::read_only(one.path, one.text)),
        };
        let sources: Vec<_> = self.sources.into_iter().map(source).collect();
        let own: Vec<_> = self.rules.into_iter().map(|page| rules::own(page, Vec::new())).collect();
        let rule =
            |id: &str| rules::find(id).or_else(|| own.iter().copied().find(|rule| rule.id == id));
        let read = |all: Vec<Finding>| -> Option<Vec<Diagnostic>> {
            all.into_iter().map(|finding| finding.read(rule, &sources)).collect()
        };
        let [files, objects, workloads, ignored, other_yaml, foreign_templates] = self.counts;
        let unchecked = self.unchecked.into_iter();
        Some(Report {
            findings: read(self.findings)?,
            skipped: read(self.skipped)?,
            entries: read(self.entries)?,
            counts: Counts { files, objects, workloads, ignored, other_yaml, foreign_templates },
            unchecked: unchecked
                .map(|(path, line, reason)| Unchecked { path, line, reason })
                .collect(),
            errors: self.errors,
            undecided: self.undecided,
            root: Root::of_places(self.root),
            ..Report::default()
        })
    }
}

/// The pages of the rules that are not joblint's.
fn own_rules(report: &Report) -> Vec<Meta> {
    let mut pages: Vec<Meta> = Vec::new();
    for finding in report.findings.iter().chain(&report.skipped).chain(&report.entries) {
        let page = finding.rule.meta();
        if rules::find(finding.rule.id).is_none() && !pages.contains(page) {
            pages.push(page.clone());
        }
    }
    pages
}

/// The texts of a part, each once.
#[derive(Default)]
struct Sources {
    texts: Vec<Text>,
    by_address: HashMap<usize, usize>,
    by_text: HashMap<Text, usize>,
}

impl Sources {
    fn place(&mut self, at: &Location) -> Place {
        (self.position(&at.source), at.span.start, at.span.end)
    }

    fn position(&mut self, source: &Arc<Source>) -> usize {
        let address = Arc::as_ptr(source) as usize;
        if let Some(known) = self.by_address.get(&address) {
            return *known;
        }
        let (path, text) = (source.path.clone(), source.text.clone());
        let text = Text { path, text, editable: source.editable };
        let next = self.texts.len();
        let position = *self.by_text.entry(text.clone()).or_insert(next);
        if position == next {
            self.texts.push(text);
        }
        self.by_address.insert(address, position);
        position
    }
}

impl Finding {
    fn new(finding: &Diagnostic, sources: &mut Sources) -> Self {
        let name = |one: &ObjectName| {
            let ObjectName { kind, namespace, name, generate_name } = one.clone();
            Name { kind, namespace, name, generate_name }
        };
        let labels = finding.secondary.iter();
        let secondary = labels.map(|(at, text)| (sources.place(at), text.clone())).collect();
        let mut fix = |fix: &Fix| {
            let edit = |edit: &Edit| (edit.span.start, edit.span.end, edit.text.clone());
            let edits = fix.edits.iter().map(edit).collect();
            (fix.title.clone(), fix.applicability, sources.position(&fix.source), edits)
        };
        let fixes = finding.fixes.iter().map(&mut fix).collect();
        let own = |own: &PerDeployer| (own.tool.name().to_owned(), own.severity, own.text.clone());
        Self {
            rule: finding.rule.id.to_owned(),
            severity: finding.severity,
            confidence: finding.confidence,
            message: finding.message.clone(),
            note: finding.note.clone(),
            help: finding.help.clone(),
            at: sources.place(&finding.location),
            label: finding.label.clone(),
            secondary,
            workload: finding.workload.as_ref().map(name),
            unit: finding.unit.to_string(),
            unit_index: finding.unit_index,
            deployers: finding.deployers.iter().map(own).collect(),
            assumed: finding.assumed,
            fixes,
            fingerprint: finding.fingerprint.clone(),
            inputs: finding.inputs.clone(),
            value_sets: finding.value_sets.iter().map(ToString::to_string).collect(),
            is_absent: finding.is_absent,
            is_gap: finding.is_gap,
        }
    }

    fn read(
        self,
        rule: impl Fn(&str) -> Option<&'static Rule>,
        sources: &[Arc<Source>],
    ) -> Option<Diagnostic> {
        let place = |(source, start, end): Place| {
            let source = sources.get(source)?.clone();
            let span = Span { start, end };
            source.text.get(span.range())?;
            Some(Location { source, span })
        };
        let labels = self.secondary.into_iter();
        let secondary = labels.map(|(at, text)| Some((place(at)?, text))).collect::<Option<_>>()?;
        let fix = |(title, applicability, source, edits): (_, _, usize, Vec<_>)| {
            let source = sources.get(source)?.clone();
            let edit = |(start, end, text): (u32, u32, String)| {
                source.text.get(start as usize..end as usize)?;
                Some(Edit { span: Span { start, end }, text })
            };
            let edits = edits.into_iter().map(edit).collect::<Option<_>>()?;
            Some(Fix { title, applicability, source, edits })
        };
        let own = |(tool, severity, text): (String, _, String)| {
            Some(PerDeployer { tool: tool.parse::<Tool>().ok()?, severity, text })
        };
        let name = |Name { kind, namespace, name, generate_name }| ObjectName {
            kind,
            namespace,
            name,
            generate_name,
        };
        Some(Diagnostic {
            rule: rule(&self.rule)?,
            severity: self.severity,
            confidence: self.confidence,
            message: self.message,
            note: self.note,
            help: self.help,
            location: place(self.at)?,
            label: self.label,
            secondary,
            workload: self.workload.map(name),
            named_at: None,
            also: Vec::new(),
            unit: self.unit.into(),
            unit_index: self.unit_index,
            deployers: self.deployers.into_iter().map(own).collect::<Option<_>>()?,
            assumed: self.assumed,
            fixes: self.fixes.into_iter().map(fix).collect::<Option<_>>()?,
            fingerprint: self.fingerprint,
            inputs: self.inputs,
            value_sets: self.value_sets.into_iter().map(Into::into).collect(),
            raised_at: Vec::new(),
            is_absent: self.is_absent,
            is_gap: self.is_gap,
            is_undeployed: false,
            hidden: false,
        })
    }
}
