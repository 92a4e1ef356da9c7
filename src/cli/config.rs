//! `joblint config`.

use std::{path::Path, process::ExitCode};

use super::{Error, args::ConfigCommand, note, print, session::find_settings, write};
use crate::settings::{Settings, file, json_schema};

/// The text that `joblint config init` writes.
const STARTER: &str = include_str!("starter.yaml");

pub(crate) fn run(command: &ConfigCommand) -> Result<ExitCode, Error> {
    match command {
        ConfigCommand::Schema => print(&json_schema()),
        ConfigCommand::Init => {
            let path = Path::new(file::NAME);
            write::create(path, STARTER).map_err(|source| match source {
                write::WriteError::Exists => Error::SettingsExist,
                source => Error::Write { path: path.to_owned(), source },
            })?;
            note(&format!("Wrote {}", file::NAME));
        }
        ConfigCommand::Show { config } => {
            let path = config.clone().or_else(|| find_settings(&[".".into()]));
            let settings = path.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
            print(&settings.show());
        }
    }
    Ok(ExitCode::SUCCESS)
}
