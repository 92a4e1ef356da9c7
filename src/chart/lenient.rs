//! Loads charts that only Helm 3 loads, and charts whose version another program fills in.

use std::{borrow::Cow, path::Path, sync::Arc};

use file_boundary::Boundary;
use helm_render::{Chart, Error, HelmVersion, Reason};
use job_lifecycle::{
    Tool,
    kubernetes::{is_placeholder, token_word},
};
use yaml_spans::Node;

use super::failure::for_helm_3;
use crate::{settings::Settings, unit::Unit};

/// The file that describes a chart.
const CHART: &str = "Chart.yaml";

/// The tools that render charts with the library of Helm 4 (flux 2; fleet 3.1).
const WITH_HELM_4: [Tool; 3] = [Tool::Helm4, Tool::Flux, Tool::Fleet];

/// The versions of Helm that may load a chart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loaders {
    /// Helm 3 too.
    Any,
    /// Everything that is stated to deploy the chart uses Helm 4.
    Helm4,
}

impl Loaders {
    /// The versions of Helm that deploy the chart of a unit.
    pub(super) fn of(unit: &Unit, settings: &Settings) -> Self {
        let of_unit = unit.deployments.iter().map(|deployment| deployment.deployer.tool);
        match settings.deployers.is_empty() {
            true => Self::of_tools(of_unit.collect()),
            false => Self::stated_in(settings),
        }
    }

    /// The versions of Helm of the deployers that the settings state.
    pub(crate) fn stated_in(settings: &Settings) -> Self {
        Self::of_tools(settings.deployers.iter().map(|deployer| deployer.tool).collect())
    }

    fn of_tools(stated: Vec<Tool>) -> Self {
        match !stated.is_empty() && stated.iter().all(|tool| WITH_HELM_4.contains(tool)) {
            true => Self::Helm4,
            false => Self::Any,
        }
    }
}

/// Texts that replace files of a chart, by their paths in it.
pub(crate) type Texts = [(String, Vec<u8>)];

/// A way to load a chart with such texts.
pub(crate) type Load<'l> = dyn Fn(&Texts, HelmVersion) -> Result<Arc<Chart>, Error> + 'l;

/// A way to read a file of a chart, by its path in it.
type Read<'r> = dyn Fn(&str) -> Option<Vec<u8>> + 'r;

/// Loads a chart with its linked dependencies, as [`Chart::load_linked`] does. Returns what was overlooked, for notes. A file
/// that is kept elsewhere, such as one with passwords that `.gitignore` leaves out, leaves a link to nothing behind, for
/// which no Helm loads the chart: it is taken for an empty file.
///
/// # Errors
/// As [`Chart::load_linked`].
pub(super) fn load(
    (root, shown): (&Path, &str),
    texts: &Texts,
    loaders: Loaders,
    boundary: &Boundary,
) -> Result<(Arc<Chart>, Vec<String>), Error> {
    let load = |texts: &Texts, version| Chart::load_linked(root, shown, texts, version, boundary);
    let read = |name: &str| boundary.read(&root.join(name)).ok();
    let mut texts = Cow::Borrowed(texts);
    let mut links = Vec::new();
    loop {
        let error = match load_by(&load, &read, &texts, loaders) {
            Ok((chart, notes)) => return Ok((chart, [links, notes].concat())),
            Err(error) => error,
        };
        match dangling(&error, shown).filter(|_| links.len() < MOST_LINKS) {
            Some(name) => {
                links.push(note(&error, "a link to nothing, checked as an empty file"));
                texts.to_mut().push((name, Vec::new()));
            }
            None => return Err(error),
        }
    }
}

/// The most links to nothing in a chart that is loaded all the same.
const MOST_LINKS: usize = 20;

/// What the loader says of a link to nothing.
const DANGLING: &str = "error evaluating symlink ";

/// The parts of a chart that it is made of, besides files which templates read.
const PARTS: [&str; 6] =
    [CHART, "charts/", "crds/", "requirements.yaml", "templates/", "values.yaml"];

/// The path in the chart of a link to nothing that stands for a file which templates read.
fn dangling(error: &Error, shown: &str) -> Option<String> {
    let is_dangling = error.reason == Reason::Link && error.message.starts_with(DANGLING);
    let path = &error.at.as_ref().filter(|_| is_dangling)?.source.path;
    let name = path.strip_prefix(shown).unwrap_or(path).trim_start_matches('/');
    let is_part = PARTS.iter().any(|part| name.starts_with(part));
    (!is_part).then(|| name.to_owned())
}

