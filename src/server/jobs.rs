//! What an editor shows at a Job: its outcomes over the line of its kind, and the table of its forecast.

use std::path::Path;

use job_lifecycle::Event;
use lsp_types::{CodeLens, Command, InlayHint, InlayHintLabel, Range, Uri};
use serde_json::json;

use super::{
    position::{Encoding, Lines},
    scene::Scene,
    snapshot::Snapshot,
};
use crate::{
    forecast::Block,
    report::{forecast_markdown, forecast_word},
};

/// The most lines about Jobs at one place, such as a template that many values repeat.
const MOST_AT_ONCE: usize = 4;

/// The command that shows the forecast of a file.
pub(super) const FORECAST: &str = "joblint.forecast";

/// A Job at a place of a file.
struct Place<'a> {
    block: &'a Block,
    range: Range,
}

fn places<'a>(path: &Path, snapshot: &'a Snapshot, encoding: Encoding) -> Vec<Place<'a>> {
    let mut places = Vec::new();
    for scene in &snapshot.scenes {
        for (block, at) in scene.jobs(path) {
            let range = Lines::new(&at.source.text, encoding).range(at.span);
            places.push(Place { block, range });
        }
    }
    places
}

/// The lines over the Jobs of a file, in order, with their places.
fn headlines(path: &Path, snapshot: &Snapshot, encoding: Encoding) -> Vec<(Range, String)> {
    let mut all: Vec<(Range, String)> = Vec::new();
    for Place { block, range } in places(path, snapshot, encoding) {
        let Some(text) = headline(block) else { continue };
        let here = all.iter().filter(|(own, _)| own.start.line == range.start.line);
        let (mut count, mut is_known) = (0, false);
        here.for_each(|(_, own)| {
            count += 1;
            is_known |= *own == text;
        });
        if !is_known && count < MOST_AT_ONCE {
            all.push((range, text));
        }
    }
    all
}

/// What the next upgrade does to a Job, by deployer: `Helm 4: next upgrade REJECTED · Argo CD: runs again`.
fn headline(block: &Block) -> Option<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for column in &block.columns {
        let Some(cell) = column.at(Event::Upgrade) else { continue };
        let (word, tool) = (forecast_word(cell, Event::Upgrade), column.deployer.tool.title());
        let word = word.replace('-', " ");
        match groups.iter_mut().find(|(known, _)| *known == word) {
            Some((_, tools)) if tools.contains(&tool) => {}
            Some((_, tools)) => tools.push(tool),
            None => groups.push((word, vec![tool])),
        }
    }
    let what = |index: usize| if index == 0 { "next upgrade " } else { "" };
    let text = match &groups[..] {
        [] => return None,
        [(word, tools)] if tools.len() > 2 => format!("next upgrade {word} under every deployer"),
        groups => {
            let one = |(index, (word, tools)): (usize, &(String, Vec<&str>))| {
                format!("{}: {}{word}", tools.join(", "), what(index))
            };
            groups.iter().enumerate().map(one).collect::<Vec<_>>().join(" · ")
        }
    };
    Some(match block.value_sets.is_empty() {
        true => text,
        false => format!("{text} (with {})", block.value_sets.join(", ")),
    })
}

/// A line over each Job of a file.
pub(super) fn lenses(
    uri: &Uri,
    path: &Path,
    snapshot: &Snapshot,
    encoding: Encoding,
) -> Vec<CodeLens> {
    let lens = |(range, title): (Range, String)| CodeLens {
        range,
        command: Some(Command {
            title,
            command: FORECAST.to_owned(),
            arguments: Some(vec![json!(uri.as_str())]),
        }),
        data: None,
    };
    headlines(path, snapshot, encoding).into_iter().map(lens).collect()
}

/// The same at the end of the line of each Job's kind, for the lines that the editor shows.
pub(super) fn hints(
    path: &Path,
    visible: Range,
    snapshot: &Snapshot,
    encoding: Encoding,
) -> Vec<InlayHint> {
    let shown = headlines(path, snapshot, encoding).into_iter().filter(|(range, _)| {
        visible.start.line <= range.start.line && range.start.line <= visible.end.line
    });
    let hint = |(range, text): (Range, String)| InlayHint {
        position: range.end,
        label: InlayHintLabel::String(text),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    shown.map(hint).collect()
}

/// The forecasts of the Jobs whose kind is written at a place, as Markdown.
pub(super) fn table(
    path: &Path,
    here: Range,
    snapshot: &Snapshot,
    encoding: Encoding,
) -> Option<(String, Range)> {
    let found = places(path, snapshot, encoding);
    let here = found.into_iter().filter(|place| super::actions::touches(place.range, here));
    let here: Vec<_> = here.take(MOST_AT_ONCE).collect();
    let text = here.iter().map(|place| forecast_markdown(place.block));
    let text = text.collect::<Vec<_>>().join("\n");
    here.first().map(|place| (text, place.range))
}

/// The units that a file is part of, or whose Jobs are written in it.
pub(super) fn scenes<'a>(path: &Path, snapshot: &'a Snapshot) -> impl Iterator<Item = &'a Scene> {
    let concerns = |scene: &&Scene| scene.jobs(path).next().is_some() || scene.holds(path);
    snapshot.scenes.iter().map(|scene| &**scene).filter(concerns)
}
