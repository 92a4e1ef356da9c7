//! A unit's files read into objects; what cannot be read becomes a problem, and the rest goes on.

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use memchr::memmem::Finder;
use rayon::prelude::*;

use crate::{
    chart::Rendering,
    check::Counts,
    gitops::{self, Deployment},
    object::Object,
    unit::{File, Unit},
};
use yaml_spans::{self as yaml, Location, Source, Span};

/// What a unit holds.
#[derive(Debug, Default)]
pub struct Loaded {
    pub objects: Vec<Object>,
    pub sources: Vec<Arc<Source>>,
    pub problems: Vec<Problem>,
    /// For standard error.
    pub notes: Vec<String>,
    pub counts: Counts,
    /// What the objects are rendered from.
    pub rendering: Option<Arc<Rendering>>,
    /// The objects that findings are about, by index, each with the values that it needs, where it is not all
    /// of them.
    pub only: Option<Vec<(usize, Arc<str>)>>,
}

impl Loaded {
    /// True when findings about this object of the unit count.
    pub fn counts(&self, object: &Object) -> bool {
        self.only.is_none() || self.own_values(object).is_some()
    }

    /// The values that an object is rendered with, in the user's words.
    pub fn values(&self, object: &Object) -> Option<Arc<str>> {
        let all = || Some(self.rendering.as_ref()?.values.clone());
        self.own_values(object).or_else(all)
    }

    /// It is rendered as an upgrade, because nothing else reaches its objects.
    pub fn is_upgrade(&self) -> bool {
        let explored = self.rendering.as_ref().filter(|rendering| rendering.is_explored);
        explored.is_some_and(|rendering| rendering.options.release.is_upgrade)
    }

    fn own_values(&self, object: &Object) -> Option<Arc<str>> {
        let is_own = |index: usize| std::ptr::eq(&self.objects[index], object);
        let own = self.only.iter().flatten().find(|(index, _)| is_own(*index));
        own.map(|(_, values)| values.clone())
    }
}

/// How much of an input is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A file or document that cannot be read.
    Unreadable,
    /// A chart or template that fails to render.
    Unrenderable,
    /// A part of a chart that was left out: a missing dependency, a Job that no values enable.
    NotRendered,
}

/// Something that cannot be read or rendered.
#[derive(Clone, Debug)]
pub struct Problem {
    pub failure: Failure,
    pub source: Arc<Source>,
    pub span: Span,
    pub reason: String,
    /// Other places: where reading stopped, what else is concerned.
    pub labels: Vec<(Location, String)>,
}

impl Problem {
    /// As a place of another problem.
    pub fn label(self) -> (Location, String) {
        (Location { source: self.source, span: self.span }, self.reason)
    }
}

/// Files that something else had to read already, by their paths.
pub type Seen = HashMap<PathBuf, Glance>;

/// What there is to know of a file that was read.
#[derive(Clone, Debug)]
pub enum Glance {
    /// It holds no work: what it counts for.
    Idle(Counts),
    /// Its content.
    Work(Vec<u8>),
}

impl Glance {
    /// Keeps of a file no more than a check needs.
    pub fn of(bytes: Vec<u8>) -> Self {
        match may_hold_work(&bytes) {
            true => Self::Work(bytes),
            false => Self::Idle(skimmed(&bytes).counts),
        }
    }
}

/// Reads all files of a unit.
pub fn load(unit: &Unit) -> Loaded {
    load_seen(unit, &Seen::default())
}

/// Reads all files of a unit that were not read before.
pub fn load_seen(unit: &Unit, seen: &Seen) -> Loaded {
    let parts: Vec<Loaded> = unit.files.par_iter().map(|file| load_file(file, seen)).collect();
    let mut all = Loaded::default();
    for part in parts {
        all.add(part);
    }
    all
}

fn load_file(file: &File, seen: &Seen) -> Loaded {
    let bytes = match (&file.text, seen.get(&file.path)) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(Glance::Work(bytes))) => Ok(bytes.clone()),
        (None, Some(Glance::Idle(counts))) if !file.named => {
            return Loaded { counts: *counts, ..Loaded::default() };
        }
        (None, _) => fs::read(&file.path),
    };
    match bytes {
        Ok(bytes) if !file.named && !may_hold_work(&bytes) => skimmed(&bytes),
        Ok(bytes) => load_bytes(file, bytes),
        Err(error) => {
            Loaded::unreadable(&file.shown, String::new(), Span::default(), error.to_string())
        }
    }
}

/// What every file is searched for, built once.
static JOB: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("Job"));
static HOOK: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("/hook"));

