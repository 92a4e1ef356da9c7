//! `joblint config`.

use std::{path::Path, process::ExitCode};

use super::{
    args::ConfigCommand,
    fail, note, print,
    session::{explain, find_settings},
};
use crate::{
    autofix,
    settings::{Settings, file, json_schema},
};

/// What `joblint config init` writes.
const STARTER: &str = include_str!("starter.yaml");

pub fn run(command: &ConfigCommand) -> ExitCode {
    match command {
        ConfigCommand::Schema => print(&json_schema()),
        ConfigCommand::Init if Path::new(file::NAME).exists() => {
            return fail(&format!("{} is there already", file::NAME));
        }
        ConfigCommand::Init => match autofix::write(Path::new(file::NAME), STARTER) {
            Ok(()) => note(&format!("Wrote {}", file::NAME)),
            Err(error) => return fail(&format!("{}: {error}", file::NAME)),
        },
        ConfigCommand::Show { config } => {
            let path = config.clone().or_else(|| find_settings(&[".".into()]));
            let settings = match path.as_deref().map(Settings::read) {
                None => Settings::default(),
                Some(Ok(settings)) => settings,
                Some(Err(problems)) => return fail(&explain(&problems)),
            };
            print(&settings.show());
        }
    }
    ExitCode::SUCCESS
}
