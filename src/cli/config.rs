//! `joblint config`.

use std::{path::Path, process::ExitCode};

use super::{Error, args::ConfigCommand, note, print, write};
use crate::{
    policies,
    redact::{Redactor, SecretValues},
    report::safe,
    settings::{self, Settings, file, settings_schema},
};

/// The text that `joblint config init` writes.
const STARTER: &str = include_str!("starter.yaml");

/// The text that `joblint config init --policy` writes.
const POLICY: &str = include_str!("starter_policy.yaml");

pub(crate) fn run(command: &ConfigCommand) -> Result<ExitCode, Error> {
    match command {
        ConfigCommand::Schema { rule: true } => print(&policies::rule_schema()),
        ConfigCommand::Schema { rule: false } => print(&settings_schema()),
        ConfigCommand::Init { policy } => {
            let text = if *policy { POLICY } else { STARTER };
            let path = Path::new(file::NAME);
            write::create(path, text).map_err(|source| match source {
                write::WriteError::Exists => Error::SettingsExist,
                source => Error::Write { path: path.to_owned(), source },
            })?;
            note(&format!("Wrote {}", file::NAME));
        }
        ConfigCommand::Show { config } => {
            let path = config.clone().or_else(|| settings::find(&[".".into()]));
            let settings = path.as_deref().map(Settings::read).transpose()?.unwrap_or_default();
            let mut secrets = SecretValues::of_environment();
            settings.sources.iter().for_each(|source| secrets.add_text(&source.text));
            let mut shown = settings.show();
            Redactor::default().with_values(secrets).hide(&mut shown);
            print(&safe(&shown));
        }
    }
    Ok(ExitCode::SUCCESS)
}
