use std::sync::Arc;

use job_lifecycle::{
    Deployer, Event, Object, Outcome, ReleaseChanges, Role, Tool,
    annotations::ARGO_SYNC_OPTIONS,
    deploy::has_sync_option,
    deployer::{Flux, Helm3, Helm4, OptionName},
    workload::Kind,
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    words::titled,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "force-has-no-effect",
    include_str!("../../rules/force-has-no-effect.yaml"),
    Check::Unit(check),
);

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    let mut reported = Vec::new();
    for deployer in context.deployers {
        for object in context.objects {
            let Some(job) = Subject::new(object, context) else { continue };
            let Some((effect, severity)) = effect(&job, deployer) else { continue };
            let (owner, finding) = finding(context, object, deployer, effect, severity);
            let location = (owner as *const Object, finding.span);
            if !reported.contains(&location) {
                reported.push(location);
                found.push((owner, finding));
            }
        }
    }
}

/// The finding and its object: the GitOps object that sets the option, else the Job.
fn finding<'a>(
    context: &Context<'a>,
    job: &'a Object,
    deployer: &Deployer,
    effect: &str,
    severity: Severity,
) -> (&'a Object, Finding) {
    let stated = deployer.because(option(deployer.tool)).and_then(|at| {
        let holds = |object: &&Object| Arc::ptr_eq(&object.source, &at.source);
        let object = context.deployments.iter().map(|one| &one.object).find(holds)?;
        Some((object, at.span))
    });
    let written = job.annotation(ARGO_SYNC_OPTIONS).map(|entry| entry.value.span);
    let own = || {
        let kind = || job.root.get("kind").map_or(job.root.span, |kind| kind.span);
        (job, written.filter(|_| deployer.tool == Tool::Argocd).unwrap_or_else(kind))
    };
    let (owner, span) = stated.unwrap_or_else(own);
    let label = format!("{effect} for {} `{}`", job.kind(), job.display_name());
    let verdict = PerDeployer::new(deployer.tool, severity, effect);
    let (why, what) = effect.split_once(": ").unwrap_or((effect, "nothing changes"));
    let what = what.trim_end_matches(',').trim_end_matches(", changed or not");
    let message = match what {
        "it changes nothing" => format!("{} is not replaced: {why}", titled(job)),
        what => format!("{what} at {}: {why}", titled(job)),
    };
    let finding = Finding::new(span, label).message(message).deployers(vec![verdict]);
    (owner, if severity == Severity::Info { finding.pedantic() } else { finding })
}

/// What force does where it does not replace the workload. Deployers that apply through Helm send a PUT, which an
/// existing Job rejects (helm B.3; helm B.4; flux 2.3; fleet 3.2; argocd 5).
fn effect(job: &Subject<'_>, deployer: &Deployer) -> Option<(&'static str, Severity)> {
    let same = ReleaseChanges::default();
    let fails = |event| {
        matches!(job.outcome(deployer, &same, event), Some(Outcome::Rejected | Outcome::Blocked))
    };
    let breaks = deployer.is_forced() && job.is_accepted(deployer) && fails(Event::Upgrade);
    let server_side = !deployer.applies_client_side();
    match deployer.tool {
        Tool::Helm3 if breaks && job.ttl().is_some() => Some((
            "`--force` is a PUT: every upgrade within the TTL fails, changed or not,",
            Severity::Info,
        )),
        Tool::Helm3 if breaks => {
            Some(("`--force` is a PUT: every upgrade fails, changed or not,", Severity::Error))
        }
        Tool::Helm4 if breaks && server_side => Some((
            "Helm 4 refuses `--force-replace` with server-side apply: every upgrade fails",
            Severity::Error,
        )),
        Tool::Helm4 if breaks => Some((
            "`--force-replace` is a PUT: every upgrade fails, changed or not,",
            Severity::Error,
        )),
        Tool::Fleet if breaks => Some((
            "force is a PUT: every later deployment fails, changed or not,",
            Severity::Warning,
        )),
        Tool::Flux if deployer.is_helm_release(job.context.from_chart()) => {
            let is_plain_job = job.kind == Kind::Job && job.role(deployer) == Role::Plain;
            let ignored = deployer.is_forced() && is_plain_job && server_side;
            if breaks && !server_side {
                return Some((
                    "force is a PUT: every upgrade fails, changed or not,",
                    Severity::Warning,
                ));
            }
            ignored.then_some((
                "force is ignored with server-side apply: it changes nothing",
                Severity::Warning,
            ))
        }
        Tool::Argocd if is_forced_server_side(job.object, deployer) && fails(Event::Install) => {
            Some((
                "Argo CD refuses force together with server-side apply: every sync fails",
                Severity::Error,
            ))
        }
        _ => None,
    }
}

/// True when the Application and the object, together, set both force and server-side apply.
fn is_forced_server_side(object: &Object, deployer: &Deployer) -> bool {
    let server_side = deployer.argocd().server_side_apply == Some(true);
    (deployer.is_forced() || has_sync_option(object, "Force=true"))
        && (server_side || has_sync_option(object, "ServerSideApply=true"))
}

/// The option that turns force on.
fn option(tool: Tool) -> OptionName {
    match tool {
        Tool::Helm3 => Helm3::FORCE,
        Tool::Helm4 => Helm4::FORCE_REPLACE,
        _ => Flux::FORCE,
    }
}
