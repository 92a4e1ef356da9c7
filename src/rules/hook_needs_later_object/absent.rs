//! Objects that a hook of Helm finds neither before nor after it: hooks of other events, or deleted by then.

use helm_render::functions::Host;
use job_lifecycle::{Deployer, Object, Role, Tool, deploy::Need};

use super::is_first;
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::{joined, quoted, titled},
};

/// The finding about a hook whose pod cannot start in one of its events.
pub(super) fn finding(hook: &Object, needs: &[Need<'_>], context: &Context<'_>) -> Option<Finding> {
    let firsts = || needs.iter().filter(|need| is_first(need, needs));
    let event =
        |deployer: &Deployer| firsts().find_map(|need| event(need, needs, deployer, context));
    let verdicts = context.judge(|deployer| {
        let event = event(deployer)?;
        Some((severity(event), format!("its pod never starts {}", operation(event))))
    });
    let (deployer, event) = context.deployers.iter().find_map(|one| Some((one, event(one)?)))?;
    let lacking: Vec<_> = firsts()
        .filter(|need| self::event(need, needs, deployer, context) == Some(event))
        .collect();
    let (first, others) = lacking.split_first()?;
    let (named, at) = (named(first), operation(event));
    let all: Vec<_> = lacking.iter().map(|need| self::named(need)).collect();
    let (all, do_not) = (joined(&all), if all.len() == 1 { "does" } else { "do" });
    let message = format!("{} never starts {at}: {all} {do_not} not exist then", titled(hook));
    let label = format!("{named} does not exist {at}: the pod never starts");
    let made = first.target.root.at(&["metadata", "name"])?.span;
    let role = context.role(first.target, deployer);
    let why = reason(&role, event);
    let finding = Finding::new(first.reference.span, label)
        .message(message)
        .deployers(verdicts)
        .label_in(&first.target.source, made, why)
        .help(help(first, &role, event));
    Some(others.iter().fold(finding, |finding, other| {
        let text = format!("{} does not exist then, either", self::named(other));
        finding.label(other.reference.span, text)
    }))
}

fn named(need: &Need<'_>) -> String {
    format!("{} `{}`", need.reference.kind, need.reference.name)
}

/// The event of Helm in which the hook finds no object of the name that a reference asks for.
fn event(
    need: &Need<'_>,
    needs: &[Need<'_>],
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<&'static str> {
    if deployer.tool == Tool::Argocd || need.twins(needs).any(|twin| is_unsure(twin, context)) {
        return None;
    }
    let hook = context.hook(need.hook, deployer)?;
    need.lacks(needs, &hook, |object| context.role(object, deployer))
}

/// Whether the cluster, or the event itself, decides that the templates print one of the two.
fn is_unsure(need: &Need<'_>, context: &Context<'_>) -> bool {
    let is_open = |object: &Object| {
        let decided = object.decided();
        context.is_of_upgrades(object)
            || decided.iter().any(|input| input == Host::LOOKUP || input.starts_with("Release.Is"))
    };
    is_open(need.hook) || is_open(need.target)
}

fn severity(event: &str) -> Severity {
    match event.ends_with("install") || event.ends_with("upgrade") {
        true => Severity::Error,
        false => Severity::Warning,
    }
}

/// When an event happens: "at an upgrade".
fn operation(event: &str) -> &'static str {
    match event.rsplit_once('-').map_or(event, |(_, operation)| operation) {
        "install" => "at an install",
        "upgrade" => "at an upgrade",
        "rollback" => "at a rollback",
        "delete" => "at an uninstall",
        _ => "in `helm test`",
    }
}

/// Why the object does not exist in the event.
fn reason(target: &Role, event: &str) -> String {
    match target.hook() {
        None => "deleted with the release, before the hook".to_owned(),
        Some(own) if own.has_policy("hook-succeeded") && !own.listens_to(event) => {
            format!("`hook-succeeded` deletes it at the end of {}", quoted(&own.events))
        }
        // Helm sorts the hooks of an event by weight, then by name (helm A.4).
        Some(own) if own.listens_to(event) => {
            "created after the hook: hooks run by weight, then by name".to_owned()
        }
        Some(own) => format!("created in {} only", quoted(&own.events)),
    }
}

fn help(need: &Need<'_>, target: &Role, event: &str) -> String {
    match event {
        _ if target.hook().is_some_and(|own| own.listens_to(event)) => {
            format!("Give the {} a smaller weight than that of the hook", need.reference.kind)
        }
        "post-delete" => format!("Make the {} a hook of `post-delete`, too", need.reference.kind),
        _ => format!(
            "Add `{event}` to the events of the {}, with a smaller weight",
            need.reference.kind
        ),
    }
}
