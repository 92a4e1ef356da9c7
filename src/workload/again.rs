//! Does the command run a second time here, and what makes it?

use std::cell::Cell;

use super::{Kind, Workload};
use crate::{
    deploy::{Deployer, Gone, Hook, Role, Tool, forces},
    finding::{PerDeployer, Severity},
    script::Verdict,
    yaml::Node,
};

/// What runs the command again, the worst first.
#[derive(Clone, Debug)]
pub enum Again {
    /// The deployer, without anyone deploying: what each does.
    Loop(Vec<PerDeployer>),
    /// Every deploy: what each deployer does.
    Deploy(Vec<PerDeployer>),
    /// The schedule of a CronJob, which is what it is for.
    Schedule,
    /// The Job after a failure, up to this many times.
    Retry(i64),
    /// Nothing but chance: an eviction, a Job controller that starts a pod twice.
    Chance,
}

impl Workload<'_> {
    /// What runs the command again under the deployers in force.
    pub fn again(&self) -> Again {
        if self.kind == Kind::CronJob {
            return Again::Schedule;
        }
        let endless = Cell::new(false);
        let reruns = self.judge(|deployer| {
            let (text, by_itself) = self.rerun(deployer)?;
            endless.set(endless.get() || by_itself);
            Some((Severity::Error, text))
        });
        match (reruns.is_empty(), self.retries()) {
            (false, _) if endless.get() => Again::Loop(reruns),
            (false, _) => Again::Deploy(reruns),
            (true, 0) => Again::Chance,
            (true, retries) => Again::Retry(retries),
        }
    }

    /// How often the Job tries again after a failure.
    pub fn retries(&self) -> i64 {
        let limits = ["backoffLimit", "backoffLimitPerIndex"];
        let set = limits.iter().filter_map(|limit| self.job.get(limit)).find_map(Node::as_int);
        set.unwrap_or(6)
    }

    /// Every deployer in force makes it a hook of the end: it takes away what is no longer wanted.
    pub fn cleans_up(&self) -> bool {
        let ends = ["pre-delete", "post-delete", "PreDelete", "PostDelete"];
        let mut hooks =
            self.deployers.iter().filter_map(|deployer| self.hook(self.object, deployer));
        let first = hooks.next();
        first.is_some_and(|first| first.only(&ends) && hooks.all(|hook| hook.only(&ends)))
    }

    /// What the author or the catalogue says about a second run of everything in it; `None` where
    /// neither knows.
    pub fn is_idempotent(&self) -> Option<bool> {
        self.idempotent_hint().or_else(|| {
            let commands = self.commands();
            let analyses = || commands.iter().map(|command| &command.analysis);
            let harm = !self.cleans_up() && analyses().any(|analysis| analysis.is_harmful());
            let stated = self.containers().len() == commands.iter().filter(|one| !one.init).count();
            let known = stated && analyses().all(|analysis| analysis.is_known());
            harm.then_some(false).or(known.then_some(true))
        })
    }

    /// What this deployer does that runs it again, and whether it does so with nobody deploying.
    fn rerun(&self, deployer: &Deployer) -> Option<(String, bool)> {
        match self.role(self.object, deployer) {
            Role::Dropped => None,
            Role::Hook(hook) => Some((format!("runs it again {}", event(&hook)?), false)),
            Role::Plain if deployer.assumed && self.object.is_annotated_hook() => None,
            Role::Plain if forces(self.object, deployer, self.from_chart()) => {
                Some(("deletes it and runs it again when it changes".to_owned(), false))
            }
            Role::Plain if self.is_renamed_always(deployer) => {
                Some(("runs it again under another name at every deploy".to_owned(), false))
            }
            Role::Plain => self.after_ttl(deployer),
        }
    }

    /// Something random, the time or the revision is in its name. Under Argo CD `random-name` speaks of it.
    fn is_renamed_always(&self, deployer: &Deployer) -> bool {
        let churn = self.object.churn.as_deref().filter(|_| deployer.tool != Tool::Argocd);
        churn.is_some_and(|churn| churn.under(deployer).render.name)
    }

    fn after_ttl(&self, deployer: &Deployer) -> Option<(String, bool)> {
        let (_, gone) = self.gone_by_ttl().into_iter().find(|(of, _)| *of == deployer)?;
        let modes = ["create", "replace"];
        match gone {
            Gone::PutBack(when) => {
                Some((format!("runs it again after the TTL has removed it, {when}"), true))
            }
            Gone::Unnoticed if deployer.text("mode").is_none_or(|mode| !modes.contains(&mode)) => {
                Some(("runs it again with the next deploy after the TTL".to_owned(), false))
            }
            Gone::Reported(_) | Gone::Unnoticed => None,
        }
    }
}

/// When a hook runs more than once in the life of a release.
fn event(hook: &Hook) -> Option<&'static str> {
    let events = [
        (&["PreSync", "Sync", "PostSync"][..], "at every sync"),
        (&["pre-upgrade", "post-upgrade"], "at every upgrade"),
        (&["pre-rollback", "post-rollback"], "at every rollback"),
    ];
    let runs = |(names, _): &&(&[&str], _)| names.iter().any(|name| hook.listens_to(name));
    events.iter().find(runs).map(|(_, when)| *when)
}

impl Again {
    /// How bad a hazard is; whether it is worth a word without `--pedantic`. What a CronJob does at every
    /// run is what it is for, unless it then fails.
    pub fn severity(&self, verdict: Verdict) -> (Severity, bool) {
        match self {
            Again::Loop(_) | Again::Deploy(_) => (Severity::Error, true),
            Again::Schedule => (Severity::Warning, verdict == Verdict::FailsWhenRepeated),
            Again::Retry(_) => (Severity::Warning, true),
            Again::Chance => (Severity::Warning, false),
        }
    }

    pub fn deployers(&self) -> &[PerDeployer] {
        match self {
            Again::Loop(all) | Again::Deploy(all) => all,
            Again::Schedule | Again::Retry(_) | Again::Chance => &[],
        }
    }

    /// What runs it again, as a part of a sentence.
    pub fn cause(&self) -> String {
        match self {
            Again::Loop(all) | Again::Deploy(all) => {
                let text = all.first().map(|one| one.text.as_str()).unwrap_or_default();
                format!("{} {text}", PerDeployer::subject(all))
            }
            Again::Schedule => "the schedule runs it again".to_owned(),
            Again::Retry(1) => "a failure runs it again".to_owned(),
            Again::Retry(count) => format!("a failure runs it up to {count} more times"),
            Again::Chance => "a pod that is evicted runs it again".to_owned(),
        }
    }
}
