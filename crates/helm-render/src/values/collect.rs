//! The values that the user sets: values files, then flags. Helm `pkg/cli/values/options.go`.

use std::{path::Path, sync::Arc};

use file_boundary::Boundary;
use yaml_spans::{Location, Source, Span};

use super::{Table, Tree, flags, json, override_tables, read};
use crate::{
    Error, HelmVersion, Reason,
    file_access::{MAX_CHART, go_error, read_up_to},
};

/// A flag that sets values, and its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Which flag it is.
    pub kind: FlagKind,
    /// The argument.
    pub text: String,
}

/// The kinds of flags, in the order in which Helm applies them: later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlagKind {
    /// `--set-json`
    Json,
    /// `--set`
    Set,
    /// `--set-string`
    String,
    /// `--set-file`
    File,
    /// `--set-literal`
    Literal,
}

impl FlagKind {
    /// The flag on the command line, such as `--set`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "--set-json",
            Self::Set => "--set",
            Self::String => "--set-string",
            Self::File => "--set-file",
            Self::Literal => "--set-literal",
        }
    }
}

/// Reads values files in order and applies the flags. `-` is standard input; URLs are not fetched.
///
/// # Errors
///
/// [`Reason::Values`] with Helm's message: a file or flag cannot be read.
pub fn collect(files: &[&Path], flags: &[Flag], version: HelmVersion) -> Result<Table, Error> {
    let sources = files.iter().map(|path| source(path)).collect::<Result<Vec<_>, _>>()?;
    collect_texts(&sources, flags, version)
}

/// Reads the texts of values files in order and applies the flags.
///
/// # Errors
///
/// [`Reason::Values`] with Helm's message: a text or flag cannot be read.
pub fn collect_texts(
    sources: &[Arc<Source>],
    flags: &[Flag],
    version: HelmVersion,
) -> Result<Table, Error> {
    let mut values = Table::new();
    for source in sources {
        values = override_tables(values, read_source(source, version)?);
    }
    let mut flags: Vec<_> = flags.iter().collect();
    flags.sort_by_key(|flag| flag.kind);
    for flag in flags {
        apply(flag, &mut values, version)?;
    }
    Ok(values)
}

/// Reads a values file.
///
/// # Errors
///
/// [`Reason::Values`] with Helm's message: the file cannot be read.
pub fn source(path: &Path) -> Result<Arc<Source>, Error> {
    let shown = path.display().to_string();
    let text = read_text(&shown)?;
    Ok(Arc::new(Source::new(shown.replace('\\', "/"), text)))
}

fn read_source(source: &Arc<Source>, version: HelmVersion) -> Result<Table, Error> {
    read(source, version).map_err(|invalid| {
        let at = Location { source: source.clone(), span: invalid.span };
        let message = format!("failed to parse {}: {invalid}", source.path);
        Error::new(Reason::Values, message).at(Some(at))
    })
}

/// The content of a file, which may be a pipe, up to the size of a whole chart. `-` is standard
/// input. Nothing is fetched. A link in a repository may not lead out of it: its author chose the
/// target, and whoever deploys named the link only.
fn read_text(path: &str) -> Result<String, Error> {
    let fail = |message: String| Error::new(Reason::Values, message);
    if ["http://", "https://", "oci://"].iter().any(|scheme| path.starts_with(scheme)) {
        return Err(fail(format!("{path}: values are not fetched from the network")));
    }
    if path.trim() != "-" {
        let file = Path::new(path);
        let refused = |refusal| fail(format!("open {path}: {refusal}"));
        Boundary::around([file]).check(file).map_err(refused)?;
    }
    let read = match path.trim() {
        "-" => read_up_to(std::io::stdin(), MAX_CHART),
        _ => std::fs::File::open(path).and_then(|file| read_up_to(file, MAX_CHART)),
    };
    let bytes = read.map_err(|error| fail(format!("open {path}: {}", go_error(&error))))?;
    if bytes.len() as u64 > MAX_CHART {
        return Err(fail(format!("{path} is larger than {MAX_CHART} bytes")));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn apply(flag: &Flag, values: &mut Table, version: HelmVersion) -> Result<(), Error> {
    let name = flag.kind.name();
    let source = Arc::new(Source::read_only(name, flag.text.clone()));
    let fail = |problem: String| {
        let span = Span::new(0, flag.text.len());
        let at = Location { source: source.clone(), span };
        Error::new(Reason::Values, format!("failed parsing {name} data{problem}")).at(Some(at))
    };
    let text = flag.text.trim();
    if version == HelmVersion::V4 && flag.kind == FlagKind::Json && text.starts_with('{') {
        let json = serde_json::from_str(text).map_err(|_| fail(format!(" JSON: {}", flag.text)))?;
        let at = Location { source: source.clone(), span: Span::new(0, flag.text.len()) };
        if let Tree::Table(table) = json::from_json(&json, &at).value {
            *values = override_tables(std::mem::take(values), table);
        }
        return Ok(());
    }
    flags::parse(flag.kind, &source, values, version, &|path| {
        read_text(path).map_err(|error| error.message)
    })
    .map_err(|problem| match flag.kind {
        FlagKind::Json => fail(format!(" {}", flag.text)),
        _ => fail(format!(": {problem}")),
    })
}
