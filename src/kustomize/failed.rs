//! Kustomizations that do not build: what is wrong, where, and what to do about it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use file_boundary::Refusal;
use kustomize_build::{Error, Files, Reason};
use serde_json::{Deserializer, Value};
use yaml_spans::{Location, Source, Span};

use super::{files::Repository, first_line, missing};
use crate::{
    discover::{is_overlay_file, shown},
    load,
    unit::{Failure, KustomizeRoot, Loaded, NO_FILE, Problem},
    words::one_line,
};

/// What is left of a kustomization that does not build. Without Jobs nothing is missed.
pub(super) fn failed(error: &Error, repository: &Repository, root: &KustomizeRoot) -> Loaded {
    let declares_jobs =
        |path: &PathBuf| repository.read(path).is_ok_and(|bytes| load::declares_jobs(&bytes));
    let problem = problem(error, repository, root);
    let problem = match missing::template_of_tool(error, repository, root) {
        Some(path) => missing::unfilled(&path, problem),
        None => {
            let misses_work = root.files.iter().any(declares_jobs);
            let problem = match missing::left_out(error, repository, root) {
                Some((path, why)) => missing::without(&path, &why, problem),
                None => problem,
            };
            Problem { misses_work, ..problem }
        }
    };
    let sources = vec![problem.source.clone()];
    Loaded { problems: vec![problem], sources, ..Loaded::default() }
}

/// An error of kustomize as a problem at its location.
pub(super) fn problem(error: &Error, repository: &Repository, root: &KustomizeRoot) -> Problem {
    if let Some(at) = unnamed(error) {
        return Problem {
            help: Some("Give it a `name` that contains a hash of its inputs".to_owned()),
            ..Problem::new(Failure::Unnamed, at, format!("kustomize refuses it: `{UNNAMED}`"))
        };
    }
    let at = match &error.at {
        Some(at) => Location { source: at.source.clone(), span: first_line(&at.source, at.span) },
        None => {
            let path = Path::new(&root.shown).join("kustomization.yaml");
            let source = Source::read_only(shown(&path), String::new());
            Location { source: Arc::new(source), span: Span::default() }
        }
    };
    let reason = match outside(error) {
        Some(path) => format!("`{path}` {}", Refusal::Outside),
        None if is_no_patch(&error.message) => NO_PATCH.to_owned(),
        None if error.message.contains(CONFLICT) => conflict(&error.message),
        None if is_empty_patch(error, repository, root) => EMPTY_PATCH.to_owned(),
        None => repository.without_root(innermost(&error.message), root),
    };
    let failure = failure(error.reason);
    let headline = match failure {
        Failure::Unrenderable | Failure::LacksValues | Failure::TooLarge => {
            let merging = merging(&error.message).map(|path| repository.without_root(path, root));
            Some(does_not_build(&reason, (&at.source.path, merging), root))
        }
        Failure::NotRendered | Failure::Absent | Failure::Misdeclared => Some(not_built(&reason)),
        Failure::Unreadable | Failure::Unnamed | Failure::Policy | Failure::Refused => None,
    };
    let help = help(error.reason, &reason);
    Problem { headline, help, ..Problem::new(failure, at, reason) }
}

/// The entry of a kustomization that leads out of the repository. What is there is not for the report.
fn outside(error: &Error) -> Option<&str> {
    let at = error.at.as_ref()?;
    let entry = at.source.slice(at.span).trim_matches(['"', '\'']);
    let is_outside = error.message.contains(&Refusal::Outside.to_string());
    (is_outside && !entry.is_empty()).then_some(entry)
}

/// The headline about a kustomization that does not build because of a file: the one that the file is, or the root.
fn does_not_build(
    reason: &str,
    (file, merging): (&str, Option<String>),
    root: &KustomizeRoot,
) -> String {
    let file = Path::new(file);
    let of_file = || file.parent().filter(|_| is_overlay_file(file));
    let folder = match &merging {
        Some(folder) if !folder.is_empty() => Some(Path::new(folder)),
        Some(_) => None,
        None => of_file(),
    };
    let folder = folder.unwrap_or(Path::new(&root.shown)).file_name();
    let folder = folder.map(|name| format!("kustomization `{}`", name.to_string_lossy()));
    let name = folder.unwrap_or_else(|| "this kustomization".to_owned());
    let absent = reason.strip_suffix(NO_FILE).and_then(|rest| rest.rsplit(' ').next());
    let malformed = reason.split_once("MalformedYAMLError: yaml: ");
    let malformed = malformed.and_then(|(_, rest)| rest.split_once(" in File: "));
    match (absent, malformed) {
        (Some(path), _) => format!("{name} does not build: `{path}` does not exist"),
        (None, Some((why, path))) => format!("{name} does not build: `{path}`, {why}"),
        (None, None) => format!("{name} does not build: {}", one_line(cause(reason))),
    }
}

/// What is wrong with a text that kustomize takes for a path because no patch can be read from it.
const NO_PATCH: &str = "the patch is not valid YAML";

/// Whether kustomize looked for a file whose name would have several lines.
fn is_no_patch(message: &str) -> bool {
    let path = message.strip_suffix(NO_FILE).and_then(|rest| rest.rsplit_once("open "));
    path.is_some_and(|(_, path)| path.contains('\n'))
}

/// What is wrong with a patch without content.
const EMPTY_PATCH: &str = "the patch is empty";

