//! `build FOLDER`: prints what `kustomize build FOLDER` prints.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

use kustomize_build::{Built, Options};

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    match Built::from_folder(folder.as_ref(), &Options::default()) {
        Ok(built) => print!("{}", built.print()),
        Err(error) => {
            eprintln!("Error: {error}");
            std::process::exit(1);
        }
    }
}
