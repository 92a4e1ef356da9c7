//! Reading a packed chart into a list of files. Helm `pkg/chart/loader/archive`.

use std::{
    io::{self, Read, Take},
    path::Path,
};

use file_boundary::Boundary;
use flate2::read::GzDecoder;

use super::{File, directory::MAX_FILE, files};
use crate::{
    Error, HelmVersion, Reason,
    file_access::{MAX_CHART, go_error, read_up_to},
};

/// The files of the archive at `path`.
pub(super) fn read_file(
    path: &Path,
    shown: &str,
    version: HelmVersion,
    boundary: &Boundary,
) -> Result<Vec<File>, Error> {
    let file = boundary.open(path).map_err(io::Error::from).map_err(|error| {
        Error::new(Reason::Chart, format!("open {shown}: {}", go_error(&error)))
    })?;
    let data = read_up_to(file, MAX_CHART)
        .map_err(|error| Error::new(Reason::Chart, format!("{shown}: {}", go_error(&error))))?;
    if !data.starts_with(b"\x1F\x8B\x08") {
        return Err(Error::new(Reason::Chart, no_archive(shown, &data)));
    }
    let files = match (read(&data, shown, version, &mut Unpacked::default()), version) {
        (Err(_), HelmVersion::V4) => {
            return Err(Error::new(Reason::Chart, "unable to load chart archive"));
        }
        (files, _) => files?,
    };
    if version == HelmVersion::V4
        && let Some(chart) = files.iter().find(|file| &*file.name == "Chart.yaml")
    {
        files::check_version(&chart.path, &chart.data)?;
    }
    Ok(files)
}

fn no_archive(shown: &str, data: &[u8]) -> String {
    let expected = "but expected a gzipped archive";
    if shown.ends_with(".yml") || shown.ends_with(".yaml") {
        return format!("file '{shown}' seems to be a YAML file, {expected}");
    }
    let is_binary = data.iter().take(512).any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31));
    let kind = if is_binary { "application/octet-stream" } else { "text/plain; charset=utf-8" };
    format!("file '{shown}' does not appear to be a gzipped archive; got '{kind}'")
}

/// The total that a chart and the archives in it may unpack to.
const MAX_UNPACKED: u64 = 200 << 20;
/// The longest path of a file in an archive; file systems take no longer ones.
const MAX_NAME: usize = 4096;

/// How much the archives of one chart may still unpack to.
pub(super) struct Unpacked {
    left: u64,
}

impl Default for Unpacked {
    fn default() -> Self {
        Self { left: MAX_UNPACKED }
    }
}

/// Unpacks an archive in memory and rejects paths that lead out of it.
pub(super) fn read(
    data: &[u8],
    shown: &str,
    version: HelmVersion,
    unpacked: &mut Unpacked,
) -> Result<Vec<File>, Error> {
    let fail = |message: String| Error::new(Reason::Chart, message);
    // Headers count too: their long names are read into memory.
    let limit = (MAX_CHART + (MAX_CHART >> 2)).min(unpacked.left);
    let mut source = GzDecoder::new(data).take(limit);
    let files = read_entries(&mut source, shown, version);
    let is_cut = source.limit() == 0;
    unpacked.left -= limit - source.limit();
    if is_cut && unpacked.left == 0 {
        let size = MAX_UNPACKED >> 20;
        return Err(fail(format!("the chart unpacks to more than {size} MiB")));
    }
    files
}

fn read_entries(
    source: &mut Take<GzDecoder<&[u8]>>,
    shown: &str,
    version: HelmVersion,
) -> Result<Vec<File>, Error> {
    let fail = |message: String| Error::new(Reason::Chart, message);
    let mut archive = tar::Archive::new(source);
    let entries = archive.entries().map_err(|error| fail(error.to_string()))?;
    let mut files = Vec::new();
    let mut left = MAX_CHART;
    for entry in entries {
        let mut entry = entry.map_err(|error| fail(error.to_string()))?;
        let kind = entry.header().entry_type();
        if entry.path_bytes().len() > MAX_NAME {
            return Err(fail(format!(
                "a file name in the archive is longer than {MAX_NAME} bytes"
            )));
        }
        let raw = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if kind.is_dir() || raw.ends_with('/') || kind.is_pax_global_extensions() {
            continue;
        }
        let name = file_name(&raw).map_err(fail)?;
        let data = read_entry(&mut entry, &name, left, version).map_err(fail)?;
        left -= data.len() as u64;
        let path = format!("{shown}!/{name}");
        files.push(File::new(name, data.into(), path, true));
    }
    if files.is_empty() {
        return Err(fail("no files in chart archive".into()));
    }
    Ok(files)
}

/// The path within the chart: validated, without its first component.
fn file_name(raw: &str) -> Result<String, String> {
    let delimiter = if raw.contains('\\') { '\\' } else { '/' };
    let (first, name) = raw.split_once(delimiter).unwrap_or((raw, ""));
    let name = name.replace(delimiter, "/");
    if name.starts_with('/') {
        return Err("chart illegally contains absolute paths".into());
    }
    let name = clean(&name);
    if name == "." {
        let problem = "chart illegally contains content outside the base directory";
        return Err(format!("{problem}: {raw:?}"));
    }
    if name.starts_with("..") {
        return Err("chart illegally references parent directory".into());
    }
    if matches!(name.as_bytes(), [drive, b':', b'/', ..] if drive.is_ascii_alphabetic()) {
        return Err("chart contains illegally named files".into());
    }
    if first == "Chart.yaml" {
        return Err("chart yaml not in base directory".into());
    }
    Ok(name)
}

/// Go's `path.Clean` of a relative path.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    if parts.is_empty() { ".".into() } else { parts.join("/") }
}

fn read_entry(
    entry: &mut tar::Entry<'_, &mut Take<GzDecoder<&[u8]>>>,
    name: &str,
    left: u64,
    version: HelmVersion,
) -> Result<Vec<u8>, String> {
    let is_old = version == HelmVersion::V3;
    let word = if is_old { "maximum file size" } else { "maximum size" };
    let too_large = format!("decompressed chart is larger than the {word} {MAX_CHART}");
    let size = entry.header().size().unwrap_or(0);
    if size > left {
        return Err(too_large);
    }
    if is_old && size > MAX_FILE {
        let problem = "is larger than the maximum file size";
        return Err(format!("decompressed chart file {name:?} {problem} {MAX_FILE}"));
    }
    let mut data = Vec::new();
    entry.take(left).read_to_end(&mut data).map_err(|error| error.to_string())?;
    let len = data.len() as u64;
    if len < size || len >= left {
        return Err(too_large);
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_are_rejected() {
        let name = |raw| file_name(raw);
        assert_eq!(name("chart/templates/a.yaml").as_deref(), Ok("templates/a.yaml"));
        assert_eq!(name("chart\\templates\\a.yaml").as_deref(), Ok("templates/a.yaml"));
        assert_eq!(name("x/./a/../b").as_deref(), Ok("b"));
        for (raw, problem) in [
            ("chart//etc/passwd", "chart illegally contains absolute paths"),
            ("chart/../../a", "chart illegally references parent directory"),
            ("chart/c:/a", "chart contains illegally named files"),
            (
                "Chart.yaml",
                "chart illegally contains content outside the base directory: \"Chart.yaml\"",
            ),
        ] {
            assert_eq!(name(raw), Err(problem.to_owned()), "{raw}");
        }
    }
}
