//! The state before an operation: what is in the cluster, and what is about to be sent.

use super::{
    Event, deletion,
    work::{DeployedWorkload, Shape},
};
use crate::{
    deployer::{Deployer, Tool},
    object::Object,
    release_changes::{Change, ReleaseChanges},
};

/// What is in the cluster under the workload's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Live {
    /// Nothing, and there never was.
    Never,
    /// Nothing: a TTL or a delete policy has removed it.
    Gone,
    /// An object that succeeded.
    Done,
    /// An object that failed.
    Failed,
    /// An object that is running.
    Running,
}

/// What is sent, compared with the previous deploy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The same.
    Same,
    /// Mutable fields differ.
    Mutable,
    /// Immutable fields differ.
    Immutable,
    /// The name differs.
    Renamed,
}

/// A workload under a deployer at an event, with what is sent.
#[derive(Clone, Copy)]
pub(super) struct ClusterState<'a> {
    pub work: &'a DeployedWorkload<'a>,
    pub deployer: &'a Deployer,
    pub event: Event,
    pub sent: Sent,
    /// A rollback returns to the name of the previous version, whose object may still exist.
    pub comes_back: bool,
    /// The hook that deletes the old object first.
    pub deleted_by: Option<&'a Object>,
}

impl<'a> ClusterState<'a> {
    pub(super) fn new(
        work: &'a DeployedWorkload<'a>,
        changes: &ReleaseChanges,
        deployer: &'a Deployer,
        event: Event,
    ) -> Self {
        let sent = change(changes, event).map_or(Sent::Same, |change| compared(change, work.shape));
        let comes_back = event == Event::Rollback && !changes.render.name;
        let state = Self { work, deployer, event, sent, comes_back, deleted_by: None };
        Self { deleted_by: deletion::deleter(&state), ..state }
    }

    /// The live state of an ordinary object, which exists from the first deploy on.
    pub(super) fn live(&self) -> Live {
        match self.event {
            Event::Install => Live::Never,
            Event::AfterTtl => Live::Gone,
            _ if self.deleted_by.is_some() => Live::Gone,
            Event::WhileRunning => Live::Running,
            Event::AfterFailure => Live::Failed,
            _ => Live::Done,
        }
    }

    pub(super) fn is_helm_release(&self) -> bool {
        self.deployer.is_helm_release(self.work.from_chart)
    }

    /// The name of the deployer in reasons.
    pub(super) fn title(&self) -> &'static str {
        match self.deployer.tool {
            Tool::Flux if self.is_helm_release() => "the HelmRelease",
            tool => tool.title(),
        }
    }
}

/// What the operation of an event changes.
pub(super) fn change(changes: &ReleaseChanges, event: Event) -> Option<&Change> {
    match event {
        Event::Install | Event::SelfHeal | Event::Removed | Event::Uninstall => None,
        Event::Redeploy | Event::AfterTtl => Some(&changes.render),
        _ => Some(&changes.upgrade),
    }
}

fn compared(change: &Change, shape: Shape) -> Sent {
    match (change.name, change.fields.is_empty(), change.mutable) {
        (true, ..) => Sent::Renamed,
        // Nobody patches an object that becomes a hook or is no longer one.
        (_, false, _) if shape == Shape::Job && change.hook.is_none() => Sent::Immutable,
        (_, true, false) => Sent::Same,
        _ => Sent::Mutable,
    }
}
