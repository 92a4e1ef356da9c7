//! Manifests that a program of the repository in Go or Python reads or embeds, and fills in before it creates the object.

use std::path::{Path, PathBuf};

use yaml_spans::Source;

use crate::{
    discover::absolute,
    glob,
    scripts::{apply_file, texts},
    unit::{File, Unit},
};

/// The most folders above a manifest to look into.
const MOST: usize = 8;

/// The most bytes of Go that are read in a folder: those of the first names.
const MOST_BYTES: u64 = 1 << 20;

/// Whether a program in the folder of a manifest, or in one above it, embeds the manifest, names it or holds its text, and no
/// script applies the file as it is.
pub(crate) fn fill_in(manifest: &Source, unit: &Unit) -> bool {
    let is_own = |file: &&File| file.shown == *manifest.path;
    let Some(file) = unit.files.iter().find(is_own) else { return false };
    let path = absolute(&file.path);
    let mut folders = path.ancestors().skip(1).take(MOST);
    folders.any(|folder| {
        let Ok(below) = path.strip_prefix(folder) else { return false };
        let programs = texts(folder, &unit.boundary, MOST_BYTES, is_program);
        let mut own = programs.iter().filter(|(path, program)| loads_yaml(path, program));
        own.any(|(_, program)| takes(program, below, manifest.text.trim()))
    }) && !apply_file(&path, &unit.boundary)
}

/// Whether a file is Go or Python, and no test.
fn is_program(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".go") && !name.ends_with("_test.go")
        || name.ends_with(".py") && !name.starts_with("test_") && !name.ends_with("_test.py")
}

/// Whether a program loads YAML, and does not leave it to `kubectl`. Go needs none of this: it embeds or templates.
fn loads_yaml(path: &Path, program: &str) -> bool {
    let is_python = path.extension().is_some_and(|extension| extension == "py");
    let loads = ["yaml.safe_load", "yaml.load", "create_from_yaml"];
    !is_python || loads.iter().any(|call| program.contains(call)) && !program.contains("kubectl")
}

/// Whether a program takes in a manifest at a path below its own folder.
fn takes(program: &str, below: &Path, manifest: &str) -> bool {
    let name = below.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let names = || {
        let mut ends = program.match_indices(name).map(|(at, _)| (at, at + name.len()));
        ends.any(|(start, end)| {
            program[..start].ends_with(['"', '\'', '`', '/'])
                && program[end..].starts_with(['"', '\'', '`'])
        })
    };
    program.lines().any(|line| embeds(line, below))
        || !name.is_empty() && names()
        || !manifest.is_empty() && program.contains(manifest)
}

/// Whether a line is a directive that embeds a path: `//go:embed jobs/*.yaml`.
///
/// Source: <https://pkg.go.dev/embed#hdr-Directives>
fn embeds(line: &str, below: &Path) -> bool {
    let patterns = line.strip_prefix("//go:embed ").unwrap_or_default().split_whitespace();
    let mut patterns = patterns.map(|one| one.trim_matches(['"', '`']).trim_start_matches("all:"));
    patterns.any(|pattern| {
        let matcher = glob::compile(pattern, true).ok();
        // What matches a folder embeds all that is below it.
        let mut parts: Vec<PathBuf> = below.ancestors().map(Path::to_owned).collect();
        parts.retain(|part| !part.as_os_str().is_empty());
        pattern == "."
            || matcher.is_some_and(|matcher| parts.iter().any(|part| matcher.is_match(part)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_loads_a_manifest_that_it_fills_in() {
        let path = Path::new("api.py");
        let reads = "job = yaml.safe_load(open('backup.yaml'))";
        assert!(loads_yaml(path, reads) && takes(reads, Path::new("backup.yaml"), ""));
        let applies = "check(yaml.safe_load(text)); run(['kubectl', 'apply', '-f', 'backup.yaml'])";
        assert!(!loads_yaml(path, applies) && !loads_yaml(path, "open('backup.yaml')"));
        assert!(loads_yaml(Path::new("api.go"), ""));
    }

    #[test]
    fn a_go_file_takes_in_what_it_embeds_names_or_holds() {
        let below = Path::new("jobs/backup.yaml");
        for program in [
            "//go:embed jobs/backup.yaml\nvar backup []byte",
            "//go:embed a.txt jobs/*.yaml",
            "//go:embed \"jobs\"",
            "//go:embed all:jobs",
            "read(\"jobs/backup.yaml\")",
            "read(filepath.Join(\"jobs\", \"backup.yaml\"))",
            "const backup = `kind: CronJob\nspec: {}\n`",
        ] {
            assert!(takes(program, below, "kind: CronJob\nspec: {}"), "{program}");
        }
        for program in [
            "// go:embed jobs/backup.yaml",
            "//go:embed *.yaml",
            "//go:embed job",
            "read(\"jobs/other-backup.yaml\")",
            "// The schedule is in backup.yaml.",
            "const backup = `kind: CronJob`",
        ] {
            assert!(!takes(program, below, "kind: CronJob\nspec: {}"), "{program}");
        }
    }
}
