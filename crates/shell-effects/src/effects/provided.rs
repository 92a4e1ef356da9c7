//! Files that a script makes or reads before it removes or moves them: each run finds what it has made, or fails before.

use super::FILE_REMOVERS;
use crate::{
    analysis::{Action, Invocation},
    catalogue::Verdict,
    command_line::operands,
};

/// Excuses `rm` and `mv` of what commands before them name: `pg_dump -f x; gzip x; rm x.gz`.
pub(super) fn excuse(invocations: &mut [Invocation]) {
    for index in 1..invocations.len() {
        let (earlier, own) = invocations.split_at_mut(index);
        let taken = taken(&own[0]);
        let is_provided = |path: &String| earlier.iter().any(|one| names(one, path));
        if !taken.is_empty() && taken.iter().all(is_provided) {
            for action in &mut own[0].actions {
                action.verdict = action.verdict.min(Verdict::Idempotent);
            }
        }
    }
}

/// The paths that must be there for `rm` or `mv`.
fn taken(invocation: &Invocation) -> Vec<String> {
    let values = invocation.values();
    let mut paths: Vec<_> = operands(&values).map(|path| (*path).to_owned()).collect();
    match invocation.program_name() {
        "mv" => drop(paths.pop()),
        program if FILE_REMOVERS.contains(&program) => {}
        _ => paths.clear(),
    }
    let fails = |own: &Action| own.verdict == Verdict::FailsWhenRepeated;
    if !invocation.actions.iter().any(fails) {
        paths.clear();
    }
    paths
}

/// Whether a command names a path, or the one that a program such as `gzip` adds its ending to, or is one that nobody knows and
/// names the folder.
fn names(one: &Invocation, path: &str) -> bool {
    let is_removal = FILE_REMOVERS.contains(&one.program_name());
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let own = one.words.iter().skip(1).map(|word| word.value.as_str());
    // `geoipupdate -d /data; mv /data/a.mmdb /data/b.mmdb`
    let mut words = own.clone();
    if !one.recognised
        && !folder.is_empty()
        && words.any(|word| word.trim_end_matches('/') == folder)
    {
        return true;
    }
    let mut all = own.chain(one.outputs.iter().chain(&one.inputs).map(String::as_str));
    !is_removal && all.any(|word| word.ends_with(path) || !stem.ends_with('/') && word == stem)
}
