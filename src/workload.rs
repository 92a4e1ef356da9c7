//! A workload as rules see it: the Job or CronJob, the commands of its containers, and the unit around it.

mod cycle;
mod end;
mod hazard;
pub(crate) mod idle_hook;
pub(crate) mod made;
mod nudge;
mod outcomes;
mod rejection;
mod rerun;

use std::{cell::OnceCell, ops::Deref};

use job_lifecycle::{
    Deployer, Hook, Object, ReleaseChanges, Role, Tool, Workload,
    annotations::HELM_HOOK,
    deployer::KubectlMode,
    kubernetes::schema::{self, Mismatch},
    release_changes,
    workload::Kind,
};
use yaml_spans::{Entry, Node};

use crate::{command::Command, context::Context, unit::UnitKind, words};

pub(crate) use end::DEADLINE;
pub(crate) use outcomes::{AfterTtl, recreating_option};
pub(crate) use rejection::{Rejection, Why};
pub(crate) use rerun::Rerun;

/// The annotation by which the author states whether the workload is idempotent.
pub(crate) const IDEMPOTENT: &str = "joblint.dev/idempotent";

/// The annotation with the author's reason.
pub(crate) const REASON: &str = "joblint.dev/idempotent-reason";

/// A Job or CronJob in the context of its unit.
pub struct Subject<'a> {
    workload: Workload<'a>,
    /// The unit around it.
    pub context: &'a Context<'a>,
    /// What the next deploys change in it; absent unless it is rendered from a chart.
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
    /// `None` unless the object is a Job or CronJob that is applied.
    pub fn new(object: &'a Object, context: &'a Context<'a>) -> Option<Self> {
        if is_expectation(object) {
            return None;
        }
        let workload = Workload::new(object)?;
        let is_loose = context.kind == UnitKind::Plain && context.is_all_assumed();
        if is_loose && (is_patch(&workload) || is_form(&workload) || is_unfinished(&workload)) {
            return None;
        }
        Some(Self {
            workload,
            context,
            changes: context.changes.of(object).map(|changes| &**changes),
            mismatches: OnceCell::new(),
            commands: OnceCell::new(),
        })
    }

    /// Whether nothing but a person starts it: a CronJob that is suspended.
    pub(crate) fn is_suspended(&self) -> bool {
        let suspend = self.object.root.at(&["spec", "suspend"]);
        self.kind == Kind::CronJob && suspend.is_some_and(Node::is_true)
    }

    /// The schedule of a CronJob that is not suspended.
    pub(crate) fn running_schedule(&self) -> Option<&'a Node> {
        self.cron()?.set("schedule").filter(|_| !self.is_suspended())
    }

    /// Its kind and name in a sentence: Job `migrate`.
    pub(crate) fn title(&self) -> String {
        words::titled(self.object)
    }

    /// How a deployer treats the workload.
    pub(crate) fn role(&self, deployer: &Deployer) -> Role {
        self.context.role(self.object, deployer)
    }

    /// The workload as a hook; `None` if the deployer does not treat it as one.
    pub(crate) fn hook(&self, deployer: &Deployer) -> Option<Hook> {
        self.context.hook(self.object, deployer)
    }

    /// The deployers that apply the workload as an ordinary object, see [`Context::applying`].
    pub(crate) fn applying(&self) -> impl Iterator<Item = &'a Deployer> {
        self.context.applying(self.object)
    }

    /// Where the object does not match the schema of its kind.
    pub(crate) fn mismatches(&self) -> &[Mismatch<'a>] {
        let mismatches =
            || schema::mismatches(&self.object.root, self.kind.name(), self.context.kubernetes);
        self.mismatches.get_or_init(mismatches)
    }

    /// True when `unknown-field` reports a field that means this one.
    pub(crate) fn is_misspelt(&self, field: &str) -> bool {
        self.mismatches().iter().any(|mismatch| match mismatch {
            Mismatch::UnknownField(unknown) => {
                let parent = unknown.ancestors.last();
                parent.and_then(|parent| parent.of.nearest(&unknown.entry.key)) == Some(field)
            }
            _ => false,
        })
    }

    /// The analysed commands of the containers that have one.
    pub fn commands(&self) -> &[Command<'a>] {
        self.commands.get_or_init(|| Command::all(&self.workload, self.context))
    }

    /// True when a hook of the same unit that runs at one of the events deletes the Job by name:
    /// `kubectl delete job NAME`.
    pub(crate) fn is_deleted_by_hook(&self, deployer: &Deployer, events: &[&str]) -> bool {
        self.context.deleters(self.object).into_iter().any(|other| {
            let hook = self.context.hook(other, deployer);
            hook.is_some_and(|hook| events.iter().any(|event| hook.listens_to(event)))
        })
    }

    /// True for a Job that only `helm test` runs, and so a person who watches it.
    pub(crate) fn is_test(&self) -> bool {
        let hook = self.object.root.at(&["metadata", "annotations", HELM_HOOK]);
        let events = hook.and_then(Node::as_str).unwrap_or_default().split(',').map(str::trim);
        events.clone().all(|event| event.starts_with("test")) && hook.is_some()
    }

    /// True when the name changes with the content: as predicted for a chart, else as
    /// [`release_changes::is_versioned_name`] guesses.
    pub(crate) fn has_varying_name(&self) -> bool {
        if let Some(changes) = self.changes {
            return changes.is_renamed() || changes.name_is_hashed;
        }
        let image = |container: &'a Node| container.get("image")?.as_str();
        let name = self.object.name().unwrap_or_default();
        release_changes::is_versioned_name(name, self.all_containers().filter_map(image))
    }

    /// True when an image names a version, which the next one replaces: a digest, or a tag with a number.
    pub(crate) fn has_versioned_image(&self) -> bool {
        let images = self.all_containers().filter_map(|container| container.get("image")?.as_str());
        images.into_iter().any(|image| {
            let last = image.rsplit('/').next().unwrap_or(image);
            let tag = last.split_once([':', '@']).map_or("", |(_, tag)| tag);
            tag.bytes().any(|byte| byte.is_ascii_digit())
        })
    }

    /// Whether the author states that the workload is idempotent; `None` if it is not stated.
    pub(crate) fn idempotent_hint(&self) -> Option<bool> {
        self.hint()?.value.as_str()?.parse().ok()
    }

    /// The annotation [`IDEMPOTENT`] of the Job or of the CronJob's `jobTemplate`.
    pub(crate) fn hint(&self) -> Option<&'a Entry> {
        let annotations: &[&str] = match self.kind {
            Kind::Job => &["metadata", "annotations"],
            Kind::CronJob => &["spec", "jobTemplate", "metadata", "annotations"],
        };
        self.object.root.at(annotations)?.entry(IDEMPOTENT)
    }

    /// True when `kubectl create` deploys the workload: as stated or, if the deployer is only assumed, as a comment in
    /// the file says.
    pub(crate) fn is_created_by_hand(&self, deployer: &Deployer) -> bool {
        let stated =
            deployer.tool == Tool::Kubectl && deployer.kubectl_mode() == KubectlMode::Create;
        let mentions_create = |line: &str| {
            let comment = line.trim_start().strip_prefix('#');
            comment.is_some_and(|text| text.contains("kubectl") && text.contains(" create"))
        };
        let written = || deployer.assumed && self.source.text.lines().any(mentions_create);
        stated || written()
    }
}

/// Whether an object is a patch of another: no container has an image, and nothing says when its pods restart.
fn is_patch(workload: &Workload<'_>) -> bool {
    let mut containers = workload.all_containers().peekable();
    containers.peek().is_some()
        && workload.pod.get("restartPolicy").is_none()
        && containers.all(|container| container.get("image").is_none())
}

/// Whether a script adds the image before it creates the Job: nothing else can create one with a `generateName`.
fn is_unfinished(workload: &Workload<'_>) -> bool {
    let object = workload.object;
    object.name().is_none()
        && object.generate_name().is_some()
        && workload.all_containers().any(|container| container.get("image").is_none())
}

/// Whether another program fills in lines of a container: `JOB_IMAGE|-image: app-|`.
fn is_form(workload: &Workload<'_>) -> bool {
    let mut fields = workload.all_containers().flat_map(Node::entries);
    fields.any(|field| field.key.contains('|'))
}

/// Whether an object states what a test expects of another: it has a status and nothing else.
fn is_expectation(object: &Object) -> bool {
    object.root.get("status").is_some() && object.root.get("spec").is_none()
}
