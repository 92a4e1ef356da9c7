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
    words::{shown_name, titled},
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
            let Some(effect) = effect(&job, deployer) else { continue };
            let (owner, finding) = finding(context, object, deployer, &effect);
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
    effect: &Effect,
) -> (&'a Object, Finding) {
    let severity = effect.severity;
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
    let label = effect.label(job);
    let message = format!("{} does not replace {}: {}", effect.option, titled(job), effect.short());
    let verdict = PerDeployer::new(deployer.tool, severity, label.clone());
    let finding = Finding::new(span, label).message(message).deployers(vec![verdict]);
    (owner, if severity == Severity::Info { finding.pedantic() } else { finding })
}

/// What force does where it does not replace the workload.
struct Effect {
    option: &'static str,
    /// What happens instead, with `it` for the option.
    does: &'static str,
    /// What then fails; `None` if nothing does.
    fails: Option<&'static str>,
    severity: Severity,
}

/// Deployers that apply through Helm send a PUT (helm B.3; helm B.4; flux 2.3; fleet 3.2; argocd 5).
const PUT: &str = "it sends a PUT";

impl Effect {
    /// What the option does, and what follows.
    fn label(&self, job: &Object) -> String {
        let (option, does) =
            (self.option, self.does.replace(" it ", &format!(" {} ", self.option)));
        let named = format!("{} `{}`", job.kind(), shown_name(job));
        match self.fails {
            None => format!("{does}: nothing changes for {named}"),
            Some(fails) if self.does == PUT => format!(
                "{option} sends a PUT, which an existing Job rejects: {fails}, even if {named} is unchanged"
            ),
            Some(fails) => format!("{does}: {fails}"),
        }
    }

    /// The end of the headline.
    fn short(&self) -> String {
        match self.fails {
            None => self.does.to_owned(),
            Some(fails) => format!("{}, and {fails}", self.does),
        }
    }
}

/// What the deployer does with force, if it does not replace the workload.
fn effect(job: &Subject<'_>, deployer: &Deployer) -> Option<Effect> {
    let same = ReleaseChanges::default();
    let fails = |event| {
        matches!(job.outcome(deployer, &same, event), Some(Outcome::Rejected | Outcome::Blocked))
    };
    let breaks = deployer.is_forced() && job.is_accepted(deployer) && fails(Event::Upgrade);
    let server_side = !deployer.applies_client_side();
    let effect = |option, does, fails, severity| Some(Effect { option, does, fails, severity });
    let put = |option, fails, severity| effect(option, PUT, Some(fails), severity);
    match deployer.tool {
        Tool::Helm3 if breaks && job.ttl().is_some() => {
            put("`--force`", "every upgrade within the TTL fails", Severity::Info)
        }
        Tool::Helm3 if breaks => put("`--force`", "every upgrade fails", Severity::Error),
        Tool::Helm4 if breaks && server_side => effect(
            "`--force-replace`",
            "Helm 4 refuses it with server-side apply",
            Some("every upgrade fails"),
            Severity::Error,
        ),
        Tool::Helm4 if breaks => put("`--force-replace`", "every upgrade fails", Severity::Error),
        Tool::Fleet if breaks => put("force", "every later deployment fails", Severity::Warning),
        Tool::Flux if deployer.is_helm_release(job.context.from_chart()) => {
            let is_plain_job = job.kind == Kind::Job && job.role(deployer) == Role::Plain;
            if breaks && !server_side {
                return put("force", "every upgrade fails", Severity::Warning);
            }
            let ignored = deployer.is_forced() && is_plain_job && server_side;
            let does = "Flux ignores it with server-side apply";
            ignored.then(|| effect("force", does, None, Severity::Warning)).flatten()
        }
        Tool::Argocd if is_forced_server_side(job.object, deployer) && fails(Event::Install) => {
            effect(
                "force",
                "Argo CD refuses it together with server-side apply",
                Some("every sync fails"),
                Severity::Error,
            )
        }
        _ => None,
    }
}

/// True when the Application and the object, together, set both force and server-side apply.
fn is_forced_server_side(object: &Object, deployer: &Deployer) -> bool {
    (deployer.is_forced() || has_sync_option(object, "Force=true"))
        && is_server_side(object, deployer)
}

/// True when Argo CD applies an object on the server's side: its own option decides over that of the Application.
pub(super) fn is_server_side(object: &Object, deployer: &Deployer) -> bool {
    let of_application = deployer.argocd().server_side_apply == Some(true);
    (of_application || has_sync_option(object, "ServerSideApply=true"))
        && !has_sync_option(object, "ServerSideApply=false")
}

/// The option that turns force on.
fn option(tool: Tool) -> OptionName {
    match tool {
        Tool::Helm3 => Helm3::FORCE,
        Tool::Helm4 => Helm4::FORCE_REPLACE,
        _ => Flux::FORCE,
    }
}
