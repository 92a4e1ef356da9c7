//! The documents of a text: those that matter are parsed, the others are counted.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

use job_lifecycle::{Object, workload::Kind};
use yaml_spans::{self as yaml, Document, Location, Node, ParseError, Source};

use super::{
    declares_jobs, may_hold_jobs, may_hold_work,
    search::{KEYS, is_template, kinds},
};
use crate::unit::{Failure, Loaded, Problem};

/// The documents of a text. Their spans fit every file with this text.
#[derive(Clone, Debug)]
pub(crate) struct Documents {
    parsed: Vec<Result<Document, ParseError>>,
    /// The number of objects in documents that were not parsed.
    skimmed: usize,
}

impl From<&[Result<Document, ParseError>]> for Documents {
    fn from(parsed: &[Result<Document, ParseError>]) -> Self {
        Self { parsed: parsed.to_vec(), skimmed: 0 }
    }
}

impl Documents {
    /// Parses the documents that `wanted` accepts; the others are only counted.
    pub(crate) fn of(text: &str, wanted: &mut dyn FnMut(&str) -> bool) -> Self {
        let mut skimmed = 0;
        let parsed = yaml::parse_some(text, &mut |document| {
            let wanted = wanted(document);
            skimmed += if wanted { 0 } else { kinds(document.as_bytes()) };
            wanted
        });
        Self { parsed, skimmed }
    }

    /// Parses the documents that may hold work, and beside Jobs broken ones and those that they may mount. If the text is wanted `whole`, parses
    /// every document.
    pub(super) fn of_work(text: &str, whole: bool, sound: &SoundDocuments) -> Self {
        let has_jobs = may_hold_jobs(text.as_bytes());
        // The scripts of Jobs may be in ConfigMaps beside them.
        let mounts = has_jobs && text.contains("configMap");
        Self::of(text, &mut |document| {
            whole
                || may_hold_work(document.as_bytes())
                || has_jobs && sound.is_broken(document)
                || mounts && document.contains("ConfigMap")
        })
    }

    /// The objects and problems of a file with this text.
    pub(crate) fn into_loaded(self, source: &Arc<Source>) -> Loaded {
        let mut loaded = Loaded::default();
        for document in self.parsed {
            match document {
                Ok(document) if let Some(problem) = without_version(&document.root, source) => {
                    loaded.problems.push(problem);
                }
                Ok(document) => match Object::new(source, document.root, document.span) {
                    // A patch of kustomize.
                    Some(object) if object.root.get("$patch").is_some() => {
                        loaded.counts.other_yaml += 1;
                    }
                    Some(object) => {
                        loaded.secrets.add_node(&object.root, &source.text);
                        let (past, own): (Vec<_>, Vec<_>) =
                            object.expand().into_iter().partition(Object::is_of_cluster);
                        loaded.counts.other_yaml += past.len();
                        loaded.objects.extend(own);
                    }
                    None => loaded.counts.other_yaml += 1,
                },
                Err(error) => loaded.problems.push(broken(error, source)),
            }
        }
        loaded.counts.objects = loaded.objects.len() + self.skimmed;
        loaded
    }
}

/// The problem of a Job or CronJob without an `apiVersion`. Patches and what other tools read have another shape.
fn without_version(root: &Node, source: &Arc<Source>) -> Option<Problem> {
    let kind = root.get("kind").filter(|_| root.get("apiVersion").is_none())?;
    let (name, own) = match kind.as_str()? {
        name @ "Job" => (name, Kind::Job),
        name @ "CronJob" => (name, Kind::CronJob),
        _ => return None,
    };
    let pod = root.at(own.pod_path())?;
    let is_whole = root.entries().iter().all(|entry| KEYS.contains(&&*entry.key))
        && pod.get("restartPolicy").is_some()
        && pod.get("containers").is_some()
        && root.at(&["metadata", "name"]).is_some();
    if !is_whole || source.origin.is_some() {
        return None;
    }
    let at = Location { source: source.clone(), span: kind.span };
    let reason = format!("this {name} has no `apiVersion`, so nothing can apply it");
    Some(Problem {
        misses_work: true,
        headline: Some(reason.clone()),
        help: Some("Add `apiVersion: batch/v1`".to_owned()),
        ..Problem::new(Failure::Unreadable, at, reason)
    })
}

/// The problem of a document that is no YAML. `kubectl apply` stops at it, so the Jobs beside it are not deployed either.
fn broken(error: ParseError, source: &Arc<Source>) -> Problem {
    let labels =
        error.secondary.map(|(span, text)| (Location { source: source.clone(), span }, text));
    let at = Location { source: source.clone(), span: error.span };
    Problem {
        misses_work: declares_jobs(source.text.as_bytes()),
        labels: labels.into_iter().collect(),
        ..Problem::new(Failure::Unreadable, at, error.reason)
    }
}

/// The hashes of documents without Jobs that are valid YAML: repositories repeat their manifests.
#[derive(Debug, Default)]
pub(super) struct SoundDocuments {
    known: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

impl SoundDocuments {
    /// Returns whether a document that holds no Jobs is invalid, and no template of another tool.
    fn is_broken(&self, document: &str) -> bool {
        let hash = self.hasher.hash_one(document);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(&hash) {
            return false;
        }
        let is_sound = yaml::parse(document).iter().all(Result::is_ok);
        if is_sound {
            known().insert(hash);
        }
        !is_sound && !is_template(document)
    }
}
