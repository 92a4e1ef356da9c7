//! Commands at the end of a script that take back what an earlier one did: `scale --replicas=0 …; work; scale --replicas=1 …`.

use crate::{
    analysis::{Analysis, Invocation, is_inside},
    text::ElementSpan,
};

/// Words with which a program does something, and takes it back.
const SWITCHES: [(&str, &str); 8] = [
    ("--on", "--off"),
    ("cordon", "uncordon"),
    ("down", "up"),
    ("enable", "disable"),
    ("maintenance:enable", "maintenance:disable"),
    ("pause", "unpause"),
    ("stop", "start"),
    ("suspend", "resume"),
];

/// How many commands at the start of a script, and how many at its end, are compared.
const WINDOW: usize = 50;

/// The command behind the one at a location that takes back what that one or one before it did. A script that ends in between
/// leaves it undone.
pub fn taken_back(analysis: &Analysis, location: ElementSpan) -> Option<&Invocation> {
    let is_at = |one: &Invocation| is_inside(location, one.location);
    let at = analysis.invocations.iter().position(is_at)?;
    let (before, after) = analysis.invocations.split_at(at + 1);
    let mut last = after.iter().rev().take(WINDOW);
    last.find(|later| before.iter().take(WINDOW).any(|earlier| takes_back(later, earlier)))
}

/// Whether two commands of one program differ in a switch alone.
fn takes_back(later: &Invocation, earlier: &Invocation) -> bool {
    let (own, other) = (relevant(later), relevant(earlier));
    let mut new = own.iter().filter(|word| !other.contains(word));
    let mut old = other.iter().filter(|word| !own.contains(word));
    let (Some(&on), None, Some(&off), None) = (new.next(), new.next(), old.next(), old.next())
    else {
        return false;
    };
    let is_switch = SWITCHES.iter().any(|pair| *pair == (off, on) || *pair == (on, off));
    later.program_name() == earlier.program_name()
        && (is_switch || off == "--replicas=0" && on.starts_with("--replicas="))
}

/// The words of a command that tell what it does to what.
fn relevant(one: &Invocation) -> Vec<&str> {
    let is_switch = |word: &&str| matches!(*word, "--on" | "--off");
    let matters =
        |word: &&str| !word.starts_with('-') || is_switch(word) || word.starts_with("--replicas=");
    one.values().into_iter().skip(1).filter(matters).collect()
}
