//! What a deployer does with a field that the API server does not know.

use crate::deployer::{Deployer, Tool};

/// What the deployer does with an object that has an unknown field, as the predicate of a sentence whose
/// subject is the deployer. Sources: observed 0; observed flux-controllers; observed fleet-agent.
pub fn unknown_field(deployer: &Deployer, from_chart: bool) -> &'static str {
    match deployer.tool {
        Tool::Helm4 if deployer.applies_client_side() => DROPPED,
        Tool::Helm3 => DROPPED,
        Tool::Argocd if deployer.argocd().server_side_apply != Some(true) => {
            "drops the field; only the controller's log has a warning"
        }
        Tool::Flux if !deployer.is_helm_release(from_chart) => "drops the field without a trace",
        Tool::Helm4 | Tool::Argocd | Tool::Flux | Tool::Fleet => {
            "fails: field not declared in schema"
        }
        Tool::Kubectl => "rejects the object: strict decoding error: unknown field",
    }
}

const DROPPED: &str = "drops the field with a warning on standard error";
