//! Objects of a later wave that an ordinary Job needs: Argo CD waits for the Job before it creates them.

use job_lifecycle::{
    Object, Role, Tool,
    deploy::{Need, is_healthy_before},
};

use super::{Late, finding as of_late, is_first};
use crate::{
    context::Context,
    finding::{Finding, Severity},
};

/// The finding about an ordinary Job with a wave whose objects are in a later one.
pub(super) fn finding(job: &Object, needs: &[Need<'_>], context: &Context<'_>) -> Option<Finding> {
    let judged = |need| {
        let verdicts = context.judge(|deployer| {
            let is_later = |twin: &Need<'_>| {
                let (own, other) =
                    (context.role(job, deployer), context.role(twin.target, deployer));
                own == Role::Plain && is_healthy_before((job, &own), (twin.target, &other))
            };
            let text = "its pod never starts, and the sync waits for its wave in vain".to_owned();
            let need: &Need<'_> = need;
            (deployer.tool == Tool::Argocd && need.twins(needs).all(is_later))
                .then_some((Severity::Error, text))
        });
        (!verdicts.is_empty()).then_some(Late { need, verdicts })
    };
    let late: Vec<_> =
        needs.iter().filter(|need| is_first(need, needs)).filter_map(judged).collect();
    of_late(&late)
}
