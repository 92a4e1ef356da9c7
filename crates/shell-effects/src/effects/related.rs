//! Commands of one script that change what another one does, such as a `DROP TABLE` before a `CREATE TABLE`.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use super::{cycle, provided, scratch};
use crate::{
    analysis::{Action, Invocation, Propagation},
    catalogue::Verdict,
    container::Container,
};

/// How many actions before and after an action are searched for related ones.
const WINDOW: usize = 200;

/// Merges the invocations at the same location, and adjusts actions to the related commands before and after them.
pub(crate) fn resolve(found: Vec<Invocation>, container: &Container) -> Vec<Invocation> {
    let mut invocations: Vec<Invocation> = Vec::new();
    let mut indices = HashMap::new();
    for invocation in found {
        match indices.get(&invocation.location) {
            Some(&index) => merge(&mut invocations[index], invocation),
            None => {
                indices.insert(invocation.location, invocations.len());
                invocations.push(invocation);
            }
        }
    }
    let actions: Vec<_> =
        invocations.iter().flat_map(|invocation| invocation.actions.clone()).collect();
    let adjusted = invocations.iter_mut().flat_map(|invocation| &mut invocation.actions);
    for (position, action) in adjusted.enumerate() {
        adjust(action, &actions[..position], &actions[position + 1..]);
    }
    scratch::excuse(&mut invocations, container);
    cycle::excuse(&mut invocations);
    provided::excuse(&mut invocations);
    invocations
}

/// Keeps the worse of two calls of the same function.
fn merge(one: &mut Invocation, other: Invocation) {
    let rank = |propagation: Propagation| match propagation {
        Propagation::Fatal => 3,
        Propagation::Retried => 2,
        Propagation::Hidden(_) => 1,
        Propagation::Handled | Propagation::Expected => 0,
    };
    let worse = rank(other.propagation) > rank(one.propagation);
    if !other.detects_rerun() && (one.detects_rerun() || worse) {
        one.guards = other.guards;
        one.propagation = other.propagation;
    }
}

fn adjust(action: &mut Action, earlier: &[Action], later: &[Action]) {
    let earlier = &earlier[earlier.len().saturating_sub(WINDOW)..];
    let later = &later[..later.len().min(WINDOW)];
    let related = mem::take(&mut action.related);
    if later.iter().any(|other| matches_any(other, &related.destroys_before, action)) {
        action.verdict = Verdict::Destroys;
        "it is made anew after this: what was in it is lost at every run"
            .clone_into(&mut action.why);
        action.fix = None;
        return;
    }
    if action.verdict == Verdict::Duplicates && follows_replaced_rows(action, earlier) {
        action.verdict = Verdict::Depends;
        return;
    }
    if action.verdict == Verdict::Rotates && later.iter().any(makes_it_read) {
        action.verdict = Verdict::Idempotent;
        return;
    }
    let prepared = earlier.iter().any(|other| matches_any(other, &related.after, action));
    let refilled = later.iter().any(|other| matches_any(other, &related.before, action));
    if action.verdict.is_hazard() && (prepared || refilled) {
        action.verdict = Verdict::Idempotent;
        if action.random {
            action.verdict = Verdict::Rotates;
            "a new random value is written at every run".clone_into(&mut action.why);
        }
    }
}

/// Whether an `INSERT` comes after rows of another table were deleted and inserted again. Its own rows usually refer to
/// those, and the foreign key has deleted them too.
fn follows_replaced_rows(action: &Action, earlier: &[Action]) -> bool {
    let mut deleted = HashSet::new();
    is_about_rows(action, "INSERT INTO")
        && earlier.iter().filter(|other| other.objects != action.objects).any(|other| {
            if is_about_rows(other, "DELETE FROM") {
                deleted.insert(&other.objects);
            }
            is_about_rows(other, "INSERT INTO") && deleted.contains(&other.objects)
        })
}

/// Whether an action restarts what reads a secret: a new one at every run is what the author wants.
fn makes_it_read(action: &Action) -> bool {
    matches_key(&action.key, "kubectl|oc rollout restart")
}

fn is_about_rows(action: &Action, statement: &str) -> bool {
    action.key.starts_with(statement) && !action.objects.is_empty()
}

/// Whether `other` matches one of the keys and names the same object as `action`, or one of them names none. `*`
/// matches every action on the same object.
fn matches_any(other: &Action, keys: &[String], action: &Action) -> bool {
    let is_own = |object: &String| action.objects.iter().any(|own| is_same(own, object));
    let shared = other.objects.iter().any(is_own);
    let unnamed = other.objects.is_empty() || action.objects.is_empty();
    keys.iter().any(|key| match key.as_str() {
        "*" => shared,
        key => (shared || unnamed) && matches_key(&other.key, key),
    })
}

/// Whether two words name one object: `x` and `secret/x`.
fn is_same(one: &str, other: &str) -> bool {
    one == other || one.contains('/') != other.contains('/') && name_of(one) == name_of(other)
}

/// The name in `secret/x`; any other word as it is.
fn name_of(word: &str) -> &str {
    match word.split_once('/') {
        Some((kind, name)) if !kind.is_empty() && !name.contains('/') => name,
        _ => word,
    }
}

/// Whether the words of an action's key start with the first word of `pattern` and contain the others in order. `a|b`
/// matches either.
fn matches_key(key: &str, pattern: &str) -> bool {
    let mut words = key.split_whitespace();
    let mut wanted = pattern.split_whitespace().map(|wanted| wanted.split('|'));
    let is = |mut names: std::str::Split<'_, char>, word: &str| names.any(|name| name == word);
    let first = wanted.next().zip(words.next());
    first.is_some_and(|(names, word)| is(names, word))
        // The value of a flag may be in between: `kubectl -n app delete`.
        && wanted.all(|names| words.any(|word| is(names.clone(), word)))
}
