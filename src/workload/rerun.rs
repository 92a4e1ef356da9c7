//! Predicts what runs the command of a workload a second time.

use std::cell::Cell;

use job_lifecycle::{
    Deployer, Event, Hook, Outcome, Role, deploy::SYNC_PHASES, deployer::Retries,
    release_changes::HookChange, workload::Kind,
};
use shell_effects::Verdict;

use super::{AfterTtl, Subject};
use crate::{
    finding::{PerDeployer, Severity},
    suspension::has_no_date,
};

/// What runs the command again, the most severe first.
#[derive(Clone, Debug)]
pub(crate) enum Rerun {
    /// A deployer, in a loop without a deploy: what each deployer does.
    Loop(Vec<PerDeployer>),
    /// Every deploy: what each deployer does.
    Deploy(Vec<PerDeployer>),
    /// The schedule of a CronJob, as intended.
    Schedule,
    /// A retry after a failure, up to this many times.
    Retry(i64),
    /// Only chance: an eviction, or a Job controller that starts a pod twice.
    Chance,
}

impl Subject<'_> {
    /// What runs the command again under the deployers in force.
    pub(crate) fn rerun(&self) -> Rerun {
        let by_failure = || match self.repetitions() {
            0 => Rerun::Chance,
            retries => Rerun::Retry(retries),
        };
        match self.kind {
            Kind::CronJob if self.is_suspended() || has_no_date(self.object) => {
                return by_failure();
            }
            Kind::CronJob => return Rerun::Schedule,
            Kind::Job => {}
        }
        let endless = Cell::new(false);
        let reruns = self.context.judge(|deployer| {
            let (text, by_itself) = self.rerun_by(deployer)?;
            endless.set(endless.get() || by_itself);
            Some((Severity::Error, text))
        });
        match reruns.is_empty() {
            false if endless.get() => Rerun::Loop(reruns),
            false => Rerun::Deploy(reruns),
            true => by_failure(),
        }
    }

    /// How often a failure repeats it: as often as the Job retries, in each install that a HelmRelease tries. Without
    /// a limit, one more try counts.
    fn repetitions(&self) -> i64 {
        let from_chart = self.context.from_chart();
        let is_installed = |deployer: &&Deployer| match self.role(deployer) {
            Role::Hook(hook) => !hook.only(&["pre-upgrade", "post-upgrade"]),
            Role::Plain => true,
            Role::Dropped => false,
        };
        let releases = self.context.deployers.iter().filter(is_installed);
        let more = releases.filter(|one| one.is_helm_release(from_chart)).filter_map(|one| {
            Some(match one.reinstalls()? {
                Retries::Count(count) => i64::from(count),
                Retries::Endless => 1,
            })
        });
        let installs = more.max().unwrap_or_default() + 1;
        self.retries().max(0).saturating_add(1).saturating_mul(installs) - 1
    }

    /// True when every deployer in force runs it as a delete hook only: it cleans up.
    pub(crate) fn cleans_up(&self) -> bool {
        let ends = ["pre-delete", "post-delete", "PreDelete", "PostDelete"];
        let mut hooks = self.context.deployers.iter().filter_map(|deployer| self.hook(deployer));
        let first = hooks.next();
        first.is_some_and(|first| first.only(&ends) && hooks.all(|hook| hook.only(&ends)))
    }

    /// Whether all commands are idempotent, according to the author or the catalogue; `None` if neither knows.
    pub(crate) fn is_idempotent(&self) -> Option<bool> {
        self.idempotent_hint().or_else(|| {
            let commands = self.commands();
            let analyses = || commands.iter().map(|command| &command.analysis);
            let harm = !self.cleans_up() && analyses().any(|analysis| analysis.is_harmful());
            let is_complete =
                self.containers().len() == commands.iter().filter(|one| !one.init).count();
            let known = is_complete && analyses().all(|analysis| analysis.is_known());
            harm.then_some(false).or(known.then_some(true))
        })
    }

    /// How this deployer runs it again, and whether it does so without a deploy, according to the forecast for the
    /// events in [`AGAIN`].
    fn rerun_by(&self, deployer: &Deployer) -> Option<(String, bool)> {
        let role = self.role(deployer);
        if role == Role::Plain && deployer.assumed && self.object.is_annotated_hook() {
            return None;
        }
        let changes = self.release_changes();
        let starts = AGAIN.iter().filter_map(|event| {
            let outcome = self.outcome(deployer, &changes, *event)?;
            outcome.starts().then_some((*event, outcome))
        });
        let starts: Vec<_> = starts.collect();
        let endless = starts.iter().find(|(_, outcome)| *outcome == Outcome::Loop);
        let (event, outcome) = endless.or(starts.first())?;
        Some((self.rerun_text(deployer, &role, *event, *outcome), endless.is_some()))
    }

    fn rerun_text(&self, deployer: &Deployer, role: &Role, at: Event, outcome: Outcome) -> String {
        let changes = self.release_changes();
        let becomes = match &changes.under(deployer).upgrade.hook {
            Some(HookChange::Becomes(hook)) => Some(hook),
            Some(HookChange::Ceases) | None => None,
        };
        let hook = role.hook().or(becomes).and_then(hook_frequency);
        let text = match (at, outcome, hook) {
            (Event::AfterTtl, Outcome::Loop, _) => {
                let after = self.after_ttl().into_iter().find(|(of, _)| *of == deployer);
                return match after {
                    Some((_, AfterTtl::Recreated(when))) => {
                        format!("runs it again after the TTL has removed it, {when}")
                    }
                    _ => "runs it again after the TTL has removed it".to_owned(),
                };
            }
            (_, Outcome::Loop, _) => "runs it again and again",
            (_, _, Some(when)) => return format!("runs it again {when}"),
            (Event::AfterTtl, ..) => "runs it again with the next deploy after the TTL",
            (Event::Redeploy, Outcome::Replaced, _) => {
                "deletes it and runs it again at every deploy"
            }
            (Event::Redeploy, ..) => "runs it again under another name at every deploy",
            (Event::Rollback, ..) => "runs it again at every rollback",
            (_, Outcome::Replaced, _) => "deletes it and runs it again when it changes",
            _ => "runs it again under another name with every new version",
        };
        text.to_owned()
    }
}

