//! `joblint man`.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;

use super::{Error, args::Args, print};

const SOURCE: &str = concat!("joblint ", env!("CARGO_PKG_VERSION"));

/// Prints the manual page of joblint, or of a verb.
pub(crate) fn run(verb: Option<&str>) -> Result<ExitCode, Error> {
    let mut command = Args::command();
    command.build();
    if let Some(verb) = verb {
        let unknown = || Error::UnknownPage(verb.to_owned());
        let found = command.find_subcommand(verb).filter(|_| verb != "help").ok_or_else(unknown)?;
        command = found.clone().version(env!("CARGO_PKG_VERSION"));
    }
    let title = verb.map_or("joblint".to_owned(), |verb| format!("joblint-{verb}"));
    let mut page = Vec::new();
    let written =
        Man::new(command).title(title).source(SOURCE).manual("joblint manual").render(&mut page);
    written.expect("a vector takes everything");
    print(&String::from_utf8_lossy(&page));
    Ok(ExitCode::SUCCESS)
}
