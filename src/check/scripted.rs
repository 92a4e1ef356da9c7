//! Findings that scripts and pipelines of the repository make up for, by what they do when they deploy.

use crate::{
    context::Context,
    deploy_scripts::{ansible, deletions, references, settings},
    release_changes::is_name,
    rules::{
        Raised, Rule, invalid_job, kustomize_churn, template_changes_under_fixed_name,
        unbounded_wait, unreplaceable_job,
    },
    template_fix,
    unit::Unit,
    workload::Subject,
};

/// Whether something that serves the unit makes up for a finding; `None` if nothing is asked.
pub(super) fn is_undone(one: &Raised<'_>, context: &Context<'_>, unit: &Unit) -> Option<bool> {
    let deletes = || {
        is_of_old_job(one, context).then(|| {
            deletions::delete(one.object, unit) || ansible::removes(one.object, context.names)
        })
    };
    let sets_image = || is_of_image(one, context).then(|| settings::set_image(one.object, unit));
    let watches = || is_of_waits(one, context).then(|| references::watch(one.object, unit));
    let sets_none = || invented(one, context).map(|inputs| !settings::set(&inputs, unit));
    let renames = || inputs_of_name(one).map(|inputs| varies_name(&inputs, unit));
    let turns_off = || switches(one, context).map(|inputs| settings::turn_off(&inputs, unit));
    let all: [&dyn Fn() -> Option<bool>; 6] =
        [&deletes, &sets_image, &watches, &sets_none, &renames, &turns_off];
    let mut answers = all.into_iter().filter_map(|answer| answer()).peekable();
    answers.peek()?;
    Some(answers.any(|is_undone| is_undone))
}

/// Leaves the Job its name if a script or pipeline refers to it. Returns whether something was asked.
pub(super) fn keep_name(one: &mut Raised<'_>, context: &Context<'_>, unit: &Unit) -> bool {
    let is_renamed = one.finding.fixes.iter().any(template_fix::renames);
    let script = || references::refer(one.object, unit, context.names);
    if let Some(script) = is_renamed.then(script).flatten() {
        one.finding.fixes.retain(|fix| !template_fix::renames(fix));
        template_fix::name_reference(&mut one.finding, &format!("`{script}`"));
    }
    is_renamed
}

/// Whether whoever deploys or publishes the chart sets an input of a name to another value each time.
fn varies_name(inputs: &[String], unit: &Unit) -> bool {
    let has_version = inputs.iter().any(|input| input == "Chart.AppVersion");
    settings::vary(inputs, unit) || (has_version && settings::set_app_version(unit))
}

/// True for a finding that is shown by default, of an object that no GitOps object deploys: a script may be what does.
fn may_be_of_scripts(one: &Raised<'_>, context: &Context<'_>) -> bool {
    !one.is_pedantic() && context.deployments.is_empty()
}

/// True for what a deployer does with the old Job, unless a GitOps object says which it is: a script may have deleted it.
fn is_of_old_job(one: &Raised<'_>, context: &Context<'_>) -> bool {
    OF_OLD_JOBS.contains(&one.rule) && may_be_of_scripts(one, context)
}

/// True for a missing image of an object that no GitOps object deploys: the script that does may set it.
fn is_of_image(one: &Raised<'_>, context: &Context<'_>) -> bool {
    let is_missing =
        *one.rule == invalid_job::RULE && one.finding.label.contains(".image: Required");
    is_missing && may_be_of_scripts(one, context)
}

/// True for a wait without an end of a Job that no GitOps object deploys: the script that does may give up on it.
fn is_of_waits(one: &Raised<'_>, context: &Context<'_>) -> bool {
    *one.rule == unbounded_wait::RULE && may_be_of_scripts(one, context)
}

/// The inputs of a finding about a change that joblint made up, such as that of the tag `latest`: unless something in the
/// repository sets another value, nobody is known to change it.
fn invented(one: &Raised<'_>, context: &Context<'_>) -> Option<Vec<String>> {
    let is_of_values = *one.rule == template_changes_under_fixed_name::RULE && !one.is_pedantic();
    let job = is_of_values.then(|| Subject::new(one.object, context)).flatten()?;
    template_changes_under_fixed_name::invented(&job.rejections())
}

/// The inputs of the name of a Job whose template changes under it. Whoever deploys or publishes the chart may set them to
/// others each time.
fn inputs_of_name(one: &Raised<'_>) -> Option<Vec<String>> {
    let is_of_name = *one.rule == template_changes_under_fixed_name::RULE && !one.is_pedantic();
    let name = one.object.root.at(&["metadata", "name"]).filter(|_| is_of_name)?;
    let mut inputs = one.object.source.origin.as_deref()?.inputs(name.span);
    inputs.retain(|input| !is_name(input));
    (!inputs.is_empty()).then_some(inputs)
}

/// The values that decide whether a Job is rendered whose template changes under its name: an upgrade may be without it.
fn switches(one: &Raised<'_>, context: &Context<'_>) -> Option<Vec<String>> {
    let is_of_upgrades =
        *one.rule == template_changes_under_fixed_name::RULE && may_be_of_scripts(one, context);
    let inputs = is_of_upgrades.then(|| one.object.decided())?;
    (!inputs.is_empty()).then_some(inputs)
}

/// The rules about a new Job that cannot take the place of the old one.
const OF_OLD_JOBS: [&Rule; 3] =
    [&kustomize_churn::RULE, &template_changes_under_fixed_name::RULE, &unreplaceable_job::RULE];
