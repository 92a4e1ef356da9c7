//! A workload as rules look at it: the Job or CronJob, what its containers run, and the unit around it.

mod hazard;
mod outcomes;
mod rejection;
mod rerun;

use std::{cell::OnceCell, ops::Deref};

use job_lifecycle::{
    Deployer, Object, ReleaseChanges, Tool, Workload,
    deployer::KubectlMode,
    kubernetes::schema::{self, Mismatch},
    release_changes,
    workload::Kind,
};
use yaml_spans::{Entry, Node};

use crate::{command::Command, context::Context};

pub use outcomes::{AfterTtl, recreating_option};
pub use rejection::{Rejection, Why};
pub use rerun::Rerun;

/// The author's word on whether a second run does harm.
pub const IDEMPOTENT: &str = "joblint.dev/idempotent";

/// The author's reason for it.
pub const REASON: &str = "joblint.dev/idempotent-reason";

/// A Job or CronJob in the context of its unit.
pub struct Subject<'a> {
    workload: Workload<'a>,
    pub context: &'a Context<'a>,
    /// What the next deploys change in it, where a chart made it.
    pub changes: Option<&'a ReleaseChanges>,
    mismatches: OnceCell<Vec<Mismatch<'a>>>,
    commands: OnceCell<Vec<Command<'a>>>,
}

impl<'a> Deref for Subject<'a> {
    type Target = Workload<'a>;

    fn deref(&self) -> &Self::Target {
        &self.workload
    }
}

impl<'a> Subject<'a> {
    /// `None` unless the object is a Job or CronJob.
    pub fn new(object: &'a Object, context: &'a Context<'a>) -> Option<Self> {
        Some(Self {
            workload: Workload::new(object)?,
            context,
            changes: context.changes.of(object).map(|changes| &**changes),
            mismatches: OnceCell::new(),
            commands: OnceCell::new(),
        })
    }

    /// What of the object the API server cannot make sense of.
    pub fn mismatches(&self) -> &[Mismatch<'a>] {
        let root = match self.kind {
            Kind::Job => "Job",
            Kind::CronJob => "CronJob",
        };
        self.mismatches
            .get_or_init(|| schema::mismatches(&self.object.root, root, self.context.kubernetes))
    }

    /// What the containers run, of those that state a command; read once.
    pub fn commands(&self) -> &[Command<'a>] {
        self.commands.get_or_init(|| Command::all(&self.workload, self.context))
    }

    /// The name changes with the content: as predicted, or by its looks, see [`release_changes::is_versioned_name`].
    pub fn has_varying_name(&self) -> bool {
        if let Some(changes) = self.changes {
            return changes.is_renamed();
        }
        let image = |container: &'a Node| container.get("image")?.as_str();
        let name = self.object.name().unwrap_or_default();
        release_changes::is_versioned_name(name, self.all_containers().filter_map(image))
    }

    /// What the author says about running it twice.
    pub fn idempotent_hint(&self) -> Option<bool> {
        self.hint()?.value.as_str()?.parse().ok()
    }

    /// `joblint.dev/idempotent`, on the Job or on a CronJob's jobTemplate.
    pub fn hint(&self) -> Option<&'a Entry> {
        let annotations: &[&str] = match self.kind {
            Kind::Job => &["metadata", "annotations"],
            Kind::CronJob => &["spec", "jobTemplate", "metadata", "annotations"],
        };
        self.object.root.at(annotations)?.entry(IDEMPOTENT)
    }

    /// Somebody runs `kubectl create`: stated, or written in a comment of the file where the deployer is only
    /// assumed.
    pub fn is_created_by_hand(&self, deployer: &Deployer) -> bool {
        let stated =
            deployer.tool == Tool::Kubectl && deployer.kubectl_mode() == KubectlMode::Create;
        let says = |line: &str| {
            let comment = line.trim_start().strip_prefix('#');
            comment.is_some_and(|text| text.contains("kubectl") && text.contains(" create"))
        };
        let written = || deployer.assumed && self.source.text.lines().any(says);
        stated || written()
    }
}
