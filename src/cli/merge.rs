//! `joblint merge`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde::Deserialize;
use serde_json::Value;

use super::{Error, args::MergeArgs, check::print_report};
use crate::{discover::shown, merge::merge, results::Part};

pub(crate) fn run(args: &MergeArgs) -> Result<ExitCode, Error> {
    let read = |path: &PathBuf| {
        let part = part(path).map_err(|reason| Error::Merge { path: path.clone(), reason })?;
        Ok((shown(path), part))
    };
    let parts = args.files.iter().map(read).collect::<Result<_, Error>>()?;
    let (report, fail_on) = merge(parts).map_err(Error::Misfit)?;
    print_report(&args.printed(), &report, args.fail_on.unwrap_or(fail_on))
}

/// The part in the result of a shard, or why there is none.
fn part(path: &Path) -> Result<Part, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let (version, shard) = match value.get_mut("runs") {
        None => (value.pointer("/tool/version").cloned(), value.get_mut("shard")),
        Some(runs) => {
            let version = runs.pointer("/0/tool/driver/semanticVersion").cloned();
            (version, runs.pointer_mut("/0/properties/shard"))
        }
    };
    let shard = shard.ok_or("not the result of a shard: `joblint check --shard` writes it with `--output json` or `sarif`")?;
    match version.as_ref().and_then(Value::as_str) {
        Some(env!("CARGO_PKG_VERSION")) => {}
        other => {
            let other = other.unwrap_or("another version");
            let own = env!("CARGO_PKG_VERSION");
            return Err(format!("written by joblint {other}, and this is joblint {own}"));
        }
    }
    Part::deserialize(shard.take()).map_err(|error| error.to_string())
}
