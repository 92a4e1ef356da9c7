//! Candidate fixes of chart templates. Each is [verified](crate::verify) by rendering before it is offered.

mod labels;
mod line;
mod name;
mod quote;
mod references;

use std::slice;

use job_lifecycle::{
    Deployer, Object, Tool,
    annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, FLUX_FORCE, HELM_DELETE_POLICY, HELM_HOOK},
    release_changes::Difference,
    workload::{Kind, kind_of},
};
use line::Line;
pub(crate) use quote::unquoted;
use yaml_spans::{Edit, Span, Style};

use crate::{
    finding::{Applicability, Finding, RaisedFix},
    fix,
    workload::{Rejection, Subject, idle_hook, made::mounting},
};

/// Annotations that let the deployer replace the Job, and the title of a fix that adds them.
pub(crate) type DeployerFix = (&'static [(&'static str, &'static str)], &'static str);

const ARGOCD: DeployerFix = (
    &[(ARGO_HOOK, "Sync"), (ARGO_DELETE_POLICY, "BeforeHookCreation")],
    "make it a hook that runs at every sync",
);
const FLUX: DeployerFix =
    (&[(FLUX_FORCE, "enabled")], "let Flux delete and re-create it when it changes");
const HELM: DeployerFix = (
    &[(HELM_HOOK, "post-install,post-upgrade"), (HELM_DELETE_POLICY, "before-hook-creation")],
    "make it a hook that runs at every upgrade",
);

/// The annotations that let a deployer replace a Job.
pub(crate) fn deployer_fix(deployer: &Deployer, from_chart: bool) -> DeployerFix {
    match deployer.tool {
        Tool::Argocd => ARGOCD,
        Tool::Flux if !deployer.is_helm_release(from_chart) => FLUX,
        _ => HELM,
    }
}

/// Adds candidate fixes to a finding about a Job of a chart, smallest change first: move volatile labels out of its
/// pod template, append a hash to its name, make it a hook. The hook comes first if its delete policy is there.
pub(crate) fn offer(
    job: &Subject<'_>,
    rejections: &[Rejection<'_>],
    mut finding: Finding,
) -> Finding {
    if !is_enabled(job) {
        return finding;
    }
    let mut differences: Vec<&Difference> = Vec::new();
    for one in rejections.iter().flat_map(Rejection::differences) {
        if differences.iter().all(|own| own.path != one.path) {
            differences.push(one);
        }
    }
    let mut fixes =
        rejections.iter().map(|one| deployer_fix(one.deployer, job.context.from_chart()));
    let first = fixes.next().filter(|first| fixes.all(|other| other == *first));
    let spoils = job.may_spoil();
    let hook = first
        .filter(|_| job.may_be_hook() && !is_ordered(job) && !spoils && !is_awaited(job))
        .and_then(|first| annotated(job, first));
    // A delete policy says that a hook was meant.
    let is_meant = idle_hook::stated_policy(job.object).is_some();
    let (first, last) = if is_meant { (hook, None) } else { (None, hook) };
    finding.fixes.extend(first);
    finding.fixes.extend(labels::candidates(job.object, &differences));
    if let Some(fix) = name::candidate(job.object, &differences).filter(|_| !spoils) {
        match references::referring(job.object, job.context.objects) {
            None => finding.fixes.push(fix),
            Some(other) => name_reference(&mut finding, &other),
        }
    }
    finding.fixes.extend(last);
    finding
}

/// Says what refers to the Job by its name, so that no fix can change the name alone.
pub(crate) fn name_reference(finding: &mut Finding, other: &str) {
    let help = finding.help.take().filter(|help| !help.is_empty());
    let start = help.map(|help| help + "; ").unwrap_or_default();
    finding.help =
        Some(format!("{start}{other} refers to its name: change both by hand to rename it"));
}

/// Whether a fix gives the Job another name.
pub(crate) fn renames(fix: &RaisedFix) -> bool {
    fix.title == name::TITLE
}

/// Whether an object of the chart waits for the Job, as far as its name tells, or for what the Job makes, and a hook behind it
/// would never start: the deployer waits for that object first. Argo CD runs hooks among the others.
pub(crate) fn is_awaited(job: &Subject<'_>) -> bool {
    let is_other = |deployer: &Deployer| deployer.tool != Tool::Argocd;
    job.context.deployers.iter().any(is_other)
        && (references::referring(job.object, job.context.objects).is_some()
            || mounting(job.object, job.context).is_some())
}

/// Whether a script of one of two Jobs of the chart names the other, as one that waits for it does: Helm runs hooks of one
/// weight by name, one after the other.
fn is_ordered(job: &Subject<'_>) -> bool {
    let names =
        |one: &Object, other: &Object| references::referring(other, slice::from_ref(one)).is_some();
    let is_other =
        |one: &&Object| kind_of(one) == Some(Kind::Job) && !std::ptr::eq(*one, job.object);
    let mut others = job.context.objects.iter().filter(is_other);
    others.any(|other| names(other, job.object) || names(job.object, other))
}

/// True when the Job comes from a template.
pub(crate) fn is_enabled(job: &Subject<'_>) -> bool {
    job.source.origin.is_some() && job.context.from_chart()
}

/// Adds the annotations to the template: before existing ones, or after the name.
pub(crate) fn annotated(job: &Subject<'_>, (pairs, title): DeployerFix) -> Option<RaisedFix> {
    let metadata = job.object.root.get("metadata")?;
    let lines = |indent: &str, line_break: &str| {
        pairs.iter().map(|(key, value)| format!("{line_break}{indent}{key}: {value}")).collect()
    };
    let (line, text) = match metadata.entry("annotations") {
        Some(annotations) => {
            let is_there = |key: &str| annotations.value.entry(key).is_some();
            let is_flow = annotations.value.style == Style::Flow;
            if is_flow || annotations.value.is_empty() || pairs.iter().any(|(key, _)| is_there(key))
            {
                let edits = fix::annotate(job.source, metadata, pairs)?;
                let (title, applicability) = (title.to_owned(), Applicability::Unsafe);
                return Some(RaisedFix { title, applicability, source: None, edits });
            }
            let line = Line::anywhere(job.object, annotations)?.without_value()?;
            // Other values may print it.
            if pairs.iter().any(|(key, _)| line.block_has(&format!("{key}:"))) {
                return None;
            }
            let first = annotations.value.entries().first()?;
            let indent = match Line::anywhere(job.object, first) {
                Some(first) => first.indent().to_owned(),
                None => format!("{}  ", line.indent()),
            };
            let text: String = lines(&indent, line.source.line_break());
            (line, text)
        }
        None => {
            let line = Line::anywhere(job.object, metadata.entry("name")?)?;
            if Line::anywhere(job.object, job.object.root.entry("metadata")?)?
                .block_has("annotations:")
            {
                return None;
            }
            let (indent, line_break) = (line.indent(), line.source.line_break());
            let entries: String = lines(&format!("{indent}  "), line_break);
            let text = format!("{line_break}{indent}annotations:{entries}");
            (line, text)
        }
    };
    let end = line.span.end;
    let edit = Edit { span: Span { start: end, end }, text };
    Some(line.fix(title, vec![edit]))
}

impl Line {
    /// An unsafe fix of the template of the line.
    fn fix(&self, title: &str, edits: Vec<Edit>) -> RaisedFix {
        RaisedFix {
            title: title.to_owned(),
            applicability: Applicability::Unsafe,
            source: Some(self.source.clone()),
            edits,
        }
    }
}
