//! Commands at the end of a script that take back what an earlier one did: `scale --replicas=0 …; work; scale --replicas=1 …`.

use crate::{
    analysis::{Action, Analysis, Invocation, is_inside},
    catalogue::Verdict,
    command_line::{has_flag, program_name},
    text::{ElementSpan, start_of},
};

/// Words with which a program does something, and takes it back.
const SWITCHES: [(&str, &str); 15] = [
    ("0", "1"),
    ("--on", "--off"),
    ("activate", "deactivate"),
    ("all", "none"),
    ("automated", "none"),
    ("cordon", "uncordon"),
    ("down", "up"),
    ("enable", "disable"),
    ("lock", "unlock"),
    ("maintenance:enable", "maintenance:disable"),
    ("off", "on"),
    ("pause", "resume"),
    ("pause", "unpause"),
    ("stop", "start"),
    ("suspend", "resume"),
];

/// Programs that make what keeps other runs out, and those that remove it.
const LOCKS: [(&str, &str); 2] = [("touch", "rm"), ("mkdir", "rmdir")];

/// How many bytes at the start of a script are searched for a trap.
const MOST_BYTES: usize = 16 << 10;

/// Programs that switch nothing.
const IDLE: [&str; 7] = ["[", "[[", "echo", "exit", "printf", "sleep", "test"];

/// The values of a switch in a patch.
const TRUE: &str = "true";
const FALSE: &str = "false";

/// How many commands at the start of a script, and how many at its end, are compared.
const WINDOW: usize = 50;

/// The command behind the one at a location that takes back what that one or one before it did. A script that ends in between
/// leaves it undone.
pub fn taken_back(analysis: &Analysis, location: ElementSpan) -> Option<&Invocation> {
    let is_at = |one: &Invocation| is_inside(location, one.location);
    let at = analysis.invocations.iter().position(is_at)?;
    let (before, after) = analysis.invocations.split_at(at + 1);
    let mut last = after.iter().enumerate().rev().take(WINDOW);
    let (index, found) = last
        .find(|(_, later)| before.iter().take(WINDOW).any(|earlier| takes_back(later, earlier)))?;
    // What has lost its data does not start again before they are back.
    (!after[..index].iter().any(loses)).then_some(found)
}

/// Words with which a program removes what it has made, and programs that do nothing else.
const REMOVES: [&str; 14] = [
    "delete",
    "destroy",
    "disable",
    "drop",
    "dropdb",
    "dropuser",
    "lvremove",
    "rb",
    "remove",
    "rm",
    "rmdir",
    "stop",
    "umount",
    "uninstall",
];

/// Whether the script removes what the command at a location makes, by a later command or at its end: `createdb scratch; …;
/// dropdb scratch`, `trap 'rmdir /data/lock' EXIT`.
pub fn is_removed_again(analysis: &Analysis, location: ElementSpan, script: &str) -> bool {
    let Some(at) = analysis.invocations.iter().position(|one| one.holds(location)) else {
        return false;
    };
    let (own, later) = (&analysis.invocations[at], &analysis.invocations[at + 1..]);
    let words = own.values();
    let made: Vec<_> = words.iter().skip(1).filter(|word| !word.starts_with('-')).collect();
    let removes = |words: &[&str]| {
        words.iter().any(|word| REMOVES.contains(&program_name(word)))
            && made.iter().any(|made| words.contains(made) && made.len() > 1)
    };
    let start = start_of(script, MOST_BYTES);
    let mut traps = start.split("trap ").skip(1).filter_map(|rest| rest.lines().next());
    let mut later = later.iter().take(WINDOW).filter(|one| one.guards == own.guards);
    later.any(|one| removes(&one.values()))
        || traps.any(|line| removes(&line.split([' ', '"', '\'', ';']).collect::<Vec<_>>()))
}

/// Whether a command removes data, here or in a pod: `rm -rf /data/*`, `dropdb shop`.
fn loses(one: &Invocation) -> bool {
    let destroys = |action: &Action| action.verdict == Verdict::Destroys;
    let is_recursive = || has_flag(&one.values(), "-r") || has_flag(&one.values(), "-R");
    one.actions.iter().any(destroys) || one.program_name() == "rm" && is_recursive()
}

/// Whether a command removes something, by the words with which it begins: `kubectl delete job shop`.
pub(crate) fn removes(one: &Invocation) -> bool {
    one.values().iter().take(3).any(|word| REMOVES.contains(&program_name(word)))
}

/// Whether two commands of one program differ in a switch alone, or a file that keeps others out is made and removed.
pub(crate) fn takes_back(later: &Invocation, earlier: &Invocation) -> bool {
    let is_lock = LOCKS.contains(&(earlier.program_name(), later.program_name()));
    if is_lock {
        let [made, gone] = [earlier, later].map(|one| one.words.last().map(|word| &word.value));
        return made
            .zip(gone)
            .is_some_and(|(made, gone)| made == gone && !made.starts_with("/tmp"));
    }
    let (own, other) = (relevant(later), relevant(earlier));
    let mut new = own.iter().filter(|word| !other.contains(word));
    let mut old = other.iter().filter(|word| !own.contains(word));
    let (Some(&on), None, Some(&off), None) = (new.next(), new.next(), old.next(), old.next())
    else {
        return false;
    };
    let is_switch = SWITCHES.iter().any(|pair| *pair == (off, on) || *pair == (on, off))
        // `-p '{"spec":{"suspend":true}}'`
        || off.contains(TRUE) && off.replace(TRUE, FALSE) == on
        || on.contains(TRUE) && on.replace(TRUE, FALSE) == off;
    later.program_name() == earlier.program_name()
        && !IDLE.contains(&later.program_name())
        && (is_switch || off == "--replicas=0" && on.starts_with("--replicas="))
}

/// The words of a command that tell what it does to what.
fn relevant(one: &Invocation) -> Vec<&str> {
    let is_switch = |word: &&str| matches!(*word, "--on" | "--off");
    let matters =
        |word: &&str| !word.starts_with('-') || is_switch(word) || word.starts_with("--replicas=");
    one.values().into_iter().skip(1).filter(matters).collect()
}
