//! The templates of a chart and its dependencies, parsed in Helm's order.

use std::rc::Rc;
use std::sync::Arc;

use super::super::chart::File;
use super::super::dependencies::View;
use super::super::rendered::TemplateFile;
use super::super::{Error, HelmVersion, Reason};
use super::{base, failure, functions_of};
use crate::provenance::{FileId, Provenance};
use crate::template::TemplateSet;

/// The templates of one render.
#[derive(Clone, Debug)]
pub(in crate::helm) struct Parsed {
    version: HelmVersion,
    /// In the order of parsing and execution; the index is the [`FileId`].
    pub(super) files: Vec<TemplateFile>,
    pub(in crate::helm) set: Arc<TemplateSet>,
}

/// Parses what the enabled charts contribute, or takes it from the render before.
pub(super) fn parse(view: &Rc<View>, version: HelmVersion) -> Result<Parsed, Error> {
    let mut found = Vec::new();
    collect(view, &mut found);
    found.sort_by(|(a, ..), (b, ..)| {
        let depth = |path: &str| path.matches('/').count();
        depth(b).cmp(&depth(a)).then_with(|| b.cmp(a))
    });
    // A path that two charts share: Go's map keeps one.
    found.dedup_by(|(a, ..), (b, ..)| a == b);
    let chart = &view.chart;
    let mut cache = chart.parsed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(parsed) = cache.as_ref()
        && parsed.version == version
        && parsed.files.iter().map(|file| &*file.name).eq(found.iter().map(|(name, ..)| &**name))
    {
        return Ok(parsed.clone());
    }
    let parsed = parse_all(&found, version)?;
    *cache = Some(parsed.clone());
    Ok(parsed)
}

type Found = (String, Rc<View>, usize);

fn collect(view: &Rc<View>, found: &mut Vec<Found>) {
    let path = view.path();
    for (number, file) in view.chart.templates.iter().enumerate() {
        if !view.chart.is_library() || base(&file.name).starts_with('_') {
            found.push((format!("{path}/{}", file.name), view.clone(), number));
        }
    }
    for sub in view.dependencies().iter() {
        collect(sub, found);
    }
}

fn parse_all(found: &[Found], version: HelmVersion) -> Result<Parsed, Error> {
    let mut set = TemplateSet::new("gotpl");
    let mut files = Vec::new();
    for (number, (name, view, index)) in found.iter().enumerate() {
        let file: &File = &view.chart.templates[*index];
        let (chart, number_in_chart) = (view.chart.clone(), *index);
        let template = TemplateFile { name: name.as_str().into(), chart, number: number_in_chart };
        let parsed =
            set.parse(name, file.data.clone(), FileId(number as u32), functions_of(version));
        files.push(template);
        if let Err(error) = parsed {
            let at = failure::locate(&files, &Provenance::default(), error.position);
            let message = failure::parse(&error.to_string());
            return Err(Error::new(Reason::Parse, message).at(Some(at)));
        }
    }
    Ok(Parsed { version, files, set: Arc::new(set) })
}
