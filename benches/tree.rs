//! Measures `joblint check` on a monorepo of 100,000 files against a plain walk that reads every possible manifest:
//! `cargo bench --bench tree [-- PATH]`. With PATH, it measures that tree instead.
//!
//! Absolute times vary on a shared machine; compare the ratio within one run.

#![allow(clippy::print_stdout)]

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use joblint::{check::check, discover::Request, settings::Settings};
use rayon::prelude::*;

const FILES: usize = 100_000;
const ROUNDS: usize = 9;

fn main() {
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let root = named.map_or_else(generated, PathBuf::from);
    let mut walks = Vec::new();
    let mut checks = Vec::new();
    let mut counts = Default::default();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let bytes = walk_and_read(&root);
        walks.push(start.elapsed());
        assert!(bytes > 0, "the tree holds manifests");
        let start = Instant::now();
        let request = Request { paths: vec![root.clone()], ..Request::default() };
        counts = check(&request, &Settings::default()).counts;
        checks.push(start.elapsed());
    }
    let (walk, check) = (median(&mut walks), median(&mut checks));
    println!("{}: {counts:?}", root.display());
    println!("walk and read  {:7.1} ms", walk.as_secs_f64() * 1e3);
    println!("joblint check  {:7.1} ms", check.as_secs_f64() * 1e3);
    println!("ratio          {:7.2}", check.as_secs_f64() / walk.as_secs_f64());
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Reads all files that could be manifests; returns the number of bytes.
fn walk_and_read(root: &Path) -> usize {
    let walk = ignore::WalkBuilder::new(root).hidden(false).require_git(false).build();
    let files = walk.filter_map(|entry| {
        let path = entry.ok()?.into_path();
        let ending = path.extension()?.to_str()?;
        ["yaml", "yml", "json"].contains(&ending).then_some(path)
    });
    let files: Vec<_> = files.collect();
    files.par_iter().map(|path| fs::read(path).map_or(0, |bytes| bytes.len())).sum()
}

/// Generates, once, a tree in which 5 % of the files are Kubernetes objects and 1 % are Jobs.
fn generated() -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tree-100k");
    if root.join("done").exists() {
        return root;
    }
    for index in 0..FILES {
        let folder = root.join(format!("area{}/part{}", index % 40, index / 40 % 150));
        fs::create_dir_all(&folder).expect("a folder");
        let (ending, text) = match index % 100 {
            0 => ("yaml", job(index)),
            1..=4 => ("yaml", deployment(index)),
            5..=9 => ("yaml", format!("on: push\njobs:\n  build:\n    name: run {index}\n")),
            10..=19 => (
                "json",
                format!("{{\"name\": \"package-{index}\", \"version\": \"1.0.{index}\"}}\n"),
            ),
            20..=39 => ("md", format!("# Page {index}\n\nProse about the part.\n")),
            _ => ("ts", format!("export const value{index} = {index};\n").repeat(12)),
        };
        fs::write(folder.join(format!("file{index}.{ending}")), text).expect("a file");
    }
    fs::write(root.join("done"), "").expect("a file");
    root
}

fn job(index: usize) -> String {
    format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate-{index}\n  labels: {{app: shop}}\nspec:\n  \
         backoffLimit: 2\n  ttlSecondsAfterFinished: 600\n  template:\n    spec:\n      restartPolicy: Never\n      \
         containers:\n        - name: migrate\n          image: registry.example.com/shop:1.{index}\n          \
         command: [\"alembic\", \"upgrade\", \"head\"]\n"
    )
}

fn deployment(index: usize) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{index}\nspec:\n  selector:\n    \
         matchLabels: {{app: web}}\n  template:\n    metadata:\n      labels: {{app: web}}\n    spec:\n      \
         containers:\n        - name: web\n          image: registry.example.com/web:1.{index}\n---\napiVersion: v1\n\
         kind: Service\nmetadata:\n  name: web-{index}\nspec:\n  selector: {{app: web}}\n  ports: [{{port: 80}}]\n"
    )
}
