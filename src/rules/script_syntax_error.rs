use shell_effects::ast::SyntaxError;

use super::{Check, Rule};
use crate::{
    command::Command,
    finding::Finding,
    images::{has_plain_sh, lacks_pipefail},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "script-syntax-error",
    include_str!("../../rules/script-syntax-error.yaml"),
    Check::Workload(check),
);

/// What other tools than Helm fill in: the shell does not get to see it.
const MARKS: [&str; 4] = ["{{", "{%", "<%", "@@"];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let is_substituted = job.context.substitutes() == Some(true);
    for command in job.commands() {
        for (location, error) in &command.analysis.errors {
            let text = command.script(location.element);
            let is_filled_in = MARKS.iter().any(|mark| text.contains(mark))
                || is_substituted && text.contains("${")
                || command.is_made_up(location.element);
            if is_filled_in {
                continue;
            }
            let (what, label) = match error {
                SyntaxError::Unclosed { opens, closes, .. } if opens == closes => {
                    let what = format!("a quote is never closed: {opens}");
                    (what, format!("no {closes} closes this quote"))
                }
                SyntaxError::Unclosed { opens, closes, .. } => {
                    let what = format!("`{opens}` without `{closes}`");
                    (what, format!("no `{closes}` ends this"))
                }
                SyntaxError::Stray { word, .. } => {
                    (format!("`{word}` out of place"), format!("`{word}` ends nothing here"))
                }
            };
            let message = format!(
                "{} fails at every start: no shell can read its script ({what})",
                job.title()
            );
            found.push(command.finding(*location, label).message(message));
        }
        let of_bash = unknown_option(job, command)
            .or_else(|| array(job, command))
            .or_else(|| bad_substitution(job, command));
        found.extend(of_bash);
    }
}

/// The finding about an array in a shell that has none.
fn array(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let location = command.analysis.arrays.first()?;
    let program = command.container.get("command")?.items().first()?.as_str()?;
    let image = command.container.get("image")?.as_str()?;
    let is_plain = matches!(program.rsplit('/').next(), Some("sh" | "dash"));
    if !is_plain || !has_plain_sh(image) || command.is_made_up(location.element) {
        return None;
    }
    let label = "an array: `syntax error: unexpected \"(\"`";
    let message =
        format!("{} fails at every start: the `sh` of `{image}` has no arrays", job.title());
    let finding = command.finding(*location, label).message(message);
    Some(finding.help(
        "run the script with `bash`, in an image that has it, or write the list into the loop",
    ))
}

/// The finding about an expansion that only bash knows.
fn bad_substitution(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let location = command.analysis.bad_substitutions.first()?;
    let image = command.container.get("image")?.as_str()?;
    if command.is_made_up(location.element) {
        return None;
    }
    let word = command.text(*location);
    let label = "`bad substitution`: the script ends here with 2";
    let message = format!("{} fails at `{word}`: the `sh` of `{image}` is not bash", job.title());
    let finding = command.finding(*location, label).message(message);
    Some(finding.help("run the script with `bash`, in an image that has it"))
}

/// The finding about `pipefail` in a shell that has no such option.
fn unknown_option(job: &Subject<'_>, command: &Command<'_>) -> Option<Finding> {
    let location = command.analysis.pipefails.first()?;
    let program = command.container.get("command")?.items().first()?.as_str()?;
    let image = command.container.get("image")?.as_str()?;
    let is_plain = matches!(program.rsplit('/').next(), Some("sh" | "dash"));
    if !is_plain || !lacks_pipefail(image) || command.is_made_up(location.element) {
        return None;
    }
    let label = "the `sh` of this image is dash: `set: Illegal option -o pipefail`";
    let message = format!(
        "{} fails at every start: `sh` is dash in `{image}`, and has no option `pipefail`",
        job.title()
    );
    let finding = command.finding(*location, label).message(message);
    Some(finding.help("run the script with `bash`, which the image has, too"))
}
