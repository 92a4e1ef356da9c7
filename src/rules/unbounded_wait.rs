mod up_before;

use job_lifecycle::{Deployer, Tool, annotations::ARGO_WAVE, deploy::wave, workload::Kind};
use shell_effects::{self as script, Wait};
use yaml_spans::Node;

use self::up_before::is_up_before;
use super::{Check, Rule, hook_needs_later_object::waited::is_in_vain};
use crate::{
    command::Command,
    finding::{Finding, Severity},
    workload::{DEADLINE, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "unbounded-wait",
    include_str!("../../rules/unbounded-wait.yaml"),
    Check::Workload(check),
);

/// Whether a deployer waits for the Job without a timeout of its own.
fn is_awaited(job: &Subject<'_>) -> bool {
    let mut deployers = job.context.deployers.iter();
    deployers.any(|deployer| deployer.tool == Tool::Argocd && job.hook(deployer).is_some())
}

/// Whether something is held up while the Job waits: the next run of a CronJob, or a deployer that waits for it. Helm gives
/// up on a hook after its timeout, and the next release removes it (helm A.5).
fn holds_up(job: &Subject<'_>) -> bool {
    let from_chart = job.context.from_chart();
    let waits = |deployer: &Deployer| match job.hook(deployer) {
        Some(hook) if deployer.tool != Tool::Argocd => !hook.is_recreated(),
        Some(_) => true,
        None if deployer.tool == Tool::Argocd => !deployer.assumed && is_followed(job),
        None => deployer.waits_for_jobs() || deployer.is_helm_release(from_chart),
    };
    job.kind == Kind::CronJob || job.context.deployers.iter().any(waits)
}

/// Whether Argo CD puts something behind the Job: an object of a later wave, or a hook.
fn is_followed(job: &Subject<'_>) -> bool {
    let own = wave(job.object);
    let mut others = job.context.objects.iter();
    others.any(|other| wave(other) > own || other.is_annotated_hook())
}

/// Whether to wait is as good as to fail and to be run again: only the next run of a CronJob is behind it, and a probe tells
/// on each turn that its server is not up.
fn is_next_run(job: &Subject<'_>, wait: &Wait) -> bool {
    let mut deployers = job.context.deployers.iter();
    job.kind == Kind::CronJob
        && wait.turn.only_probes
        && deployers.all(|deployer| job.hook(deployer).is_none())
}

/// Whether the wait itself does harm: it spins, its log does not tell what is missing, or it waits for another container of
/// its pod, which may have failed.
fn does_harm(job: &Subject<'_>, command: &Command<'_>, wait: &Wait) -> bool {
    let turn = wait.turn;
    let has_neighbour = || job.pod.get("containers").is_some_and(|all| all.items().len() > 1);
    let is_told = turn.says_why
        || turn.only_probes && is_left_alone(job)
        || is_hook_for_service(job, &text_of(command, wait));
    !turn.pauses || !is_told || turn.asks_localhost || turn.asks_for_file && has_neighbour()
}

/// Whether no deployer puts anything behind the Job: it is no hook and in no wave.
fn is_left_alone(job: &Subject<'_>) -> bool {
    job.kind == Kind::Job
        && job.object.annotation(ARGO_WAVE).is_none()
        && job.context.deployers.iter().all(|deployer| job.hook(deployer).is_none())
}

/// The text of a loop, with the values of the variables that the container states.
pub(super) fn text_of(command: &Command<'_>, wait: &Wait) -> String {
    let variables = command.container.get("env").map(Node::items).unwrap_or_default();
    let stated = variables.iter().filter_map(|one| {
        Some((one.get("name")?.as_str()?, one.get("value").and_then(Node::as_str)?))
    });
    stated.fold(command.text(wait.location).to_owned(), |text, (name, value)| {
        text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value)
    })
}