/// A file or document holds no work when no line of it speaks of a `kind` and a Job, or of a hook, and no
/// API group of GitOps: searches at
/// memory speed instead of a parse. (`"\x4aob"`, or a `kind` with its value on the next line, would
/// slip through; nobody writes that.)
pub fn may_hold_work(bytes: &[u8]) -> bool {
    speaks_of_a_job(bytes)
        || gitops::is_gitops(bytes)
        || HOOK.find(bytes).is_some()
        || bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xFE, 0xFF])
}

/// Every line is looked at once, however long it is and however many Jobs it names.
fn speaks_of_a_job(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = JOB.find(&bytes[at..]) {
        let job = at + found;
        let start = memchr::memrchr(b'\n', &bytes[at..job]).map_or(at, |line| at + line + 1);
        let end = memchr::memchr(b'\n', &bytes[job..]).map_or(bytes.len(), |line| job + line);
        let line = &bytes[start..end];
        let kind = memchr::memmem::find(line, b"kind");
        if kind.is_some_and(|kind| JOB.find(&line[kind..]).is_some()) {
            return true;
        }
        at = end;
    }
    false
}

/// Counts what a file holds without parsing it.
fn skimmed(bytes: &[u8]) -> Loaded {
    let objects = kinds(bytes);
    let other_yaml = usize::from(objects == 0);
    let counts = Counts { files: 1, objects, other_yaml, ..Counts::default() };
    Loaded { counts, ..Loaded::default() }
}

/// The number of lines that say `kind:`, which is the number of objects.
fn kinds(bytes: &[u8]) -> usize {
    let inner = memchr::memmem::find_iter(bytes, "\nkind:").count();
    inner + usize::from(bytes.starts_with(b"kind:"))
}

fn load_bytes(file: &File, bytes: Vec<u8>) -> Loaded {
    let (text, exact) = decode(bytes);
    let make = if exact { Source::new } else { Source::read_only };
    let source = Arc::new(make(file.shown.as_str(), text));
    // A hook is read with what it needs.
    let whole = file.named || HOOK.find(source.text.as_bytes()).is_some();
    let mut loaded =
        load_text(&source, &mut |document| whole || may_hold_work(document.as_bytes()));
    if !loaded.problems.is_empty() && is_marked_template(&source.text) {
        return Loaded::foreign_file(file);
    }
    loaded.counts.files = 1;
    loaded.sources.push(source);
    loaded
}

/// The objects of the documents of a text that are wanted; the others are counted.
pub fn load_text(source: &Arc<Source>, wanted: &mut dyn FnMut(&str) -> bool) -> Loaded {
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
                Some(object) => loaded.objects.extend(object.expand()),
                None => loaded.counts.other_yaml += 1,
            },
            Err(problem) => loaded.problems.push(Problem {
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

/// UTF-8 as it is, without its byte order mark in the way; UTF-16 by its mark; the rest with
/// replacement characters, as go-yaml reads it. The flag says that offsets are those of the file.
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

/// The marks of Jinja, ytt, ERB or Go templates.
fn is_marked_template(text: &str) -> bool {
    ["{{", "{%", "#@", "<%"].iter().any(|mark| text.contains(mark))
}

impl Loaded {
    /// The GitOps objects that deploy this: a chart with these values, or the unit.
    pub fn deployments<'a>(&'a self, unit: &'a Unit) -> &'a [Arc<Deployment>] {
        let these = self.rendering.as_ref().map(|rendering| &rendering.deployments[..]);
        these.unwrap_or(&unit.deployments)
    }

    fn foreign_file(file: &File) -> Self {
        let note = || format!("{}: is a template that only its own tool can render", file.shown);
        Loaded { notes: file.named.then(note).into_iter().collect(), ..Self::foreign() }
    }

    /// A template of a tool that is none of joblint's business.
    pub fn foreign() -> Self {
        let counts = Counts { files: 1, foreign_templates: 1, ..Counts::default() };
        Loaded { counts, ..Loaded::default() }
    }

    fn unreadable(path: &str, text: String, span: Span, reason: String) -> Self {
        let source = Arc::new(Source::read_only(path, text));
        let problems = vec![Problem {
            failure: Failure::Unreadable,
            source,
            span,
            reason,
            labels: Vec::new(),
        }];
        Loaded { problems, counts: Counts { files: 1, ..Counts::default() }, ..Loaded::default() }
    }

    /// Adds what another part of the unit holds.
    pub fn add(&mut self, part: Loaded) {
        self.objects.extend(part.objects);
        self.sources.extend(part.sources);
        self.problems.extend(part.problems);
        self.notes.extend(part.notes);
        self.counts.files += part.counts.files;
        self.counts.objects += part.counts.objects;
        self.counts.other_yaml += part.counts.other_yaml;
        self.counts.foreign_templates += part.counts.foreign_templates;
    }
}
