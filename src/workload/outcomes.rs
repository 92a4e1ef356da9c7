//! The forecast for one workload as answers to the questions of rules.

use std::borrow::Cow;

use job_lifecycle::{
    Deployer, Event, Outcome, ReleaseChanges, Tool,
    deployer::{Argocd, Fleet, Flux, OptionName},
    forecast::{DeployedWorkload, outcome},
    workload::Kind,
};

use super::Subject;

/// What a deployer does, without a deploy, once the TTL has removed a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AfterTtl {
    /// It creates the Job again, at a time given as the end of a sentence.
    Recreated(String),
    /// It reports drift, by its own name of that state.
    Reported(&'static str),
    /// Nothing before the next deploy.
    Unnoticed,
}

impl<'a> Subject<'a> {
    /// What the next version changes: as predicted for a chart, else an edit of the images.
    pub(crate) fn release_changes(&self) -> Cow<'a, ReleaseChanges> {
        match self.changes {
            Some(changes) => Cow::Borrowed(changes),
            None => Cow::Owned(ReleaseChanges::edited(self.object)),
        }
    }

    /// The outcome of an event that deploys these changes; `None` if the event cannot happen.
    pub(crate) fn outcome(
        &self,
        deployer: &Deployer,
        changes: &ReleaseChanges,
        event: Event,
    ) -> Option<Outcome> {
        let role = self.role(deployer);
        let work = DeployedWorkload::new(self.object, role, self.context.from_chart())?;
        let work = work.deleted_by(self.context.deleters(self.object));
        outcome(&work, changes, deployer, event)
    }

    /// True when the deployer patches the existing Job with an edited pod template, which the API server rejects.
    pub(crate) fn is_patched(&self, deployer: &Deployer) -> bool {
        let edit = ReleaseChanges::template_edit();
        !self.is_created_by_hand(deployer)
            && !self.context.is_printed_where_absent(self.object, deployer)
            && self.is_accepted(deployer)
            && self.outcome(deployer, &edit, Event::Upgrade) == Some(Outcome::Rejected)
            && !self.rejects_unchanged(deployer)
    }

    /// True when every deploy after the first is rejected, whether it changes anything or not.
    pub(crate) fn rejects_unchanged(&self, deployer: &Deployer) -> bool {
        let same = ReleaseChanges::default();
        self.is_accepted(deployer)
            && self.outcome(deployer, &same, Event::Redeploy) == Some(Outcome::Rejected)
    }

    /// True when every deploy creates another Job beside the existing ones; for objects without a name.
    pub(crate) fn is_created_anew(&self, deployer: &Deployer) -> bool {
        let same = ReleaseChanges::default();
        let again = self.outcome(deployer, &same, Event::Upgrade);
        self.is_created_by_hand(deployer)
            || matches!(again, Some(Outcome::RunsAgain | Outcome::Loop))
    }

    /// True when every sync deletes and recreates the Job, whether it changes anything or not.
    pub(crate) fn is_always_recreated(&self, deployer: &Deployer) -> bool {
        let same = ReleaseChanges::default();
        self.outcome(deployer, &same, Event::Upgrade) == Some(Outcome::Replaced)
    }

    /// True when a deploy during a run deletes and recreates the Job.
    pub(crate) fn is_recreated_while_running(&self, deployer: &Deployer) -> bool {
        let edit = ReleaseChanges::template_edit();
        self.outcome(deployer, &edit, Event::WhileRunning) == Some(Outcome::Replaced)
    }

    /// What each deployer does once the TTL has removed the Job; empty unless it is an ordinary Job with a fixed name.
    pub(crate) fn after_ttl(&self) -> Vec<(&'a Deployer, AfterTtl)> {
        if self.kind == Kind::CronJob || self.object.name().is_none() || self.ttl().is_none() {
            return Vec::new();
        }
        let same = ReleaseChanges::default();
        let answer = |deployer: &'a Deployer| match self.outcome(deployer, &same, Event::AfterTtl) {
            Some(Outcome::Loop) => AfterTtl::Recreated(self.when_recreated(deployer)),
            Some(Outcome::Drift) => AfterTtl::Reported(drift_state(deployer.tool)),
            _ => AfterTtl::Unnoticed,
        };
        self.applying().map(|one| (one, answer(one))).collect()
    }

    /// True when the first deploy succeeds.
    pub(crate) fn is_accepted(&self, deployer: &Deployer) -> bool {
        let first = self.outcome(deployer, &ReleaseChanges::default(), Event::Install);
        first.is_some_and(|first| !first.fails())
    }

    /// When a GitOps tool recreates a missing object.
    fn when_recreated(&self, deployer: &Deployer) -> String {
        let check = match deployer.tool {
            Tool::Argocd => return "by self-heal (back-off at most 300 s)".to_owned(),
            Tool::Fleet => return "3 to 5 s later (drift correction)".to_owned(),
            _ if deployer.is_helm_release(self.context.from_chart()) => "drift detection",
            _ => "reconcile",
        };
        let interval = deployer.flux().interval.as_ref();
        let interval = interval.map_or("`spec.interval`", |interval| interval.as_str());
        format!("at its next {check} (every {interval})")
    }
}

/// A tool's name of the state in which an object is missing.
fn drift_state(tool: Tool) -> &'static str {
    match tool {
        Tool::Argocd => "OutOfSync",
        Tool::Fleet => "Modified",
        _ => "DriftDetected",
    }
}

/// The option that makes a deployer recreate missing objects.
pub(crate) fn recreating_option(deployer: &Deployer) -> OptionName {
    match deployer.tool {
        Tool::Argocd => Argocd::SELF_HEAL,
        Tool::Flux if deployer.flux().drift_detection.is_some() => Flux::DRIFT_DETECTION,
        Tool::Fleet => Fleet::CORRECT_DRIFT,
        _ => Flux::INTERVAL,
    }
}