/// Whether a hook behind everything else waits for a Service of its own release: that it is not up is seen there.
fn is_hook_for_service(job: &Subject<'_>, text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut words = text.split(|c| !is_letter(c));
    let is_own = |word: &str| {
        let mut objects = job.context.objects.iter();
        objects.any(|one| one.kind() == "Service" && one.name() == Some(word))
    };
    let is_hook = job.context.deployers.iter().all(|deployer| job.hook(deployer).is_some());
    is_hook && words.any(is_own)
}

/// Ports at which the proxy of a mesh tells that it is up; it is in the pod, or the pod does not start.
///
/// Source: <https://istio.io/latest/docs/ops/deployment/application-requirements/#ports-used-by-istio>
const MESH: [&str; 3] = [":15000", ":15020/healthz", ":15021"];

/// Whether a loop asks the proxy of a mesh in its own pod.
fn is_for_mesh(text: &str) -> bool {
    ["localhost", "127.0.0.1"]
        .iter()
        .any(|host| MESH.iter().any(|port| text.contains(&format!("{host}{port}"))))
}

/// Whether another container of the pod writes the file that a loop waits for when it ends, however it ends:
/// `trap "touch /shared/done" EXIT`.
fn is_released(job: &Subject<'_>, command: &Command<'_>, wait: &Wait) -> bool {
    let text = command.text(wait.location);
    let is_end = |c: char| c.is_whitespace() || "\"'`;&|()[]".contains(c);
    let mut paths = text.split(is_end).filter(|word| word.starts_with('/') && word.len() > 1);
    let writes = |path: &str| {
        let others = job.commands().iter().filter(|one| !std::ptr::eq(*one, command));
        let mut traps = others.flat_map(|one| one.scripts(true)).flat_map(|(_, text)| {
            text.split(['\n', ';']).filter(|line| line.contains("trap ") && line.contains("EXIT"))
        });
        traps.any(|trap| trap.split(is_end).any(|word| word == path))
    };
    wait.turn.asks_for_file && paths.any(writes)
}

/// Whether Flux Kustomizations alone apply the Job and wait for it. They report that it does not end, after their timeout
/// or before the next interval, and do not run it again once it has failed: a deadline would make the failure last. With a
/// TTL it does not (flux 1.6; observed k05).
fn is_reported_by_flux(job: &Subject<'_>) -> bool {
    let waits = |deployer: &Deployer| {
        deployer.tool == Tool::Flux
            && !deployer.is_helm_release(job.context.from_chart())
            && (deployer.flux().wait == Some(true) || is_health_check(job))
    };
    let deployers = job.context.deployers;
    job.kind == Kind::Job
        && job.ttl().is_none()
        && !deployers.is_empty()
        && deployers.iter().all(waits)
}

/// Whether Helm ends the wait under each deployer: after its timeout the hook has failed, and `hook-failed` deletes it (helm
/// A.5; Argo CD has no timeout).
fn is_ended_by_helm(job: &Subject<'_>) -> bool {
    let deployers = job.context.deployers;
    let ends = |deployer: &Deployer| {
        deployer.tool != Tool::Argocd
            && job.hook(deployer).is_some_and(|hook| hook.has_policy("hook-failed"))
    };
    !deployers.is_empty() && deployers.iter().all(ends)
}

