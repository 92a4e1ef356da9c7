//! What becomes of a field that the API server does not know.

use super::{Deployer, Tool};
use crate::{
    finding::{PerDeployer, Severity},
    unit::{Context, UnitKind},
};

/// What each deployer in force does with such a field; all observed (facts: OBSERVED §0, Flux
/// controllers, Fleet).
pub fn unknown_field(context: &Context<'_>) -> Vec<PerDeployer> {
    let mut answers: Vec<PerDeployer> = Vec::new();
    for deployer in context.deployers {
        let text = fate(deployer, context.kind == UnitKind::Chart).to_owned();
        let answer = PerDeployer { tool: deployer.tool, severity: Severity::Error, text };
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    answers
}

fn fate(deployer: &Deployer, from_chart: bool) -> &'static str {
    match deployer.tool {
        Tool::Helm4 if deployer.text("apply") == Some("csa") => DROPPED,
        Tool::Helm3 => DROPPED,
        Tool::Argocd if !deployer.is("serverSideApply") => {
            "drops the field; only the controller's log has a warning"
        }
        Tool::Flux if !from_chart && deployer.text("kind") != Some("HelmRelease") => {
            "drops the field without a trace"
        }
        Tool::Helm4 | Tool::Argocd | Tool::Flux | Tool::Fleet => {
            "fails: field not declared in schema"
        }
        Tool::Kubectl => "rejects the object: strict decoding error: unknown field",
    }
}

const DROPPED: &str = "drops the field with a warning on standard error";
