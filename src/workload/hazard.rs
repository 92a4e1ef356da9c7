//! A hazard of a script as a finding: the word, what a second run does, what runs it again, and the fix.

use shell_effects::{self as script, Analysis, Edit, Hazard, Verdict};

use super::Rerun;
use crate::{
    command::Command,
    context::Context,
    finding::{Applicability, Confidence, Finding, Severity},
    words::one_line,
};

impl Command<'_> {
    /// The finding about a command that must not run twice. It needs `--pedantic` if only a schedule or chance runs the
    /// command again, and is an error only with high confidence.
    pub(crate) fn hazard(&self, hazard: &Hazard, again: &Rerun, context: &Context<'_>) -> Finding {
        let (severity, regular) = again.severity(hazard.verdict);
        let severity = if hazard.after_failure { Severity::Info } else { severity };
        let is_certain = hazard.confidence == Confidence::High;
        let severity = if is_certain { severity } else { severity.min(Severity::Warning) };
        let (cause, short) = match hazard.after_failure {
            true => (AFTER_FAILURE.to_owned(), AFTER_FAILURE.to_owned()),
            false => (again.cause(), again.short_cause()),
        };
        let label = format!("{}; {cause}", self.reason(hazard));
        let message = format!("{}, and {short}", self.harm(hazard));
        let mut finding =
            self.finding(hazard.location, label).message(message).confidence(hazard.confidence);
        let deployers = if hazard.after_failure { &[][..] } else { again.deployers() };
        finding = finding.deployers(deployers.to_vec()).severity(severity);
        if !regular || hazard.after_failure {
            finding = finding.pedantic();
        }
        if let Some(help) = help(hazard) {
            finding = finding.help(help);
        }
        if let Some(guard) = hazard.guard {
            finding = self.label(finding, guard, "this file is gone in the next pod");
        }
        let hazards = |analysis: &Analysis| script::not_idempotent(analysis).len();
        let is_gone =
            |fix: &&Edit| hazards(&self.analysis_after(fix, context)) < hazards(&self.analysis);
        let fix = hazard.fix.as_ref().filter(is_gone);
        let edit = fix.and_then(|fix| Some((fix, self.edit(fix)?)));
        match edit {
            Some((fix, edit)) => {
                let title = format!("write `{}`", fix.text.trim());
                finding.fix(title, Applicability::Unsafe, edit)
            }
            None => finding,
        }
    }

    /// What a second run does, as a clause.
    fn harm(&self, hazard: &Hazard) -> String {
        let command = format!("{} of {}", self.named(hazard.location), self.title());
        match hazard.verdict {
            Verdict::FailsWhenRepeated => format!("{command} fails on a second run"),
            Verdict::Destroys => format!("{command} loses data on a second run"),
            Verdict::Rotates => format!("{command} changes a secret on a second run"),
            Verdict::CannotRetry => format!("{command} cannot recover from a failure"),
            _ => format!("{command} does its work twice on a second run"),
        }
    }

    /// The word and what a second run of it does.
    fn reason(&self, hazard: &Hazard) -> String {
        let word = format!("`{}`", one_line(self.text(hazard.location)));
        let named = hazard.reason.contains(&word) || word.len() > 40;
        if named { hazard.reason.clone() } else { format!("{word}: {}", hazard.reason) }
    }
}

/// What runs a command again that only a failed run gets in the way of.
const AFTER_FAILURE: &str = "the try after a failed one finds what that left behind";

/// What to write instead.
fn help(hazard: &Hazard) -> Option<String> {
    match (&hazard.help, &hazard.fix) {
        (Some(help), _) if help.starts_with('`') => Some(instruction(help)),
        (Some(help), _) => Some(help.clone()),
        (None, Some(fix)) => Some(format!("write `{}`", fix.text.trim())),
        (None, None) => None,
    }
}

/// What to do with the code that a help starts with: `` `temporal namespace describe … ||` first ``.
fn instruction(help: &str) -> String {
    let (code, rest) = help[1..].split_once('`').unwrap_or((help, ""));
    match rest.strip_prefix(" first") {
        Some(rest) if code.ends_with("||") => format!("put `{code}` before it{rest}"),
        Some(rest) => format!("run `{code}` first{rest}"),
        None => format!("use {help}"),
    }
}
