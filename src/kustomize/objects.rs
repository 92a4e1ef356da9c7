//! The output of a build as objects.

use std::{collections::BTreeSet, sync::Arc};

use job_lifecycle::workload::kind_of;
use kustomize_build::{Built, Hashed, Need, Reason};
use yaml_spans::{Location, Source};

use super::{
    failed::{help, innermost, not_built},
    first_line,
    origin::Document,
};
use crate::{
    load,
    unit::{Failure, Generated, KustomizeRoot, Loaded, Problem},
};

/// The most failures that are shown for something missing.
const MOST_LABELS: usize = 3;

/// The objects of a built kustomization, the document of each, and the texts of all documents.
pub(super) fn loaded(
    built: &Arc<Built>,
    root: &KustomizeRoot,
) -> (Loaded, Vec<Arc<Document>>, Vec<Arc<Source>>) {
    let (mut loaded, owners, sources) = documents(built, root);
    if let Some(before) = built.before_substitution() {
        loaded.before = documents(before, root).0.objects;
    }
    loaded.generated = generated(built, &loaded, &owners);
    loaded.problems.extend(skipped(built, root));
    let misses_work = loaded.objects.iter().any(|object| kind_of(object).is_some());
    let failed = built.unsubstituted().iter().filter_map(|error| unsubstituted(error, root));
    loaded.problems.extend(failed.map(|problem| Problem { misses_work, ..problem }));
    loaded.sources = built.sources().to_vec();
    // What a stub is filled with later, as by `flux bootstrap`, may be what a patch selects.
    if !built.sources().iter().any(|source| is_stub(&source.text)) {
        loaded.idle = built.idle_patches().to_vec();
    }
    loaded.counts.files = built.sources().len();
    (loaded, owners, sources)
}

/// What to print for a text of an object: everything beside a Job or hook, GitOps objects, and Secrets, whose values
/// are masked wherever they appear.
pub(super) fn need(text: &str) -> Need {
    // Most texts are short and hold none of these.
    if !text.bytes().any(|byte| matches!(byte, b'J' | b'/' | b'S')) {
        return Need::Nothing;
    }
    match () {
        () if load::is_of_work(text) => Need::All,
        () if text.contains("Secret") || load::is_gitops(text.as_bytes()) => Need::Resource,
        () => Need::Nothing,
    }
}

/// The objects in a text that is built.
fn documents(
    built: &Arc<Built>,
    root: &KustomizeRoot,
) -> (Loaded, Vec<Arc<Document>>, Vec<Arc<Source>>) {
    let text = built.print();
    let slice = |span: &yaml_spans::Span| text.get(span.range()).unwrap_or_default();
    let has_work = built.documents().iter().any(|span| load::may_hold_work(slice(span).as_bytes()));
    let (mut loaded, mut owners, mut sources) = (Loaded::default(), Vec::new(), Vec::new());
    let hashed: BTreeSet<_> = built.hashed().iter().map(|one| one.document).collect();
    for (index, span) in built.documents().iter().enumerate() {
        let document = Arc::new(Document::new(built.clone(), *span, root));
        let path = document.path().to_owned();
        let source = Arc::new(Source::rendered(path, slice(span), document.clone()));
        // The values of Secrets are masked wherever they appear.
        let is_wanted = has_work || hashed.contains(&index);
        let mut wanted = |text: &str| is_wanted || text.contains("kind: Secret");
        loaded.add(load::load_text(&source, &mut wanted));
        owners.resize(loaded.objects.len(), document);
        sources.push(source);
    }
    loaded.counts.objects += built.unprinted().count;
    (loaded, owners, sources)
}

/// The objects whose names end in a hash.
fn generated(built: &Built, loaded: &Loaded, owners: &[Arc<Document>]) -> Vec<Generated> {
    let of = |hashed: &Hashed| {
        let whole = *built.documents().get(hashed.document)?;
        let index = owners.iter().position(|document| document.span() == whole)?;
        let (object, document) = (loaded.objects.get(index)?, &owners[index]);
        let span = object.root.at(&["metadata", "name"])?.span;
        Some(Generated {
            kind: object.kind().to_owned(),
            name: object.name()?.to_owned(),
            plain_names: hashed.names.clone(),
            namespace: object.namespace().map(str::to_owned),
            at: document.parts(span).next()?.at.clone(),
            is_elsewhere: false,
        })
    };
    built.hashed().iter().filter_map(of).collect()
}

/// An object in which Flux cannot substitute variables: it then applies nothing of the kustomization.
fn unsubstituted(error: &kustomize_build::Error, root: &KustomizeRoot) -> Option<Problem> {
    let at = error.at.as_ref()?;
    let at = Location { source: at.source.clone(), span: first_line(&at.source, at.span) };
    let reason = error.message.clone();
    let headline = Some(format!("kustomization `{}` does not build: {reason}", root.name()));
    let help = Some("Write `$${…}` for what the shell reads, or correct the expression".to_owned());
    Some(Problem { headline, help, ..Problem::new(Failure::Unrenderable, at, reason) })
}

/// True for a file of comments alone.
fn is_stub(text: &str) -> bool {
    let is_content = |line: &str| !line.is_empty() && !line.starts_with('#') && line != "---";
    !text.lines().any(|line| is_content(line.trim()))
}

/// What a partial build lacks, each place once. What fails for want of it is a label.
fn skipped(built: &Built, root: &KustomizeRoot) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let mut problems: Vec<Problem> = Vec::new();
    for error in built.skipped() {
        let Some(at) = &error.at else { continue };
        if !seen.insert((at.source.path.clone(), at.span.start)) {
            continue;
        }
        let is_dependent = !matches!(error.reason, Reason::Remote | Reason::Unsupported);
        let reason = innermost(&error.message);
        let failure = match error.reason {
            Reason::Remote => Failure::Absent,
            _ => Failure::NotRendered,
        };
        let at = Location { source: at.source.clone(), span: first_line(&at.source, at.span) };
        let mut problem = Problem {
            help: help(error.reason, reason),
            ..Problem::new(failure, at, reason.to_owned())
        };
        match problems.last_mut().filter(|_| is_dependent) {
            Some(missing) if missing.labels.len() < MOST_LABELS => {
                missing.labels.push(problem.label());
            }
            Some(_) => {}
            // One finding for each kustomization file, however much it leaves out.
            None => match problems.iter_mut().find(|one| one.source.path == problem.source.path) {
                Some(first) if first.labels.len() < MOST_LABELS => {
                    first.labels.push(problem.label())
                }
                Some(_) => {}
                None => {
                    problem.reason = format!("{reason}: `{}` is built without it", root.name());
                    problem.headline = Some(match problem.failure {
                        Failure::Absent => {
                            format!("`{}` is built without a remote resource", root.name())
                        }
                        _ => not_built(&problem.reason),
                    });
                    problems.push(problem);
                }
            },
        }
    }
    problems
}
