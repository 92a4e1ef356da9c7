//! What rules may know of the unit beside the object they look at.

use std::sync::Arc;

use helm_render::functions::Host;
use job_lifecycle::{
    Deployer, Hook, Object, Role, Tool, classify,
    deploy::{reads_helm, unknown_field},
    kubernetes::Version,
};

use crate::{
    finding::{PerDeployer, Severity},
    policy::Policy,
    unit::{Counts, Deployment, PredictedChanges, UnitKind},
};

/// What the rules of one unit know beside the object they look at.
pub struct Context<'a> {
    pub kind: UnitKind,
    pub objects: &'a [Object],
    /// What the next deploys change in them.
    pub changes: &'a PredictedChanges,
    pub deployers: &'a [Deployer],
    pub deployments: &'a [Arc<Deployment>],
    /// What was read, the objects too that no rule looks at.
    pub counts: Counts,
    /// Something states that the files of the unit are deployed together.
    pub together: bool,
    pub kubernetes: Version,
    /// What the user's settings ask of rules.
    pub policy: &'a Policy,
}

impl Context<'_> {
    /// What a deployer makes of an object of this unit.
    pub fn role(&self, object: &Object, deployer: &Deployer) -> Role {
        classify(object, deployer, self.from_chart())
    }

    /// The hook that a deployer makes of an object; `None` when it makes none.
    pub fn hook(&self, object: &Object, deployer: &Deployer) -> Option<Hook> {
        match self.role(object, deployer) {
            Role::Hook(hook) => Some(hook),
            Role::Plain | Role::Dropped => None,
        }
    }

    /// True when this deployer lets Helm sort the objects of the unit into hooks and the rest.
    pub fn reads_helm(&self, deployer: &Deployer) -> bool {
        reads_helm(deployer, self.kind == UnitKind::Chart)
    }

    /// True when the templates print the object only after a look into the cluster: they may see the old one
    /// there and leave it alone. Argo CD renders without a cluster (argo-cd issue 5202).
    pub fn looks_first(&self, object: &Object, deployer: &Deployer) -> bool {
        deployer.tool != Tool::Argocd && object.decided().iter().any(|input| input == Host::LOOKUP)
    }

    /// What something means under each deployer in force: one verdict per tool, the worst.
    pub fn judge(
        &self,
        verdict: impl Fn(&Deployer) -> Option<(Severity, String)>,
    ) -> Vec<PerDeployer> {
        let mut all: Vec<PerDeployer> = Vec::new();
        for deployer in self.deployers {
            let Some((severity, text)) = verdict(deployer) else { continue };
            let own = PerDeployer { tool: deployer.tool, severity, text };
            match all.iter_mut().find(|other| other.tool == own.tool) {
                Some(other) if other.severity < own.severity => *other = own,
                Some(_) => {}
                None => all.push(own),
            }
        }
        all
    }

    /// What each deployer in force does with a field that the API server does not know.
    pub fn unknown_field(&self) -> Vec<PerDeployer> {
        let mut answers: Vec<PerDeployer> = Vec::new();
        for deployer in self.deployers {
            let text = unknown_field(deployer, self.from_chart());
            let answer = PerDeployer::new(deployer.tool, Severity::Error, text);
            if !answers.contains(&answer) {
                answers.push(answer);
            }
        }
        answers
    }

    /// The deployers for which something holds.
    pub fn tools(&self, holds: impl Fn(&Deployer) -> bool) -> Vec<Tool> {
        let mut tools: Vec<_> =
            self.deployers.iter().filter(|deployer| holds(deployer)).map(|d| d.tool).collect();
        tools.dedup();
        tools
    }

    /// The deployers that apply the object as an ordinary one. An assumed deployer without hooks does
    /// not count where the object says that it is a hook: then something else deploys it.
    pub fn applying<'a>(&'a self, object: &'a Object) -> impl Iterator<Item = &'a Deployer> {
        self.deployers.iter().filter(|deployer| {
            self.role(object, deployer) == Role::Plain
                && !(deployer.assumed && object.is_annotated_hook())
        })
    }

    /// Nothing says which deployer it is.
    pub fn is_assumed(&self) -> bool {
        self.deployers.iter().any(|deployer| deployer.assumed)
    }

    /// The objects are rendered from a Helm chart.
    pub fn from_chart(&self) -> bool {
        self.kind == UnitKind::Chart
    }

    /// True when every deployer in force makes a hook of the object, or drops it.
    pub fn always_hook(&self, object: &Object) -> bool {
        self.deployers.iter().all(|deployer| self.role(object, deployer) != Role::Plain)
    }
}
