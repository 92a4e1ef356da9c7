//! The playground: the files of its page, its examples, and joblint as WebAssembly.

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use flate2::{Compression, write::DeflateEncoder};
use joblint::rules::{Example, Files};
use serde_json::json;
use walkdir::WalkDir;

use super::put;
use crate::own;

const PAGE: &str = "playground/page";
const TARGET: &str = "wasm32-wasip1";

/// What the page offers: a title, the deployers, and folders whose files are laid over one another.
const EXAMPLES: &[(&str, &[&str], &[&str])] = &[
    ("A chart whose next upgrade fails", &["helm3", "helm4", "argocd"], &["examples/charts"]),
    ("Manifests with a Job, a CronJob and a hook", &[], &["examples/manifests"]),
    (
        "A migration as a Helm hook",
        &["helm3", "helm4", "argocd"],
        &["testdata/seeds/helm-hooks/hook"],
    ),
    (
        "The same chart under Argo CD",
        &[],
        &["testdata/seeds/cloudzero/fixed-name", "testdata/seeds/cloudzero/argocd"],
    ),
    (
        "The same chart under Flux",
        &[],
        &["testdata/seeds/cloudzero/fixed-name", "testdata/seeds/cloudzero/flux"],
    ),
    ("A Job with a TTL in a Fleet bundle", &[], &["testdata/seeds/fleet/ttl"]),
    (
        "Hooks of Argo CD and their delete policies",
        &["argocd"],
        &["testdata/seeds/argocd/policies"],
    ),
    ("An overlay that Flux applies", &[], &["playground/examples/overlay"]),
];

/// The part of the page below its text.
pub fn part() -> Result<String, Box<dyn Error>> {
    let html = fs::read_to_string(own(PAGE).join("playground.html"))?;
    Ok(format!(
        "<link rel=\"stylesheet\" href=\"playground/style.css\">\n{html}\
         <script type=\"module\" src=\"playground/page.js\"></script>\n"
    ))
}

/// Writes the page's files, and the module if wanted.
pub fn write(folder: &Path, with_module: bool) -> Result<(), Box<dyn Error>> {
    super::copy(&own(PAGE), folder)?;
    fs::remove_file(folder.join("playground.html"))?;
    let examples = EXAMPLES.iter().map(|(title, deployers, folders)| {
        Ok(json!({ "title": title, "deployers": deployers, "files": files(folders)? }))
    });
    let examples: Vec<_> = examples.collect::<Result<_, Box<dyn Error>>>()?;
    put(&folder.join("examples.json"), &json!(examples).to_string())?;
    if with_module {
        fs::copy(module()?, folder.join("joblint.wasm"))?;
    }
    Ok(())
}

/// The texts of all files below some folders, by path.
fn files(folders: &[&str]) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for folder in folders {
        let folder = own(folder);
        for entry in WalkDir::new(&folder) {
            let entry = entry?;
            if entry.file_type().is_file() {
                let name = entry.path().strip_prefix(&folder)?.to_string_lossy().into_owned();
                files.insert(name, fs::read_to_string(entry.path())?);
            }
        }
    }
    Ok(files)
}

/// Builds joblint for browsers.
fn module() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(own("")).args(["build", "--locked", "--package", "joblint-playground"]);
    let status = command.args(["--profile", "playground", "--target", TARGET]).status()?;
    if !status.success() {
        return Err(
            format!("the playground: {status}; `rustup target add {TARGET}` may help").into()
        );
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(own("target"), PathBuf::from);
    Ok(target.join(TARGET).join("playground/joblint-playground.wasm"))
}

/// The fragment that opens an example in the playground: JSON, deflated, in URL-safe base64.
pub fn link(example: &Example, files: &Files) -> String {
    let files: BTreeMap<_, _> = files.each().into_iter().collect();
    let deployers = match example.deployer.as_slice() {
        [] => &["kubectl".to_owned()],
        some => some,
    };
    let mut state = json!({ "files": files, "deployers": deployers });
    if let Some(settings) = &example.settings {
        state["files"][".joblint.yaml"] = json!(settings);
    }
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = packed.write_all(state.to_string().as_bytes()).and_then(|()| packed.finish());
    format!("#p={}", base64(&written.expect("memory takes every byte")))
}

/// URL-safe base64 without padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..=chunk.len() {
            let digit = group >> (18 - 6 * index) & 63;
            out.push(DIGITS[digit as usize] as char);
        }
    }
    out
}
