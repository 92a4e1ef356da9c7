//! The user's own policies and rules.

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
