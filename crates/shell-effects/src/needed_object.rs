//! Objects that one command makes, and later ones of the same client ask for: `rabbitmqadmin declare user name=shop;
//! rabbitmqadmin declare permission user=shop`, `kubectl scale sts shop --replicas=$n; while [ $(kubectl get pods …) -gt $n ]`.

use crate::{
    analysis::{Action, Analysis, Invocation, is_inside},
    decided::fails_by_itself,
};

/// Beginnings of subcommands that make something.
const MAKES: [&str; 8] = ["add", "create", "declare", "enable", "make", "mb", "new", "register"];

/// Subcommands after which a loop goes on until their result is there.
const AWAITED: [&str; 2] = ["delete", "scale"];

/// Whether a later command of the same client names the object that an action makes, and fails the script without it.
pub(crate) fn is_object_of_later(analysis: &Analysis, index: usize, action: &Action) -> bool {
    let own = &analysis.invocations[index];
    if !begins(action, &MAKES) || !action.changes_more_than_files() {
        return false;
    }
    let made = made(analysis, index, action);
    let is_other = |one: &Invocation| plain(one) != plain(own);
    let needs = |one: &Invocation| names(one).iter().any(|name| made.contains(name));
    !made.is_empty()
        && analysis.decided_behind(index).any(|one| {
            one.program_name() == own.program_name()
                && is_other(one)
                && fails_by_itself(one)
                && needs(one)
        })
}

/// Whether a loop without an end waits for what an action does to an object: the script does not get past it where that has
/// failed.
pub(crate) fn is_awaited_endlessly(analysis: &Analysis, index: usize, action: &Action) -> bool {
    let own = &analysis.invocations[index];
    if !begins(action, &MAKES) && !begins(action, &AWAITED) {
        return false;
    }
    let later = || analysis.invocations.iter().skip(index + 1);
    let subject = subjects(own).pop().map(value);
    let is_own_name = |name: &&str| name.contains('$') || Some(*name) == subject;
    let mut words = names(own);
    words.retain(|name| name.len() > 2 && is_own_name(name));
    let is_own = |one: &Invocation| {
        let mut asked = one.words.iter().skip(1);
        one.program_name() == own.program_name()
            && asked.any(|word| words.iter().any(|name| word.value.contains(name)))
    };
    let mut waits = analysis.waits.iter().filter(|wait| wait.unbounded && !wait.idles);
    waits.any(|wait| {
        let mut asks = later().filter(|one| is_inside(one.location, wait.location));
        asks.any(|one| {
            is_own(one)
                && one.guards.iter().all(|guard| {
                    own.guards.contains(guard) || is_inside(guard.location, wait.location)
                })
        })
    })
}

fn begins(action: &Action, verbs: &[&str]) -> bool {
    let mut words = action.subcommands.split([' ', '_', '-']);
    words.any(|word| verbs.iter().any(|verb| word.starts_with(verb)))
}

/// The names of the object that an action makes, without those that an earlier command of the client has made: the server.
fn made<'a>(analysis: &'a Analysis, index: usize, action: &Action) -> Vec<&'a str> {
    let own = &analysis.invocations[index];
    let earlier = analysis.invocations[..index].iter().filter(|one| {
        one.program_name() == own.program_name() && one.actions.iter().any(|one| one.changes_state)
    });
    let known: Vec<_> = earlier.flat_map(names).collect();
    let is_subcommand = |name: &str| action.subcommands.split(' ').any(|word| word == name);
    let last = subjects(own).pop().map(value);
    let is_name = |name: &&str| {
        let is_pair = || own.words.iter().any(|word| is_pair(&word.value, name));
        name.contains('$') || Some(*name) == last || is_pair()
    };
    let all = subjects(own).into_iter().map(value);
    all.filter(is_name).filter(|name| !is_subcommand(name) && !known.contains(name)).collect()
}

/// Whether a word is a pair with the value: `name=shop`.
fn is_pair(word: &str, of: &str) -> bool {
    !word.starts_with('-') && word.contains('=') && value(word) == of
}

/// `shop` of `shop` and of `name=shop`.
fn value(word: &str) -> &str {
    word.rsplit_once('=').map_or(word, |(_, value)| value)
}

/// The operands of a command without the values of its options.
fn subjects(one: &Invocation) -> Vec<&str> {
    let words = one.values();
    let is_option = |word: &str| word.starts_with('-') && !word.contains('=');
    let pairs = words.windows(2).filter(|pair| !is_option(pair[0]) && !pair[1].starts_with('-'));
    pairs.map(|pair| pair[1]).collect()
}

/// What the words of a command name.
fn names(one: &Invocation) -> Vec<&str> {
    let all = one.values().into_iter().skip(1).map(value);
    all.filter(|name| name.len() > 1 && !name.contains("://")).collect()
}

/// The operands of a command that are no pairs and no variables: its subcommands, and names.
fn plain(one: &Invocation) -> Vec<&str> {
    subjects(one).into_iter().filter(|word| !word.contains(['=', '$'])).collect()
}
