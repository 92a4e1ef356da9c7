//! Predicts whether, where and why the API server rejects the changes of a release.

use job_lifecycle::{
    Deployer, ReleaseChanges, Tool,
    release_changes::{Change, Difference, Step},
    workload::Kind,
};

use super::{AfterTtl, Subject};
use crate::finding::{PerDeployer, Severity};

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

/// In seconds: the next release hardly ever finds a Job that is removed within a day.
const SHORT_TTL: i64 = 86_400;

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
    /// Whether it needs `--pedantic`: a TTL has usually removed the Job by then.
    pub pedantic: bool,
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
        let (severity, pedantic) = self.severity_with_ttl(deployer, severity);
        Some(Rejection { deployer, why, steps, severity, pedantic })
    }

    /// The severity, and whether the finding needs `--pedantic`. With a TTL, only a release soon after the run finds the
    /// Job.
    fn severity_with_ttl(&self, deployer: &Deployer, severity: Severity) -> (Severity, bool) {
        let after = self.after_ttl();
        let after = after.iter().find(|(own, _)| *own == deployer).map(|(_, after)| after);
        let seconds = self.ttl().and_then(|ttl| ttl.value.as_int()).unwrap_or(i64::MAX);
        match after {
            None | Some(AfterTtl::Recreated(_)) => (severity, false),
            Some(_) if seconds <= SHORT_TTL => (Severity::Info, true),
            Some(_) => (severity.min(Severity::Warning), false),
        }
    }
}

impl<'a> Rejection<'a> {
    /// The verdict under its deployer.
    pub(crate) fn verdict(&self) -> PerDeployer {
        let tool = self.deployer.tool;
        let text = REJECTIONS.iter().find(|(own, _)| *own == tool).map_or("", |(_, text)| text);
        PerDeployer::new(tool, self.severity, text)
    }

    /// The immutable differences of all steps, each path once, those of every release first.
    pub(crate) fn differences(&self) -> Vec<&'a Difference> {
        let mut found: Vec<&Difference> = Vec::new();
        for difference in self.steps.iter().flat_map(|(_, change)| change.immutable()) {
            if !found.iter().any(|own| own.path == difference.path) {
                found.push(difference);
            }
        }
        found
    }
}
