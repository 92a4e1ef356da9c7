//! `cargo xtask site`: the site as a folder of static files, from the documents of this repository.

mod book;
mod links;
mod matrix;
mod playground;
mod rules;
mod settings;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use super::{Outcome, own};

/// Build the site from `docs`, the rules, the observed tables and the playground.
///
/// Needs mdbook (`cargo install mdbook`) and, for the playground, `rustup target add wasm32-wasip1`. Prints links that
/// lead nowhere; then the exit status is 1.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder to write; it is emptied first
    #[arg(long, default_value = "target/site")]
    out: PathBuf,
    /// Leave the playground's module out
    #[arg(long)]
    no_playground: bool,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let (work, out) = (arguments.out.with_extension("book"), &arguments.out);
    for folder in [&work, out] {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
    }
    let out = fs::canonicalize(out)?;
    let book = book::Book::read()?;
    book.write(&work)?;
    matrix::write(&work.join("src/matrix"))?;
    rules::write_index(&work.join("src/rules"))?;
    playground::write(&work.join("src/playground"), !arguments.no_playground)?;
    build(&work, &out)?;
    fs::remove_dir_all(&work)?;
    let broken = links::broken(&out)?;
    for link in &broken {
        println!("{link}");
    }
    println!("{}: {} pages, {} broken links", out.display(), book.len(), broken.len());
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Runs mdbook.
fn build(work: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    fs::copy(own("docs/book.toml"), work.join("book.toml"))?;
    copy(&own("docs/site"), &work.join("site"))?;
    let program = std::env::var_os("MDBOOK").unwrap_or_else(|| "mdbook".into());
    let mut command = Command::new(program);
    let status = command.arg("build").arg(work).arg("--dest-dir").arg(out).status();
    match status.map_err(|error| format!("mdbook: {error}; `cargo install mdbook` installs it"))? {
        status if status.success() => Ok(()),
        status => Err(format!("mdbook: {status}").into()),
    }
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        if let Some(name) = path.file_name().filter(|_| path.is_file()) {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

/// Writes a file and the folders above it.
fn put(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(path.parent().expect("a file in a folder"))?;
    Ok(fs::write(path, text)?)
}
