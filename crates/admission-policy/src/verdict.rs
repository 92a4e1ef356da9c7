//! What the API server says about a request.

use std::collections::BTreeSet;

use job_lifecycle::Object;
use kubernetes_cel::Read;

use crate::{
    binding::{Action, Binding},
    policy::{Policy, Validation},
};

/// The verdict of all policies on a request.
#[derive(Clone, Debug, Default)]
pub struct Verdict<'a> {
    /// What is refused, in the order of policies, bindings and validations.
    pub denials: Vec<Denial<'a>>,
    /// What cannot be decided without a cluster.
    pub unknown: Vec<Unknown<'a>>,
    /// What the evaluation has cost, in the API server's units.
    pub cost: u64,
}

/// A reason for which the API server refuses a request, warns about it or records it.
#[derive(Clone, Debug)]
pub struct Denial<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// Its binding; `None` for a policy that the user names and that has none.
    pub binding: Option<&'a Binding>,
    /// The parameter.
    pub param: Option<&'a Object>,
    /// The validation that is not met; `None` when the request did not get so far.
    pub validation: Option<&'a Validation>,
    /// The message, as the API server prints it after `denied request: `.
    pub message: String,
    /// Whether the message is the real one, and not the one for lack of what only a cluster knows.
    pub is_exact: bool,
    /// Why.
    pub cause: Cause,
    /// What happens.
    pub actions: Vec<Action>,
    /// What of the variables decided it.
    pub reads: Vec<Read>,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An expression is false.
    False,
    /// An expression fails.
    Error,
    /// All expressions together cost more than the API server allows.
    Cost,
}

/// A verdict that depends on what only a cluster knows.
#[derive(Clone, Debug)]
pub struct Unknown<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The names of what is unknown, such as `request.userInfo`.
    pub names: BTreeSet<String>,
}

impl Denial<'_> {
    /// The worst of the actions.
    pub fn action(&self) -> Action {
        self.actions.iter().copied().max().unwrap_or(Action::Audit)
    }

    /// The text that the API server answers or warns with.
    pub fn server_text(&self) -> String {
        let (policy, message) = (&self.policy.name, &self.message);
        let binding = self.binding.map_or("", |binding| &binding.name);
        match self.action() {
            Action::Warn => format!(
                "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {message}"
            ),
            _ => format!(
                "ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: {message}"
            ),
        }
    }
}
