//! What the API server warns about in the status of a policy: expressions that do not fit the kinds that it matches.

use kubernetes_cel::{Environment, Program, Type};

use crate::{
    expression::{Expression, flaw},
    fields::{Flaw, FlawKind},
    policy::Policy,
    types::KINDS,
};

impl Policy {
    /// The errors of types for the kinds that the policy matches by name, each once. The policy works all the same.
    pub fn warnings(&self) -> Vec<Flaw> {
        let mut all: Vec<Flaw> = Vec::new();
        for (resource, of) in KINDS.iter() {
            if !self.matching.names(resource) {
                continue;
            }
            let mut environment = Environment::admission(self.params.is_some());
            environment.declare("object", of.clone());
            environment.declare("oldObject", of.clone());
            for (_, condition) in &self.conditions {
                self.check(condition, &environment, &mut all);
            }
            for (name, expression) in &self.variables {
                let of = self.check(expression, &environment, &mut all);
                environment.define(name, of);
            }
            for validation in &self.validations {
                self.check(&validation.expression, &environment, &mut all);
                if let Some(message) = &validation.message_expression {
                    self.check(message, &environment, &mut all);
                }
            }
        }
        all
    }

    /// Notes the errors of an expression, and returns its type.
    fn check(
        &self,
        expression: &Expression,
        environment: &Environment,
        all: &mut Vec<Flaw>,
    ) -> Type {
        match Program::compile(expression.program.text(), environment) {
            Ok(program) => program.output().clone(),
            Err(issues) => {
                for issue in issues {
                    let found = flaw(&expression.node, &self.object.source.text, issue);
                    let is_known =
                        |one: &Flaw| (one.span, &one.reason) == (found.span, &found.reason);
                    if !all.iter().any(is_known) {
                        all.push(Flaw { kind: FlawKind::Warned, ..found });
                    }
                }
                Type::Dyn
            }
        }
    }
}
