//! Reads the files of a unit into objects. A file that cannot be read becomes a problem and does not stop the
//! rest.

mod search;

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use job_lifecycle::Object;
use rayon::prelude::*;
use search::{holds_hook, kinds};
use yaml_spans::{self as yaml, Location, Source, Span};

use crate::{
    redact::SecretValues,
    unit::{Boundary, Counts, Failure, File, Loaded, Problem, Unit},
};

pub use search::is_gitops;
pub(crate) use search::{may_hold_jobs, may_hold_work};

/// Files that the GitOps scan has already read, by path.
pub(crate) type FileCache = HashMap<PathBuf, CachedFile>;

/// The result of reading a file once.
#[derive(Clone, Debug)]
pub(crate) enum CachedFile {
    /// The file holds no Jobs, hooks or GitOps objects; only its counts and secrets are kept.
    Idle(Counts, SecretValues),
    /// The content of a file that may hold some.
    Work(Vec<u8>),
}

impl CachedFile {
    /// The secrets of a file that is not loaded otherwise.
    pub(crate) fn secrets(&self) -> Option<&SecretValues> {
        match self {
            Self::Idle(_, secrets) => Some(secrets),
            Self::Work(_) => None,
        }
    }

    /// Keeps only what a check needs of a file's content.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        match may_hold_work(&bytes) {
            true => Self::Work(bytes),
            false => {
                let Loaded { counts, secrets, .. } = skimmed(&bytes);
                Self::Idle(counts, secrets)
            }
        }
    }
}

/// Reads all files of a unit from disk.
pub fn load(unit: &Unit) -> Loaded {
    load_seen(unit, &FileCache::default())
}

/// Reads all files of a unit; files in `seen` are not read again.
pub(crate) fn load_seen(unit: &Unit, seen: &FileCache) -> Loaded {
    let parts: Vec<Loaded> =
        unit.files.par_iter().map(|file| load_file(file, seen, &unit.boundary)).collect();
    let needed = needed_names(&parts);
    let mut all = Loaded::default();
    for (file, part) in unit.files.iter().zip(parts) {
        let is_skimmed = part.sources.is_empty() && part.problems.is_empty();
        let named = if is_skimmed { naming(file, &needed, &unit.boundary) } else { None };
        all.add(named.unwrap_or(part));
    }
    all
}

/// The names of the objects that the pods of hooks reference: a hook may need an object of another file.
fn needed_names(parts: &[Loaded]) -> Vec<String> {
    let objects = parts.iter().flat_map(|part| &part.objects);
    let hooks = objects.filter(|object| object.is_annotated_hook());
    let references = hooks.flat_map(job_lifecycle::workload::references);
    references.map(|reference| reference.name.to_owned()).collect()
}

/// Loads a file that names one of the objects; `None` for any other file.
fn naming(file: &File, names: &[String], boundary: &Boundary) -> Option<Loaded> {
    if names.is_empty() {
        return None;
    }
    let bytes = match &file.text {
        Some(text) => text.clone(),
        None => boundary.read(&file.path).ok()?,
    };
    let is_named = |name: &String| memchr::memmem::find(&bytes, name.as_bytes()).is_some();
    names.iter().any(is_named).then(|| parsed(file, bytes, true))
}

fn load_file(file: &File, seen: &FileCache, boundary: &Boundary) -> Loaded {
    let bytes = match (&file.text, seen.get(&file.path)) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(CachedFile::Work(bytes))) => Ok(bytes.clone()),
        (None, Some(CachedFile::Idle(counts, secrets))) if !file.named => {
            let secrets = secrets.clone();
            return Loaded { counts: *counts, secrets, ..Loaded::default() };
        }
        (None, _) => boundary.read(&file.path),
    };
    match bytes {
        Ok(bytes) if !file.named && !may_hold_work(&bytes) => skimmed(&bytes),
        Ok(bytes) => load_bytes(file, bytes),
        Err(error) => unreadable(&file.shown, String::new(), Span::default(), error.to_string()),
    }
}

/// Counts the objects of a file without parsing it.
fn skimmed(bytes: &[u8]) -> Loaded {
    let objects = kinds(bytes);
    let other_yaml = usize::from(objects == 0);
    let counts = Counts { files: 1, objects, other_yaml, ..Counts::default() };
    let secrets = SecretValues::of_manifest(bytes);
    Loaded { counts, secrets, ..Loaded::default() }
}

