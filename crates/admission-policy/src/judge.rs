//! Evaluates the policies for a request, as the API server's dispatcher does.

use std::collections::BTreeSet;

use job_lifecycle::{Object, kubernetes::admitted::json};
use kubernetes_cel::{Budget, Evaluated, Outcome, Read, Value, Variables};

use crate::{
    binding::{Action, Binding},
    expression::Expression,
    namespace::Namespace,
    params::Params,
    policy::{Policy, Validation},
    request::{Prepared, Request},
    set::PolicySet,
    verdict::{Cause, Denial, Unknown, Verdict},
};

impl PolicySet {
    /// The verdict of all policies on a request; an empty one for other kinds than Job, CronJob and Pod.
    pub fn judge<'a>(&'a self, request: &Request<'_>) -> Verdict<'a> {
        let mut verdict = Verdict::default();
        if self.is_empty() {
            return verdict;
        }
        let Some(prepared) = Prepared::new(request) else { return verdict };
        let namespace = self.namespace(request.namespace());
        for policy in self.policies.iter().filter(|one| one.reaches(request.object)) {
            match policy.matching.matches(&prepared, &namespace) {
                Some(false) => continue,
                None => verdict.add_unknown(policy, namespace_labels()),
                Some(true) => self.apply(policy, &prepared, &namespace, &mut verdict),
            }
        }
        verdict
    }

    /// Applies each binding of a policy that matches the request.
    fn apply<'a>(
        &'a self,
        policy: &'a Policy,
        prepared: &Prepared<'_>,
        namespace: &Namespace<'_>,
        verdict: &mut Verdict<'a>,
    ) {
        let mut bindings: Vec<_> = self.bindings_of(policy).map(Some).collect();
        if bindings.is_empty() && !policy.unbound.is_empty() {
            bindings.push(None);
        }
        for binding in bindings {
            match binding.map_or(Some(true), |one| one.matching.matches(prepared, namespace)) {
                Some(false) => continue,
                None => {
                    verdict.add_unknown(policy, namespace_labels());
                    continue;
                }
                Some(true) => {}
            }
            let case = Case { policy, binding, prepared, namespace };
            match self.params(policy, binding, namespace.name) {
                Params::Found(params) => {
                    for param in params {
                        let value = param.map_or(Value::Null, |param| (&json(&param.root)).into());
                        case.evaluate(param, value, verdict);
                    }
                }
                Params::Unknown(name) => case.evaluate_without(name, verdict),
            }
        }
    }
}

fn namespace_labels() -> BTreeSet<String> {
    BTreeSet::from(["the labels of the namespace".to_owned()])
}

impl<'a> Verdict<'a> {
    /// Adds what is unknown, once per policy.
    fn add_unknown(&mut self, policy: &'a Policy, names: BTreeSet<String>) {
        match self.unknown.iter_mut().find(|one| std::ptr::eq(one.policy, policy)) {
            Some(known) => known.names.extend(names),
            None => self.unknown.push(Unknown { policy, names }),
        }
    }
}

/// A policy with one of its bindings.
struct Case<'a, 'r> {
    policy: &'a Policy,
    binding: Option<&'a Binding>,
    prepared: &'r Prepared<'r>,
    namespace: &'r Namespace<'r>,
}

