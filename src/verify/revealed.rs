//! Findings that a flaw hid: what a rule says only once the flaw is gone is no harm that the fix did.

use job_lifecycle::{Object, ObjectName};
use yaml_spans::Span;

use super::{
    Scope,
    outputs::{After, Document, documents},
};
use crate::{context::Context, rules::Raised, unit::Loaded, workload::Subject};

/// The texts and workloads that a fix changes.
#[derive(Default)]
pub(super) struct Changed<'a> {
    /// The only file that counts, if it is given.
    path: Option<&'a str>,
    /// Each changed document with the lines that are new.
    documents: Vec<(&'a Document, Span)>,
    /// The workloads that could not be deployed before.
    rejected: Vec<ObjectName>,
}

impl<'a> Changed<'a> {
    /// What a fix of a template changes: only findings about objects of this file count.
    pub(super) fn in_file(path: &'a str) -> Self {
        Self { path: Some(path), ..Self::default() }
    }

    pub(super) fn path(&self) -> Option<&'a str> {
        self.path
    }

    /// What changes in the view in which the rules raised the findings, by a fix of these objects.
    pub(super) fn of<'o>(
        scope: &Scope<'_, '_>,
        after: &'a After,
        objects: impl Iterator<Item = &'o Object>,
    ) -> Self {
        let current = |(view, _): &(&Loaded, &Vec<Document>)| std::ptr::eq(*view, scope.loaded);
        let mut views = scope.all.iter().zip(&after.documents).filter(current);
        let Some((view, new)) = views.next() else { return Self::default() };
        let before = documents(view);
        let pairs = before.iter().zip(new).filter(|(old, new)| old.text != new.text);
        let documents = pairs.map(|(old, new)| (new, new_lines(old, new))).collect();
        let rejected = objects.filter(|object| is_rejected(object, scope.context));
        Self { path: None, documents, rejected: rejected.map(Object::full_name).collect() }
    }

    /// True for a finding with a fix in the new lines of a document, because a misspelt word hides what is wrong with the
    /// word; and for one about a workload that could not be deployed before.
    pub(super) fn is_revealed(&self, raised: &Raised<'_>, context: &Context<'_>) -> bool {
        let (object, span) = (raised.object, raised.finding.span);
        let is_there = |(document, lines): &(&Document, Span)| {
            document.text == object.source.text
                && document.path == object.source.path
                && lines.contains(span)
        };
        let is_fixable = !raised.finding.fixes.is_empty() && raised.finding.source.is_none();
        is_fixable && self.documents.iter().any(is_there)
            || self.rejected.contains(&object.full_name()) && !is_rejected(object, context)
    }
}

/// True for a workload that no deployer can create.
fn is_rejected(object: &Object, context: &Context<'_>) -> bool {
    let accepts = |job: Subject<'_>| context.deployers.iter().any(|one| job.is_accepted(one));
    Subject::new(object, context).is_some_and(|job| !accepts(job))
}

/// The lines of a document that differ from those of another.
fn new_lines(old: &Document, new: &Document) -> Span {
    let same = old.text.bytes().zip(new.text.bytes()).take_while(|(a, b)| a == b).count();
    let left = old.text.len().min(new.text.len()) - same;
    let ends = old.text.bytes().rev().zip(new.text.bytes().rev()).take(left);
    let end = new.text.len() - ends.take_while(|(a, b)| a == b).count();
    let start = new.text.as_bytes()[..same].iter().rposition(|byte| *byte == b'\n');
    let rest = new.text.as_bytes()[end..].iter().position(|byte| *byte == b'\n');
    Span::new(start.map_or(0, |at| at + 1), rest.map_or(new.text.len(), |at| end + at))
}
