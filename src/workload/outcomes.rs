//! What the forecast answers to the questions that rules ask about one workload.

use std::borrow::Cow;

use job_lifecycle::{
    Deployer, Event, Outcome, ReleaseChanges, Tool,
    deployer::{Argocd, Fleet, Flux, OptionName},
    forecast::{DeployedWorkload, outcome},
    workload::Kind,
};

use super::Subject;

/// What a deployer does once a TTL has removed a Job, with nobody deploying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterTtl {
    /// It creates the Job again; when, as the end of a sentence.
    Recreated(String),
    /// It reports drift, in its own word for that state.
    Reported(&'static str),
    /// Nothing before the next deploy.
    Unnoticed,
}

impl<'a> Subject<'a> {
    /// What the next version changes: as predicted for a chart, else an edit of the images.
    pub fn release_changes(&self) -> Cow<'a, ReleaseChanges> {
        match self.changes {
            Some(changes) => Cow::Borrowed(changes),
            None => Cow::Owned(ReleaseChanges::edited(self.object)),
        }
    }

    /// The outcome of an event at which these changes are deployed; `None` when the event cannot happen.
    pub fn outcome(
        &self,
        deployer: &Deployer,
        changes: &ReleaseChanges,
        event: Event,
    ) -> Option<Outcome> {
        let role = self.context.role(self.object, deployer);
        let work = DeployedWorkload::new(self.object, role, self.context.from_chart())?;
        outcome(&work, changes, deployer, event)
    }

    /// The deployer sends an edit of the pod template to the Job that is there, which rejects it.
    pub fn is_patched(&self, deployer: &Deployer) -> bool {
        let edit = ReleaseChanges::template_edit();
        !self.is_created_by_hand(deployer)
            && self.is_accepted(deployer)
            && self.outcome(deployer, &edit, Event::Upgrade) == Some(Outcome::Rejected)
            && !self.rejects_unchanged(deployer)
    }

    /// Every deploy after the first is rejected, whether it changes anything or not.
    pub fn rejects_unchanged(&self, deployer: &Deployer) -> bool {
        let same = ReleaseChanges::default();
        self.is_accepted(deployer)
            && self.outcome(deployer, &same, Event::Redeploy) == Some(Outcome::Rejected)
    }

    /// Every deploy creates another Job beside those that are there; of objects without a name.
    pub fn is_created_anew(&self, deployer: &Deployer) -> bool {
        let same = ReleaseChanges::default();
        let again = self.outcome(deployer, &same, Event::Upgrade);
        self.is_created_by_hand(deployer)
            || matches!(again, Some(Outcome::RunsAgain | Outcome::Loop))
    }

    /// Every sync that reaches the Job deletes and creates it, whether it changes anything or not.
    pub fn is_always_recreated(&self, deployer: &Deployer) -> bool {
        let same = ReleaseChanges::default();
        self.outcome(deployer, &same, Event::Upgrade) == Some(Outcome::Replaced)
    }

    /// A deploy during a run deletes the Job and creates it again.
    pub fn is_recreated_while_running(&self, deployer: &Deployer) -> bool {
        let edit = ReleaseChanges::template_edit();
        self.outcome(deployer, &edit, Event::WhileRunning) == Some(Outcome::Replaced)
    }

    /// What each deployer does once the TTL has removed the Job: ordinary Jobs with a fixed name only.
    pub fn after_ttl(&self) -> Vec<(&'a Deployer, AfterTtl)> {
        if self.kind == Kind::CronJob || self.object.name().is_none() || self.ttl().is_none() {
            return Vec::new();
        }
        let same = ReleaseChanges::default();
        let answer = |deployer: &'a Deployer| match self.outcome(deployer, &same, Event::AfterTtl) {
            Some(Outcome::Loop) => AfterTtl::Recreated(self.when_recreated(deployer)),
            Some(Outcome::Drift) => AfterTtl::Reported(drift_state(deployer.tool)),
            _ => AfterTtl::Unnoticed,
        };
        self.context.applying(self.object).map(|one| (one, answer(one))).collect()
    }

    /// The first deploy does not fail over it.
    pub fn is_accepted(&self, deployer: &Deployer) -> bool {
        let first = self.outcome(deployer, &ReleaseChanges::default(), Event::Install);
        first.is_some_and(|first| !first.fails())
    }

    /// When a GitOps tool creates what is gone.
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

/// How a tool calls the state of a unit in which an object is missing.
fn drift_state(tool: Tool) -> &'static str {
    match tool {
        Tool::Argocd => "OutOfSync",
        Tool::Fleet => "Modified",
        _ => "DriftDetected",
    }
}

/// The option that makes a deployer create what is gone.
pub fn recreating_option(deployer: &Deployer) -> OptionName {
    match deployer.tool {
        Tool::Argocd => Argocd::SELF_HEAL,
        Tool::Flux if deployer.flux().drift_detection.is_some() => Flux::DRIFT_DETECTION,
        Tool::Fleet => Fleet::CORRECT_DRIFT,
        _ => Flux::INTERVAL,
    }
}
