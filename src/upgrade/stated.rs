//! Who deploys what of a version, as the GitOps objects around the new one state it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::Deployer;

use crate::{
    discover,
    gitops::{self, Tree},
    unit::{self, Deployment, DeploymentSource},
};

/// The GitOps objects of the repository around the new version.
#[derive(Default)]
pub(super) struct Stated {
    deployments: Vec<Arc<Deployment>>,
}

impl Stated {
    /// Finds the objects around a path.
    pub(super) fn around(path: &Path) -> Self {
        let request = discover::Request { paths: vec![path.to_owned()], ..Default::default() };
        Self { deployments: gitops::discover(&request, &Tree::around(&request)) }
    }

    /// The deployers of the chart in a folder.
    pub(super) fn of_chart(&self, folder: &Path) -> Vec<Deployer> {
        let folder = discover::absolute(folder);
        self.deployers(|one| matches!(&one.source, DeploymentSource::Chart(own) if *own == folder))
    }

    /// The deployers of a manifest; those of its neighbours if the new version does not have it.
    pub(super) fn of_manifest(&self, path: &Path) -> Vec<Deployer> {
        let path = discover::absolute(path);
        let own = self.deployers(|one| manifests(one).contains(&path));
        match own.is_empty() && !path.exists() {
            true => self
                .deployers(|one| manifests(one).iter().any(|file| file.parent() == path.parent())),
            false => own,
        }
    }

    fn deployers(&self, is_its: impl Fn(&Deployment) -> bool) -> Vec<Deployer> {
        let own: Vec<_> = self.deployments.iter().filter(|one| is_its(one)).cloned().collect();
        unit::deployers(&own)
    }
}

/// The files that a GitOps object applies as they are.
fn manifests(deployment: &Deployment) -> &[PathBuf] {
    match &deployment.source {
        DeploymentSource::Manifests(files) => files,
        _ => &[],
    }
}
