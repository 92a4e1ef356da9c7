//! Commands that fail on an ordinary day, so that `set -e` ends the script where nothing is wrong: `ls /old/* | xargs rm`.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::{has_flag, operands},
    deletions::client_operands,
    text::Text,
};

/// Programs that fail without an operand, as `xargs` runs them if its input is empty.
const WANT_OPERANDS: [&str; 7] = ["kill", "kubectl", "mv", "oc", "rm", "rmdir", "unlink"];

/// Programs that fail if they find nothing, or if what they count is 0.
const FIND: [&str; 10] =
    ["egrep", "expr", "fgrep", "grep", "id", "killall", "pgrep", "pkill", "umount", "which"];

/// Commands that fail if they find a difference, or something else that a script asks for, with what they need for that: the program, its subcommands, an option.
///
/// Sources: `diff(1)`, `cmp(1)`, `kubectl diff --help`, `argocd app diff --help`, `git-diff(1)`,
/// <https://developer.hashicorp.com/terraform/cli/commands/plan#detailed-exitcode>,
/// <https://github.com/databus23/helm-diff#usage>, <https://developer.hashicorp.com/vault/docs/commands/status>,
/// <https://trivy.dev/latest/docs/configuration/others/#exit-code>.
const COMPARERS: [(&str, &[&str], &str); 18] = [
    ("argocd", &["app", "diff"], ""),
    ("cmp", &[], ""),
    ("diff", &[], ""),
    ("git", &["diff"], "--exit-code"),
    ("git", &["diff"], "--quiet"),
    ("helm", &["diff"], "--detailed-exitcode"),
    ("kubectl", &["diff"], ""),
    ("oc", &["diff"], ""),
    ("aws", &["s3", "mv"], ""),
    ("aws", &["s3api", "head-object"], ""),
    ("helm", &["status"], ""),
    ("mc", &["stat"], ""),
    ("restic", &["cat"], ""),
    ("bao", &["status"], ""),
    ("rclone", &["moveto"], ""),
    ("terraform", &["plan"], "-detailed-exitcode"),
    ("trivy", &[], "--exit-code"),
    ("vault", &["status"], ""),
];

/// Commands that remove something elsewhere, and fail if it is not there, unless they have the option: the program, its
/// subcommands, the option.
///
/// Sources: <https://docs.min.io/community/minio-object-store/reference/minio-mc.html>,
/// <https://docs.aws.amazon.com/cli/latest/reference/s3/rb.html>, <https://rclone.org/commands/rclone_purge/>,
/// <https://www.postgresql.org/docs/current/app-dropdb.html>, `kubectl delete --help`.
const REMOVERS: [(&str, &[&str], &str); 9] = [
    ("aws", &["s3", "rb"], "-"),
    ("dropdb", &[], "--if-exists"),
    ("gsutil", &["rb"], "-f"),
    ("gsutil", &["rm"], "-f"),
    ("kubectl", &["delete"], "--ignore-not-found"),
    ("mc", &["rb"], "-"),
    ("mc", &["rm"], "-"),
    ("oc", &["delete"], "--ignore-not-found"),
    ("rclone", &["purge"], "-"),
];

/// How many commands behind a removal are searched for one that makes the object again.
const WINDOW: usize = 100;

/// The first command of a script that `set -e` would end it at on an ordinary day; the script goes on without.
pub fn stopped_by_errexit(analysis: &Analysis, element: usize) -> Option<&Invocation> {
    let mut own = analysis.invocations.iter().enumerate();
    let found = own.find(|(index, one)| {
        one.location.element == element
            && (one.stops_at_answer || one.propagation.goes_on() && !one.ignores_errexit)
            && (fails_ordinarily(one, &analysis.invocations[..*index])
                || clears_the_way(one, &analysis.invocations[index + 1..]))
    });
    found.map(|(_, one)| one)
}

