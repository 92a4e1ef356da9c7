//! A kustomization that is built.

use std::{path::PathBuf, sync::Arc};

use kustomize_build::{Overrides, Unprinted, Variables};
use yaml_spans::Source;

use super::Deployment;

/// A kustomization that is built by itself: nothing in the repository uses it, or a GitOps object deploys it.
#[derive(Clone, Debug)]
pub struct KustomizeRoot {
    /// Its folder, absolute.
    pub folder: PathBuf,
    /// Its folder as printed; empty for the working directory.
    pub shown: String,
    /// The GitOps objects that deploy it.
    pub deployments: Vec<Arc<Deployment>>,
    /// The kustomization that its deployer generates for a folder that has none.
    pub generated: Option<String>,
    /// The files that it reads, absolute, as far as they are known without a build.
    pub files: Vec<PathBuf>,
}

impl KustomizeRoot {
    /// What its deployers add to it.
    pub(crate) fn overrides(&self) -> Option<&Overrides> {
        self.deployments.first()?.kustomize.as_ref()
    }

    /// The variables that its deployer substitutes in it.
    pub(crate) fn variables(&self) -> Option<&Variables> {
        self.deployments.first()?.variables.as_ref()
    }

    /// The name in messages.
    pub(crate) fn name(&self) -> Arc<str> {
        let folder = if self.shown.is_empty() { "." } else { &self.shown };
        let is_own = self.overrides().is_some() || self.variables().is_some();
        match self.deployments.first().filter(|_| is_own) {
            Some(by) => format!("{folder} of {}", by.title).into(),
            None => folder.into(),
        }
    }
}

/// What a view of a unit was built from.
#[derive(Clone, Debug)]
pub struct OverlayView {
    /// The name in messages.
    pub name: Arc<str>,
    /// Its folder as printed.
    pub folder: String,
    /// The GitOps objects that deploy it.
    pub deployments: Vec<Arc<Deployment>>,
    /// The objects as they are built, each traced to the files that people wrote.
    pub documents: Vec<Arc<Source>>,
    /// The objects that nobody needs: the view holds no work.
    pub unprinted: Unprinted,
}
