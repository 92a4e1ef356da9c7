//! What a kustomization needs and the repository lacks because it is made or kept elsewhere: files, and the result of a
//! template.

use std::{
    fs,
    path::{Path, PathBuf},
};

use kustomize_build::{Error, Files};

use super::{Repository, failed::not_built};
use crate::{
    discover::is_left_out,
    scripts,
    unit::{Boundary, Failure, KustomizeRoot, Problem},
};

/// The path of a file that is missing because it is made or kept elsewhere, and how that shows.
pub(super) fn left_out(
    error: &Error,
    repository: &Repository,
    root: &KustomizeRoot,
) -> Option<(String, String)> {
    let file = error.missing.as_deref()?;
    let boundary = repository.boundary()?;
    let why = if is_left_out(file, &own_folder(file, boundary, root)) {
        "`.gitignore` leaves it out".to_owned()
    } else if let Some(template) = template(file) {
        template
    } else if is_of_operator_sdk(file) {
        "`operator-sdk generate kustomize` makes it".to_owned()
    } else if is_of_kpt(file, boundary) {
        "`kpt fn render` makes it".to_owned()
    } else if let Some(name) = keeper(file) {
        format!("`{name}` keeps its folder for it")
    } else {
        let script = scripts::writer(file, boundary)?;
        format!("`{}` writes it", repository.without_root(&script.display().to_string(), root))
    };
    Some((repository.without_root(&file.display().to_string(), root), why))
}

/// The folder of a missing file, or the nearest one above it that is there: each folder may have a `.gitignore`.
fn own_folder(missing: &Path, boundary: &Boundary, root: &KustomizeRoot) -> PathBuf {
    let mut above = missing.ancestors().skip(1);
    let nearest = above.find(|folder| folder.is_dir());
    nearest.filter(|folder| boundary.spells(folder)).unwrap_or(&root.folder).to_owned()
}

/// How many folders above a file belong to one package.
const MOST_ABOVE: usize = 3;

/// Whether a missing file is part of a package with a pipeline, whose functions may make it
/// (<https://kpt.dev/book/04-using-functions/>).
fn is_of_kpt(missing: &Path, boundary: &Boundary) -> bool {
    let mut above = missing.ancestors().skip(1).take(MOST_ABOVE);
    above.any(|folder| {
        let text = boundary.read_to_string(&folder.join("Kptfile")).unwrap_or_default();
        text.lines().any(|line| line.starts_with("pipeline:"))
    })
}

/// Files that hold nothing: Git keeps no empty folder, and somebody who commits one has other files made in it.
const KEEPERS: [&str; 3] = [".gitkeep", ".keep", ".placeholder"];

/// What keeps the folder of a missing file.
fn keeper(missing: &Path) -> Option<&'static str> {
    let folder = missing.parent()?;
    let is_empty = |name: &&&str| {
        fs::symlink_metadata(folder.join(name)).is_ok_and(|kept| kept.is_file() && kept.len() == 0)
    };
    KEEPERS.iter().find(is_empty).copied()
}

/// The folders from which a file is made: its own, and those for templates.
const FOLDERS: [(&str, &str); 3] = [
    ("", "it is made from a file beside it"),
    ("templates", "it is made from a file in `templates`"),
    ("../templates", "it is made from a file in `../templates`"),
];

/// What says that a missing file is made from another one: the name of that goes on where the missing one ends
/// (`job.yaml.template`), or has a mark before its ending (`job.tpl.yaml`). A folder `base-old` beside a missing `base` is
/// none.
fn template(missing: &Path) -> Option<String> {
    let file = missing.extension().and(missing.file_name())?.to_str()?;
    let folder = missing.parent()?;
    let is_source = |other: &fs::DirEntry| {
        let name = other.file_name();
        let is_of_file = name.to_str().is_some_and(|name| is_template(name, file));
        is_of_file && other.file_type().is_ok_and(|kind| kind.is_file())
    };
    let holds = |below: &str| {
        let mut files = fs::read_dir(folder.join(below)).into_iter().flatten().flatten();
        files.any(|other| is_source(&other))
    };
    let found = FOLDERS.iter().find(|(below, _)| holds(below));
    found.map(|(_, why)| (*why).to_owned())
}

/// What marks a template of a file before its ending.
const MARKS: [&str; 7] = ["dist", "example", "in", "sample", "template", "tmpl", "tpl"];

