//! Loads charts that only Helm 3 loads, and charts whose version another program fills in.

use std::{borrow::Cow, path::Path, sync::Arc};

use file_boundary::Boundary;
use helm_render::{Chart, Error, HelmVersion};
use job_lifecycle::{Tool, kubernetes::is_placeholder};
use yaml_spans::{Node, Span};

use super::failure::FOR_HELM_3;
use crate::{settings::Settings, unit::Unit};

/// The file that describes a chart.
const CHART: &str = "Chart.yaml";

/// The tools that render charts with the library of Helm 4 (flux 2; fleet 3.1).
const WITH_HELM_4: [Tool; 3] = [Tool::Helm4, Tool::Flux, Tool::Fleet];

/// The versions of Helm that may load a chart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loaders {
    /// Helm 3 too.
    Any,
    /// Everything that is stated to deploy the chart uses Helm 4.
    Helm4,
}

impl Loaders {
    /// The versions of Helm that deploy the chart of a unit.
    pub(super) fn of(unit: &Unit, settings: &Settings) -> Self {
        let of_unit = unit.deployments.iter().map(|deployment| deployment.deployer.tool);
        let stated: Vec<_> = match settings.deployers.is_empty() {
            true => of_unit.collect(),
            false => settings.deployers.iter().map(|deployer| deployer.tool).collect(),
        };
        match !stated.is_empty() && stated.iter().all(|tool| WITH_HELM_4.contains(tool)) {
            true => Self::Helm4,
            false => Self::Any,
        }
    }
}

/// Loads a chart with its linked dependencies, as [`Chart::load_linked`] does. Returns what was overlooked, for notes.
///
/// # Errors
/// As [`Chart::load_linked`].
pub(super) fn load(
    (root, shown): (&Path, &str),
    texts: &[(String, Vec<u8>)],
    loaders: Loaders,
    boundary: &Boundary,
) -> Result<(Arc<Chart>, Vec<String>), Error> {
    let (mut version, mut texts) = (HelmVersion::V4, Cow::Borrowed(texts));
    let mut overlooked = Vec::new();
    loop {
        let error = match Chart::load_linked(root, shown, &texts, version, boundary) {
            Ok(chart) => return Ok((chart, overlooked)),
            Err(error) => error,
        };
        let filled = || filled_in(root, &texts, &error, boundary);
        if error.is_for_helm_3() && loaders == Loaders::Any {
            version = HelmVersion::V3;
            overlooked.push(note(&error, FOR_HELM_3));
        } else if let Some(text) = filled() {
            overlooked.push(note(&error, "another program fills in the `version`"));
            texts.to_mut().retain(|(name, _)| name != CHART);
            texts.to_mut().push((CHART.to_owned(), text));
        } else {
            return Err(error);
        }
    }
}

/// A remark at the place of an error: `shop/Chart.yaml:1: …`.
fn note(error: &Error, text: &str) -> String {
    let Some(at) = &error.at else { return text.to_owned() };
    format!("{}:{}: {text}", at.source.path, at.start().line)
}

/// The text of `Chart.yaml` with a version of the same length in place of a placeholder; `None` if the error is about
/// something else.
fn filled_in(
    root: &Path,
    texts: &[(String, Vec<u8>)],
    error: &Error,
    boundary: &Boundary,
) -> Option<Vec<u8>> {
    if !error.message.contains("chart.metadata.version ") {
        return None;
    }
    let own = texts.iter().find(|(name, _)| name == CHART).map(|(_, text)| text.clone());
    let text = own.or_else(|| boundary.read(&root.join(CHART)).ok())?;
    let mut text = String::from_utf8(text).ok()?;
    let document = yaml_spans::parse(&text).into_iter().next()?.ok()?;
    let version = document.root.get("version").filter(|node| is_open(node))?.span;
    text.replace_range(version.range(), &version_of(version)?);
    Some(text.into_bytes())
}

/// Whether a version is a word for another program to replace: `VERSION`, `${VERSION}`, `@version@`.
fn is_open(version: &Node) -> bool {
    let text = version.as_str().unwrap_or_default();
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || b"_-%@".contains(&byte);
    let is_marked = |mark: char| text.len() > 2 && text.starts_with(mark) && text.ends_with(mark);
    is_placeholder(text)
        || ['@', '%'].into_iter().any(is_marked)
        || text.len() > 1 && text.bytes().all(is_capital)
}

/// A semantic version that takes as many bytes; `None` if they are too few.
fn version_of(span: Span) -> Option<String> {
    const SHORTEST: &str = "0.0.0";
    let length = (span.end - span.start) as usize;
    Some(match length.checked_sub(SHORTEST.len())? {
        0 => SHORTEST.to_owned(),
        more => format!("0.0.1{}", "0".repeat(more)),
    })
}
