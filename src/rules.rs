//! The registry: every rule is a page, `rules/<id>.yaml`, and a constant in `src/rules/<id>.rs`; a line of
//! [`RULES`] joins them.

mod annotation_not_string;
mod constant_under_argocd;
mod cronjob_history;
mod cronjob_missed_runs;
mod default_backoff_limit;
mod delete_hook_race;
mod deploys_once;
mod destroys_data;
mod duplicate_job;
mod edit_within_ttl;
mod failure_hidden;
mod fleet_compare_patch;
mod force_has_no_effect;
mod force_replace_runs_twice;
mod generate_name;
mod generate_name_leaks;
mod hint_has_no_effect;
pub mod hook_conversion;
mod hook_deletes_data;
mod hook_duplicate_event;
mod hook_in_list;
mod hook_keep_policy;
mod hook_leftover;
mod hook_needs_later_object;
mod hook_never_runs_under_argocd;
mod hook_only_app;
mod hook_outlives_timeout;
mod hook_relied_on_by_self_heal;
mod hook_with_generate_name;
mod hook_without_deadline;
mod idempotency_unknown;
mod ignore_differences_useless;
pub mod ignore_without_reason;
pub mod immutable_change;
mod install_and_upgrade_merge;
mod install_only_hook;
mod invalid_cronjob;
mod invalid_job;
mod invalid_name;
pub mod job_orphaned;
pub mod job_reruns;
mod logs_lost_on_failure;
pub mod meta;
mod misplaced_field;
mod missing_required;
pub mod missing_ttl;
mod mixed_hooks;
mod name_and_generate_name;
mod name_hash_incomplete;
mod name_hash_truncated;
mod name_too_long;
mod no_deadline;
mod nondeterministic_template;
mod not_idempotent;
pub mod not_rendered;
mod overlap;
mod pod_hook;
mod random_name;
mod refused;
mod removed_api_version;
mod replace_without_force;
pub mod restart_policy_always;
mod retry_cannot_help;
mod selector_set_by_hand;
mod sidecar_blocks_completion;
mod stale_hook_blocks;
mod substituted_by_flux;
mod suspended_hook;
mod sync_option_unknown;
mod template_changes_under_fixed_name;
mod ttl_in_cronjob;
mod ttl_out_of_sync;
mod ttl_races_wait;
mod ttl_reruns;
mod unbounded_wait;
mod unknown_argocd_hook;
mod unknown_delete_policy;
mod unknown_field;
mod unknown_hook_event;
mod unpinned_image;
pub mod unreadable;
pub mod unrenderable;
mod unreplaceable_job;
pub mod unused_ignore;
mod weight_not_integer;
mod wrong_type;

use std::sync::OnceLock;

use job_lifecycle::Object;

use crate::{context::Context, finding::Finding, policy::Policy, workload::Subject};

pub use meta::{Category, Example, Files, Meta, OptionMeta, Persona};

