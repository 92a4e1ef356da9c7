mod absent;
mod made;
pub(crate) mod waited;
mod waves;

use std::collections::BTreeSet;

use helm_render::functions::Host;
use job_lifecycle::{
    Deployer, Object, Tool,
    annotations::{ARGO_HOOK, ARGO_WAVE, HELM_HOOK},
    deploy::{Finds, Need, needs},
    workload::{Kind, kind_of},
};

use super::{Check, Rule, install_and_upgrade_merge::runs_twice};
use crate::{
    command::keys,
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    words::{joined, titled},
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-needs-later-object",
    include_str!("../../rules/hook-needs-later-object.yaml"),
    Check::Unit(check),
);

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    let hooks = context.objects.iter().filter(|object| object.is_annotated_hook());
    for hook in hooks {
        let needs = needs(hook, context.objects);
        let judged = |need| {
            let verdicts = context.judge(|deployer| first_verdict(need, &needs, deployer, context));
            (!verdicts.is_empty()).then_some(Late { need, verdicts })
        };
        let late: Vec<_> =
            needs.iter().filter(|need| is_first(need, &needs)).filter_map(judged).collect();
        let finding = finding(&late).map(|finding| with_phase(hook, context, finding));
        let are_hooks = late.iter().all(|one| one.need.target.is_annotated_hook());
        let are_claims = late.iter().all(|one| one.need.reference.kind == "PersistentVolumeClaim");
        let finding = finding.map(|finding| match made::help(hook, context) {
            // A copy of a hook would only be one more.
            _ if are_hooks => finding.help(SMALLER_WEIGHT),
            _ if are_claims => finding.help(NO_COPY),
            Some(help) => finding.help(help),
            None if is_in_sync(hook) => finding.help(SMALLER_WAVE),
            None => finding,
        });
        let finding = match finding {
            Some(finding) if finding.severity == Some(Severity::Error) => Some(finding),
            other => absent::finding(hook, &needs, context)
                .or_else(|| waited::finding(hook, context))
                .or(other),
        };
        found.extend(finding.map(|finding| (hook, finding)));
    }
    let has_wave = |one: &&Object| {
        kind_of(one) == Some(Kind::Job)
            && !one.is_annotated_hook()
            && one.annotation(ARGO_WAVE).is_some()
    };
    for job in context.objects.iter().filter(has_wave) {
        let needs = needs(job, context.objects);
        found.extend(waves::finding(job, &needs, context).map(|finding| (job, finding)));
    }
}

/// Whether a hook needs an object that is created later.
pub(super) fn is_reported(hook: &Object, context: &Context<'_>) -> bool {
    let needs = needs(hook, context.objects);
    needs.iter().any(|need| {
        !context.judge(|deployer| first_verdict(need, &needs, deployer, context)).is_empty()
    })
}

/// The remedy within one phase of Argo CD.
const SMALLER_WAVE: &str = "Give the object a smaller `argocd.argoproj.io/sync-wave` than that of the Job, or run the Job as `PostSync`";

/// The remedy where the object is a hook already.
const SMALLER_WEIGHT: &str = "Give the object a smaller weight (`helm.sh/hook-weight: \"-5\"`) or wave than that of the Job, and the same events";

/// The remedy where the object is a volume.
const NO_COPY: &str = "Run the Job as a `post-` hook or `PostSync`, or its work in an init container of the pod that mounts the volume too: a copy of the claim would be another, empty volume";

/// Whether Argo CD runs a hook among the ordinary objects, by their waves.
fn is_in_sync(hook: &Object) -> bool {
    hook.annotation_text(ARGO_HOOK).is_some_and(|phases| phases.trim() == "Sync")
}

/// An object that is created later than a hook needs it, and what follows.
struct Late<'a> {
    need: &'a Need<'a>,
    verdicts: Vec<PerDeployer>,
}

impl Late<'_> {
    /// Whether the hook cannot start without the object.
    fn is_fatal(&self) -> bool {
        self.verdicts.iter().any(|one| one.severity > Severity::Info)
    }

    /// The object in a sentence: ConfigMap `scripts`.
    fn object(&self) -> String {
        format!("{} `{}`", self.need.reference.kind, self.need.reference.name)
    }
}

/// True for the first of the objects with the name that a reference asks for.
fn is_first(need: &Need<'_>, needs: &[Need<'_>]) -> bool {
    need.twins(needs).next().is_some_and(|first| std::ptr::eq(first, need))
}

