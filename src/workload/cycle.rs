//! Hooks of one unit that undo each other: one makes an object before a deploy, the other removes it behind it.

use job_lifecycle::{Hook, Object, Workload};
use shell_effects::{ChangedObject, ElementSpan, changed_by, changed_objects};

use super::Subject;
use crate::command::Command;

impl Subject<'_> {
    /// Whether another hook that runs at the same events, or an init container before the command, undoes what the command at
    /// a location does to an object.
    pub(crate) fn is_undone(&self, command: &Command<'_>, location: ElementSpan) -> bool {
        let analysis = &command.analysis;
        let Some(change) = analysis.invocations.iter().find(|one| one.holds(location)) else {
            return false;
        };
        let own = changed_by(change);
        let mut objects = self.context.objects.iter();
        !own.is_empty()
            && (self.is_prepared(command, &own)
                || objects.any(|other| self.runs_along(other) && self.undoes(other, &own)))
    }

    /// Whether init containers undo changes, again before each try of the container.
    fn is_prepared(&self, command: &Command<'_>, own: &[ChangedObject]) -> bool {
        let before = self.commands().iter().filter(|_| !command.init).filter(|one| one.init);
        are_undone(own, before.flat_map(|one| changed_objects(&one.analysis)))
    }

    /// Whether another object is a hook that runs whenever this one does, under every deployer for which this is one.
    fn runs_along(&self, other: &Object) -> bool {
        let deployers = self.context.deployers.iter();
        let mut hooks = deployers.filter_map(|one| Some((self.hook(one)?, one))).peekable();
        let is_other = !std::ptr::eq(other, self.object);
        let runs = |(own, deployer)| {
            self.context.hook(other, deployer).is_some_and(|other| is_of_each(&own, &other))
        };
        is_other && hooks.peek().is_some() && hooks.all(runs)
    }

    fn undoes(&self, other: &Object, own: &[ChangedObject]) -> bool {
        let Some(workload) = Workload::new(other) else { return false };
        let commands = Command::all(&workload, self.context);
        are_undone(own, commands.iter().flat_map(|one| changed_objects(&one.analysis)))
    }
}

/// Whether others undo each of some changes.
fn are_undone(own: &[ChangedObject], others: impl Iterator<Item = ChangedObject>) -> bool {
    let others: Vec<_> = others.collect();
    own.iter().all(|own| {
        let undoes = |one: &ChangedObject| one.name == own.name && one.is_removed != own.is_removed;
        others.iter().any(undoes)
    })
}

/// Whether a hook runs in each of the phases of another, before or behind it.
fn is_of_each(one: &Hook, other: &Hook) -> bool {
    let phases = |hook: &Hook| hook.events.iter().map(|event| phase(event)).collect::<Vec<_>>();
    let others = phases(other);
    phases(one).iter().all(|own| others.contains(own))
}

/// What an event is before or behind: `upgrade` of `pre-upgrade`, the sync of `PostSync`.
fn phase(event: &str) -> String {
    let event = event.to_ascii_lowercase();
    let parts = ["pre-", "post-", "pre", "post"];
    let rest = parts.iter().find_map(|part| event.strip_prefix(part));
    rest.unwrap_or(&event).to_owned()
}
