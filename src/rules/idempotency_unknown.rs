use crate::{
    finding::{Finding, Severity},
    script,
    workload::{Again, Workload},
    yaml::Node,
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    let again = job.again();
    let severity = match again {
        Again::Loop(_) => Severity::Warning,
        Again::Deploy(_) => Severity::Info,
        Again::Schedule | Again::Retry(_) | Again::Chance => return,
    };
    if job.cleans_up() || job.is_idempotent().is_some() {
        return;
    }
    let Some((finding, subject)) = unknown(job) else { return };
    let label = format!("{}, and nothing says whether {subject} may run twice", again.cause());
    let finding = Finding { label, ..finding };
    let finding = finding.deployers(again.deployers().to_vec()).severity(severity);
    // A TTL under Helm or kubectl makes the next deploy run it again, most often on purpose.
    let hook = job.deployers.iter().any(|deployer| job.hook(job.object, deployer).is_some());
    let on_purpose = severity == Severity::Info && !hook && job.ttl().is_some();
    found.push(if on_purpose { finding.pedantic() } else { finding });
}

/// The first command that nobody knows: of a script the word, of a container without one the image.
fn unknown(job: &Workload<'_>) -> Option<(Finding, String)> {
    let commands = || job.commands().iter().filter(|command| !command.init);
    let known = commands().find_map(|command| {
        let place = *script::unrecognised(&command.analysis).first()?;
        let name = command.text(place).split_whitespace().next().unwrap_or_default();
        // Without `command` the words are for a program that the image names.
        let subject = match command.container.get("command") {
            Some(_) => format!("`{name}`"),
            None => "what the image starts".to_owned(),
        };
        Some((command.finding(place, ""), subject))
    });
    known.or_else(|| {
        let silent = |one: &&Node| commands().all(|other| !std::ptr::eq(other.container, *one));
        let image = job.containers().iter().find(silent)?.get("image")?;
        Some((Finding::new(image.span, ""), "what the image starts".to_owned()))
    })
}
