//! What could not be read or rendered, as findings.

use yaml_spans::Location;

use crate::{
    context::Context,
    diagnostic::Diagnostic,
    finding::Severity,
    resolve,
    results::{Report, Unchecked},
    rules::{self, Rule, unreadable, unrenderable},
    settings::Settings,
    unit::{Failure, Loaded, Problem},
};

/// The rule that reports a failure.
fn rule_of(failure: Failure) -> &'static Rule {
    match failure {
        Failure::Unreadable => &unreadable::RULE,
        Failure::Unrenderable | Failure::LacksValues | Failure::TooLarge | Failure::Refused => {
            &unrenderable::RULE
        }
        Failure::Unnamed => &rules::generate_name::RULE,
        Failure::Policy => &rules::invalid_policy::RULE,
        Failure::NotRendered | Failure::Absent | Failure::Misdeclared => &rules::not_rendered::RULE,
    }
}

impl Report {
    /// Records the problems of a view, and returns a finding for each.
    pub(super) fn add_problems(
        &mut self,
        loaded: &Loaded,
        context: &Context<'_>,
        settings: &Settings,
    ) -> Vec<Diagnostic> {
        let folder = loaded.overlay.as_ref().map(|overlay| overlay.folder.clone() + "/");
        let is_aside = |problem: &Problem| {
            let path = context.below_named(folder.as_deref().unwrap_or(&problem.source.path));
            let own = context.below_named(&problem.source.path);
            // Whoever copies the example of an overlay names the base that is theirs.
            let is_put_aside = resolve::is_put_aside(path)
                || folder.is_some() && problem.is_of_whole() && resolve::is_example(own);
            let is_unused = context.deployments.is_empty() && is_put_aside;
            !settings.strict && (context.undeployed && !settings.pedantic || is_unused)
        };
        let problems = loaded.problems.iter();
        problems
            .filter_map(|problem| match is_aside(problem) || problem.is_of_form() {
                true => Some(Self::left_out(problem, settings)),
                false => self.problem(problem, settings),
            })
            .collect()
    }

    /// The finding about what nobody deploys as it is.
    fn left_out(problem: &Problem, settings: &Settings) -> Diagnostic {
        let finding = Diagnostic { is_gap: true, ..Self::said(problem, settings) };
        match problem.token().filter(|_| problem.is_of_whole()) {
            Some(token) => {
                let label = format!("another tool replaces `{token}`: not built");
                Diagnostic { label, ..finding }
            }
            None => finding,
        }
    }

    /// What is said of a problem, at its place.
    fn said(problem: &Problem, settings: &Settings) -> Diagnostic {
        let at = Location { source: problem.source.clone(), span: problem.span };
        let rule = rule_of(problem.failure);
        let finding = resolve::run_finding(rule, at, problem.reason.clone(), settings);
        Diagnostic {
            message: problem.headline(),
            note: problem.note.clone(),
            help: problem.help.clone().unwrap_or(finding.help),
            ..finding
        }
    }

    /// Records what could not be read or rendered. Returns the finding for it, unless it is no more than a remark.
    pub(crate) fn problem(&mut self, problem: &Problem, settings: &Settings) -> Option<Diagnostic> {
        if problem.is_remark(settings.strict) {
            let remark = (problem.source.clone(), problem.remark());
            if !self.remarks.iter().any(|(_, text)| *text == remark.1) {
                self.remarks.push(remark);
            }
            return None;
        }
        let is_failure = problem.is_failure(settings.strict);
        let mut finding = Self::said(problem, settings);
        let (path, line) = (problem.source.path.clone(), finding.location.start().line);
        let unchecked = Unchecked { path, line, reason: problem.reason.clone() };
        if is_failure && !self.unchecked.contains(&unchecked) {
            self.unchecked.push(unchecked);
        }
        finding.is_absent = problem.failure == Failure::Absent;
        finding.is_gap = problem.is_gap() && !settings.strict;
        if is_failure {
            let stated = settings.rules.get(finding.rule.id).and_then(|own| own.severity);
            let is_error = settings.strict || !problem.is_blameless();
            let least = if is_error { Severity::Error } else { Severity::Warning };
            finding.severity = stated.map_or(least, |stated| stated.max(least));
        }
        finding.secondary.extend(problem.labels.iter().cloned());
        Some(finding)
    }
}
