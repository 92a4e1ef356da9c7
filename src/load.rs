//! Reads the files of a unit into objects. A file that cannot be read becomes a problem and does not stop the
//! rest.

mod content;
mod documents;
mod search;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::ErrorKind,
    path::Path,
    sync::Arc,
};

use content::skimmed;
use documents::{Documents, SoundDocuments};
use file_boundary::{Refusal, printed};
use job_lifecycle::{Object, workload::is_work};
use rayon::prelude::*;
use search::{holds_hook, is_of_another_tool, is_template};
use yaml_spans::{Document, Location, ParseError, Source, Span};

use crate::{
    redact::SecretValues,
    unit::{Boundary, Counts, Failure, File, Loaded, Problem, Unit},
};

pub(crate) use content::{CachedFile, FileCache};
pub use search::is_gitops;
pub(crate) use search::{
    declares_jobs, is_of_work, may_hold_jobs, may_hold_work, mentions_kind, mentions_work,
};

/// Reads all files of a unit from disk.
pub fn load(unit: &Unit) -> Loaded {
    load_seen(unit, &FileCache::default())
}

/// Reads all files of a unit; files in `seen` are not read again.
pub(crate) fn load_seen(unit: &Unit, seen: &FileCache) -> Loaded {
    let parts: Vec<Loaded> =
        unit.files.par_iter().map(|file| load_file(file, seen, unit)).collect();
    let needed = needed_names(&parts);
    let mounted = mounted_maps(&parts);
    let mut all = Loaded::default();
    for (file, part) in unit.files.iter().zip(parts) {
        let is_skimmed = part.sources.is_empty() && part.problems.is_empty();
        let named = || naming(file, [&needed, &mounted], &unit.boundary);
        all.add(is_skimmed.then(named).flatten().unwrap_or(part));
    }
    if unit.together && all.objects.iter().any(is_work) {
        // Whoever applies the whole folder fails at a link that leads to nothing.
        let dangling = all.problems.iter_mut().filter(|one| one.source.text.is_empty());
        dangling.for_each(|problem| problem.misses_work = true);
    }
    all
}

/// The objects of a file, with those that OpenShift Templates make in place of the Templates, unless something deploys
/// the file as it is.
fn processed(mut loaded: Loaded, unit: &Unit) -> Loaded {
    if unit.deployments.is_empty() {
        let objects = loaded.objects.into_iter();
        let made = |object: Object| object.templated().unwrap_or_else(|| vec![object]);
        loaded.objects = objects.flat_map(made).collect();
    }
    loaded
}

/// The unit with other texts of some files, by shown path; the other files are as they are in `loaded`.
pub(crate) fn edited(unit: &Unit, loaded: &Loaded, texts: &BTreeMap<String, String>) -> Loaded {
    let mut all = Loaded { counts: loaded.counts, ..Loaded::default() };
    let mut done = BTreeSet::new();
    for object in &loaded.objects {
        let path = &object.source.path;
        match texts.get(path) {
            None => all.objects.push(object.clone()),
            Some(text) if done.insert(path) => {
                let file = unit.files.iter().find(|file| file.shown == *path);
                let text = Some(text.clone().into_bytes());
                let part = file.map(|file| File { text, ..file.clone() });
                let part = part.map(|file| load_file(&file, &FileCache::default(), unit));
                let part = part.unwrap_or_default();
                all.objects.extend(part.objects);
                all.problems.extend(part.problems);
            }
            Some(_) => {}
        }
    }
    let others = loaded.problems.iter().filter(|one| !done.contains(&one.source.path));
    all.problems.extend(others.cloned());
    all
}

/// The names of the objects that the pods of hooks reference: a hook may need an object of another file.
fn needed_names(parts: &[Loaded]) -> Vec<String> {
    let objects = parts.iter().flat_map(|part| &part.objects);
    let hooks = objects.filter(|object| object.is_annotated_hook());
    let references = hooks.flat_map(job_lifecycle::workload::references);
    references.map(|reference| reference.name.to_owned()).collect()
}

/// The names of the ConfigMaps that the pods of Jobs mount and that none of the files with Jobs holds.
fn mounted_maps(parts: &[Loaded]) -> Vec<String> {
    let objects = || parts.iter().flat_map(|part| &part.objects);
    let known: BTreeSet<_> =
        objects().filter(|object| object.kind() == "ConfigMap").filter_map(Object::name).collect();
    let works = objects().filter(|object| is_work(object));
    let references = works.flat_map(job_lifecycle::workload::references);
    let maps = references.filter(|one| one.kind == "ConfigMap" && !known.contains(one.name));
    maps.map(|reference| reference.name.to_owned()).collect()
}

