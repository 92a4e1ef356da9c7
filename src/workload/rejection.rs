//! Does the API server refuse what a release changes, where, and why?

use job_lifecycle::{
    Deployer, ReleaseChanges, Tool,
    release_changes::{Change, Difference, Step},
    workload::Kind,
};

use super::{AfterTtl, Subject};
use crate::finding::{PerDeployer, Severity};

/// How a deployer puts it when the API server refuses a Job (facts: helm B.5, argocd 5, flux 1.1, fleet 3.2).
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

/// Why a Job keeps its name while it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing in the name ever changes.
    Fixed,
    /// The name changes with some inputs, and not with these.
    Incomplete,
    /// The name changes with the release, which this deployer does not have.
    Stateless,
}

/// What one deployer gets refused.
#[derive(Clone, Debug)]
pub struct Rejection<'a> {
    pub deployer: &'a Deployer,
    pub why: Why,
    pub steps: Vec<&'a (Step, Change)>,
    pub severity: Severity,
    /// A TTL removes the Job: only a deploy before that is refused.
    pub expires: bool,
}

impl<'a> Subject<'a> {
    /// What the deployers in force get refused when a release changes it; only of a chart's Jobs.
    pub fn rejections(&self) -> Vec<Rejection<'a>> {
        let Some(changes) = self.changes.filter(|_| self.kind == Kind::Job) else {
            return Vec::new();
        };
        let context = self.context;
        let patching = context.applying(self.object).filter(|deployer| self.is_patched(deployer));
        patching.filter_map(|deployer| self.rejection(changes, deployer)).collect()
    }

    fn rejection(
        &self,
        changes: &'a ReleaseChanges,
        deployer: &'a Deployer,
    ) -> Option<Rejection<'a>> {
        let own = changes.under(deployer);
        // Without new sources these two deploy nothing (flux 2.1, fleet 3.1).
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
        let seconds = self.expiry(deployer);
        let severity = match (seconds, severity) {
            (None, _) => severity,
            (Some(SHORT_TTL..), Severity::Error) => Severity::Warning,
            (Some(_), _) => Severity::Info,
        };
        Some(Rejection { deployer, why, steps, severity, expires: seconds.is_some() })
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
    /// What it means under its deployer.
    pub fn verdict(&self) -> PerDeployer {
        let tool = self.deployer.tool;
        let text = REJECTIONS.iter().find(|(own, _)| *own == tool).map_or("", |(_, text)| text);
        match self.expires {
            true => PerDeployer::new(
                tool,
                self.severity,
                format!("{text}, until the TTL removes the Job"),
            ),
            false => PerDeployer::new(tool, self.severity, text),
        }
    }

    /// The immutable differences of all its steps, each once, those of every release first.
    pub fn differences(&self) -> Vec<&'a Difference> {
        let mut found: Vec<&Difference> = Vec::new();
        for difference in self.steps.iter().flat_map(|(_, change)| change.immutable()) {
            if !found.iter().any(|own| own.path == difference.path) {
                found.push(difference);
            }
        }
        found
    }
}
