//! The user's own policies and rules.

use std::sync::atomic::{AtomicU64, Ordering};

use admission_policy::{Expression, PolicySet};
use job_lifecycle::{Object, Tool};

use crate::finding::Severity;

/// What the user demands beyond the settings.
#[derive(Debug, Default)]
pub struct Own {
    /// The admission policies, with what they refer to.
    pub admission: PolicySet,
    /// The rules.
    pub rules: Vec<OwnRule>,
    /// What tells them from those of another run: a hash of the texts that they were read from.
    pub digest: u64,
    /// What they have cost in this run.
    pub cost: RunCost,
}

/// What policies and rules cost in a run, in the API server's units. Their cost for one object is bounded as in the API
/// server, and many objects would multiply it.
#[derive(Debug, Default)]
pub struct RunCost(AtomicU64);

impl RunCost {
    /// The most that a run may cost: some seconds. A usual policy costs some hundred units for each object.
    pub const MOST: u64 = 200_000_000;

    /// Whether nothing may be evaluated any more. Whether a run gets there does not depend on the order of its units.
    pub fn is_exhausted(&self) -> bool {
        self.0.load(Ordering::Relaxed) > Self::MOST
    }

    /// Adds the cost of an evaluation.
    pub fn add(&self, cost: u64) {
        self.0.fetch_add(cost, Ordering::Relaxed);
    }
}

/// A rule of the user: `kind: Rule`.
#[derive(Clone, Debug)]
pub struct OwnRule {
    /// The object in its file.
    pub object: Object,
    /// Its id, without `rule[]`.
    pub id: String,
    /// The severity of its findings.
    pub severity: Severity,
    /// What has to be true.
    pub expression: Expression,
    /// The headline of its findings, after the name of the workload.
    pub message: Option<String>,
    /// The expression of the headline, which counts more.
    pub message_expression: Option<Expression>,
    /// How to fix it.
    pub help: Option<String>,
    /// The deployers that it is about; all when empty.
    pub deployers: Vec<Tool>,
}

impl OwnRule {
    /// The id of its findings.
    pub(crate) fn finding_id(&self) -> String {
        format!("rule[{}]", self.id)
    }

    /// Whether one of its expressions mentions a variable.
    pub(crate) fn mentions(&self, variable: &str) -> bool {
        let expressions = [Some(&self.expression), self.message_expression.as_ref()];
        expressions.into_iter().flatten().any(|one| one.program.text().contains(variable))
    }
}
