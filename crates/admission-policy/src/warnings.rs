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
        for one in self.matched().into_iter().flatten() {
            if !all.iter().any(|known| is_same(known, &one)) {
                all.push(one);
            }
        }
        all
    }

    /// The warnings behind which an expression fails when it is evaluated. What fits one of the matched kinds may well stand behind
    /// a test of `object.kind`, and `in` looks into an object as into a map.
    pub fn mistakes(&self) -> Vec<Flaw> {
        let matched = self.matched();
        let Some((first, others)) = matched.split_first() else { return Vec::new() };
        let fails = |one: &&Flaw| {
            let mut others = others.iter();
            !one.reason.contains(IN_OBJECT)
                && others.all(|own| own.iter().any(|other| is_same(one, other)))
        };
        let knows_all = self.matching.resources() == matched.len();
        first.iter().filter(|_| knows_all).filter(fails).cloned().collect()
    }

    /// The errors of types for each kind that is known and that the policy matches by name.
    fn matched(&self) -> Vec<Vec<Flaw>> {
        let is_matched = |group: &str, resource: &str| self.matching.names(group, "v1", resource);
        let known = KINDS.iter().filter(|(group, resource, _)| is_matched(group, resource));
        known.map(|(_, _, of)| self.warnings_for(of)).collect()
    }

    /// The errors of types for a kind.
    fn warnings_for(&self, of: &Type) -> Vec<Flaw> {
        let mut all = Vec::new();
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
        all
    }

    /// Notes the errors of an expression.
    fn check(&self, expression: &Expression, environment: &Environment, all: &mut Vec<Flaw>) {
        let Err(issues) = Program::compile(expression.program.text(), environment) else { return };
        for issue in issues {
            let found = flaw(&expression.node, &self.object.source.text, issue);
            if !all.iter().any(|known| is_same(known, &found)) {
                all.push(Flaw { kind: FlawKind::Warned, ..found });
            }
        }
    }
}

fn is_same(one: &Flaw, other: &Flaw) -> bool {
    one.span == other.span && one.reason == other.reason
}

/// What the checker of types says of `in` behind which no list or map stands.
const IN_OBJECT: &str = "matching overload for '@in'";