/// What happens to a hook that needs an object of a name; `None` if one of that name exists in time.
fn first_verdict(
    need: &Need<'_>,
    needs: &[Need<'_>],
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let all = need.twins(needs).map(|twin| verdict(twin, deployer, context));
    all.collect::<Option<Vec<_>>>()?.into_iter().next()
}

/// One finding about all objects that a hook needs too early, those first without which it cannot start.
fn finding(late: &[Late<'_>]) -> Option<Finding> {
    let (never, old): (Vec<_>, Vec<_>) = late.iter().partition(|one| one.is_fatal());
    // What a Secret holds is rarely that of a version, and a ConfigMap that holds nothing has none.
    let (lasting, old): (Vec<_>, Vec<_>) = old
        .into_iter()
        .partition(|one| one.need.reference.kind == "Secret" || holds_nothing(one.need.target));
    let is_pedantic = never.is_empty() && old.is_empty();
    let worst = [never, old, lasting].into_iter().find(|group| !group.is_empty())?;
    let (first, others) = worst.split_first()?;
    let text = &first.verdicts.first()?.text;
    let label = format!("{} is created later: {text}", first.object());
    let finding = Finding::new(first.need.reference.span, label).message(message(&worst));
    let at = first.need.target.root.at(&["metadata", "name"])?.span;
    let finding = finding.deployers(first.verdicts.clone()).label_in(
        &first.need.target.source,
        at,
        "created after it",
    );
    let finding = others.iter().fold(finding, |finding, other| {
        let text = format!("{} is created later, too", other.object());
        finding.label(other.need.reference.span, text)
    });
    Some(if is_pedantic { finding.pedantic() } else { finding })
}

/// Whether an object is a ConfigMap without data.
fn holds_nothing(object: &Object) -> bool {
    object.kind() == "ConfigMap" && keys(object).next().is_none()
}

/// Names the phase in which a hook would find everything that Argo CD runs before a sync as well as after it.
fn with_phase(hook: &Object, context: &Context<'_>, finding: Finding) -> Finding {
    let is_fatal = finding.severity == Some(Severity::Error);
    match hook.annotation(HELM_HOOK) {
        Some(entry) if is_fatal && !runs_twice(hook, context).is_empty() => finding
            .label(entry.value.span, "Argo CD runs it before and after every sync")
            .help(format!("Add `{ARGO_HOOK}: PostSync`: it then runs once, after the sync")),
        _ => finding,
    }
}

fn message(late: &[&Late<'_>]) -> String {
    let hook = late.first().map_or_else(String::new, |one| titled(one.need.hook));
    let mut objects: Vec<_> = late.iter().map(|one| one.object()).collect();
    let mut named = BTreeSet::new();
    objects.retain(|one| named.insert(one.clone()));
    let (objects, are) = (joined(&objects), if objects.len() == 1 { "is" } else { "are" });
    match late.iter().any(|one| one.is_fatal()) {
        true => {
            let is_of_helm = late.iter().all(|one| is_ordered_for_argocd(one.need));
            let when = if is_of_helm { " under Helm" } else { first_time(late) };
            format!("{hook} never starts{when}: {objects} {are} created after it")
        }
        false => format!("{hook} reads the previous version of {objects}"),
    }
}

/// When a hook needs what is not there yet: later, the objects of the version before are.
fn first_time(late: &[&Late<'_>]) -> &'static str {
    let Some(first) = late.first() else { return "" };
    let events = |key| first.need.hook.annotation_text(key).unwrap_or_default();
    let mut verdicts = late.iter().flat_map(|one| &one.verdicts);
    let is_of_argocd = verdicts.all(|one| one.tool == Tool::Argocd);
    match () {
        () if is_of_argocd && events(ARGO_HOOK).contains("Sync") => " at the first sync",
        () if events(HELM_HOOK).contains("pre-install") => " at the first install",
        () => "",
    }
}

/// What happens to a hook that needs an object which is created later; `None` if the object exists in time.
fn verdict(
    need: &Need<'_>,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    // The templates print it only if the cluster lacks it: whoever installs the chart makes it before.
    if need.target.decided().iter().any(|input| input == Host::LOOKUP) {
        return None;
    }
    let mut hook = context.hook(need.hook, deployer)?;
    if context.is_of_upgrades(need.hook) {
        // Argo CD renders an installation each time.
        (deployer.tool != Tool::Argocd).then_some(())?;
        // An upgrade finds what the installation renders too.
        if !context.is_of_upgrades(need.target) {
            hook = hook.after_install();
        }
    }
    let role = context.role(need.target, deployer);
    let finds = match need.finds(&hook, &role, deployer)? {
        // Whoever switches it on has deployed the rest before.
        Finds::Nothing if context.enabled && is_only_of_upgrades(need.hook) => Finds::Old,
        finds => finds,
    };
    match (finds, need.reference.kind) {
        (Finds::Nothing, _) if deployer.assumed && is_ordered_for_argocd(need) => Some((
            Severity::Warning,
            "Helm does not read the hook of Argo CD, and its pod never starts".to_owned(),
        )),
        (Finds::Nothing, _) => Some((
            Severity::Error,
            "its pod never starts, and the deploy waits for it in vain".to_owned(),
        )),
        // What ends a release reads what the release was.
        (Finds::Old, _) if hook.listens_to("pre-delete") && hook.only(BEFORE_GOING) => None,
        (Finds::Old, "ConfigMap" | "Secret") => {
            Some((Severity::Info, "it reads that of the version before".to_owned()))
        }
        (Finds::Old, _) => None,
    }
}

/// The events of a hook that runs before what a release has made goes, at its end as at an upgrade, and never after an installation.
const BEFORE_GOING: &[&str] = &["pre-delete", "pre-rollback", "pre-upgrade"];

/// True for a Helm hook of upgrades alone, which Argo CD runs before each sync.
fn is_only_of_upgrades(hook: &Object) -> bool {
    let events = hook.annotation(HELM_HOOK).and_then(|entry| entry.value.as_str());
    hook.annotation(ARGO_HOOK).is_none()
        && events.is_some_and(|events| events.split(',').all(|event| event.trim() == "pre-upgrade"))
}

/// True where the needed object is a hook of Argo CD alone, and the hook one of Helm: Argo CD runs both.
fn is_ordered_for_argocd(need: &Need<'_>) -> bool {
    need.target.annotation(ARGO_HOOK).is_some()
        && need.target.annotation(HELM_HOOK).is_none()
        && need.hook.annotation(HELM_HOOK).is_some()
}
