//! Read-backs: commands that ask for what an earlier command made, and fail the script if it is not there.

use std::borrow::Cow;

use crate::{
    analysis::{Action, Analysis, Guard, Invocation, Propagation},
    command_line::flag_values,
    deletions,
    effects::is_health_check,
};

/// How many read-backs after a command are compared with it.
const WINDOW: usize = 100;

/// Programs that talk to one system.
const SYSTEMS: [&[&str]; 5] = [
    &["kubectl", "oc"],
    &["psql", "createdb", "createuser", "pg_restore"],
    &["mysql", "mariadb", "mysqladmin", "mariadb-admin"],
    &["clickhouse", "clickhouse-client"],
    &["curl", "wget"],
];

/// Verbs that change what is there already, so that its presence says nothing.
const CHANGES: [&str; 10] =
    ["annotate", "edit", "label", "patch", "restart", "rollout", "scale", "set", "taint", "update"];

/// Programs and statements that make what a query needs.
const MAKES: [&str; 7] =
    ["CREATE", "createdb", "createuser", "mariadb", "mysql", "pg_restore", "psql"];

/// Operators of `test` that look for a file, and programs that fail without one.
const FILE_TESTS: [&str; 3] = ["-e", "-f", "-s"];
const FILE_READERS: [&str; 4] = ["[", "ls", "stat", "test"];

/// Programs that read an archive to its end, or its list, with the options that say so.
const ARCHIVE_READERS: [(&str, &[&str]); 7] = [
    ("bzip2", &["-t", "--test"]),
    ("gunzip", &["-t", "--test"]),
    ("gzip", &["-t", "--test"]),
    ("pg_restore", &["-l", "--list"]),
    ("tar", &["-t", "-tf", "-tzf", "tf", "tzf", "--list"]),
    ("xz", &["-t", "--test"]),
    ("zstd", &["-t", "--test"]),
];

/// The commands of an analysis that ask and whose answer may fail the script, in order.
pub(crate) struct ReadBacks<'a> {
    analysis: &'a Analysis,
    all: Vec<ReadBack<'a>>,
}

struct ReadBack<'a> {
    /// The index of the invocation.
    index: usize,
    invocation: &'a Invocation,
    program: &'a str,
    subject: Subject<'a>,
}

/// What a command asks for.
enum Subject<'a> {
    /// Objects or files by name.
    Names(Vec<String>),
    /// A URL without its query.
    Address(&'a str),
    /// Statements, in lower case.
    Query(String),
}

impl<'a> ReadBacks<'a> {
    pub(crate) fn of(analysis: &'a Analysis) -> Self {
        let asks = |one: &Invocation| {
            let decides = one.propagation.is_noticed() || one.answer_decides;
            let only_reads = || reads_archive(one.program_name(), &one.values());
            decides && (only_reads() || !one.actions.iter().any(|action| action.changes_state))
        };
        let own = analysis.invocations.iter().enumerate().filter(|(_, one)| asks(one));
        let all = own.flat_map(|(index, invocation)| {
            let program = invocation.program_name();
            let own = subject(invocation, program).map(|subject| (program, subject));
            let inside = target(invocation).map(|subject| ("kubectl", subject));
            let both = own.into_iter().chain(inside);
            both.map(move |(program, subject)| ReadBack { index, invocation, program, subject })
        });
        Self { analysis, all: all.collect() }
    }

    /// Whether the script fails later if the action of the invocation at `index` has failed.
    pub(crate) fn cover(&self, index: usize, action: &Action) -> bool {
        let change = &self.analysis.invocations[index];
        let next = self.all.partition_point(|read| read.index <= index);
        let repairs =
            self.all[..next].iter().rev().take(WINDOW).any(|read| read.lets_repair(change));
        repairs
            || self.all[next..].iter().take(WINDOW).any(|read| {
                read.lets_repair(change) && read.asks_same_server(change)
                    || read.runs_after(change)
                        && (read.invocation.answer_decides || read.fails_without(action))
                        && (read.is_about(change, action) || self.is_result(read, index, action))
            })
    }

    /// Whether a loop asks the same server for the result of a request that only starts something: the last change
    /// before the loop.
    fn is_result(&self, read: &ReadBack<'_>, index: usize, action: &Action) -> bool {
        let changes = |one: &Invocation| one.actions.iter().any(|own| own.changes_state);
        let words: Vec<_> = read.invocation.words.iter().map(|word| word.value.as_str()).collect();
        read.invocation.is_awaited()
            && action.key == "request POST"
            && read.asks_same_server(&self.analysis.invocations[index])
            && !is_health_check(&words)
            && !self.analysis.invocations[index + 1..read.index].iter().any(changes)
    }
}

