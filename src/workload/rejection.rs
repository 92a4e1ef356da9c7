//! Predicts whether, where and why the API server rejects the changes of a release.

use job_lifecycle::{
    Deployer, ReleaseChanges, Tool,
    release_changes::{Change, Difference, Step},
    workload::Kind,
};

use super::{AfterTtl, Subject};
use crate::{
    finding::{PerDeployer, Severity},
    unit::UnitKind,
};

/// What each deployer reports when the API server rejects a Job (helm B.2; argocd 5; flux 2.3; fleet 3.2;
/// kubectl 4.1).
const REJECTIONS: [(Tool, &str); 6] = [
    (Tool::Helm3, "the upgrade fails: `field is immutable`"),
    (Tool::Helm4, "the upgrade fails: `field is immutable`"),
    (Tool::Argocd, "the sync fails: `field is immutable`"),
    (Tool::Flux, "the upgrade fails: `field is immutable`"),
    (Tool::Fleet, "the bundle fails: `field is immutable`"),
    (Tool::Kubectl, "`kubectl apply` is refused: `field is immutable`"),
];

/// A release hardly ever meets a Job that is gone within this many seconds after its run.
const SHORT_TTL: i64 = 3_600;

/// Why a Job keeps its name although it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The name never changes.
    Fixed,
    /// The name changes with some inputs but not with these.
    Incomplete,
    /// The name changes with the state of the release, which this deployer does not have.
    Stateless,
}

/// The predicted rejection under one deployer.
#[derive(Clone, Debug)]
pub(crate) struct Rejection<'a> {
    /// The deployer.
    pub deployer: &'a Deployer,
    /// Why the Job keeps its name.
    pub why: Why,
    /// The release steps whose changes are rejected.
    pub steps: Vec<&'a (Step, Change)>,
    /// An error if every release is affected.
    pub severity: Severity,
    /// The seconds after its run at which a TTL removes the Job: only a deploy before that is refused.
    pub expiry: Option<i64>,
}

impl<'a> Subject<'a> {
    /// The predicted rejections under the deployers in force; empty unless it is a Job of a chart.
    pub(crate) fn rejections(&self) -> Vec<Rejection<'a>> {
        let Some(changes) = self.changes.filter(|_| self.kind == Kind::Job) else {
            return Vec::new();
        };
        let patching = self.applying().filter(|deployer| self.is_patched(deployer));
        patching.filter_map(|deployer| self.rejection(changes, deployer)).collect()
    }

    fn rejection(
        &self,
        changes: &'a ReleaseChanges,
        deployer: &'a Deployer,
    ) -> Option<Rejection<'a>> {
        let own = changes.under(deployer);
        // Without new sources these two deploy nothing (flux 2.4; fleet 3.1).
        let is_idle = matches!(deployer.tool, Tool::Flux | Tool::Fleet);
        let steps: Vec<_> =
            own.rejected().filter(|(step, _)| !(is_idle && *step == Step::Again)).collect();
        let first = steps.first()?;
        let renamed =
            |changes: &ReleaseChanges| changes.at(&first.0).is_some_and(|change| change.name);
        let why = match (renamed(changes), own.is_renamed()) {
            (_, true) => Why::Incomplete,
            (true, false) => Why::Stateless,
            (false, false) => Why::Fixed,
        };
        let every = steps.iter().any(|(step, _)| step.is_of_every_release());
        let severity = if every { Severity::Error } else { Severity::Warning };
        let expiry = self.expiry(deployer);
        let severity = match (expiry, severity) {
            (None, _) => severity,
            (Some(SHORT_TTL..), Severity::Error) => Severity::Warning,
            (Some(_), _) => Severity::Info,
        };
        // Nothing says that the kustomization is applied again.
        let is_guess = deployer.assumed && self.context.kind == UnitKind::Overlay;
        let severity = if is_guess { Severity::Info } else { severity };
        Some(Rejection { deployer, why, steps, severity, expiry })
    }

    /// The seconds after its run at which a TTL removes the Job. With a TTL, a release meets the Job only before
    /// that, or while its run does not end. `None` without a TTL, and where the deployer puts the Job back.
    fn expiry(&self, deployer: &Deployer) -> Option<i64> {
        let after = self.after_ttl();
        let (_, after) = after.iter().find(|(own, _)| *own == deployer)?;
        let is_recreated = matches!(after, AfterTtl::Recreated(_));
        self.ttl()?.value.as_int().filter(|_| !is_recreated)
    }
}

impl<'a> Rejection<'a> {
    /// The verdict under its deployer.
    pub(crate) fn verdict(&self) -> PerDeployer {
        let tool = self.deployer.tool;
        let text = REJECTIONS.iter().find(|(own, _)| *own == tool).map_or("", |(_, text)| text);
        match self.expiry {
            Some(_) => PerDeployer::new(
                tool,
                self.severity,
                format!("{text}, until the TTL removes the Job"),
            ),
            None => PerDeployer::new(tool, self.severity, text),
        }
    }

    /// True when the Job is gone soon after its run: hardly any deploy meets it, and the next one succeeds.
    pub(crate) fn is_brief(&self) -> bool {
        self.expiry.is_some_and(|seconds| seconds < SHORT_TTL)
    }

    /// The immutable differences of all steps, each path once, those of every release first.
    pub(crate) fn differences(&self) -> Vec<&'a Difference> {
        let mut found: Vec<&Difference> = Vec::new();
        let own = |(step, change): &'a (Step, Change)| {
            let is_rare = !step.is_of_every_release();
            change.immutable().map(move |difference| (is_rare, difference))
        };
        let mut all: Vec<_> = self.steps.iter().copied().flat_map(own).collect();
        // What the Job is for comes before what only waits for something or copies files.
        all.sort_by_key(|(is_rare, difference)| (*is_rare, is_of_helper(difference)));
        for (_, difference) in all {
            if !found.iter().any(|own| own.path == difference.path) {
                found.push(difference);
            }
        }
        found
    }
}

/// True for a change of an init container.
fn is_of_helper(difference: &Difference) -> bool {
    difference.path.contains("initContainers[")
}
