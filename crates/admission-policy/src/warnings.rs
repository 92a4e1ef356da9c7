//! What the API server warns about in the status of a policy: expressions that do not fit the kinds that it matches.

use kubernetes_cel::{Environment, Program, Type};

use crate::{
    expression::{Expression, flaw},
    fields::{Flaw, FlawKind},
    policy::Policy,
    types::KINDS,
};

impl Policy {
    /// The errors of types for the kinds that the policy matches by name, each once. The policy works all the same. As
    /// the API server, this looks at validations and their messages, not at match conditions and variables.
    pub fn warnings(&self) -> Vec<Flaw> {
        let mut all: Vec<Flaw> = Vec::new();
        for (group, resource, of) in KINDS.iter() {
            if !self.matching.names(group, "v1", resource) {
                continue;
            }
            let mut environment = Environment::admission(self.params.is_some());
            environment.declare("object", of.clone());
            environment.declare("oldObject", of.clone());
            for (name, expression) in &self.variables {
                let checked = Program::compile(expression.program.text(), &environment);
                environment.define(name, checked.map_or(Type::Dyn, |one| one.output().clone()));
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

    /// Notes the errors of an expression.
    fn check(&self, expression: &Expression, environment: &Environment, all: &mut Vec<Flaw>) {
        let Err(issues) = Program::compile(expression.program.text(), environment) else { return };
        for issue in issues {
            let found = flaw(&expression.node, &self.object.source.text, issue);
            let is_known = |one: &Flaw| (one.span, &one.reason) == (found.span, &found.reason);
            if !all.iter().any(is_known) {
                all.push(Flaw { kind: FlawKind::Warned, ..found });
            }
        }
    }
}
