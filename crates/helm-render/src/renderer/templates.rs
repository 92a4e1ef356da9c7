//! Parsing the templates of a chart and its dependencies, in Helm's order.

use std::{cmp::Reverse, rc::Rc, sync::Arc};

use go_template::{
    ParsedSource, TemplateSet,
    provenance::{FileId, Provenance},
};

use super::{base, failure, registry::registry};
use crate::{
    Error, HelmVersion, Reason, dependencies::ChartView, rendered::TemplateFile,
    template_cache::ParsedFiles,
};

/// The templates of one render.
pub(super) struct ParsedTemplates {
    /// In the order of parsing and execution; the index is the [`FileId`].
    pub(super) files: Vec<TemplateFile>,
    pub(super) set: Arc<TemplateSet>,
}

/// Parses the templates of all enabled charts, or reuses those of the previous render.
pub(super) fn parse(view: &Rc<ChartView>, version: HelmVersion) -> Result<ParsedTemplates, Error> {
    let mut found = Vec::new();
    collect(view, &mut found);
    found.sort_by_cached_key(|(path, ..)| {
        let depth = memchr::memchr_iter(b'/', path.as_bytes()).count();
        Reverse((depth, path.clone()))
    });
    // Two charts can have the same template path; Go's map keeps one.
    found.dedup_by(|(a, ..), (b, ..)| a == b);
    let file = |(name, view, number): &FoundTemplate| TemplateFile {
        name: name.clone(),
        chart: view.chart.clone(),
        number: *number,
    };
    let files: Vec<_> = found.iter().map(file).collect();
    let names = files.iter().map(|file| file.name.clone()).collect();
    let known = &view.chart.cache().templates;
    let parse = || parse_all(&files, version, known);
    let set = view.chart.last_templates.get_or_parse(version, names, parse)?;
    Ok(ParsedTemplates { files, set })
}

type FoundTemplate = (Arc<str>, Rc<ChartView>, usize);

fn collect(view: &Rc<ChartView>, found: &mut Vec<FoundTemplate>) {
    let path = view.path();
    for (number, file) in view.chart.templates.iter().enumerate() {
        if !view.chart.is_library() || base(&file.name).starts_with('_') {
            found.push((format!("{path}/{}", file.name).into(), view.clone(), number));
        }
    }
    for sub in view.dependencies().iter() {
        collect(sub, found);
    }
}

fn parse_all(
    files: &[TemplateFile],
    version: HelmVersion,
    known: &ParsedFiles,
) -> Result<TemplateSet, Error> {
    let mut set = TemplateSet::new("gotpl");
    for (number, template) in files.iter().enumerate() {
        let id = FileId(number as u32);
        let text = &template.file().data;
        let parse = || ParsedSource::parse(&template.name, text.clone(), id, registry(version));
        let source = known.get_or_parse((version, id), &template.name, text, parse);
        let source = source.map_err(|error| {
            let at = failure::locate(files, &Provenance::default(), error.position);
            let message = failure::parse(&error.to_string());
            Error::new(Reason::Parse, message).at(Some(at))
        })?;
        set.add(&source);
    }
    Ok(set)
}
