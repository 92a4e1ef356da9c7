//! Diagnostics: findings located in the files that people wrote.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use job_lifecycle::ObjectName;
use yaml_spans::{Edit, Location, Source};

use crate::{
    discover::OVERLAY_FILES,
    finding::{Applicability, Confidence, PerDeployer, Severity},
    rules::Rule,
};

/// A finding with its final severity, texts and locations. Formats print it after
/// [redaction](crate::report::RedactedReport).
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The rule that raised it.
    pub rule: &'static Rule,
    /// The severity after settings.
    pub severity: Severity,
    /// How likely the finding is true; at most medium for an assumed deployer.
    pub confidence: Confidence,
    /// The headline: names the object and says what will happen.
    pub message: String,
    /// The value sets in which it occurs, as the headline says it in parentheses: `with ci/ha-values.yaml`. Empty if
    /// it occurs in all of them.
    pub note: String,
    /// One imperative sentence: how to fix it. May be empty.
    pub help: String,
    /// The primary location.
    pub location: Location,
    /// What is wrong at the primary location. May be empty.
    pub label: String,
    /// Other locations that explain the finding, each with its label.
    pub secondary: Vec<(Location, String)>,
    /// The object that the finding is about.
    pub workload: Option<ObjectName>,
    /// Where the name of the object is written: the key `name` in a template or manifest.
    pub named_at: Option<Location>,
    /// The other objects with the same cause, one finding per cause.
    pub also: Vec<Also>,
    /// The chart, folder or overlay in which it was found; empty for findings about the run.
    pub unit: Arc<str>,
    /// The position of that unit among all units of the run, which orders findings of one place.
    pub unit_index: usize,
    /// What the finding means per deployer; empty when it does not depend on the deployer.
    pub deployers: Vec<PerDeployer>,
    /// The deployer is assumed: neither the tree nor the settings state it.
    pub assumed: bool,
    /// Possible fixes, the preferred one first.
    pub fixes: Vec<Fix>,
    /// A stable identifier; empty until [`fingerprint::fill`](crate::fingerprint::fill) sets it.
    pub fingerprint: String,
    /// The template inputs that the text at the location depends on: `Values.image.tag`, `Chart.Version`.
    pub inputs: Vec<String>,
    /// The value sets in which it occurs; empty when nothing was rendered.
    pub value_sets: Vec<Arc<str>>,
    /// Where rules raised it: locations in rendered texts, or the primary location itself.
    pub raised_at: Vec<Location>,
    /// It reports what is not in the repository. All such findings of a run have one cause: nobody has fetched it.
    pub is_absent: bool,
    /// It reports what the run left out although nothing is known to be wrong with it.
    pub is_gap: bool,
    /// Nothing in the repository deploys the object although its likes are deployed from it.
    pub is_undeployed: bool,
    /// Not reported because of the settings; kept only to tell whether an ignore matches anything.
    pub hidden: bool,
}

impl Diagnostic {
    /// Keeps the fixes that are right for another unit too, in which the same text prints the object.
    pub(crate) fn keep_fixes_of(&mut self, other: &Self) {
        let is_same = |a: &Fix, b: &Fix| a.source.path == b.source.path && a.edits == b.edits;
        self.fixes.retain(|fix| other.fixes.iter().any(|own| is_same(fix, own)));
    }

    /// Whether it is located in a kustomization file.
    pub(crate) fn is_about_kustomization(&self) -> bool {
        let path = &self.location.source.path;
        path.rsplit('/').next().is_some_and(|name| OVERLAY_FILES.contains(&name))
    }
}

/// Another object that a finding is about.
#[derive(Clone, Debug)]
pub struct Also {
    /// Its name.
    pub workload: ObjectName,
    /// Where the rule reports it.
    pub location: Location,
    /// The value sets in which it has the flaw, as [`Diagnostic::note`] says it.
    pub note: String,
    /// Its own fixes, the preferred one first.
    pub fixes: Vec<Fix>,
    /// The fingerprint of its own finding, by which a baseline accepts it.
    pub fingerprint: String,
}

/// A fix in one file.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What the fix does, as an imperative: "remove it".
    pub title: String,
    /// Who may apply it.
    pub applicability: Applicability,
    /// The file that it changes.
    pub source: Arc<Source>,
    /// Edits in bytes of the file; they do not overlap.
    pub edits: Vec<Edit>,
}

/// Replaces the texts that findings were raised in by copies without origins, which would keep the chart or kustomization
/// that they were rendered from in memory.
pub(crate) fn without_origins<'f>(findings: impl Iterator<Item = &'f mut Diagnostic>) {
    let mut known: HashMap<*const Source, Arc<Source>> = HashMap::new();
    for at in findings.flat_map(|finding| &mut finding.raised_at) {
        if at.source.origin.is_some() {
            let Source { path, text, .. } = &*at.source;
            let copy = || Arc::new(Source::read_only(path.clone(), text.clone()));
            at.source = known.entry(Arc::as_ptr(&at.source)).or_insert_with(copy).clone();
        }
    }
}

/// The fixes that one round applies for each finding: for each of its objects the preferred one that is at least as
/// safe as `allowed`, in a file that can be edited, unless it overlaps the fix of an earlier object.
pub(crate) fn chosen_fixes(findings: &[Diagnostic], allowed: Applicability) -> Vec<Vec<&Fix>> {
    let mut taken = TakenSpans::default();
    let preferred = |fixes: &'_ [Fix]| fixes.iter().position(|fix| fix.applicability >= allowed);
    let mut chosen = Vec::with_capacity(findings.len());
    for finding in findings {
        let also = finding.also.iter().map(|one| &*one.fixes);
        let objects = std::iter::once(&*finding.fixes).chain(also);
        let fixes = objects.filter_map(|fixes| fixes.get(preferred(fixes)?));
        chosen.push(fixes.filter(|fix| fix.source.editable && taken.take(fix)).collect());
    }
    chosen
}

/// The ends of the edits in each file by their starts. They do not overlap, so only the nearest one can touch another.
#[derive(Default)]
struct TakenSpans<'f>(HashMap<&'f str, BTreeMap<u32, u32>>);

impl<'f> TakenSpans<'f> {
    /// Takes the spans of a fix unless one of them touches a span that is taken.
    fn take(&mut self, fix: &'f Fix) -> bool {
        let taken = self.0.entry(&fix.source.path).or_default();
        let touches = |edit: &Edit| {
            let nearest = taken.range(..=edit.span.end).next_back();
            nearest.is_some_and(|(_, end)| *end >= edit.span.start)
        };
        if fix.edits.iter().any(touches) {
            return false;
        }
        for edit in &fix.edits {
            let end = taken.entry(edit.span.start).or_default();
            *end = edit.span.end.max(*end);
        }
        true
    }
}
