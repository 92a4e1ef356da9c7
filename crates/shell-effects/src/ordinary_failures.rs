//! Commands that fail on an ordinary day, so that `set -e` ends the script where nothing is wrong: `ls /old/* | xargs rm`.

use crate::{
    analysis::{Analysis, Invocation},
    command_line::{has_flag, operands},
    text::Text,
};

/// Programs that fail without an operand, as `xargs` runs them if its input is empty.
const WANT_OPERANDS: [&str; 7] = ["kill", "kubectl", "mv", "oc", "rm", "rmdir", "unlink"];

/// Programs that fail if they find nothing.
const FIND: [&str; 4] = ["egrep", "fgrep", "grep", "pgrep"];

/// Commands that fail if they find a difference, with what they need for that: the program, its subcommands, an option.
///
/// Sources: `diff(1)`, `cmp(1)`, `kubectl diff --help`, `argocd app diff --help`, `git-diff(1)`,
/// <https://developer.hashicorp.com/terraform/cli/commands/plan#detailed-exitcode>,
/// <https://github.com/databus23/helm-diff#usage>.
const COMPARERS: [(&str, &[&str], &str); 9] = [
    ("argocd", &["app", "diff"], ""),
    ("cmp", &[], ""),
    ("diff", &[], ""),
    ("git", &["diff"], "--exit-code"),
    ("git", &["diff"], "--quiet"),
    ("helm", &["diff"], "--detailed-exitcode"),
    ("kubectl", &["diff"], ""),
    ("oc", &["diff"], ""),
    ("terraform", &["plan"], "-detailed-exitcode"),
];

/// The first command of a script that `set -e` would end it at on an ordinary day; the script goes on without.
pub fn stopped_by_errexit(analysis: &Analysis, element: usize) -> Option<&Invocation> {
    let mut own = analysis.invocations.iter().enumerate();
    let found = own.find(|(index, one)| {
        one.location.element == element
            && (one.stops_at_answer || one.propagation.goes_on() && !one.ignores_errexit)
            && fails_ordinarily(one, &analysis.invocations[..*index])
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
        name => FIND.contains(&name) || compares(one),
    }
}

/// Whether a command fails if what it compares differs.
pub fn compares(one: &Invocation) -> bool {
    let words = one.values();
    COMPARERS.iter().any(|(program, subcommands, option)| {
        let mut named = operands(&words);
        *program == one.program_name()
            && subcommands.iter().all(|one| named.next() == Some(one))
            && (option.is_empty() || words.contains(option))
    })
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