impl<'a> Case<'a, '_> {
    fn actions(&self) -> Vec<Action> {
        self.binding.map_or_else(|| self.policy.unbound.clone(), |binding| binding.actions.clone())
    }

    fn denial(&self, param: Option<&'a Object>, cause: Cause, message: String) -> Denial<'a> {
        Denial {
            policy: self.policy,
            binding: self.binding,
            param,
            validation: None,
            message,
            is_exact: true,
            cause,
            actions: self.actions(),
            reads: Vec::new(),
        }
    }

    /// Evaluates without the parameters. The cluster may have them or not: what both come to is decided.
    fn evaluate_without(&self, name: String, verdict: &mut Verdict<'a>) {
        let mut with_any = Verdict::default();
        self.evaluate(None, Value::unknown(&name), &mut with_any);
        verdict.cost += with_any.cost;
        let mut names: BTreeSet<_> =
            with_any.unknown.into_iter().flat_map(|one| one.names).collect();
        // A policy that has no binding is evaluated as if one had named parameters.
        let reference = self.binding.and_then(|binding| binding.params.as_ref());
        let lack_denies = reference.is_some_and(|one| one.is_required) && self.policy.fails_closed;
        let is_decided = match reference {
            None => names.is_empty(),
            Some(_) if lack_denies => {
                with_any.denials.iter().any(|denial| denial.actions.contains(&Action::Deny))
            }
            Some(_) => names.is_empty() && with_any.denials.is_empty(),
        };
        if reference.is_none() || lack_denies {
            let denials = with_any.denials.into_iter();
            verdict.denials.extend(denials.map(|denial| Denial { is_exact: false, ..denial }));
        }
        if !is_decided {
            names.extend(reference.map(|_| name));
            verdict.add_unknown(self.policy, names);
        }
    }

    /// Evaluates match conditions, then validations, with the value of the parameter.
    fn evaluate(&self, param: Option<&'a Object>, value: Value, verdict: &mut Verdict<'a>) {
        let mut variables = self.variables(value);
        let mut budget = Budget::new(Budget::PER_MATCH_CONDITIONS);
        let matched = self.matches(&variables, &mut budget);
        verdict.cost += budget.spent();
        match matched {
            Matched::No => return,
            Matched::Unknown(names) => return verdict.add_unknown(self.policy, names),
            Matched::Failed(message, reads) => {
                if self.policy.fails_closed {
                    let denial = self.denial(param, Cause::Error, message);
                    verdict.denials.push(Denial { reads, ..denial });
                }
                return;
            }
            Matched::Yes => {}
        }
        for (name, expression) in &self.policy.variables {
            variables.define(name, &expression.program);
        }
        let mut budget = Budget::new(Budget::PER_POLICY);
        self.validate_all(param, &variables, &mut budget, verdict);
        verdict.cost += budget.spent();
    }

    /// Evaluates the validations and audit annotations, as far as the budget goes.
    fn validate_all(
        &self,
        param: Option<&'a Object>,
        variables: &Variables<'_>,
        budget: &mut Budget,
        verdict: &mut Verdict<'a>,
    ) {
        let before = verdict.denials.len();
        for validation in &self.policy.validations {
            if !self.validate(validation, param, variables, budget, verdict) {
                // Then the API server forgets what the others came to.
                verdict.denials.truncate(before);
                let denial = self.denial(param, Cause::Cost, Budget::EXHAUSTED.to_owned());
                verdict.denials.extend(self.policy.fails_closed.then_some(denial));
                return;
            }
        }
        for (_, expression) in &self.policy.annotations {
            let Evaluated { outcome, reads, .. } = expression.program.evaluate(variables, budget);
            if let (Outcome::Error(error), true) = (outcome, self.policy.fails_closed) {
                let denial = self.denial(param, Cause::Error, failed(expression, &error));
                verdict.denials.push(Denial { reads, ..denial });
            }
        }
    }

    /// Returns whether the budget suffices.
    fn validate(
        &self,
        validation: &'a Validation,
        param: Option<&'a Object>,
        variables: &Variables<'_>,
        budget: &mut Budget,
        verdict: &mut Verdict<'a>,
    ) -> bool {
        let expression = &validation.expression;
        let Evaluated { outcome, reads, .. } = expression.program.evaluate(variables, budget);
        let (cause, (message, is_exact)) = match outcome {
            Outcome::Value(Value::Bool(true)) => return true,
            Outcome::Value(_) => (Cause::False, validation.message(variables, budget)),
            Outcome::Error(_) if !self.policy.fails_closed => return true,
            Outcome::Error(error) => (Cause::Error, (failed(expression, &error), true)),
            Outcome::Unknown(names) => {
                verdict.add_unknown(self.policy, names);
                return true;
            }
            Outcome::Exhausted => return false,
        };
        let denial = self.denial(param, cause, message);
        let validation = Some(validation);
        verdict.denials.push(Denial { validation, is_exact, reads, ..denial });
        true
    }

    /// A false condition counts more than one that fails, and one that fails more than an unknown one. All are evaluated:
    /// an exhausted budget counts most.
    fn matches(&self, variables: &Variables<'_>, budget: &mut Budget) -> Matched {
        let mut matched = Matched::Yes;
        for (_, expression) in &self.policy.conditions {
            let Evaluated { outcome, reads, .. } = expression.program.evaluate(variables, budget);
            match outcome {
                Outcome::Value(Value::Bool(true)) => {}
                Outcome::Value(_) => matched = Matched::No,
                Outcome::Unknown(names) if !matches!(matched, Matched::No) => {
                    matched = Matched::Unknown(names);
                }
                Outcome::Error(error) if matches!(matched, Matched::Yes) => {
                    matched = Matched::Failed(failed(expression, &error), reads);
                }
                Outcome::Error(_) | Outcome::Unknown(_) => {}
                Outcome::Exhausted => {
                    matched = Matched::Failed(Budget::EXHAUSTED.to_owned(), Vec::new());
                    break;
                }
            }
        }
        match matched {
            // The server leaves out a policy that ignores its failures.
            Matched::Failed(..) if !self.policy.fails_closed => Matched::No,
            other => other,
        }
    }

    fn variables(&self, param: Value) -> Variables<'a> {
        let mut variables = Variables::new();
        variables.set("object", self.prepared.object.value.clone());
        let old = self.prepared.old.as_ref().map_or(Value::Null, |old| old.value.clone());
        variables.set("oldObject", old);
        variables.set("request", self.prepared.value());
        variables.set("namespaceObject", self.namespace.value());
        variables.set("authorizer", Value::unknown("authorizer"));
        variables.set("authorizer.requestResource", Value::unknown("authorizer"));
        if self.policy.params.is_some() {
            variables.set("params", param);
        }
        variables
    }
}

/// Whether the match conditions hold.
enum Matched {
    Yes,
    No,
    Unknown(BTreeSet<String>),
    Failed(String, Vec<Read>),
}

/// The API server's words for an expression that fails.
fn failed(expression: &Expression, error: &str) -> String {
    format!("expression '{}' resulted in error: {error}", expression.program.text())
}