impl ReadBack<'_> {
    /// Whether it runs whenever the change does.
    fn runs_after(&self, change: &Invocation) -> bool {
        let mut guards = self.invocation.guards.iter();
        guards.all(|guard| change.guards.contains(guard) || self.waits_in(guard))
    }

    /// Whether each turn of a loop asks this as well, by the same system, and the script fails unless the answer is once the
    /// one that is wanted.
    fn lets_repair(&self, change: &Invocation) -> bool {
        let own = self.invocation;
        own.is_awaited() && own.insists == change.insists && is_same_system(change, self.program)
    }

    /// Whether it asks the server to which the change is sent.
    fn asks_same_server(&self, change: &Invocation) -> bool {
        let Subject::Address(url) = self.subject else { return false };
        address(change).is_some_and(|own| server(own) == server(url))
    }

    /// Whether the guard is the condition of the loop that asks until the answer is the one that is wanted.
    fn waits_in(&self, guard: &Guard) -> bool {
        self.invocation.is_awaited() && guard.of_loop
    }

    /// Whether it fails by itself where the action has not made what it asks for.
    fn fails_without(&self, action: &Action) -> bool {
        let fails = self.invocation.actions.iter().all(|one| one.hidden.is_none());
        let mut words = action.key.split(' ');
        let makes = match &self.subject {
            Subject::Query(_) => words.next().is_some_and(|word| MAKES.contains(&word)),
            Subject::Address(_) => action.key == "request PUT",
            Subject::Names(_) => !action.minor && !words.any(|word| CHANGES.contains(&word)),
        };
        fails && makes
    }

    fn is_of_files(&self) -> bool {
        FILE_READERS.contains(&self.program)
            || ARCHIVE_READERS.iter().any(|(program, _)| *program == self.program)
    }

    fn is_about(&self, change: &Invocation, action: &Action) -> bool {
        (self.is_of_files() || is_same_system(change, self.program))
            && match &self.subject {
                Subject::Names(names) => names.iter().any(|name| match self.is_of_files() {
                    true => writes(name, change, action),
                    false => is_named(name, change, action),
                }),
                Subject::Address(read) => {
                    let own = address(change).and_then(|own| read.strip_prefix(own));
                    own.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                }
                // What a file of statements makes is not stated.
                Subject::Query(text) if action.location == change.program() => {
                    has_word(text, "from")
                }
                Subject::Query(text) => action.objects.iter().any(|name| has_word(text, name)),
            }
    }
}

fn is_same_system(change: &Invocation, program: &str) -> bool {
    let own = change.program_name();
    let has_both = |all: &&[&str]| all.contains(&own) && all.contains(&program);
    own == program || SYSTEMS.iter().any(has_both)
}

/// The pod or workload in which a loop runs a command until that succeeds.
fn target(invocation: &Invocation) -> Option<Subject<'_>> {
    let target = invocation.target.as_deref()?;
    let name = target.rsplit('/').next().unwrap_or(target).to_owned();
    let is_retried = invocation.propagation == Propagation::Retried;
    is_retried.then(|| Subject::Names(vec![name]))
}

/// The names of the objects in a manifest.
pub(crate) fn names(manifest: &str) -> Vec<String> {
    if !manifest.contains("kind:") {
        return Vec::new();
    }
    let values = manifest.lines().filter_map(|line| line.trim().strip_prefix("name:"));
    values.map(|name| name.trim().trim_matches(['"', '\'']).to_owned()).collect()
}

