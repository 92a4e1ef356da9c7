//! The rendered view: the manifests of a chart or kustomization as a text that follows the cursor, each line with the
//! places that it comes from.

use std::{collections::HashMap, sync::Arc};

use lsp_types::{Location as Target, Position, TextDocumentIdentifier, Uri};
use serde::{Deserialize, Serialize};
use yaml_spans::{Location, Source};

use super::{
    diagnostics::address,
    documents::Documents,
    jobs,
    position::{Encoding, Lines},
    scene::{Scene, View},
    snapshot::Snapshot,
    uri::path_of,
};

/// The request for a rendered view.
pub(super) const METHOD: &str = "joblint/rendered";

/// The longest text of a view, in bytes; editors become slow with longer ones.
const LONGEST: usize = 8 << 20;

/// What a client asks for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    /// A file of the chart or kustomization.
    text_document: TextDocumentIdentifier,
    /// The cursor in it.
    position: Option<Position>,
    /// One of the views; the first that prints the line of the cursor if absent.
    view: Option<String>,
}

/// A rendered view.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rendered {
    /// The chart or kustomization as printed.
    unit: String,
    /// The value sets of the chart, or the kustomizations, that the text can be made with.
    views: Vec<String>,
    /// The one that it is made with.
    view: String,
    text: String,
    /// For each line, the places that it comes from, the deciding one first.
    origins: Vec<Vec<Target>>,
    /// The line that the line of the cursor makes, from 0.
    line: Option<usize>,
}

/// The rendered view of what a file is part of.
pub(super) fn of(
    params: &Params,
    snapshot: &Snapshot,
    documents: &Documents,
    encoding: Encoding,
) -> Option<Rendered> {
    let path = path_of(&params.text_document.uri)?;
    let uri = address(&path, documents)?;
    let views = jobs::scenes(&path, snapshot)
        .flat_map(|scene| scene.views().iter().map(move |view| (scene, view)));
    let all: Vec<(&Scene, &View)> = views.collect();
    let names: Vec<_> = all.iter().map(|(_, view)| view.name.to_string()).collect();
    let wanted = all
        .iter()
        .zip(&names)
        .filter(|(_, name)| params.view.as_ref().is_none_or(|wanted| wanted == *name));
    let mut chosen = None;
    for ((scene, view), name) in wanted {
        let text = Text::of(scene, view, documents, encoding);
        let line = params.position.and_then(|position| text.line_of(&uri, position.line));
        let is_found = line.is_some() || params.position.is_none();
        if chosen.is_none() || is_found {
            let Text { text, origins } = text;
            let (unit, view, views) = (scene.title.clone(), name.clone(), names.clone());
            chosen = Some(Rendered { unit, views, view, text, origins, line });
        }
        if is_found {
            break;
        }
    }
    chosen
}

/// The text of a view.
struct Text {
    text: String,
    origins: Vec<Vec<Target>>,
}

impl Text {
    fn of(scene: &Scene, view: &View, documents: &Documents, encoding: Encoding) -> Self {
        let mut text = String::new();
        let mut places: Vec<Vec<Location>> = Vec::new();
        let mut push = |line: &str, from: Vec<Location>| {
            text.push_str(line.trim_end_matches(['\n', '\r']));
            text.push('\n');
            places.push(from);
            text.len()
        };
        for source in view.documents() {
            push("---", Vec::new());
            let length = push(&format!("# Source: {}", source.path), Vec::new());
            if length + source.text.len() > LONGEST {
                push("# The rest is too long for an editor.", Vec::new());
                break;
            }
            for number in 1..=source.line_count() {
                push(source.line_text(number), origin_of(&source, number));
            }
        }
        Self { text, origins: targets(&places, scene, documents, encoding) }
    }

    /// The line that a line of a file makes: the one that it decides, else one that it contributes to.
    fn line_of(&self, uri: &Uri, line: u32) -> Option<usize> {
        let is_here = |at: &Target| at.uri == *uri && at.range.start.line == line;
        let decided = self.origins.iter().position(|all| all.first().is_some_and(is_here));
        decided.or_else(|| self.origins.iter().position(|all| all.iter().any(is_here)))
    }
}

/// Places in the terms of the protocol.
fn targets<'a>(
    places: &'a [Vec<Location>],
    scene: &Scene,
    documents: &Documents,
    encoding: Encoding,
) -> Vec<Vec<Target>> {
    let mut known: HashMap<*const Source, (Option<Uri>, Lines<'a>)> = HashMap::new();
    let mut target = |at: &'a Location| {
        let (uri, lines) = known.entry(Arc::as_ptr(&at.source)).or_insert_with(|| {
            let uri = address(&scene.absolute(&at.source.path), documents);
            (uri, Lines::new(&at.source.text, encoding))
        });
        Some(Target::new(uri.clone()?, lines.range(at.span)))
    };
    places.iter().map(|all| all.iter().filter_map(&mut target).collect()).collect()
}

/// The places that a line of a manifest comes from, the deciding one first.
fn origin_of(source: &Source, number: usize) -> Vec<Location> {
    let is_blank = source.line_text(number).trim().is_empty();
    let Some(origin) = source.origin.as_ref().filter(|_| !is_blank) else { return Vec::new() };
    let written = origin.written(source.line_span(number));
    let causes = written.causes.into_iter().map(|(at, _)| at);
    std::iter::once(written.at).chain(causes).collect()
}