/// A rule: its id, its page and its check.
#[derive(Debug)]
pub struct Rule {
    pub id: &'static str,
    yaml: &'static str,
    pub check: Check,
    meta: OnceLock<Meta>,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// One Job or CronJob.
    Workload(fn(&Subject<'_>, &mut Vec<Finding>)),
    /// One object of any kind, Jobs included.
    Object(fn(&Object, &Context<'_>, &mut Vec<Finding>)),
    /// All objects of a unit together; a finding belongs to the object it comes with.
    Unit(for<'a> fn(&Context<'a>, &mut Vec<(&'a Object, Finding)>)),
    /// Raised by the run itself.
    Run,
}

impl Rule {
    const fn new(id: &'static str, yaml: &'static str, check: Check) -> Self {
        Self { id, yaml, check, meta: OnceLock::new() }
    }

    /// The rule's page without its examples.
    pub fn meta(&self) -> &Meta {
        self.meta.get_or_init(|| {
            serde_yaml::from_str(self.page().0).expect("a test reads every rule's page")
        })
    }

    /// An option as an integer: as set, else its default.
    pub fn integer(&self, policy: &Policy, option: &str) -> i64 {
        let set = policy.option(self.id, option).and_then(serde_json::Value::as_i64);
        let default = || self.meta().options.get(option)?.default.as_i64();
        set.or_else(default).expect("the rule's page has a default for the option")
    }

    /// The examples of the rule's page.
    pub fn examples(&self) -> Vec<Example> {
        serde_yaml::from_str(self.page().1).expect("a test reads every rule's examples")
    }

    /// What the page says and its examples, which stand last: they are the longer part and a run over
    /// manifests needs none of them.
    fn page(&self) -> (&'static str, &'static str) {
        self.yaml.split_once("\nexamples:\n").expect("a test reads every rule's page")
    }
}

/// Where joblint and the pages of its rules are published.
pub const SITE: &str = "https://joblint.dev";

impl Rule {
    /// The address of the rule's page.
    pub fn url(&self) -> String {
        format!("{SITE}/rules/{}", self.id)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// A finding with the rule that raised it and the object that it is about.
#[derive(Clone, Debug)]
pub struct Raised<'a> {
    pub rule: &'static Rule,
    pub object: &'a Object,
    pub finding: Finding,
}

/// Runs rules over every object they look at.
pub fn run<'a>(context: &Context<'a>, active: &[&'static Rule]) -> Vec<Raised<'a>> {
    let mut raised = Vec::new();
    let mut found = Vec::new();
    for object in context.objects {
        let workload = Subject::new(object, context);
        for rule in active {
            match (rule.check, &workload) {
                (Check::Workload(check), Some(workload)) => check(workload, &mut found),
                (Check::Object(check), _) => check(object, context, &mut found),
                _ => continue,
            }
            raised.extend(found.drain(..).map(|finding| Raised { rule, object, finding }));
        }
    }
    let mut across = Vec::new();
    for rule in active {
        if let Check::Unit(check) = rule.check {
            check(context, &mut across);
            let all = across.drain(..).map(|(object, finding)| Raised { rule, object, finding });
            raised.extend(all);
        }
    }
    raised
}

/// Every rule, by id.
pub fn all() -> &'static [&'static Rule] {
    RULES
}

pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

static RULES: &[&Rule] = &[
    &annotation_not_string::RULE,
    &constant_under_argocd::RULE,
    &cronjob_history::RULE,
    &cronjob_missed_runs::RULE,
    &default_backoff_limit::RULE,
    &delete_hook_race::RULE,
    &deploys_once::RULE,
    &destroys_data::RULE,
    &duplicate_job::RULE,
    &edit_within_ttl::RULE,
    &failure_hidden::RULE,
    &fleet_compare_patch::RULE,
    &force_has_no_effect::RULE,
    &force_replace_runs_twice::RULE,
    &generate_name::RULE,
    &generate_name_leaks::RULE,
    &hint_has_no_effect::RULE,
    &hook_conversion::RULE,
    &hook_deletes_data::RULE,
    &hook_duplicate_event::RULE,
    &hook_in_list::RULE,
    &hook_keep_policy::RULE,
    &hook_leftover::RULE,
    &hook_needs_later_object::RULE,
    &hook_never_runs_under_argocd::RULE,
    &hook_only_app::RULE,
    &hook_outlives_timeout::RULE,
    &hook_relied_on_by_self_heal::RULE,
    &hook_with_generate_name::RULE,
    &hook_without_deadline::RULE,
    &idempotency_unknown::RULE,
    &ignore_differences_useless::RULE,
    &ignore_without_reason::RULE,
    &immutable_change::RULE,
    &install_and_upgrade_merge::RULE,
    &install_only_hook::RULE,
    &invalid_cronjob::RULE,
    &invalid_job::RULE,
    &invalid_name::RULE,
    &job_orphaned::RULE,
    &job_reruns::RULE,
    &logs_lost_on_failure::RULE,
    &misplaced_field::RULE,
    &missing_required::RULE,
    &missing_ttl::RULE,
    &mixed_hooks::RULE,
    &name_and_generate_name::RULE,
    &name_hash_incomplete::RULE,
    &name_hash_truncated::RULE,
    &name_too_long::RULE,
    &no_deadline::RULE,
    &nondeterministic_template::RULE,
    &not_idempotent::RULE,
    &not_rendered::RULE,
    &overlap::RULE,
    &pod_hook::RULE,
    &random_name::RULE,
    &removed_api_version::RULE,
    &replace_without_force::RULE,
    &restart_policy_always::RULE,
    &retry_cannot_help::RULE,
    &selector_set_by_hand::RULE,
    &sidecar_blocks_completion::RULE,
    &stale_hook_blocks::RULE,
    &substituted_by_flux::RULE,
    &suspended_hook::RULE,
    &sync_option_unknown::RULE,
    &template_changes_under_fixed_name::RULE,
    &ttl_in_cronjob::RULE,
    &ttl_out_of_sync::RULE,
    &ttl_races_wait::RULE,
    &ttl_reruns::RULE,
    &unbounded_wait::RULE,
    &unknown_argocd_hook::RULE,
    &unknown_delete_policy::RULE,
    &unknown_field::RULE,
    &unknown_hook_event::RULE,
    &unpinned_image::RULE,
    &unreadable::RULE,
    &unrenderable::RULE,
    &unreplaceable_job::RULE,
    &unused_ignore::RULE,
    &weight_not_integer::RULE,
    &wrong_type::RULE,
];