fn is_template(name: &str, file: &str) -> bool {
    let marked = || {
        let (stem, ending) = file.rsplit_once('.')?;
        name.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(ending)?.strip_suffix('.')
    };
    name.len() > file.len() && name.starts_with(file)
        || marked().is_some_and(|mark| MARKS.contains(&mark))
}

/// Whether a missing file is the base of what Operator SDK bundles. The kustomization that it scaffolds names
/// `bases/NAME.clusterserviceversion.yaml`, which `operator-sdk generate kustomize manifests` writes before each build.
fn is_of_operator_sdk(missing: &Path) -> bool {
    let name = missing.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.ends_with(".clusterserviceversion.yaml"))
}

/// The file of a kustomization that is a template of another tool, so that it does not build as it is: one that is no YAML
/// because of the marks of such, or one of a folder or a line with a mark.
pub(super) fn template_of_tool(
    error: &Error,
    repository: &Repository,
    root: &KustomizeRoot,
) -> Option<String> {
    let at = error.at.as_ref();
    if at.is_some_and(|at| is_of_chart(&repository.path(&at.source.path, root), repository, root)) {
        return None;
    }
    let own = at.filter(|at| {
        let line = at.source.line_span(at.source.line_of(at.span.start));
        let (path, text) = (&at.source.path, &at.source.text);
        holds_mark(path) || holds_mark(at.source.slice(line)) || is_broken_by_mark(text)
    });
    let is_template = |path: &&PathBuf| {
        let text = repository.read(path).unwrap_or_default();
        is_broken_by_mark(&String::from_utf8_lossy(&text)) && !is_of_chart(path, repository, root)
    };
    own.map(|at| at.source.path.clone()).or_else(|| {
        let path = root.files.iter().find(is_template)?;
        Some(repository.without_root(&path.display().to_string(), root))
    })
}

/// Whether a file below a kustomization is a template of a chart.
fn is_of_chart(file: &Path, repository: &Repository, root: &KustomizeRoot) -> bool {
    let mut folders = file.ancestors().skip(1).take_while(|folder| *folder != root.folder);
    folders.any(|folder| {
        file.starts_with(folder.join("templates"))
            && repository.read(&folder.join("Chart.yaml")).is_ok()
    })
}

/// Whether a text is no YAML, and has the mark of a template.
fn is_broken_by_mark(text: &str) -> bool {
    holds_mark(text) && yaml_spans::parse(text).iter().any(Result::is_err)
}

/// Whether a text has a mark of Jinja, Nunjucks, ERB, Cookiecutter or Copier, which those of Go templates are not:
/// `{{ .Values.name }}` in a kustomization may be meant for another file.
fn holds_mark(text: &str) -> bool {
    let is_go = |rest: &str| {
        let rest = rest.trim_start_matches(['-', ' ']);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let behind = rest[end..].trim_start();
        let is_call = behind.len() < rest[end..].len() && !behind.starts_with(['|', '}', '-']);
        rest.starts_with(['.', '$', '`', '"', '/', '(']) || is_call || GO.contains(&&rest[..end])
    };
    let mut braces = text.match_indices("{{").map(|(at, mark)| (at, &text[at + mark.len()..]));
    ["{%", "<%"].iter().any(|mark| text.contains(mark))
        || braces.any(|(at, rest)| text[..at].ends_with('$') || !is_go(rest) && rest.contains("}}"))
}

/// The words with which an action of a Go template begins.
const GO: [&str; 9] =
    ["block", "define", "else", "end", "if", "include", "range", "template", "with"];

/// The problem of a kustomization that another tool fills in.
pub(super) fn unfilled(path: &str, problem: Problem) -> Problem {
    let reason = format!("`{path}` is a template, which another tool fills in");
    elsewhere(reason, "Check what that tool writes", problem)
}

/// The problem of a kustomization whose missing file is made or kept elsewhere.
pub(super) fn without(path: &str, why: &str, problem: Problem) -> Problem {
    let reason = format!("`{path}` is not in the repository: {why}");
    elsewhere(reason, "Check the kustomization where that file exists", problem)
}

/// The problem of a kustomization that builds elsewhere.
fn elsewhere(reason: String, help: &str, problem: Problem) -> Problem {
    Problem {
        failure: Failure::NotRendered,
        headline: Some(not_built(&reason)),
        help: Some(help.to_owned()),
        reason,
        ..problem
    }
}
