//! Writes the order of functions in the static command: what renders execute comes first, next to each other.
//!
//! `cargo build-static --config profile.release.strip='"none"'`, then
//! `cargo run --example layout -- target/x86_64-unknown-linux-musl/release/joblint > .cargo/layout.ld`. Needs
//! valgrind. The project's own charts are rendered; what only one or two of them execute is left out. The
//! names are without what differs from one version of the compiler or of a crate to the next, so that an old
//! order is still good for what has not been renamed since.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::LazyLock,
};

use rayon::prelude::*;
use regex::Regex;

/// So many charts have to execute a function.
const LEAST: usize = 3;

/// What comes of the C library has no section of its own for each function.
const LIBRARIES: [&str; 3] = ["*crt1.o", "*libc.a:*", "*libcompiler_rt.a:*"];

fn main() -> ExitCode {
    let Some(joblint) = env::args_os().nth(1) else {
        let _ = writeln!(io::stderr(), "usage: layout JOBLINT");
        return ExitCode::from(2);
    };
    match write(Path::new(&joblint)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "layout: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(joblint: &Path) -> io::Result<()> {
    let charts = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/charts");
    let charts: Vec<PathBuf> = fs::read_dir(charts)?
        .map(|case| Ok(case?.path().join("chart")))
        .collect::<io::Result<_>>()?;
    let executed: Vec<_> =
        charts.par_iter().map(|chart| executed(joblint, chart)).collect::<io::Result<_>>()?;
    let mut counts = BTreeMap::<String, usize>::new();
    executed.into_iter().flatten().for_each(|section| *counts.entry(section).or_default() += 1);
    let mut sections: Vec<_> = counts.into_iter().filter(|(_, count)| *count >= LEAST).collect();
    sections.sort_by_key(|(_, count)| Reverse(*count));
    if sections.is_empty() {
        return Err(io::Error::other("no names of functions: was the command stripped?"));
    }

    let mut out = io::stdout().lock();
    writeln!(
        out,
        "/* The order of functions in the static command. Written by examples/layout. */"
    )?;
    writeln!(out, "SECTIONS {{\n  .text.hot : {{")?;
    sections.iter().try_for_each(|(section, _)| writeln!(out, "    *({section})"))?;
    LIBRARIES.iter().try_for_each(|file| writeln!(out, "    {file}(.text .text.*)"))?;
    writeln!(out, "  }}\n}} INSERT BEFORE .text;")
}

/// The sections of the functions that rendering a chart executes, as patterns.
fn executed(joblint: &Path, chart: &Path) -> io::Result<BTreeSet<String>> {
    let profile = tempfile::NamedTempFile::new()?;
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(profile.path());
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--demangle=no", "--compress-strings=no"]).arg(out);
    valgrind.arg(joblint).arg("render").arg(chart);
    valgrind.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let profile = fs::read_to_string(profile.path())?;
    Ok(profile.lines().filter_map(|line| section(line.strip_prefix("fn=")?)).collect())
}

/// The pattern of the section of a function. The names of Rust are those of version 0 of its mangling.
fn section(function: &str) -> Option<String> {
    let name = NAME.find(function)?.as_str();
    let name = PART.replace(name, "*");
    if !name.starts_with("_R") {
        return Some(format!(".text.{name}"));
    }
    let name = CRATE.replace_all(&name, "C*_");
    // What is unlikely has another section: `.text.unlikely.`.
    Some(format!(".text.*{}", EARLIER.replace_all(&name, "B*_")))
}

static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[A-Za-z_][\w.]*"));
/// What the compiler made of a part of a function.
static PART: LazyLock<Regex> = LazyLock::new(|| pattern(r"(\.llvm)?\.\d+$"));
static CRATE: LazyLock<Regex> = LazyLock::new(|| pattern(r"Cs[0-9A-Za-z]{0,12}_"));
/// How far before in the name something stood already.
static EARLIER: LazyLock<Regex> = LazyLock::new(|| pattern(r"B[0-9A-Za-z]{0,2}_"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}
