//! Fixes in the templates that a person wrote: candidates, each to be proven by a render before it is offered.

mod labels;
mod name;
mod site;

use job_lifecycle::{
    Deployer, Tool,
    annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, FLUX_FORCE, HELM_DELETE_POLICY, HELM_HOOK},
    release_changes::Difference,
};
use site::Line;
use yaml_spans::{Edit, Span};

use crate::{
    finding::{Applicability, Finding, RaisedFix},
    workload::{Rejection, Subject},
};

/// Annotations that let the deployer replace the Job, and what that makes of it.
pub type Remedy = (&'static [(&'static str, &'static str)], &'static str);

const ARGOCD: Remedy = (
    &[(ARGO_HOOK, "Sync"), (ARGO_DELETE_POLICY, "BeforeHookCreation")],
    "make it a hook that runs at every sync",
);
const FLUX: Remedy =
    (&[(FLUX_FORCE, "enabled")], "let Flux delete and re-create it when it changes");
const HELM: Remedy = (
    &[(HELM_HOOK, "post-install,post-upgrade"), (HELM_DELETE_POLICY, "before-hook-creation")],
    "make it a hook that runs at every upgrade",
);

/// What lets a deployer replace a Job.
pub fn of_deployer(deployer: &Deployer, from_chart: bool) -> Remedy {
    match deployer.tool {
        Tool::Argocd => ARGOCD,
        Tool::Flux if !deployer.is_helm_release(from_chart) => FLUX,
        _ => HELM,
    }
}

/// Adds to a finding about a Job of a chart what would mend it, least change first: volatile labels out of its
/// pod template, a hash in its name, a hook.
pub fn offer(job: &Subject<'_>, refusals: &[Rejection<'_>], mut finding: Finding) -> Finding {
    if !is_asked_for(job) {
        return finding;
    }
    let mut differences: Vec<&Difference> = Vec::new();
    for one in refusals.iter().flat_map(Rejection::differences) {
        if differences.iter().all(|own| own.path != one.path) {
            differences.push(one);
        }
    }
    finding.fixes.extend(labels::candidates(job.object, &differences));
    finding.fixes.extend(name::candidate(job.object, &differences));
    let mut remedies =
        refusals.iter().map(|one| of_deployer(one.deployer, job.context.from_chart()));
    if let Some(first) = remedies.next().filter(|first| remedies.all(|other| other == *first)) {
        finding.fixes.extend(annotated(job, first));
    }
    finding
}

/// Somebody wants fixes, and the Job comes from a template.
pub fn is_asked_for(job: &Subject<'_>) -> bool {
    job.context.policy.fixes_templates && job.source.origin.is_some()
}

/// The annotations put into the template, below those that are there or after the name.
pub fn annotated(job: &Subject<'_>, (pairs, title): Remedy) -> Option<RaisedFix> {
    let metadata = job.object.root.get("metadata")?;
    let lines = |indent: &str, line_break: &str| {
        pairs.iter().map(|(key, value)| format!("{line_break}{indent}{key}: {value}")).collect()
    };
    let (line, text) = match metadata.entry("annotations") {
        Some(annotations) => {
            let line = Line::of(job.object, annotations)?.without_value()?;
            let first = annotations.value.entries().first()?;
            let indent = match Line::of(job.object, first) {
                Some(first) => first.indent().to_owned(),
                None => format!("{}  ", line.indent()),
            };
            let text: String = lines(&indent, line.source.line_break());
            (line, text)
        }
        None => {
            let line = Line::of(job.object, metadata.entry("name")?)?;
            if Line::of(job.object, job.object.root.entry("metadata")?)?.block_has("annotations:") {
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
    /// An unsafe fix in the template of the line.
    fn fix(&self, title: &str, edits: Vec<Edit>) -> RaisedFix {
        RaisedFix {
            title: title.to_owned(),
            applicability: Applicability::Unsafe,
            source: Some(self.source.clone()),
            edits,
        }
    }
}
