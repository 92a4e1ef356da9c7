//! The fixes of ignores: the comment goes, or names the rule that was meant.

use std::collections::HashMap;

use job_lifecycle::suggest::nearest;
use yaml_spans::{Edit, Location, Span};

use super::{Ignore, Index};
use crate::{
    diagnostic::{Diagnostic, Fix},
    finding::Applicability,
    fix::{self, Allowance},
    rules,
    settings::Settings,
};

/// The nearest rule for each misspelt name.
pub(super) type NearestRules = HashMap<String, Option<&'static str>>;

/// Takes the fixes from the findings that a misspelt ignore is meant for: with the right name it ignores them, and after
/// their fix it would ignore nothing.
pub(super) fn withhold_what_is_meant(findings: &mut [Diagnostic], meant: &Index<'_>) {
    for finding in findings.iter_mut().filter(|finding| !meant.covering(finding).is_empty()) {
        finding.fixes.clear();
        finding.also.iter_mut().for_each(|other| other.fixes.clear());
    }
}

impl Ignore {
    /// The fix that removes the ignore.
    pub(super) fn without(&self, allowance: &Allowance) -> Option<Fix> {
        let source = &self.at.source;
        let keeps_valid = |edit: &&Edit| fix::keeps_valid(source, edit, allowance);
        let edit = self.removal.as_ref().filter(|_| source.editable).filter(keeps_valid)?;
        Some(Fix {
            title: "remove it".to_owned(),
            applicability: Applicability::Safe,
            source: source.clone(),
            edits: vec![edit.clone()],
        })
    }

    /// The fix that writes the name of the rule that was meant. The wrong one may hold what makes the document invalid.
    pub(super) fn corrected(&self, meant: &str, allowance: &Allowance) -> Option<Fix> {
        let Location { source, span } = &self.at;
        let at = source.slice(*span).find(&self.rule).filter(|_| source.editable)?;
        let start = span.start as usize + at;
        let edit = Edit { span: Span::new(start, start + self.rule.len()), text: meant.to_owned() };
        fix::keeps_valid(source, &edit, allowance).then(|| Fix {
            title: format!("write `{meant}`"),
            applicability: Applicability::Safe,
            source: source.clone(),
            edits: vec![edit],
        })
    }

    /// A misspelt ignore with the name of the nearest rule.
    pub(super) fn as_meant(&self, near: &mut NearestRules, settings: &Settings) -> Option<Self> {
        if self.is_foreign || settings.rule(&self.rule).is_some() {
            return None;
        }
        let rule = self.nearest(near)?.to_owned();
        Some(Self { rule, ..self.clone() })
    }

    pub(super) fn nearest(&self, near: &mut NearestRules) -> Option<&'static str> {
        let find = || nearest(&self.rule, rules::all().iter().map(|rule| rule.id));
        *near.entry(self.rule.clone()).or_insert_with(find)
    }
}