/// Loads a chart in this way from wherever it is; `read` reads a file of it. Returns what was overlooked, for notes.
///
/// # Errors
/// Those of `load`.
pub(crate) fn load_by(
    load: &Load<'_>,
    read: &Read<'_>,
    texts: &Texts,
    loaders: Loaders,
) -> Result<(Arc<Chart>, Vec<String>), Error> {
    let (mut version, mut texts) = (HelmVersion::V4, Cow::Borrowed(texts));
    let mut overlooked = Vec::new();
    loop {
        let error = match load(&texts, version) {
            Ok(chart) => return Ok((chart, overlooked)),
            Err(error) => error,
        };
        let completed = || Some((completed(read, &texts, &error)?, "what is missing"));
        let filled_in = || Some((filled_in(read, &texts, &error)?, "the `version`"));
        let is_refused = version == HelmVersion::V4 && error.is_for_helm_3();
        if is_refused && loaders == Loaders::Any {
            version = HelmVersion::V3;
            overlooked.push(note(&error, for_helm_3(&error)));
        } else if let Some(((file, text), what)) = completed().or_else(filled_in) {
            overlooked.push(note(&error, &format!("another program fills in {what}")));
            // Helm 4 reads the file itself before anything else.
            version = HelmVersion::V3;
            texts.to_mut().retain(|(name, _)| *name != file);
            texts.to_mut().push((file, text));
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

/// What the loader says of a chart without a name.
const UNNAMED: &str = "chart.metadata.name is required";

/// What each chart states for Helm.
const STATED: [&str; 3] = ["apiVersion", "name", "version"];

/// A `Chart.yaml` that states nothing of [`STATED`], with all of it: a tool that takes in the charts of a repository, such as
/// kontinuous, completes it. `None` if the error is about something else.
fn completed(read: &Read<'_>, texts: &Texts, error: &Error) -> Option<(String, Vec<u8>)> {
    if !error.message.ends_with(UNNAMED) || error.message.contains(IN_CHARTS) {
        return None;
    }
    let given = texts.iter().find(|(name, _)| *name == CHART).map(|(_, text)| text.clone());
    let text = String::from_utf8(given.or_else(|| read(CHART))?).ok()?;
    let root = yaml_spans::parse(&text).into_iter().next()?.ok()?.root;
    let is_fragment = STATED.iter().all(|key| root.get(key).is_none());
    let rest = format!("apiVersion: v2\nname: chart\nversion: {SHORTEST}\n");
    is_fragment.then(|| (CHART.to_owned(), format!("{}\n{rest}", text.trim_end()).into_bytes()))
}

/// How an error about a chart in `charts/` begins, before its folder.
const IN_CHARTS: &str = "error unpacking subchart ";

/// The `Chart.yaml` of the chart, or of one in its `charts/`, and its text with a version of the same length in place of a
/// placeholder; `None` if the error is about something else.
fn filled_in(read: &Read<'_>, texts: &Texts, error: &Error) -> Option<(String, Vec<u8>)> {
    let is_of_version = error.message.contains("chart.metadata.version ");
    if !is_of_version && !error.message.contains(CHART) {
        return None;
    }
    let inner = error.message.split(IN_CHARTS).skip(1);
    let folders = inner.filter_map(|rest| Some(format!("charts/{}/", rest.split_once(" in ")?.0)));
    let file = folders.collect::<String>() + CHART;
    let given = texts.iter().find(|(name, _)| *name == file).map(|(_, text)| text.clone());
    let mut text = String::from_utf8(given.or_else(|| read(&file))?).ok()?;
    let Ok(document) = yaml_spans::parse(&text).into_iter().next()? else {
        return Some((file, without_tokens(&text)?.into_bytes()));
    };
    let bracketed = |key: &str| document.root.get(key).filter(|node| is_bracketed(node));
    if let Some(value) = ["version", "appVersion"].into_iter().find_map(bracketed) {
        let value = value.span.range();
        text.replace_range(value.clone(), &version_of(value.len())?);
        return Some((file, text.into_bytes()));
    }
    let version = match document.root.get("version") {
        Some(version) if is_open(version) => version.span.range(),
        Some(_) => return None,
        None => return is_of_version.then(|| (file, with_version(&text).into_bytes())),
    };
    text.replace_range(version.clone(), &version_of(version.len())?);
    Some((file, text.into_bytes()))
}

/// The text with a version at its end: `helm package --version` and chartpress write one where there is none.
fn with_version(text: &str) -> String {
    format!("{}\nversion: {SHORTEST}\n", text.trim_end())
}

/// The text with versions in place of the tokens that are no YAML: `version: %VERSION%`. `None` if it has none.
fn without_tokens(text: &str) -> Option<String> {
    let mut out = text.to_owned();
    for line in text.split_inclusive('\n') {
        let Some((_, value)) = line.trim_end().split_once(": ") else { continue };
        let is_token = value.starts_with(['%', '@']) && token_word(value).is_some();
        if let (true, Some(version)) = (is_token, version_of(value.len())) {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            out.replace_range(start..start + value.len(), &version);
        }
    }
    (out != text).then_some(out)
}

/// Whether a version is a word for another program to replace: `VERSION`, `latest`, `${VERSION}`, `@version@`. No Helm loads a
/// chart with one.
fn is_open(version: &Node) -> bool {
    let text = version.as_str().unwrap_or_default();
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || b"_-".contains(&byte);
    is_placeholder(text)
        || token_word(text).is_some()
        || text.len() > 1 && text.bytes().all(is_word)
}

/// Whether a value is `[[ .Version ]]`, a template of architect, which YAML takes for a list in a list
/// (<https://github.com/giantswarm/architect>).
fn is_bracketed(value: &Node) -> bool {
    let only = |node: &Node| matches!(node.items(), [_]);
    let inner = value.items().first().filter(|inner| only(value) && only(inner));
    inner.and_then(|inner| inner.items()[0].as_str()).is_some_and(|text| text.starts_with('.'))
}

/// The shortest semantic version.
const SHORTEST: &str = "0.0.0";

/// The most further digits in a number of a version: 64 bits hold no more than these.
const MOST_DIGITS: usize = 18;

/// A semantic version that takes as many bytes; `None` if they are too few, or too many.
fn version_of(length: usize) -> Option<String> {
    let mut more = length.checked_sub(SHORTEST.len())?;
    let mut number = || {
        let own = more.min(MOST_DIGITS);
        more -= own;
        if own == 0 { "0".to_owned() } else { format!("1{}", "0".repeat(own)) }
    };
    let [patch, minor, major] = [number(), number(), number()];
    (more == 0).then(|| format!("{major}.{minor}.{patch}"))
}
