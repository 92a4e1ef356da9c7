//! The fixes of ignores: the comment goes, or names the rule that was meant.

use yaml_spans::{Edit, Location, Span};

use super::Ignore;
use crate::{
    diagnostic::Fix,
    finding::Applicability,
    fix::{self, Allowance},
};

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
}
