//! Commands whose failure another command tells, for the same reason: one that needs what they make, and fails the
//! script without it.

use crate::analysis::{Action, Analysis};

/// Clients of object stores, and their subcommands that make the bucket that an operand names.
const STORES: [&str; 4] = ["aws", "gsutil", "mc", "s3cmd"];
const MAKES: [&str; 3] = ["create-bucket", "make-bucket", "mb"];

/// How many commands behind one are searched for one that needs what it makes.
const WINDOW: usize = 100;

/// Whether a later command needs what the action of the invocation at `index` makes, and fails the script without it.
pub(crate) fn is_needed(analysis: &Analysis, index: usize, action: &Action) -> bool {
    let change = &analysis.invocations[index];
    let own = change.program_name();
    let enters = own == "cd";
    let makes = |one: &Action| one.subcommands.split(' ').any(|word| MAKES.contains(&word));
    let is_bucket = STORES.contains(&own) && makes(action);
    if !enters && !is_bucket {
        return false;
    }
    let made: Vec<_> = match enters {
        true => change.words.get(1).map(|word| word.value.as_str()).into_iter().collect(),
        false => action.objects.iter().map(String::as_str).collect(),
    };
    let later = analysis.invocations[index + 1..].iter().take(WINDOW);
    later.filter(|one| one.propagation.is_noticed()).any(|one| {
        let runs = one.guards.iter().all(|guard| change.guards.contains(guard));
        let is_other = !one.actions.iter().any(makes);
        let mut words = one.words.iter().skip(1);
        let needs = words.any(|word| made.iter().any(|made| is_below(&word.value, made)));
        runs && is_other && (enters || one.program_name() == own) && needs
    })
}

/// Whether a word names something, or what is in it: `minio/bucket/file`, `s3://bucket/file`.
fn is_below(word: &str, made: &str) -> bool {
    let plain = |word: &str| {
        let word = word.split_once("://").map_or(word, |(_, rest)| rest);
        word.trim_matches('"').trim_end_matches('/').to_owned()
    };
    let (word, made) = (plain(word), plain(made));
    let rest = word.strip_prefix(&made).filter(|_| made.len() > 1);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
