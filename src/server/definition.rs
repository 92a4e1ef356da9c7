//! Where a person wrote what stands at a position: the helper behind `include`, the line of a value, the files of a
//! kustomization, and the base and patches behind a line of an overlay.

use std::path::Path;

use lsp_types::{GotoDefinitionParams, Location as Target, Position, Range};
use yaml_spans::{self as yaml, Location, Node, Span};

use super::{
    diagnostics::address,
    documents::{Document, Documents},
    flow, jobs,
    position::{Encoding, Lines},
    scene::{Scene, View},
    snapshot::Snapshot,
    template::{self, Word},
};
use crate::discover::{OVERLAY_FILES, is_overlay_file, normal, read_overlay};

/// The most places for one position.
const MOST: usize = 20;

/// What the texts are looked up in.
pub(super) struct Lookup<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) documents: &'a Documents,
    pub(super) encoding: Encoding,
}

impl Lookup<'_> {
    /// The definitions of what stands at a position; none outside of open files.
    pub(super) fn definitions(&self, params: &GotoDefinitionParams) -> Vec<Target> {
        let place = &params.text_document_position_params;
        let Some((path, document)) = self.documents.get(&place.text_document.uri) else {
            return Vec::new();
        };
        let offset = Lines::new(&document.text, self.encoding).offset(place.position);
        if is_overlay_file(path) {
            let named = self.named_file(path, &document.text, offset);
            if !named.is_empty() {
                return named;
            }
        }
        let found = self.in_views(path, document, offset, place.position);
        let mut targets: Vec<Target> = Vec::new();
        for (scene, at) in found {
            let range = Lines::new(&at.source.text, self.encoding).range(at.span);
            let Some(uri) = address(&scene.absolute(&at.source.path), self.documents) else {
                continue;
            };
            let target = Target::new(uri, range);
            if !targets.contains(&target) && targets.len() < MOST {
                targets.push(target);
            }
        }
        targets
    }

    /// The file or folder that an entry of a kustomization names.
    fn named_file(&self, path: &Path, text: &str, offset: usize) -> Vec<Target> {
        let overlay = read_overlay(text);
        let scalars = yaml::parse(text).into_iter().flatten();
        let found = scalars.filter_map(|document| scalar_at(&document.root, offset as u32)).next();
        let Some(found) = found else { return Vec::new() };
        let named = found.split_once('=').map_or(&*found, |(_, file)| file);
        let entries = [&overlay.resources, &overlay.parts, &overlay.inputs];
        let is_entry = entries.iter().any(|entries| entries.iter().any(|entry| entry == named));
        let folder = path.parent().unwrap_or(path);
        let file = normal(&folder.join(named));
        let inside = OVERLAY_FILES.iter().map(|name| file.join(name)).find(|file| file.is_file());
        let start = Range::new(Position::default(), Position::default());
        let uri = address(&inside.unwrap_or(file), self.documents).filter(|_| is_entry);
        uri.map(|uri| Target::new(uri, start)).into_iter().collect()
    }

    fn in_views(
        &self,
        path: &Path,
        document: &Document,
        offset: usize,
        position: Position,
    ) -> Vec<(&Scene, Location)> {
        let action = template::action_at(&document.text, offset);
        let mut found = Vec::new();
        for scene in jobs::scenes(path, self.snapshot) {
            let printed = scene.printed(path);
            for view in scene.views() {
                let places = match (&action, &view.rendering) {
                    (Some(action), Some(_)) => {
                        let word = template::word_at(&document.text, action, offset);
                        word.map(|word| of_word(view, &printed, action, &word)).unwrap_or_default()
                    }
                    (None, None) => of_line(view, &printed, position.line as usize + 1),
                    _ => Vec::new(),
                };
                found.extend(places.into_iter().map(|at| (scene, at)));
            }
        }
        found
    }
}

/// The scalar at an offset.
fn scalar_at(node: &Node, offset: u32) -> Option<String> {
    if !(node.span.start <= offset && offset <= node.span.end) {
        return None;
    }
    let values = node.entries().iter().map(|entry| &entry.value);
    let inside = values.chain(node.items()).find_map(|one| scalar_at(one, offset));
    inside.or_else(|| node.as_str().map(str::to_owned))
}

/// Where a word of a template leads in a view.
fn of_word(view: &View, path: &str, action: &std::ops::Range<usize>, word: &Word) -> Vec<Location> {
    let Some(rendering) = &view.rendering else { return Vec::new() };
    match word {
        Word::Template(name) => {
            let sources = rendering.rendered.templates.iter().map(|template| template.source());
            let of_source = |source: std::sync::Arc<yaml::Source>| {
                let found = template::definitions(&source.text, name).into_iter();
                let at = |range: std::ops::Range<usize>| Location {
                    source: source.clone(),
                    span: Span::new(range.start, range.end),
                };
                found.map(at).collect::<Vec<_>>()
            };
            sources.flat_map(of_source).collect()
        }
        Word::Fields(fields) => {
            let set = flow::value_path(rendering, path, fields)
                .and_then(|names| rendering.setting(&names)?.at.clone());
            if let Some(at) = set {
                return vec![at];
            }
            // A field of a loop's item or of a variable: the value that flowed through it.
            let ending = format!(".{}", fields.join("."));
            let printed = flow::printed(rendering, path, action).unwrap_or_default();
            let inputs = printed.inputs.into_iter();
            let is_of_values = |name: &str| name.starts_with("Values.") && name.ends_with(&ending);
            inputs.filter(|(name, _)| is_of_values(name)).filter_map(|(_, at)| at).collect()
        }
    }
}

/// The other places that make the lines of the build to which a line contributes.
fn of_line(view: &View, path: &str, line: usize) -> Vec<Location> {
    let is_here =
        |at: &Location| at.source.path == path && at.source.line_of(at.span.start) == line;
    let mut found: Vec<Location> = Vec::new();
    for source in view.documents() {
        let Some(origin) = &source.origin else { continue };
        let before = found.len();
        let mut is_of = false;
        for number in 1..=source.line_count() {
            let written = origin.written(source.line_span(number));
            let causes = written.causes.into_iter().map(|(at, _)| at);
            let places: Vec<_> = std::iter::once(written.at).chain(causes).collect();
            if places.iter().any(is_here) {
                is_of = true;
                found.extend(places.into_iter().filter(|at| !is_here(at)));
            }
        }
        // A patch that replaces a value leaves no trace of the old one: the object itself is what it changes.
        let is_base = |at: &Location| at.source.path == source.path && at.source.path != path;
        if is_of && !found[before..].iter().any(is_base) {
            let all =
                (1..=source.line_count()).map(|line| origin.written(source.line_span(line)).at);
            found.extend({ all }.find(is_base));
        }
    }
    found
}