/// Loads a file that names one of the needed objects, or the mounted ConfigMaps of one that names them; `None` for any other
/// file.
fn naming(file: &File, [needed, mounted]: [&[String]; 2], boundary: &Boundary) -> Option<Loaded> {
    if needed.is_empty() && mounted.is_empty() {
        return None;
    }
    let bytes = match &file.text {
        Some(text) => text.clone(),
        None => boundary.read(&file.path).ok()?,
    };
    let holds = |names: &[String]| {
        names.iter().any(|name| memchr::memmem::find(&bytes, name.as_bytes()).is_some())
    };
    if holds(needed) {
        let all = |text: &str| Documents::of_work(text, true, &SoundDocuments::default());
        return Some(loaded(file, bytes, all));
    }
    holds(mounted).then(|| maps(file, bytes, mounted)).flatten()
}

/// The ConfigMaps of a file with one of the names; `None` if it has none.
fn maps(file: &File, bytes: Vec<u8>, names: &[String]) -> Option<Loaded> {
    let is_one = |text: &str| {
        text.contains("ConfigMap") && names.iter().any(|name| text.contains(name.as_str()))
    };
    let mut found = loaded(file, bytes, |text| Documents::of(text, &mut |one| is_one(one)));
    found.problems.clear();
    found.objects.retain(|object| {
        object.kind() == "ConfigMap"
            && names.iter().any(|name| object.name() == Some(name.as_str()))
    });
    (!found.objects.is_empty()).then_some(found)
}

fn load_file(file: &File, seen: &FileCache, unit: &Unit) -> Loaded {
    processed(read_file(file, seen, unit), unit)
}

fn read_file(file: &File, seen: &FileCache, unit: &Unit) -> Loaded {
    let bytes = match (&file.text, seen.get(&file.path)) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(CachedFile::Work(content))) if !file.named => {
            return loaded(file, content.bytes.to_vec(), |text| {
                content.documents(text, &seen.sound)
            });
        }
        (None, Some(CachedFile::Work(content))) => Ok(content.bytes.to_vec()),
        (None, Some(CachedFile::Idle(counts, secrets))) if !file.named => {
            let secrets = secrets.clone();
            return Loaded { counts: *counts, secrets, ..Loaded::default() };
        }
        (None, _) => unit.boundary.read(&file.path),
    };
    match bytes {
        Ok(bytes) if !file.named && !may_hold_work(&bytes) => skimmed(&bytes),
        Ok(bytes) => load_bytes(file, bytes, &seen.sound),
        Err(error @ Refusal::Outside) if !file.named && is_hidden(&file.path) => {
            Loaded { notes: vec![format!("{}: {error}", file.shown)], ..Loaded::foreign() }
        }
        Err(error) => {
            let target = dangling(file, &error);
            let no_target = |target| format!("a link to `{target}`, which does not exist");
            let reason = target.clone().map_or_else(|| error.to_string(), no_target);
            let mut failed = unreadable(&file.shown, String::new(), Span::default(), reason);
            let problem = &mut failed.problems[0];
            // Behind such a link is no Job.
            problem.misses_work = target.is_none();
            let is_link = target.is_some() || matches!(error, Refusal::Outside);
            problem.help = is_link.then(|| LINK.to_owned());
            failed
        }
    }
}

/// What to do about a link to what is not there, or not in the repository.
const LINK: &str = "Remove the link, or let it lead to a file of the repository";

/// Whether the name of a file says that it is for another tool on somebody's machine: `.pre-commit-config.yaml`. No deployer
/// reads one.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with('.') && !name.starts_with(".joblint")
}

/// The target of a link that leads to nothing; `None` for a file that cannot be read for another reason.
fn dangling(file: &File, error: &Refusal) -> Option<String> {
    let is_gone = matches!(error, Refusal::Io(error) if error.kind() == ErrorKind::NotFound);
    let target = is_gone.then(|| std::fs::read_link(&file.path).ok()).flatten()?;
    Some(printed(target.as_os_str()).into_owned())
}

fn load_bytes(file: &File, bytes: Vec<u8>, sound: &SoundDocuments) -> Loaded {
    // Objects beside a hook are parsed too: the hook may need them.
    let whole = file.named || holds_hook(&bytes);
    loaded(file, bytes, |text| Documents::of_work(text, whole, sound))
}

