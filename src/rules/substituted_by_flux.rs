use job_lifecycle::{
    Tool,
    deploy::{Substitution, SubstitutionKind, substitutions},
};
use shell_effects::{self as script, ElementSpan, ast::Span};
use yaml_spans::Edit;

use super::{Check, Rule};
use crate::{
    command::Command,
    context::is_substitution_off,
    finding::{Applicability, Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "substituted-by-flux",
    include_str!("../../rules/substituted-by-flux.yaml"),
    Check::Unsubstituted(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(substitutes) = job.context.substitutes() else { return };
    let verdicts = job.context.judge(|deployer| {
        let text = "substitutes the text of the object before it is applied";
        (deployer.tool == Tool::Flux).then(|| (Severity::Warning, text.to_owned()))
    });
    let mounted = !job
        .context
        .objects
        .iter()
        .any(|object| object.kind() == "ConfigMap" && is_substitution_off(object));
    for command in job.commands().iter().filter(|_| !is_substitution_off(job.object)) {
        let damaged = damaged(command, mounted, substitutes);
        let finding = finding(command, &damaged, substitutes);
        found.extend(finding.map(|finding| finding.deployers(verdicts.clone())));
    }
}

/// The expressions of a command that do not reach the shell as written, each with its label.
fn damaged(command: &Command<'_>, mounted: bool, on: bool) -> Vec<(ElementSpan, String)> {
    let mut damaged = Vec::new();
    for (element, text) in command.scripts(mounted) {
        let found = substitutions(text);
        let comments = if found.is_empty() { Vec::new() } else { comments(text) };
        damaged.extend(found.into_iter().filter_map(|one| {
            let span = Span::new(one.range.start, one.range.end);
            let is_inside =
                |comment: &Span| comment.start <= span.start && span.start < comment.end;
            if comments.iter().any(is_inside) && !matches!(one.kind, SubstitutionKind::Failure(_)) {
                return None;
            }
            Some((ElementSpan { element, span }, damage(&one, text, command, on)?))
        }));
    }
    damaged
}

/// The comments of a script. What is doubled for Flux is parsed as the shell gets it, at the same offsets.
fn comments(text: &str) -> Vec<Span> {
    script::parse(&text.replace("$$", " $")).comments
}

fn finding(command: &Command<'_>, damaged: &[(ElementSpan, String)], on: bool) -> Option<Finding> {
    let ((location, label), others) = damaged.split_first()?;
    let written = command.written(*location);
    let message = format!("Flux changes `{written}` in {} before a shell sees it", command.title());
    let mut finding = command.finding_written(*location, label.as_str()).message(message);
    for (location, label) in others {
        finding = command.label_written(finding, *location, label.as_str());
    }
    let edits: Option<Vec<_>> =
        damaged.iter().map(|(location, _)| escaped(command, *location, on)).collect();
    Some(match edits {
        Some(edits) => {
            finding.fix_all("write it so that the shell gets it", Applicability::Unsafe, edits)
        }
        None => finding,
    })
}

/// What happens to an expression if that is not what the script intends. A variable that nothing in the pod sets is
/// meant for Flux.
fn damage(one: &Substitution<'_>, text: &str, command: &Command<'_>, on: bool) -> Option<String> {
    let written = text.get(one.range.clone())?;
    match one.kind {
        SubstitutionKind::Escape if !on => {
            Some("without `postBuild` the shell gets both: `$$` is its process id".to_owned())
        }
        _ if !on => None,
        SubstitutionKind::Escape => None,
        // Nobody puts the id of a process before a name: `$$HOME`, `$$(date)` and `$$1` are doubled for Flux.
        SubstitutionKind::Dollar if text[one.range.end..].starts_with(expands) => None,
        SubstitutionKind::Dollar => Some("Flux makes one `$` of these".to_owned()),
        SubstitutionKind::Default(operator) => Some(format!("Flux reads `{operator}` as `:-`")),
        SubstitutionKind::Failure(error) => Some(format!("Flux fails to build this: `{error}`")),
        SubstitutionKind::Variable(name) if command.defines(name, text) => {
            Some(format!("Flux replaces `{written}` before a shell sees it"))
        }
        SubstitutionKind::Variable(_) => None,
    }
}

/// Whether a character after a `$` makes a shell expand it.
fn expands(next: char) -> bool {
    next.is_ascii_alphanumeric() || "_({*@#?!".contains(next)
}

/// The edit that escapes an expression: it doubles each `$` that Flux would substitute or, without `postBuild`, turns
/// `$$` into `$`.
fn escaped(command: &Command<'_>, location: ElementSpan, on: bool) -> Option<Edit> {
    let written = command.written(location);
    let start = location.span.start as usize;
    let dollars = if written.starts_with("$$") { 2 } else { 1 };
    let text = if on { "$".repeat(2 * dollars) } else { "$".to_owned() };
    let location = ElementSpan { span: Span::new(start, start + dollars), ..location };
    command.edit_written(&script::Edit { location, text })
}
