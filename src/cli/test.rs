//! `joblint test`.

use std::{path::PathBuf, process::ExitCode};

use super::{Error, UNCHECKED, note, print, session::Session};
use crate::{examples, policies::Policies, report::safe, rules::Rule, words::count};

/// Runs the examples of the rules of the user: 0 if all hold, 1 if one does not, 2 if a rule is invalid.
pub(crate) fn run(paths: &[PathBuf], config: Option<&PathBuf>) -> Result<ExitCode, Error> {
    let session = Session::of_paths(paths, config)?;
    let policies = session.policies();
    for text in invalid(&policies) {
        note(&format!("error: {text}"));
    }
    let (mut held, mut broken) = (0, 0);
    for own in &policies.own.rules {
        let id = own.finding_id();
        let Some(rule) = policies.rules.iter().copied().find(|rule| rule.id == id) else {
            continue;
        };
        let lines = of_rule(rule, own, (&mut held, &mut broken))?;
        print(&safe(&lines));
    }
    let rules = count(policies.own.rules.len(), "rule");
    let examples = count(held + broken, "example");
    print(&match broken {
        0 => format!("{examples} of {rules}: all hold\n"),
        1 => format!("{examples} of {rules}: 1 does not hold\n"),
        _ => format!("{examples} of {rules}: {broken} do not hold\n"),
    });
    Ok(match (policies.problems.is_empty(), broken) {
        (false, _) => ExitCode::from(UNCHECKED),
        (true, 0) => ExitCode::SUCCESS,
        (true, _) => ExitCode::from(1),
    })
}

/// The lines about a rule.
fn of_rule(
    rule: &'static Rule,
    own: &crate::policy::OwnRule,
    (held, broken): (&mut usize, &mut usize),
) -> Result<String, Error> {
    let mut lines = String::new();
    let all = rule.examples();
    if all.is_empty() {
        lines += &format!("{}: no examples\n", own.id);
    }
    for example in &all {
        let wrong = examples::check(rule, own, example).map_err(Error::Example)?;
        let verdict = if wrong.is_empty() { "holds" } else { "does not hold" };
        lines += &format!("{}, {}: {verdict}\n", own.id, example.name);
        wrong.iter().for_each(|text| lines += &format!("    {text}\n"));
        *(if wrong.is_empty() { &mut *held } else { &mut *broken }) += 1;
    }
    Ok(lines)
}

/// What is wrong with policies and rules, with its place.
fn invalid(policies: &Policies) -> impl Iterator<Item = String> {
    policies.problems.iter().map(|problem| {
        let at = problem.source.position(problem.span.start);
        let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{}:{}:{}: {}{help}", problem.source.path, at.line, at.column, problem.reason)
    })
}