/// What has the ending of a manifest and is none: how it begins, and what it holds besides.
const FOREIGN: [(&str, &str, &str); 2] = [
    // https://jestjs.io/docs/snapshot-testing
    ("// Jest Snapshot ", "", "a snapshot of Jest, and no manifest"),
    // https://helm.sh/docs/helm/helm_install/, with --debug or --dry-run
    ("NAME: ", "\nMANIFEST:", "what Helm has printed, and no manifest"),
];

fn loaded(file: &File, bytes: Vec<u8>, read: impl FnOnce(&str) -> Documents) -> Loaded {
    let (text, exact) = decode(bytes);
    // A name that is not UTF-8 is shown as another, which must not be edited in its place.
    let is_named = file.path.to_str().is_some();
    let make = if exact && is_named { Source::new } else { Source::read_only };
    let source = Arc::new(make(file.shown.as_str(), text));
    let mut loaded = read(&source.text).into_loaded(&source);
    let is_it = |(start, part, _): &&(&str, &str, &str)| {
        source.text.starts_with(start) && source.text.contains(part)
    };
    if let Some((.., what)) = FOREIGN.iter().find(is_it).filter(|_| !loaded.problems.is_empty()) {
        return foreign_file(file, what);
    }
    let is_broken = !loaded.problems.is_empty();
    if let Some(mark) = is_broken.then(|| conflict(&source.text)).flatten() {
        return of_conflict(source, mark, loaded.problems.iter().any(|one| one.misses_work));
    }
    if !loaded.problems.is_empty() && is_template(&source.text)
        || !loaded.objects.is_empty() && is_of_another_tool(&source.text)
    {
        return foreign_file(file, "a template that only its own tool can render");
    }
    loaded.counts.files = 1;
    loaded.secrets.extend(&SecretValues::of_manifest(source.text.as_bytes()));
    loaded.sources.push(source);
    loaded
}

/// How the lines begin with which Git marks what it could not merge, and those in between.
const MARKS: [&str; 3] = ["<<<<<<< ", "\n=======\n", "\n>>>>>>> "];

/// What is wrong with a file with such marks.
pub(crate) const UNMERGED: &str = "it contains unresolved merge conflict markers";

/// The first mark of a merge that nobody has finished.
fn conflict(text: &str) -> Option<Span> {
    let [start, middle, end] = MARKS;
    let at = match text.starts_with(start) {
        true => 0,
        false => text.find(&format!("\n{start}"))? + 1,
    };
    let (_, rest) = text[at..].split_once(middle)?;
    let line = text[at..].lines().next().unwrap_or_default();
    format!("\n{rest}").contains(end).then(|| Span::new(at, at + line.len()))
}

/// A file that holds two versions of itself: of neither is anything known.
fn of_conflict(source: Arc<Source>, span: Span, misses_work: bool) -> Loaded {
    let at = Location { source, span };
    let reason = UNMERGED.to_owned();
    let help = Some("Resolve the conflict, and remove the markers".to_owned());
    let problem =
        Problem { misses_work, help, ..Problem::new(Failure::Unreadable, at.clone(), reason) };
    Loaded {
        problems: vec![problem],
        sources: vec![at.source],
        counts: Counts { files: 1, ..Counts::default() },
        ..Loaded::default()
    }
}

/// Loads a text that is parsed already.
pub(crate) fn load_parsed(source: &Arc<Source>, parsed: &[Result<Document, ParseError>]) -> Loaded {
    Documents::from(parsed).into_loaded(source)
}

/// Loads a text; documents that `wanted` refuses are only counted.
pub(crate) fn load_text(source: &Arc<Source>, wanted: &mut dyn FnMut(&str) -> bool) -> Loaded {
    Documents::of(&source.text, wanted).into_loaded(source)
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

/// The result for what is no manifest, with a note if the user named the file.
fn foreign_file(file: &File, is_what: &str) -> Loaded {
    let note = || format!("{}: is {is_what}", file.shown);
    Loaded { notes: file.named.then(note).into_iter().collect(), ..Loaded::foreign() }
}

fn unreadable(path: &str, text: String, span: Span, reason: String) -> Loaded {
    let source = Arc::new(Source::read_only(path, text));
    let at = Location { source, span };
    let problem = Problem { misses_work: true, ..Problem::new(Failure::Unreadable, at, reason) };
    Loaded {
        problems: vec![problem],
        counts: Counts { files: 1, ..Counts::default() },
        ..Loaded::default()
    }
}
