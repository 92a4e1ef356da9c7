use crate::{
    deploy::{Deployer, Hook, Role, SYNC_PHASES, Tool, wave},
    finding::{Finding, Severity},
    object::Object,
    unit::Context,
    workload::{self, Reference},
};

/// Helm's operations with what comes before and after its ordinary objects.
const OPERATIONS: [[&str; 2]; 3] = [
    ["pre-install", "post-install"],
    ["pre-upgrade", "post-upgrade"],
    ["pre-rollback", "post-rollback"],
];

pub(super) fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    let hooks = context.objects.iter().filter(|object| object.is_annotated_hook());
    for hook in hooks {
        for need in workload::references(hook) {
            let is_it = |object: &&Object| {
                (object.kind(), object.name()) == (need.kind, Some(need.name))
                    && (object.namespace().is_none()
                        || hook.namespace().is_none()
                        || object.namespace() == hook.namespace())
            };
            let target = context.objects.iter().find(is_it).filter(|_| !need.is_optional);
            if let Some(finding) = target.and_then(|target| finding(hook, &need, target, context)) {
                found.push((hook, finding));
            }
        }
    }
}

fn finding(
    hook: &Object,
    need: &Reference<'_>,
    target: &Object,
    context: &Context<'_>,
) -> Option<Finding> {
    let verdicts = context.judge(|deployer| verdict(hook, need, target, deployer, context));
    let worst = verdicts.first()?;
    let Reference { kind, name, .. } = need;
    let label = format!("{kind} `{name}` is created later: {}", worst.text);
    let finding = Finding::new(need.span, label).deployers(verdicts);
    let at = target.root.at(&["metadata", "name"])?.span;
    Some(finding.label_in(&target.source, at, "created after the hook"))
}

/// What becomes of a hook whose object is not there yet; `None` where it is.
fn verdict(
    object: &Object,
    need: &Reference<'_>,
    target: &Object,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let hook = context.hook(object, deployer)?;
    let waits = "its pod never starts, and the deploy waits for it in vain";
    let role = context.role(target, deployer);
    if deployer.tool == Tool::Argocd {
        let later = turn(&hook) < argo_turn(&role, target)?;
        return later.then(|| (Severity::Error, waits.to_owned()));
    }
    let mut late = OPERATIONS.into_iter().filter(|events| {
        let own = helm_turn(&Role::Hook(hook.clone()), object, *events);
        own.zip(helm_turn(&role, target, *events)).is_some_and(|(own, other)| own < other)
    });
    let first = late.next()?;
    // An upgrade finds what the install has made.
    let is_old = |hook: &Hook| {
        OPERATIONS[0].iter().any(|event| hook.listens_to(event))
            && !hook.has_policy("hook-succeeded")
    };
    let is_fresh = first == OPERATIONS[0] || role.hook().is_some_and(|hook| !is_old(hook));
    match (is_fresh, need.kind) {
        (true, _) => Some((Severity::Error, waits.to_owned())),
        (false, "ConfigMap" | "Secret") => {
            Some((Severity::Warning, "it reads that of the version before".to_owned()))
        }
        (false, _) => None,
    }
}

/// Helm's order: before the ordinary objects, with them, after them; then weight and name. `None`: not in
/// this operation.
fn helm_turn<'a>(
    role: &Role,
    object: &'a Object,
    [pre, post]: [&str; 2],
) -> Option<(i8, i64, &'a str)> {
    let name = object.name().unwrap_or_default();
    match role {
        Role::Plain => Some((0, 0, "")),
        Role::Hook(hook) if hook.listens_to(pre) => Some((-1, hook.weight, name)),
        Role::Hook(hook) if hook.listens_to(post) => Some((1, hook.weight, name)),
        Role::Hook(_) | Role::Dropped => None,
    }
}

/// The first phase and the wave of a hook; after all of them where it is in no sync.
fn turn(hook: &Hook) -> (usize, i64) {
    let phase = SYNC_PHASES.iter().position(|phase| hook.listens_to(phase));
    (phase.unwrap_or(SYNC_PHASES.len()), hook.weight)
}

/// Argo CD's order; within a wave it applies ServiceAccounts and the like before Jobs.
fn argo_turn(role: &Role, object: &Object) -> Option<(usize, i64)> {
    match role {
        Role::Plain => Some((1, wave(object))),
        Role::Hook(hook) => Some(turn(hook)).filter(|(phase, _)| *phase < SYNC_PHASES.len()),
        Role::Dropped => None,
    }
}