/// The events that keep the unit and may run a Job again, the most frequent first.
const AGAIN: [Event; 4] = [Event::Redeploy, Event::AfterTtl, Event::Upgrade, Event::Rollback];

/// When a hook runs again in the life of a release; `None` if it runs once.
fn hook_frequency(hook: &Hook) -> Option<&'static str> {
    let events = [
        (&SYNC_PHASES[..], "at every sync"),
        (&["pre-upgrade", "post-upgrade"], "at every upgrade"),
        (&["pre-rollback", "post-rollback"], "at every rollback"),
    ];
    let runs = |(names, _): &&(&[&str], _)| names.iter().any(|name| hook.listens_to(name));
    events.iter().find(runs).map(|(_, when)| *when)
}

impl Rerun {
    /// The severity of a hazard, and whether it is reported without `--pedantic`. A CronJob is meant to repeat its
    /// effect, unless the second run fails.
    pub(crate) fn severity(&self, verdict: Verdict) -> (Severity, bool) {
        match self {
            Rerun::Loop(_) | Rerun::Deploy(_) => (Severity::Error, true),
            Rerun::Schedule => (Severity::Warning, verdict == Verdict::FailsWhenRepeated),
            Rerun::Retry(_) => (Severity::Warning, true),
            Rerun::Chance => (Severity::Warning, false),
        }
    }

    /// What each deployer does; empty if no deployer runs it again.
    pub(crate) fn deployers(&self) -> &[PerDeployer] {
        match self {
            Rerun::Loop(all) | Rerun::Deploy(all) => all,
            Rerun::Schedule | Rerun::Retry(_) | Rerun::Chance => &[],
        }
    }

    /// The cause as a clause for a headline.
    pub(crate) fn short_cause(&self) -> String {
        match self {
            Rerun::Loop(_) | Rerun::Deploy(_) => self.cause(),
            Rerun::Schedule => "the schedule repeats it".to_owned(),
            Rerun::Retry(_) => "a failure repeats it".to_owned(),
            Rerun::Chance => "an eviction repeats it".to_owned(),
        }
    }

    /// The cause as a clause: `a failure runs it again`.
    pub(crate) fn cause(&self) -> String {
        match self {
            Rerun::Loop(all) | Rerun::Deploy(all) => {
                let text = all.first().map(|one| one.text.as_str()).unwrap_or_default();
                format!("{} {text}", PerDeployer::subject(all))
            }
            Rerun::Schedule => "the schedule runs it again".to_owned(),
            Rerun::Retry(1) => "a failure runs it again".to_owned(),
            Rerun::Retry(count) => format!("a failure runs it up to {count} more times"),
            Rerun::Chance => "a pod that is evicted runs it again".to_owned(),
        }
    }
}
