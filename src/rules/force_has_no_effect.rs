use job_lifecycle::{
    Deployer, Object, Role, Tool,
    deployer::Flux,
    workload::{Kind, kind_of},
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
};

pub static RULE: Rule = Rule::new(
    "force-has-no-effect",
    include_str!("../../rules/force-has-no-effect.yaml"),
    Check::Unit(check),
);

/// Force of what applies through Helm is a PUT, which a Job that exists refuses (flux 2.3, fleet 3.2).
fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    let mut said = Vec::new();
    for deployer in context.deployers.iter().filter(|deployer| deployer.is_forced()) {
        let Some(effect) = effect(deployer, context.from_chart()) else { continue };
        let stays = |object: &&Object| {
            kind_of(object) == Some(Kind::Job) && context.role(object, deployer) == Role::Plain
        };
        let Some(job) = context.objects.iter().find(stays) else { continue };
        let name = job.display_name();
        let label = format!("{effect} for Job `{name}`");
        let verdict = PerDeployer::new(deployer.tool, Severity::Warning, effect);
        let finding = |span| Finding::new(span, label.clone()).deployers(vec![verdict.clone()]);
        let stated = deployer.because(Flux::FORCE).and_then(|at| {
            let holds = |object: &&Object| std::sync::Arc::ptr_eq(&object.source, &at.source);
            let object = context.deployments.iter().map(|one| &one.object).find(holds)?;
            Some((object, at.span))
        });
        let place = stated.or_else(|| Some((job, job.root.get("kind")?.span)));
        if let Some((object, span)) = place.filter(|(_, span)| !said.contains(span)) {
            said.push(span);
            found.push((object, finding(span)));
        }
    }
}

fn effect(deployer: &Deployer, from_chart: bool) -> Option<&'static str> {
    match deployer.tool {
        Tool::Fleet => Some("force is a PUT: every later deployment fails, changed or not,"),
        Tool::Flux if deployer.is_helm_release(from_chart) => {
            Some(match deployer.applies_client_side() {
                true => "force is a PUT: every upgrade fails, changed or not,",
                false => "force is ignored with server-side apply: it changes nothing",
            })
        }
        _ => None,
    }
}