/// Whether kustomize took a patch without content for any or, of no bytes, for operations that need a target.
fn is_empty_patch(error: &Error, repository: &Repository, root: &KustomizeRoot) -> bool {
    let is_file_empty = |at: &Location| {
        let entry = at.source.slice(at.span).trim_matches(['"', '\'']);
        let file = Path::new(&at.source.path).with_file_name(entry);
        let file = repository.read(&repository.path(&shown(&file), root));
        file.is_ok_and(|bytes| bytes.is_empty())
    };
    error.message.contains("illegally qualifies as both an SM and JSON patch")
        || error.message.contains("must specify a target for JSON patch")
            && error.at.as_ref().is_some_and(is_file_empty)
}

/// What kustomize says of objects that one namespace makes the same, before it prints them.
const CONFLICT: &str = "namespace transformation produces ID conflict: ";

/// How that begins in plain words.
const SAME: &str = "`namespace` makes ";

/// What is wrong, in place of the objects.
fn conflict(message: &str) -> String {
    let (_, objects) = message.split_once(CONFLICT).unwrap_or_default();
    let objects = Deserializer::from_str(objects.trim_start_matches('['));
    let all: Vec<_> = objects.into_iter::<Value>().map_while(Result::ok).collect();
    let text = |path: &str| all.first()?.pointer(path)?.as_str();
    let kind = text("/kind").unwrap_or_default();
    // A Namespace gets its name from the kustomization.
    match text("/metadata/name").filter(|_| kind != "Namespace") {
        Some(name) => format!("{SAME}{} objects the same {kind} `{name}`", all.len()),
        None => format!("{SAME}{} objects the same {kind}", all.len()),
    }
}

/// What is wrong with an entry that kustomize tries as a file and as a folder: the error of what it is.
fn cause(reason: &str) -> &str {
    let Some((_, rest)) = reason.split_once("accumulation err='") else { return reason };
    let of_folder = || rest.split_once(": is a directory': ").map(|(_, cause)| cause);
    let of_file = || {
        let marks = ["merging resources from '", "accumulating resources from '"];
        let rest = marks.iter().find_map(|mark| rest.strip_prefix(mark))?;
        let (_, rest) = rest.split_once("': ")?;
        rest.split_once("': must build at directory: ").map(|(cause, _)| cause)
    };
    of_folder().or_else(of_file).unwrap_or(reason)
}

/// What kustomize says about an object that another entry has added.
const REGISTERED: &str = "already registered id";

/// The path of the kustomization that cannot take what one of its resources builds, which builds alone; empty if it is the
/// root. `None` where something else fails.
fn merging(message: &str) -> Option<&str> {
    const ABOVE: &str = "recursed accumulation of path '";
    let (above, _) = message.rsplit_once("recursed merging from path '")?;
    let parent = above.rsplit_once(ABOVE).and_then(|(_, rest)| rest.split_once('\''));
    Some(parent.map_or("", |(path, _)| path))
}

/// The headline about a part that is left out of a build.
pub(super) fn not_built(reason: &str) -> String {
    format!("not built: {reason}")
}

/// What kustomize says about an object without a name.
const UNNAMED: &str = "missing metadata.name in object";

/// The `generateName` of an object that kustomize refuses because it has no name.
fn unnamed(error: &Error) -> Option<Location> {
    let at = error.at.as_ref().filter(|_| error.message.contains(UNNAMED))?;
    let mut documents = yaml_spans::parse(&at.source.text).into_iter().filter_map(Result::ok);
    let holds = |document: &yaml_spans::Document| {
        let own = document.root.span;
        own.start <= at.span.start && at.span.start <= own.end
    };
    let root = documents.find(holds)?.root;
    let entry = root.get("metadata")?.entry("generateName")?;
    Some(Location { source: at.source.clone(), span: entry.key_span.to(entry.value.span) })
}

/// The message of the kustomization that fails, without those of the kustomizations above: the location says it.
pub(super) fn innermost(message: &str) -> &str {
    let marks = [": recursed accumulation of path '", ": couldn't make target for path '"];
    let last = marks.iter().filter_map(|mark| Some(message.rfind(mark)? + mark.len())).max();
    let rest = last.and_then(|at| message[at..].split_once("': "));
    rest.map_or(message, |(_, rest)| rest)
}

pub(super) fn failure(reason: Reason) -> Failure {
    match reason {
        Reason::Remote => Failure::Absent,
        Reason::Unsupported => Failure::NotRendered,
        Reason::Limit => Failure::Unreadable,
        Reason::Kustomization
        | Reason::File
        | Reason::Resource
        | Reason::Generator
        | Reason::Transformer => Failure::Unrenderable,
    }
}

/// What to do about a kustomization that does not build, or a part that a build of the tree alone leaves out.
pub(super) fn help(reason: Reason, words: &str) -> Option<String> {
    let text = match reason {
        Reason::Remote => "Copy the remote resource into the repository to have it checked",
        Reason::Unsupported => "Check what `kustomize build --enable-helm` prints",
        Reason::Limit => return None,
        _ if words.contains(REGISTERED) => {
            "Remove one of the two objects of this kind and name, or rename it"
        }
        _ if words.starts_with(SAME) => {
            "Remove one of the objects from the resources, or `namespace` from the kustomization"
        }
        _ if words.ends_with(NO_FILE) => "Add the file, or remove the entry that names it",
        _ => "Correct the marked line, and check it with `kustomize build`",
    };
    Some(text.to_owned())
}
