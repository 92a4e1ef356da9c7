//! What is applied together, and what its rules may know.

use std::{path::PathBuf, sync::Arc};

use crate::{
    check::Counts,
    deploy::{Deployer, Hook, Role, Tool, classify, reads_helm},
    finding::{PerDeployer, Severity},
    gitops::Deployment,
    kubernetes::Version,
    object::Object,
    settings::Settings,
};

/// How the files of a unit become objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnitKind {
    /// Manifests applied as they are.
    Plain,
    /// A Helm chart.
    Chart,
    /// A Kustomize root.
    Overlay,
}

/// Files that are applied together.
#[derive(Clone, Debug)]
pub struct Unit {
    pub kind: UnitKind,
    /// The folder of the files, the chart (or its archive) or the overlay.
    pub root: PathBuf,
    /// The files to read; of a chart, those that stand for files on disk.
    pub files: Vec<File>,
    /// Something in the tree applies all of them together.
    pub together: bool,
    /// The GitOps objects that have it applied.
    pub deployments: Vec<Arc<Deployment>>,
}

/// A file to read.
#[derive(Clone, Debug)]
pub struct File {
    pub path: PathBuf,
    /// As shown: relative to the working directory, with `/`.
    pub shown: String,
    /// Named on the command line: read whatever it is, its trouble reported.
    pub named: bool,
    /// Text that stands for the file: standard input, a revision.
    pub text: Option<Vec<u8>>,
}

/// What the rules of one unit know beside the object they look at.
pub struct Context<'a> {
    pub kind: UnitKind,
    pub objects: &'a [Object],
    pub deployers: &'a [Deployer],
    pub deployments: &'a [Arc<Deployment>],
    /// What was read, the objects too that no rule looks at.
    pub counts: Counts,
    /// Something states that the files of the unit are deployed together.
    pub together: bool,
    pub kubernetes: Version,
    pub settings: &'a Settings,
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
        deployer.tool != Tool::Argocd && object.asks_cluster()
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