fn load_bytes(file: &File, bytes: Vec<u8>) -> Loaded {
    // Objects beside a hook are parsed too: the hook may need them.
    let whole = file.named || holds_hook(&bytes);
    parsed(file, bytes, whole)
}

/// Parses every document of a file, or those that may hold work.
fn parsed(file: &File, bytes: Vec<u8>, whole: bool) -> Loaded {
    let (text, exact) = decode(bytes);
    // A name that is not UTF-8 is shown as another, which must not be edited in its place.
    let is_named = file.path.to_str().is_some();
    let make = if exact && is_named { Source::new } else { Source::read_only };
    let source = Arc::new(make(file.shown.as_str(), text));
    let has_jobs = may_hold_jobs(source.text.as_bytes());
    let mut loaded = load_text(&source, &mut |document| {
        whole || may_hold_work(document.as_bytes()) || has_jobs && is_broken(document)
    });
    if !loaded.problems.is_empty() && is_marked_template(&source.text) {
        return foreign_file(file);
    }
    loaded.counts.files = 1;
    loaded.secrets.extend(&SecretValues::of_manifest(source.text.as_bytes()));
    loaded.sources.push(source);
    loaded
}

/// Parses the documents of a text that `wanted` accepts; the others are only counted.
pub(crate) fn load_text(source: &Arc<Source>, wanted: &mut dyn FnMut(&str) -> bool) -> Loaded {
    let mut skimmed = 0;
    let documents = yaml::parse_some(&source.text, &mut |document| {
        let wanted = wanted(document);
        skimmed += if wanted { 0 } else { kinds(document.as_bytes()) };
        wanted
    });
    let mut loaded = Loaded::default();
    for document in documents {
        match document {
            Ok(document) => match Object::new(source, document.root, document.span) {
                Some(object) => {
                    loaded.secrets.add_node(&object.root, &source.text);
                    loaded.objects.extend(object.expand());
                }
                None => loaded.counts.other_yaml += 1,
            },
            // `kubectl apply` stops at a broken document, so the Jobs beside it are not deployed either.
            Err(problem) => loaded.problems.push(Problem {
                misses_work: may_hold_jobs(source.text.as_bytes()),
                failure: Failure::Unreadable,
                source: source.clone(),
                span: problem.span,
                reason: problem.reason,
                labels: problem
                    .secondary
                    .map(|(span, text)| (Location { source: source.clone(), span }, text))
                    .into_iter()
                    .collect(),
            }),
        }
    }
    loaded.counts.objects = loaded.objects.len() + skimmed;
    loaded
}

/// Returns whether a document that holds no Jobs is invalid, and no template of another tool.
fn is_broken(document: &str) -> bool {
    !is_marked_template(document) && yaml::parse(document).iter().any(Result::is_err)
}

/// Decodes a file: UTF-8, UTF-16 with a byte order mark, anything else with replacement characters as go-yaml
/// does. The flag says whether offsets in the text equal offsets in the file.
fn decode(bytes: Vec<u8>) -> (String, bool) {
    let wide = |from: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| from([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes.as_slice() {
        [0xFF, 0xFE, ..] => (wide(u16::from_le_bytes), false),
        [0xFE, 0xFF, ..] => (wide(u16::from_be_bytes), false),
        _ => match String::from_utf8(bytes) {
            Ok(text) => (text, true),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), false),
        },
    }
}

/// Returns whether a text contains delimiters of Jinja, ytt, ERB or Go templates.
fn is_marked_template(text: &str) -> bool {
    ["{{", "{%", "#@", "<%"].iter().any(|mark| text.contains(mark))
}

/// The result for a template of another tool, with a note if the user named the file.
fn foreign_file(file: &File) -> Loaded {
    let note = || format!("{}: is a template that only its own tool can render", file.shown);
    Loaded { notes: file.named.then(note).into_iter().collect(), ..Loaded::foreign() }
}

fn unreadable(path: &str, text: String, span: Span, reason: String) -> Loaded {
    let source = Arc::new(Source::read_only(path, text));
    let (failure, labels) = (Failure::Unreadable, Vec::new());
    let problem = Problem { failure, source, span, reason, labels, misses_work: true };
    Loaded {
        problems: vec![problem],
        counts: Counts { files: 1, ..Counts::default() },
        ..Loaded::default()
    }
}