fn subject<'a>(invocation: &'a Invocation, program: &str) -> Option<Subject<'a>> {
    let words: Vec<_> = invocation.words.iter().map(|word| word.value.as_str()).collect();
    match program {
        "kubectl" | "oc" => {
            let operands = deletions::client_operands(invocation);
            let objects = match operands.as_slice() {
                ["rollout", "status", objects @ ..] => objects,
                ["get" | "describe" | "wait", objects @ ..] => objects,
                _ => return None,
            };
            let named = deletions::named(objects).into_iter().map(|object| object.name);
            let selected = ["-l", "--selector"].iter().flat_map(|flag| flag_values(&words, flag));
            let jobs = selected.filter_map(|labels| {
                let (key, name) = labels.split_once('=')?;
                key.ends_with("job-name").then(|| name.to_owned())
            });
            Some(Subject::Names(named.chain(jobs).collect()))
        }
        "curl" | "wget" => address(invocation).map(Subject::Address),
        "test" | "[" => {
            let tests = words.windows(2).filter(|pair| FILE_TESTS.contains(&pair[0]));
            Some(Subject::Names(tests.map(|pair| pair[1].to_owned()).collect()))
        }
        program if reads_archive(program, &words) => {
            Some(Subject::Names(vec![words.last()?.to_string()]))
        }
        "ls" | "stat" => {
            // A folder may be a volume, which is there anyway.
            let is_file = |word: &&&str| !word.starts_with('-') && word.contains('.');
            let files = words.iter().skip(1).filter(is_file);
            Some(Subject::Names(files.map(|word| (*word).to_owned()).collect()))
        }
        "psql" | "mysql" | "mariadb" | "clickhouse" | "clickhouse-client" => {
            Some(Subject::Query(words.join(" ").to_lowercase()))
        }
        _ => {
            let [action] = invocation.actions.as_slice() else { return None };
            let at = invocation.words.iter().position(|word| word.location == action.location)?;
            // `kafka-topics.sh --describe --topic orders`
            if words.get(at).is_some_and(|word| word.starts_with("--")) {
                let topics = flag_values(&words, "--topic").into_iter().map(str::to_owned);
                return Some(Subject::Names(topics.collect()));
            }
            let name = words.get(at + 1).filter(|word| at > 0 && !word.starts_with('-'))?;
            Some(Subject::Names(vec![(*name).to_owned()]))
        }
    }
}

/// Whether a command only reads an archive.
fn reads_archive(program: &str, words: &[&str]) -> bool {
    ARCHIVE_READERS
        .iter()
        .any(|(name, options)| *name == program && words.iter().any(|word| options.contains(word)))
}

/// The URL of a request, without its query.
pub(crate) fn address(invocation: &Invocation) -> Option<&str> {
    let mut words = invocation.words.iter().skip(1).map(|word| word.value.as_str());
    let is_url = |word: &&str| {
        word.contains("://")
            || word.starts_with('$') && word.contains('/') && !word.contains(' ')
            || has_port(word)
    };
    let url = words.find(is_url)?.split(['?', '#']).next()?;
    Some(url.trim_end_matches('/'))
}

/// `shop:9000/status`: a host, a port and a path, without the scheme.
fn has_port(word: &str) -> bool {
    let host = word.split_once('/').and_then(|(server, _)| server.split_once(':'));
    host.is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The server of a URL, with its scheme.
fn server(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    url[start..].find('/').map_or(url, |end| &url[..start + end])
}

/// Whether the words of a change, the files that it writes or the manifest that it reads name an object.
fn is_named(name: &str, change: &Invocation, action: &Action) -> bool {
    // `mc mb --ignore-existing store/bucket` fails where the server cannot be reached, and so does `mc ls store`.
    let asked = name.trim_end_matches('/');
    let is_in_store = |word: &str| word.split_once('/').is_some_and(|(store, _)| store == asked);
    if matches!(action.key.split(' ').collect::<Vec<_>>()[..], ["mc", "mb", bucket] if is_in_store(bucket))
    {
        return true;
    }
    let name = &without_braces(name);
    let is_name = |word: &str| {
        let word = without_braces(word);
        let last = word.rsplit(['/', '=']).next().unwrap_or(&word);
        word == *name || last == name || last.strip_suffix(".yaml") == Some(name)
    };
    name.len() > 1
        && (change.words.iter().skip(1).any(|word| is_name(&word.value))
            || action.objects.iter().any(|object| object == name)
            || change.manifests.iter().any(|own| without_braces(own) == *name))
}

/// A word with each `${name}` as `$name`, which is the same.
fn without_braces(word: &str) -> Cow<'_, str> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !word.contains("${") {
        return Cow::Borrowed(word);
    }
    let mut parts = word.split("${");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}').filter(|(name, _)| name.chars().all(is_letter)) {
            Some((name, rest)) => plain.extend(["$", name, rest]),
            None => plain.extend(["${", part]),
        }
    }
    Cow::Owned(plain)
}

/// Whether a change writes a file: its last argument, the value of an option, or the target of a redirection.
fn writes(path: &str, change: &Invocation, action: &Action) -> bool {
    const OPTIONS: [&str; 8] =
        ["-f", "-o", "-r", "--archive", "--file", "--output", "--rdb", "--result-file"];
    let words: Vec<_> = change.words.iter().map(|word| word.value.as_str()).collect();
    let mut options = OPTIONS.iter().flat_map(|option| flag_values(&words, option));
    words.last() == Some(&path)
        || options.any(|value| value == path)
        || action.objects.last().is_some_and(|object| object == path)
}

/// Whether a text contains a name as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.split(|c| !is_letter(c)).any(|word| word == name)
}
