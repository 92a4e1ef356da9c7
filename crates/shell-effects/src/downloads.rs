//! Downloads to files and variables: whether a later command takes what a failed one leaves behind.

use crate::{
    analysis::{Action, Analysis, HiddenBy, Invocation, Propagation},
    command_line::{flag_values, has_flag, operands, program_name},
    effects::prints_status,
};

/// How many commands behind a download are searched for one that takes its file.
const WINDOW: usize = 50;

/// What a failed download leaves behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Remains {
    /// An empty file: `wget -O FILE`.
    Nothing,
    /// The page with which the server answers: `curl -o FILE` without `--fail`.
    ErrorPage,
}

/// Clients that run an empty file of statements without an error.
const CLIENTS: [&str; 6] = ["cockroach", "mariadb", "mysql", "psql", "sqlite3", "ysqlsh"];

/// Programs that store any file, with the words of which one says so; no words if the program does nothing else.
const STORES: [(&str, &[&str]); 12] = [
    ("aws", &["cp", "mv", "put-object"]),
    ("az", &["upload"]),
    ("curl", &["-T", "--upload-file", "-F", "--form"]),
    ("gcloud", &["cp"]),
    ("gsutil", &["cp", "mv"]),
    ("kubectl", &["configmap", "secret"]),
    ("mc", &["cp", "mv", "put"]),
    ("oc", &["configmap", "secret"]),
    ("rclone", &["copy", "copyto", "move", "moveto"]),
    ("rsync", &[]),
    ("s3cmd", &["put"]),
    ("scp", &[]),
];

/// Programs that store any text, with the words of which one says so.
const KEEPS: [(&str, &[&str]); 8] = [
    ("aws", &["create-secret", "put-parameter", "put-secret-value"]),
    ("consul", &["put"]),
    ("etcdctl", &["put"]),
    ("kubectl", &["annotate", "configmap", "secret", "set"]),
    ("oc", &["annotate", "configmap", "secret", "set"]),
    ("redis-cli", &["set", "SET"]),
    ("valkey-cli", &["set", "SET"]),
    ("vault", &["put", "write"]),
];

/// Programs that look whether a file is what it should be.
const CHECKS: [&str; 6] = ["cosign", "gpg", "md5sum", "sha1sum", "sha256sum", "sha512sum"];

/// The file to which curl or wget writes what it gets, as the script names it.
pub(crate) fn target<'v>(words: &[&'v str]) -> Option<&'v str> {
    let target = match program_name(words.first()?) {
        "wget" => value_of(words, ["-O", "--output-document"])?,
        "curl" => value_of(words, ["-o", "--output"]).or_else(|| {
            let is_named = ["-O", "--remote-name"].iter().any(|flag| has_flag(words, flag));
            let url = operands(words).filter(|word| word.contains('/')).last();
            url.filter(|_| is_named)?.rsplit('/').next()
        })?,
        _ => return None,
    };
    (!matches!(target, "" | "-" | "/dev/null" | "/dev/stdout")).then_some(target)
}

/// Whether curl or wget prints what it gets.
pub(crate) fn is_printed(words: &[&str]) -> bool {
    match words.first().map_or("", |program| program_name(program)) {
        "curl" => target(words).is_none() && !prints_status(words),
        "wget" => {
            let is_output = |word: &&str| word.starts_with('-') && word.ends_with("O-");
            words.iter().any(is_output) || value_of(words, ["-O", "--output-document"]) == Some("-")
        }
        _ => false,
    }
}

/// The value of a flag: also behind a cluster that ends with its letter, `-sSLo FILE`.
fn value_of<'v>(words: &[&'v str], [short, long]: [&str; 2]) -> Option<&'v str> {
    let ends = |word: &str| has_flag(&[word], short) && word.ends_with(&short[1..]);
    let at = words.iter().position(|word| ends(word));
    let behind = at.and_then(|at| words.get(at + 1)).copied();
    behind.or_else(|| flag_values(words, long).first().copied())
}

/// Whether the failure of a download may go unseen, because a later command takes what it leaves behind.
pub(crate) fn is_taken(analysis: &Analysis, index: usize) -> bool {
    let own = &analysis.invocations[index];
    let Some(remains) = remains(own) else { return false };
    let later = analysis.invocations[index + 1..].iter().take(WINDOW);
    let unchecked = later.take_while(|one| !CHECKS.contains(&one.program_name()));
    unchecked
        .into_iter()
        .any(|one| own.downloads.iter().any(|file| reads(one, file)) && takes(one, remains))
}

fn remains(download: &Invocation) -> Option<Remains> {
    let is_hidden = matches!(download.propagation, Propagation::Hidden(_));
    match download.program_name() {
        "wget" => is_hidden.then_some(Remains::Nothing),
        _ => download.actions.iter().any(is_lax).then_some(Remains::ErrorPage),
    }
}

/// Whether the client goes on after an error.
fn is_lax(action: &Action) -> bool {
    matches!(action.hidden, Some(HiddenBy::Client(_)))
}

/// Whether a command reads the file: as an argument that is not its target, or as its standard input.
fn reads(one: &Invocation, file: &str) -> bool {
    let words: Vec<_> = one.words.iter().map(|word| word.value.as_str()).collect();
    let is_file = |word: &str| {
        let last = word.rsplit(['=', '@']).next().unwrap_or(word);
        let is_value = |rest: &str| rest.ends_with(['=', '@']);
        last.trim_start_matches("./") == file.trim_start_matches("./")
            || word.strip_suffix(file).is_some_and(|rest| rest.is_empty() || is_value(rest))
    };
    let named = words.iter().skip(1).position(|word| is_file(word));
    let is_target = |at: usize| at + 2 == words.len() && !words[at].starts_with('-') && at > 0;
    named.is_some_and(|at| !(is_target(at) && words[at + 1] == file))
        || one.inputs.iter().any(|input| is_file(input))
}

/// Whether a command takes the remains of a download without an error.
fn takes(one: &Invocation, remains: Remains) -> bool {
    let name = one.program_name();
    let has = |words: &[&str]| {
        let own = |word: &&str| one.words.iter().any(|one| one.value == **word);
        words.is_empty() || words.iter().any(own)
    };
    let is_client = CLIENTS.contains(&name);
    let stores =
        || STORES.iter().chain(&KEEPS).any(|(program, words)| *program == name && has(words));
    let changes = one.actions.iter().any(|action| action.changes_state);
    match remains {
        Remains::Nothing if is_client => changes,
        Remains::ErrorPage if is_client => changes && one.actions.iter().any(is_lax),
        _ => stores(),
    }
}
