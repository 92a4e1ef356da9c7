//! Services that a hook waits for, and that are created after it: the wait never ends well.

use job_lifecycle::{Object, deploy::Need, workload::Reference};
use shell_effects::{self as script, ElementSpan, Wait};

use super::verdict;
use crate::{
    command::Command,
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    rules::unbounded_wait::text_of,
    words::titled,
    workload::Subject,
};

/// The finding about the first wait of a hook for a Service that is created after it.
pub(super) fn finding<'a>(hook: &'a Object, context: &'a Context<'a>) -> Option<Finding> {
    let job = Subject::new(hook, context)?;
    job.commands().iter().find_map(|command| {
        let waits = script::unbounded_waits(&command.analysis).into_iter();
        waits.filter_map(|wait| later(&job, command, wait)).find_map(|late| late.finding(command))
    })
}

/// Whether a hook waits for a Service that is created after it.
pub(crate) fn is_in_vain(job: &Subject<'_>, command: &Command<'_>, wait: &Wait) -> bool {
    later(job, command, wait).is_some()
}

struct Late<'a> {
    hook: &'a Object,
    service: &'a Object,
    location: ElementSpan,
    verdicts: Vec<PerDeployer>,
}

fn later<'a>(job: &Subject<'a>, command: &Command<'_>, wait: &Wait) -> Option<Late<'a>> {
    let condition = condition(&text_of(command, wait))?;
    let is_of_host = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let hosts: Vec<_> = condition.split(|c| !is_of_host(c)).collect();
    let mut services = job.context.objects.iter().filter(|one| one.kind() == "Service");
    services.find_map(|service| {
        let name = service.name().filter(|name| hosts.contains(name))?;
        let span = service.root.at(&["metadata", "name"])?.span;
        let reference = Reference { kind: "Service", name, span, is_optional: false };
        let need = Need { hook: job.object, reference, target: service };
        let verdicts = job.context.judge(|deployer| {
            let (severity, _) = verdict(&need, deployer, job.context)?;
            let text = "the deploy waits for it in vain".to_owned();
            (severity == Severity::Error).then_some((severity, text))
        });
        let late = Late { hook: job.object, service, location: wait.location, verdicts };
        (!late.verdicts.is_empty()).then_some(late)
    })
}

impl Late<'_> {
    fn finding(self, command: &Command<'_>) -> Option<Finding> {
        let name = self.service.name()?;
        let at = self.service.root.at(&["metadata", "name"])?.span;
        let label = format!("Service `{name}` is created later: the deploy waits for it in vain");
        let message =
            format!("{} waits in vain: Service `{name}` is created after it", titled(self.hook));
        let finding = command.finding(self.location, label).message(message).help(
            "Run the Job as a `post-` hook or `PostSync`: what it waits for starts with the release",
        );
        let source = &self.service.source;
        Some(finding.deployers(self.verdicts).label_in(source, at, "created after it"))
    }
}

/// What decides whether a loop goes on: the text between `until` and `do`.
fn condition(text: &str) -> Option<String> {
    let rest = text.strip_prefix("until ").or_else(|| text.strip_prefix("while "))?;
    let end = ["; do", ";do", "\ndo"].iter().filter_map(|end| rest.find(end)).min()?;
    Some(rest[..end].to_owned())
}
