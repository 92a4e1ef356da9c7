//! The flags that override a chart's default values.

use std::path::PathBuf;

use helm_render::values::{Flag, FlagKind};

use crate::settings::Values;

/// Overrides of a chart's default values, with the spellings of Helm.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Values")]
pub(crate) struct ValueArgs {
    /// A values file; repeatable, later ones win
    #[arg(long, short = 'f', value_name = "FILE")]
    pub(crate) values: Vec<PathBuf>,
    /// Set values: `key=value,other.key=value`
    #[arg(long, value_name = "VALUES")]
    pub(crate) set: Vec<String>,
    /// Set values, always as strings
    #[arg(long, value_name = "VALUES")]
    pub(crate) set_string: Vec<String>,
    /// Set JSON values: `key=JSON`, or a whole object
    #[arg(long, value_name = "VALUES")]
    pub(crate) set_json: Vec<String>,
    /// Set values to the contents of files: `key=PATH`
    #[arg(long, value_name = "VALUES")]
    pub(crate) set_file: Vec<String>,
    /// Set one value to a literal string
    #[arg(long, value_name = "VALUE")]
    pub(crate) set_literal: Vec<String>,
}

impl From<&ValueArgs> for Values {
    fn from(args: &ValueArgs) -> Self {
        // Helm applies the flags by kind in this order, whatever their order on the command line.
        let kinds = [
            (FlagKind::Json, &args.set_json),
            (FlagKind::Set, &args.set),
            (FlagKind::String, &args.set_string),
            (FlagKind::File, &args.set_file),
            (FlagKind::Literal, &args.set_literal),
        ];
        let flag = |kind| move |text: &String| Flag { kind, text: text.clone() };
        let flags = kinds.into_iter().flat_map(|(kind, texts)| texts.iter().map(flag(kind)));
        Self { files: args.values.clone(), flags: flags.collect() }
    }
}
