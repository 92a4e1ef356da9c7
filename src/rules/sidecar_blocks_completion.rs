use std::sync::Arc;

use job_lifecycle::{
    Object,
    kubernetes::{
        Version,
        sidecars::{
            INJECTORS, Injector, ends_others, is_script, is_stopped, mark, never_ends,
            script_ends_others,
        },
    },
};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    finding::{Confidence, Finding},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "sidecar-blocks-completion",
    include_str!("../../rules/sidecar-blocks-completion.yaml"),
    Check::Workload(check),
);

/// The first version with native sidecars enabled.
const NATIVE: Version = Version::new(1, 29);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.containers().iter().any(ends_others) || is_ended_by_mounted(job) {
        return;
    }
    found.extend(INJECTORS.iter().filter_map(|injector| injected(job, injector)));
    let Some(worker) = job.containers().iter().find(|container| !never_ends(container)) else {
        return;
    };
    let worker = worker.get("name").and_then(Node::as_str).unwrap_or_default();
    for container in job.containers().iter().filter(|container| never_ends(container)) {
        let (Some(image), Some(name)) = (container.get("image"), container.get("name")) else {
            continue;
        };
        let name = name.as_str().unwrap_or_default();
        if is_stopped(job.template.get("metadata"), name) {
            continue;
        }
        let label =
            format!("`{name}` does not end when `{worker}` has ended: the Job never completes");
        let help = if job.context.kubernetes < NATIVE {
            format!("end it from `{worker}`: native sidecars need Kubernetes {NATIVE}")
        } else {
            "move it to `initContainers` with `restartPolicy: Always`: a native sidecar".to_owned()
        };
        let message = format!("{} never completes: container `{name}` does not end", job.title());
        found.push(Finding::new(image.span, label).message(message).help(help));
    }
}

/// Whether a container runs a mounted script that ends the sidecars.
fn is_ended_by_mounted(job: &Subject<'_>) -> bool {
    let shares = job.pod.get("shareProcessNamespace").is_some_and(Node::is_true);
    let commands = job.commands().iter().filter(|command| !command.init);
    commands
        .flat_map(|command| command.scripts(true))
        .any(|(_, script)| script_ends_others(script, shares))
}

/// The finding about an injected sidecar. It is less certain than one about a container in the manifest: the cluster
/// may inject a native sidecar.
fn injected(job: &Subject<'_>, injector: &Injector) -> Option<Finding> {
    let pod = job.template.get("metadata");
    let is_set = |setting| job.context.names.is_some_and(|names| names.turn_on(setting));
    if pod.is_some_and(|pod| mark(pod, injector.ends).is_some())
        || injector.setting.is_some_and(is_set)
    {
        return None;
    }
    let label = format!("adds {}, which does not end with the Job", injector.adds);
    let finding = match pod.and_then(|pod| mark(pod, injector.pod)) {
        Some((_, value)) => Finding::new(value.span, label),
        None => {
            let namespace = namespace(job)?;
            let metadata = namespace.root.get("metadata")?;
            let (_, value) = mark(metadata, injector.namespace)?;
            if mark(metadata, injector.ends).is_some() {
                return None;
            }
            let path = [job.template_path, &["metadata"]].concat();
            let name = namespace.display_name();
            Finding::new(job.object.deepest_key(&path)?, format!("namespace `{name}` {label}"))
                .label_in(&namespace.source, value.span, "injects into every pod")
        }
    };
    let message =
        format!("{} never completes: {} does not end with it", job.title(), short(injector.adds));
    let finding = finding.message(message).help(injector.help).confidence(Confidence::Medium);
    let seen = job.containers().iter().all(is_script);
    Some(if injector.called && !seen { finding.pedantic() } else { finding })
}

/// The name of a sidecar without the versions that it depends on.
fn short(sidecar: &str) -> &str {
    sidecar.split(" (").next().unwrap_or(sidecar)
}

/// The Job's Namespace, if it is deployed together with the Job.
fn namespace<'a>(job: &Subject<'a>) -> Option<&'a Object> {
    let name = job.object.namespace()?;
    job.context.objects.iter().find(|object| {
        let near = job.context.together || Arc::ptr_eq(&object.source, &job.object.source);
        near && object.kind() == "Namespace" && object.name() == Some(name)
    })
}