/// Whether a command fails if there is nothing to find or to remove.
fn fails_ordinarily(one: &Invocation, before: &[Invocation]) -> bool {
    let words: Vec<_> = one.words.iter().map(|word| word.value.as_str()).collect();
    let forces = ["-f", "--force"].iter().any(|flag| has_flag(&words, flag));
    let is_pattern = |word: &str| word.contains(['*', '?']);
    // What the script has made before is there, and so is an item that `xargs` reads.
    let is_known =
        |word: &str| word.contains("{}") || before.iter().any(|earlier| mentions(earlier, word));
    let may_lack = |word: &str| word.contains('/') && !is_known(word);
    match one.program_name() {
        "rm" if forces => false,
        name if one.takes_input_as_operands => WANT_OPERANDS.contains(&name),
        "ls" => operands(&words).any(is_pattern),
        "rm" => operands(&words).any(|word| is_pattern(word) || may_lack(word)),
        // A retry finds the folder there.
        "mkdir" if !has_flag(&words, "-p") && !has_flag(&words, "--parents") => {
            operands(&words).any(|word| word.starts_with('/') && !word.starts_with("/tmp/"))
        }
        // 1 is a warning: https://borgbackup.readthedocs.io/en/stable/usage/general.html#return-codes
        "borg" => words.contains(&"create"),
        // Behind `if [ "$(psql -tAc 'SELECT 1 …')" != 1 ]` it is not there.
        "createdb" | "createuser" | "psql" => !one.detects_rerun() && makes_again(one, before),
        name => FIND.contains(&name) || compares(one),
    }
}

/// What PostgreSQL makes without `IF NOT EXISTS`.
const OBJECTS: [&str; 3] = ["database", "role", "user"];

/// Whether a command makes a database or role that is there from the second run on, and that nothing drops before.
fn makes_again(one: &Invocation, before: &[Invocation]) -> bool {
    let mut earlier = before.iter().flat_map(|one| &one.words);
    let drops = |word: &str| {
        word.to_ascii_lowercase().split([' ', ';']).any(|part| part.starts_with("drop"))
    };
    let is_statement = |word: &Text| {
        let text = word.value.to_ascii_lowercase();
        OBJECTS.iter().any(|object| text.starts_with(&format!("create {object} ")))
    };
    (one.program_name() != "psql" || one.words.iter().any(is_statement))
        && !earlier.any(|word| drops(&word.value))
}

/// Whether a command fails if what it compares differs.
fn compares(one: &Invocation) -> bool {
    let words = one.values();
    COMPARERS.iter().any(|(program, subcommands, option)| {
        calls(one, program, subcommands) && (option.is_empty() || words.contains(option))
    })
}

/// The program of a command and the subcommands by which it fails on an ordinary day: `argocd app diff`, `rm`.
pub fn ordinary_name(one: &Invocation) -> String {
    let mut rows = COMPARERS.iter().chain(&REMOVERS);
    let row = rows.find(|(program, subcommands, _)| calls(one, program, subcommands));
    let subcommands = row.map_or(&[][..], |(_, subcommands, _)| subcommands);
    [one.program_name()].iter().chain(subcommands).copied().collect::<Vec<_>>().join(" ")
}

/// Whether a command removes what a later one makes again: the first time there is nothing to remove.
fn clears_the_way(one: &Invocation, later: &[Invocation]) -> bool {
    let words = one.values();
    REMOVERS.iter().any(|(program, subcommands, option)| {
        let mut near = later.iter().take(WINDOW);
        let has_option = words.iter().any(|word| word.split('=').next() == Some(option));
        let removed = named(one).skip(subcommands.len()).last();
        calls(one, program, subcommands)
            && !has_option
            && removed.is_some_and(|removed| near.any(|next| mentions(next, removed)))
    })
}

/// Whether a command is one of a program with these subcommands.
fn calls(one: &Invocation, program: &str, subcommands: &[&str]) -> bool {
    let mut named = named(one);
    program == one.program_name() && subcommands.iter().all(|one| named.next() == Some(one))
}

/// The operands of a command, for a client of Kubernetes without the values of its options: `kubectl -n shop delete secret a`.
fn named(one: &Invocation) -> impl Iterator<Item = &str> {
    match client_operands(one) {
        all if all.is_empty() => operands(&one.values()).collect(),
        all => all,
    }
    .into_iter()
}

fn mentions(one: &Invocation, word: &str) -> bool {
    let mut objects = one.actions.iter().flat_map(|action| &action.objects);
    one.words.iter().skip(1).any(|own| own.value == word) || objects.any(|own| own == word)
}

/// Whether `xargs` runs its command even if its input is empty.
pub(crate) fn runs_without_input(words: &[Text]) -> bool {
    let own = words.iter().skip(1).map(|word| word.value.as_str());
    let mut flags = own.take_while(|word| word.starts_with('-') || is_number(word));
    !flags.any(|flag| {
        // `-0r`
        let letters = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        flag.starts_with("--no-run")
            || flag.starts_with("--replace")
            || letters.is_some_and(|letters| letters.contains(['I', 'i', 'r']))
    })
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}