/// Whether each Kustomization that applies the Job names it in its `healthChecks`.
fn is_health_check(job: &Subject<'_>) -> bool {
    let names_it = |check: &Node| {
        let text = |key: &str| check.get(key).and_then(Node::as_str);
        text("kind") == Some(job.object.kind()) && text("name") == job.object.name()
    };
    let mut deployments = job.context.deployments.iter().peekable();
    deployments.peek().is_some()
        && deployments.all(|deployment| {
            let checks = deployment.object.root.at(&["spec", "healthChecks"]);
            checks.is_some_and(|checks| checks.items().iter().any(names_it))
        })
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if let Some(finding) = compared_with_itself(job) {
        found.push(finding);
        return;
    }
    if job.has_deadline() {
        return;
    }
    found.extend(job.commands().iter().filter_map(kept_alive));
    // What an init container waits for is not what the Job is for.
    let (init, main): (Vec<_>, Vec<_>) = job.commands().iter().partition(|command| command.init);
    let commands = main.into_iter().chain(init);
    let mut waits = commands.flat_map(|command| {
        let mut loops = script::unbounded_waits(&command.analysis);
        loops.retain(|wait| !is_released(job, command, wait));
        // What comes before work that goes on for ever is to be waited for.
        if loops.iter().any(|wait| wait.is_never_left) {
            loops.retain(|wait| wait.is_never_left);
        }
        loops.into_iter().map(move |wait| (command, wait))
    });
    let Some((command, first)) = waits.next() else { return };
    let (label, message) = words(job, first);
    let mut finding = command.finding(first.location, label).message(message);
    if first.is_never_left {
        finding = finding.help(END_THE_LOOP);
    } else if first.turn.hides_refusal {
        finding = finding.help(SHOW_THE_ERROR);
    }
    if command.init {
        finding = finding.severity(Severity::Info);
    }
    let all = || std::iter::once((command, first)).chain(waits.clone());
    let is_aside = job.is_test()
        || is_reported_by_flux(job)
        || is_ended_by_helm(job)
        || all().all(|(command, wait)| {
            let text = text_of(command, wait);
            is_for_mesh(&text) || is_up_before(job, &text) || is_in_vain(job, command, wait)
        })
        || all().all(|(command, wait)| {
            (!holds_up(job) || is_next_run(job, wait)) && !does_harm(job, command, wait)
        });
    if command.init && !is_awaited(job) || is_aside {
        finding = finding.pedantic();
    }
    found.push(waits.fold(finding, |finding, (command, wait)| {
        command.label(finding, wait.location, "nor this")
    }));
}

const END_THE_LOOP: &str = "Let the loop end with `break` once its work is done, and leave it to a schedule to repeat the work";

const SHOW_THE_ERROR: &str = "Let the log show the error of the command that is waited for, and end the wait after some time";

/// The label of a loop that nothing leaves.
pub(crate) const NEVER_LEFT: &str = "goes on for ever: no `break`, no `exit 0`";

/// The label and the message of a wait.
fn words(job: &Subject<'_>, wait: &Wait) -> (String, String) {
    let title = job.title();
    let label = match wait {
        _ if wait.is_never_left => {
            let message = format!("{title} never ends: nothing leaves its loop");
            return (NEVER_LEFT.to_owned(), message);
        }
        _ if wait.turn.stopped_clock => {
            "`SECONDS` stays what it is in the `sh` of this image, which is not bash".to_owned()
        }
        _ if wait.turn.hides_refusal => {
            format!(
                "waits forever if it is refused, and `/dev/null` gets the reason: no count, no `timeout`, no `{DEADLINE}`"
            )
        }
        _ => {
            format!("waits forever if that never happens: no count, no `timeout`, no `{DEADLINE}`")
        }
    };
    (label, format!("{title} may wait forever: nothing limits its wait"))
}

/// The finding about a loop that asks twice for the same value, and waits until the answers differ.
fn compared_with_itself(job: &Subject<'_>) -> Option<Finding> {
    let (command, wait) = job.commands().iter().find_map(|command| {
        let mut waits = script::unbounded_waits(&command.analysis).into_iter();
        waits.find(|wait| wait.never_ends()).map(|wait| (command, wait))
    })?;
    let label = "compares a value with itself: the answers differ only by chance";
    let message = format!("{} waits until a value differs from itself", job.title());
    Some(command.finding(wait.location, label).message(message).help(
        "Keep the value from before the change in a variable, and wait until it differs from that",
    ))
}

/// The finding about a container that is kept alive on purpose: whoever starts it ends it.
fn kept_alive(command: &Command<'_>) -> Option<Finding> {
    let mut places = script::endless(&command.analysis).into_iter();
    let label = format!("never ends, and waits for nothing: no `{DEADLINE}`");
    let message = format!("{} never ends until somebody deletes it", command.title());
    let finding = command.finding(places.next()?, label).message(message).pedantic();
    Some(places.fold(finding, |finding, place| command.label(finding, place, "nor does this")))
}
