//! From what a rule raised to what formats print: defaults filled in, places in files.

use std::sync::Arc;

use crate::{
    finding::{Confidence, Finding, Fix, Located, Severity},
    object::Object,
    read::Problem,
    rules::{self, Persona, Rule},
    settings::Settings,
    source::{Location, Source},
    unit::Context,
};

/// Resolves a finding; `None` when settings ask for less than it.
pub fn locate(
    rule: &'static Rule,
    object: &Object,
    finding: Finding,
    context: &Context<'_>,
) -> Option<Located> {
    let settings = context.settings;
    let meta = rule.meta();
    let pedantic = finding.pedantic || meta.persona == Persona::Pedantic;
    let configured = settings.rules.get(rule.id).and_then(|own| own.severity);
    let selected = settings.select.is_some();
    if pedantic && !settings.pedantic && configured.is_none() && !selected {
        return None;
    }
    let assumed = meta.deployer && context.deployers.iter().any(|deployer| deployer.assumed);
    let mut confidence = finding.confidence.unwrap_or(meta.confidence);
    if assumed {
        confidence = confidence.min(Confidence::Medium);
    }
    let severity = configured.or(finding.severity).unwrap_or(meta.severity);
    if severity < settings.min_severity || confidence < settings.min_confidence {
        return None;
    }
    let source = &object.source;
    let at = |own: Option<Arc<Source>>, span| Location {
        source: own.unwrap_or_else(|| source.clone()),
        span,
    };
    Some(Located {
        rule,
        severity,
        confidence,
        message: finding.message.unwrap_or_else(|| meta.summary.clone()),
        help: finding.help.unwrap_or_else(|| meta.help()),
        location: at(None, finding.span),
        label: finding.label,
        secondary: finding
            .secondary
            .into_iter()
            .map(|label| (at(label.source, label.span), label.text))
            .collect(),
        workload: Some(object.full_name()),
        deployers: finding.deployers,
        assumed,
        fixes: finding
            .fixes
            .into_iter()
            .map(|fix| Fix {
                title: fix.title,
                applicability: fix.applicability,
                source: source.clone(),
                edits: fix.edits,
            })
            .collect(),
        fingerprint: String::new(),
    })
}

/// The finding of something that cannot be read.
pub fn problem(problem: &Problem, settings: &Settings) -> Located {
    let rule = rules::of_the_run("unreadable");
    let severity =
        settings.rules.get(rule.id).and_then(|own| own.severity).unwrap_or(Severity::Error);
    Located {
        rule,
        severity,
        confidence: Confidence::High,
        message: rule.meta().summary.clone(),
        help: rule.meta().help(),
        location: Location { source: problem.source.clone(), span: problem.span },
        label: problem.reason.clone(),
        secondary: Vec::new(),
        workload: None,
        deployers: Vec::new(),
        assumed: false,
        fixes: Vec::new(),
        fingerprint: String::new(),
    }
}
