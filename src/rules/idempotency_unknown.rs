use shell_effects::{self as script, ElementSpan};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    command::Command,
    finding::{Finding, Severity},
    workload::{Rerun, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "idempotency-unknown",
    include_str!("../../rules/idempotency-unknown.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let rerun = job.rerun();
    let severity = match rerun {
        Rerun::Loop(_) => Severity::Warning,
        Rerun::Deploy(_) => Severity::Info,
        Rerun::Schedule | Rerun::Retry(_) | Rerun::Chance => return,
    };
    if job.cleans_up() || job.is_idempotent().is_some() {
        return;
    }
    let Some(Unknown { finding, subject }) = unknown(job) else { return };
    let label = format!("{}, and {subject} may run twice", rerun.cause());
    let message = match finding.label.as_str() {
        "" => format!("cannot tell whether running {} twice is safe", job.title()),
        name => format!("cannot tell whether {} can safely run `{name}` twice", job.title()),
    };
    let finding = Finding { label, ..finding }.message(message);
    let finding = finding.deployers(rerun.deployers().to_vec()).severity(severity);
    // Most programs that are run again are written for that.
    found.push(finding.pedantic());
}

/// A command of which nothing says whether it may run twice.
struct Unknown {
    /// At its word in the script, or at the image of a container without a command.
    finding: Finding,
    /// The start of a sentence that "may run twice" ends.
    subject: String,
}

/// The first unknown command.
fn unknown(job: &Subject<'_>) -> Option<Unknown> {
    let commands = || job.commands().iter().filter(|command| !command.init);
    let known = commands().find_map(|command| {
        let location = *script::unrecognised(&command.analysis).first()?;
        let name = command.text(location).split_whitespace().next().unwrap_or_default();
        // Without `command`, the arguments go to the entry point of the image.
        let is_named = command.container.get("command").is_some();
        let subject = match (unread(command, location), command.container.get("command")) {
            (Some(path), _) => format!(
                "`{path}` is not in what is deployed here, so nothing says whether what it runs"
            ),
            (None, Some(_)) => format!("nothing says whether `{name}`"),
            (None, None) => "nothing says whether what the image starts".to_owned(),
        };
        let path = unread(command, location);
        let whole = command.text(location).split_whitespace().collect::<Vec<_>>().join(" ");
        let named = if whole.len() > 30 { name.to_owned() } else { whole };
        let named = path.or_else(|| is_named.then_some(named)).unwrap_or_default();
        Some(Unknown { finding: command.finding(location, named), subject })
    });
    known.or_else(|| {
        let without_command =
            |one: &&Node| commands().all(|other| !std::ptr::eq(other.container, *one));
        let image = job.containers().iter().find(without_command)?.get("image")?;
        let subject = "nothing says whether what the image starts".to_owned();
        Some(Unknown { finding: Finding::new(image.span, ""), subject })
    })
}

/// The path of a script that a command runs, or of a statement file that a client sends, if it could not be read.
fn unread(command: &Command<'_>, location: ElementSpan) -> Option<String> {
    const SHELLS: [&str; 8] = ["source", ".", "sh", "bash", "ash", "dash", "ksh", "zsh"];
    let mut invocations = command.analysis.invocations.iter();
    let words = &invocations.find(|one| one.location == location)?.words;
    let values: Vec<_> = words.iter().map(|word| word.value.as_str()).collect();
    let name = values.first()?.rsplit('/').next()?;
    let mut operands = values.iter().skip(1).filter(|value| !value.starts_with('-'));
    let path = match SHELLS.contains(&name) {
        true => operands.next()?,
        false => {
            let flag = values.iter().position(|value| matches!(*value, "-f" | "--file"))?;
            values.get(flag + 1)?
        }
    };
    (path.contains(['/', '.']) && !path.contains(' ')).then(|| (*path).to_owned())
}
