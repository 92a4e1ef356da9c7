//! The templates of a chart and its dependencies, parsed in Helm's order.

use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use super::super::dependencies::View;
use super::super::rendered::TemplateFile;
use super::super::{Error, HelmVersion, Reason};
use super::{base, failure, functions_of};
use go_template::TemplateSet;
use go_template::provenance::{FileId, Provenance};

/// The templates of one render.
pub(super) struct Parsed {
    /// In the order of parsing and execution; the index is the [`FileId`].
    pub(super) files: Vec<TemplateFile>,
    pub(super) set: Arc<TemplateSet>,
}

/// What a chart remembers of its last render, for renders of the same templates. It names no charts: they would
/// hold each other forever.
#[derive(Debug)]
pub(crate) struct Remembered {
    version: HelmVersion,
    names: Vec<Arc<str>>,
    pub(crate) set: Arc<TemplateSet>,
}

/// Parses what the enabled charts contribute, or takes it from the render before.
pub(super) fn parse(view: &Rc<View>, version: HelmVersion) -> Result<Parsed, Error> {
    let mut found = Vec::new();
    collect(view, &mut found);
    found.sort_by_cached_key(|(path, ..)| {
        let depth = memchr::memchr_iter(b'/', path.as_bytes()).count();
        Reverse((depth, path.clone()))
    });
    // A path that two charts share: Go's map keeps one.
    found.dedup_by(|(a, ..), (b, ..)| a == b);
    let file = |(name, view, number): &Found| TemplateFile {
        name: name.clone(),
        chart: view.chart.clone(),
        number: *number,
    };
    let files: Vec<_> = found.iter().map(file).collect();
    let chart = &view.chart;
    let mut last = chart.parsed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let set = match &*last {
        Some(last)
            if last.version == version
                && last.names.iter().eq(files.iter().map(|file| &file.name)) =>
        {
            last.set.clone()
        }
        _ => {
            let set = Arc::new(parse_all(&files, version)?);
            let names = files.iter().map(|file| file.name.clone()).collect();
            *last = Some(Remembered { version, names, set: set.clone() });
            set
        }
    };
    Ok(Parsed { files, set })
}

type Found = (Arc<str>, Rc<View>, usize);

fn collect(view: &Rc<View>, found: &mut Vec<Found>) {
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

fn parse_all(files: &[TemplateFile], version: HelmVersion) -> Result<TemplateSet, Error> {
    let mut set = TemplateSet::new("gotpl");
    for (number, template) in files.iter().enumerate() {
        let id = FileId(number as u32);
        let data = template.file().data.clone();
        if let Err(error) = set.parse(&template.name, data, id, functions_of(version)) {
            let at = failure::locate(files, &Provenance::default(), error.position);
            let message = failure::parse(&error.to_string());
            return Err(Error::new(Reason::Parse, message).at(Some(at)));
        }
    }
    Ok(set)
}
