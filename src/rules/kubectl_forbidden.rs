//! `kubectl` as a ServiceAccount that may not do what the command asks.

mod account;
mod call;
mod grants;
mod kinds;
mod needs;
mod words;

use shell_effects::{ElementSpan, Invocation, is_inside};

use self::{
    account::Account,
    call::Call,
    grants::Grant,
    needs::{Need, needs},
    words::Outcome,
};
use super::{Check, Rule};
use crate::{
    command::{Command, switches::is_switched_off},
    finding::Finding,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "kubectl-forbidden",
    include_str!("../../rules/kubectl-forbidden.yaml"),
    Check::Workload(check),
);

/// A command of a container, with what it needs and is not allowed.
struct Refused<'j, 'a> {
    command: &'j Command<'a>,
    invocation: &'j Invocation,
    call: Call<'j>,
    location: ElementSpan,
    needs: Vec<Need>,
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let asking = asking(job);
    if asking.is_empty() {
        return;
    }
    let beside = job.context.names.map(|names| names.roles_beside(job.object)).unwrap_or_default();
    let objects: Vec<_> = job.context.objects.iter().chain(&beside).collect();
    let Some(account) = Account::of(job, &objects) else { return };
    let Some(grants) = account.grants(&objects) else { return };
    let refused = refused(asking, &grants, job.object.namespace());
    let is_first = |one: &&Refused<'_, '_>| one.is_required() && (grants.is_empty() || one.ends());
    let Some(first) = refused.iter().find(is_first) else { return };
    if !is_bound_elsewhere(&account, &grants, job) {
        found.push(finding(job, &account, &grants, first, &refused));
    }
}

/// The commands that a container runs as its account, with what they need.
fn asking<'j, 'a>(job: &'j Subject<'a>) -> Vec<Refused<'j, 'a>> {
    let of = |command: &'j Command<'a>| {
        let own = command.analysis.invocations.iter().filter(|one| {
            !one.is_tolerated()
                && !command.is_made_up(one.location.element)
                && !one.conditions().any(|test| is_switched_off(command, command.text(test)))
        });
        own.filter_map(move |invocation| {
            let (call, location) = Call::of(command, invocation)?;
            let needs = needs(&call);
            Some(Refused { command, invocation, call, location, needs })
        })
    };
    job.commands().iter().flat_map(of).filter(|one| !one.needs.is_empty()).collect()
}

/// The commands that no role allows, with the permissions that they lack.
fn refused<'j, 'a>(
    asking: Vec<Refused<'j, 'a>>,
    grants: &[Grant<'_>],
    own: Option<&str>,
) -> Vec<Refused<'j, 'a>> {
    let lacks = |need: &Need| !grants.iter().any(|grant| grant.allows(need, own));
    let mut all: Vec<_> = asking
        .into_iter()
        .map(|one| Refused {
            needs: one.needs.into_iter().filter(lacks).map(|need| need.seen_from(own)).collect(),
            ..one
        })
        .filter(|one| one.needs.iter().any(|need| !need.is_optional))
        .collect();
    // What runs in another pod may be several commands.
    all.dedup_by_key(|one| one.location);
    all
}

/// Programs that are asked for their status.
const TESTS: [&str; 6] = ["[", "[[", "command", "diff", "grep", "test"];

/// Whether a command in front of `&&` is a step of the work, and no test: `cd /backup && kubectl get pods`.
fn is_step(invocation: &Invocation) -> bool {
    !invocation.is_tolerated() && !TESTS.contains(&invocation.program_name())
}

impl Refused<'_, '_> {
    /// Whether the script runs the command whenever nothing fails before it, and is not prepared for its failure.
    fn is_required(&self) -> bool {
        let is_step = |condition| {
            let all = self.command.analysis.invocations.iter();
            let mut inside = all.filter(|one| is_inside(one.location, condition)).peekable();
            inside.peek().is_some() && inside.all(is_step)
        };
        self.invocation.follows_success()
            && !self.invocation.is_tolerated()
            && self.invocation.conditions().all(is_step)
    }

    /// Whether the script gets no further.
    fn ends(&self) -> bool {
        self.invocation.is_fatal() || self.hangs()
    }

    /// Whether the command waits for ever: it asks again and again, and has no timeout.
    fn hangs(&self) -> bool {
        self.call.verb == "rollout status"
            && self.call.value(&["--timeout"]).is_none()
            && !self.call.has(&["--watch"])
            && !self.needs.iter().any(|need| need.verbs == ["get"])
    }
}

/// Whether something that is not in the unit may bind a role to the account, or nothing can tell.
fn is_bound_elsewhere(account: &Account<'_>, grants: &[Grant<'_>], job: &Subject<'_>) -> bool {
    let Some(names) = job.context.names else { return true };
    let Some(roles) = names.roles_of(account.name) else { return true };
    let is_known = |role: &String| grants.iter().any(|one| one.role.name() == Some(role));
    let rendered = job.context.objects.iter().filter(|one| one.is_binding()).count();
    let is_rendered = !job.context.from_chart() || names.bindings_of_chart() <= rendered;
    !is_rendered || !roles.iter().all(is_known)
}

fn finding(
    job: &Subject<'_>,
    account: &Account<'_>,
    grants: &[Grant<'_>],
    first: &Refused<'_, '_>,
    refused: &[Refused<'_, '_>],
) -> Finding {
    let further = refused.iter().flat_map(|one| &one.needs);
    let all = words::distinct(first.needs.iter().chain(further));
    let outcome = match (first.hangs(), first.invocation.is_fatal()) {
        (true, _) => Outcome::Hangs,
        (false, true) => Outcome::Fails,
        (false, false) => Outcome::GoesOn,
    };
    let message = words::message(job, account, outcome, &all, !grants.is_empty());
    let label = |one: &Refused<'_, '_>| format!("needs to {}", words::may(&one.needs, "and"));
    let help = words::help(job, account, grants, &all);
    let finding = first.command.finding(first.location, label(first)).message(message).help(help);
    let others = refused.iter().filter(|one| !std::ptr::eq(*one, first)).take(MOST);
    let finding =
        others.fold(finding, |finding, one| one.command.label(finding, one.location, label(one)));
    with_role(finding, account, grants)
}

/// The most further commands to show.
const MOST: usize = 2;

/// Adds where the roles are, or the account to which none is bound.
fn with_role(finding: Finding, account: &Account<'_>, grants: &[Grant<'_>]) -> Finding {
    let unbound = "no RoleBinding or ClusterRoleBinding names it";
    match (grants.first(), account.object, account.written) {
        (Some(grant), ..) => {
            let role = grant.role;
            let name = role.root.at(&["metadata", "name"]).map_or(role.root.span, |one| one.span);
            finding.label_in(&role.source, name, "does not allow it")
        }
        (None, Some(object), _) => {
            let name = object.root.at(&["metadata", "name"]);
            let span = name.map_or(object.root.span, |one| one.span);
            finding.label_in(&object.source, span, unbound)
        }
        (None, None, Some(written)) => finding.label(written.span, unbound),
        (None, None, None) => finding,
    }
}
