//! The registry of rules. A rule is a page, `rules/<id>.yaml`, and a constant in `src/rules/<id>.rs`, registered in
//! `RULES`.

pub(crate) mod annotation_not_string;
mod backup_lost_with_pod;
mod broken_dollar_quotes;
mod command_not_run;
mod config_map_not_found;
mod constant_under_argocd;
mod cronjob_each_minute;
mod cronjob_history;
mod cronjob_impossible_day;
mod cronjob_missed_runs;
pub(crate) mod cronjob_uneven_step;
mod dangling_generated_name;
mod decimal_file_mode;
mod default_backoff_limit;
mod default_true_never_false;
mod delete_hook_race;
mod deploys_once;
pub(crate) mod destroys_data;
mod duplicate_entry;
pub(crate) mod duplicate_job;
mod duplicate_key;
mod edit_within_ttl;
pub(crate) mod failure_hidden;
mod fleet_compare_patch;
mod following;
mod force_has_no_effect;
mod force_replace_runs_twice;
pub(crate) mod generate_name;
pub(crate) mod generate_name_leaks;
mod hint_has_no_effect;
pub(crate) mod hook_annotation_without_hook;
pub(crate) mod hook_conversion;
pub(crate) mod hook_deletes_data;
mod hook_duplicate_event;
mod hook_in_list;
mod hook_keep_policy;
mod hook_leftover;
pub(crate) mod hook_needs_later_object;
mod hook_never_runs_under_argocd;
pub(crate) mod hook_on_pod_template;
pub(crate) mod hook_only_app;
mod hook_outlives_timeout;
mod hook_relied_on_by_self_heal;
mod hook_removes_lasting_object;
mod hook_with_generate_name;
mod hook_without_deadline;
pub(crate) mod idempotency_unknown;
mod ignore_differences_useless;
pub(crate) mod ignore_without_reason;
pub(crate) mod immutable_change;
mod install_and_upgrade_merge;
mod install_only_hook;
pub(crate) mod invalid_cronjob;
pub(crate) mod invalid_job;
pub(crate) mod invalid_name;
pub(crate) mod invalid_policy;
pub(crate) mod job_orphaned;
pub(crate) mod job_reruns;
mod key_not_found;
pub(crate) mod kubectl_forbidden;
pub(crate) mod kustomize_churn;
mod logs_lost_on_failure;
mod lookup_removes_object;
pub(crate) mod lost_continuation;
mod meta;
pub(crate) mod misplaced_field;
mod missing_required;
pub(crate) mod missing_ttl;
mod mixed_hooks;
mod name_and_generate_name;
mod name_hash_incomplete;
mod name_hash_truncated;
mod name_too_long;
mod no_deadline;
pub(crate) mod nondeterministic_template;
pub(crate) mod not_idempotent;
pub(crate) mod not_rendered;
mod overlap;
mod own;
pub(crate) mod patch_matches_nothing;
pub(crate) mod pod_hook;
pub(crate) mod policy_undecided;
pub(crate) mod program_not_in_image;
mod psql_variable_not_replaced;
mod random_name;
mod rejected;
pub(crate) mod removed_api_version;
pub(crate) mod removed_image;
mod replace_without_force;
pub(crate) mod restart_policy_always;
pub(crate) mod retry_cannot_help;
mod script_syntax_error;
mod selector_set_by_hand;
pub(crate) mod service_not_found;
pub(crate) mod service_selects_job;
mod sidecar_blocks_completion;
pub(crate) mod stale_hook_blocks;
mod substituted_by_flux;
mod suspended_hook;
pub(crate) mod sync_option_unknown;
pub(crate) mod template_changes_under_fixed_name;
mod ttl_in_cronjob;
pub(crate) mod ttl_out_of_sync;
mod ttl_races_wait;
pub(crate) mod ttl_reruns;
pub(crate) mod unbounded_wait;
mod unknown_argocd_hook;
pub(crate) mod unknown_delete_policy;
pub(crate) mod unknown_field;
pub(crate) mod unknown_hook_event;
mod unpinned_image;
pub(crate) mod unquoted_schedule;
pub(crate) mod unreadable;
pub(crate) mod unrenderable;
pub(crate) mod unreplaceable_job;
pub(crate) mod unused_ignore;
mod weight_not_integer;
pub(crate) mod wrong_type;

use std::sync::OnceLock;

use job_lifecycle::Object;

use crate::{
    context::Context,
    finding::{Finding, Severity},
    policy::Policy,
    workload::Subject,
};

pub(crate) use following::one_per_cause;
pub use meta::{Category, Example, Files, Meta, OptionMeta, Persona};
pub(crate) use own::own;

/// The site of joblint and of the pages of its rules.
pub const SITE: &str = "https://joblint.dev";

/// A rule: its id, its page and its check.
#[derive(Debug)]
pub struct Rule {
    /// The id, such as `missing-ttl`.
    pub id: &'static str,
    yaml: &'static str,
    /// What it checks, and how.
    pub check: Check,
    meta: OnceLock<Meta>,
    /// The examples of a rule of one's own, which has no page.
    own_examples: Vec<Example>,
}

/// What a rule checks.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// One Job or CronJob.
    Workload(fn(&Subject<'_>, &mut Vec<Finding>)),
    /// One Job or CronJob before Flux substitutes variables in it.
    Unsubstituted(fn(&Subject<'_>, &mut Vec<Finding>)),
    /// One object of any kind, Jobs included.
    Object(fn(&Object, &Context<'_>, &mut Vec<Finding>)),
    /// All objects of a unit together; each finding comes with its object.
    Unit(for<'a> fn(&Context<'a>, &mut Vec<(&'a Object, Finding)>)),
    /// Raised by the run itself.
    Run,
}

impl Rule {
    const fn new(id: &'static str, yaml: &'static str, check: Check) -> Self {
        Self { id, yaml, check, meta: OnceLock::new(), own_examples: Vec::new() }
    }

    /// The rule's page without its examples.
    pub fn meta(&self) -> &Meta {
        self.meta.get_or_init(|| {
            serde_yaml::from_str(self.page().0).expect("a test reads every rule's page")
        })
    }

    /// Whether its findings are reported with `--pedantic` only.
    pub(crate) fn is_pedantic(&self) -> bool {
        // Every run asks all rules, so no page is parsed for it. Rules of one's own have none, and are for everyone.
        let mut head = self.yaml.lines().take_while(|line| !line.is_empty());
        head.any(|line| line == "persona: pedantic")
    }

    /// The value of an integer option: as set, else its default.
    pub fn integer(&self, policy: &Policy, option: &str) -> i64 {
        let set = policy.option(self.id, option).and_then(serde_json::Value::as_i64);
        let default = || self.meta().options.get(option)?.default.as_i64();
        set.or_else(default).expect("the rule's page has a default for the option")
    }

    /// The examples of the rule's page.
    pub fn examples(&self) -> Vec<Example> {
        if self.is_own() {
            return self.own_examples.clone();
        }
        serde_yaml::from_str(self.page().1).expect("a test reads every rule's examples")
    }

    /// The address of the rule's page.
    pub fn url(&self) -> String {
        if self.is_own() {
            return format!("{SITE}/admission");
        }
        format!("{SITE}/rules/{}", self.id)
    }

    /// Whether it is a policy or a rule of the user.
    pub fn is_own(&self) -> bool {
        self.yaml.is_empty()
    }

    /// The page without its examples, and the examples. They come last in the file, so that a check, which does not
    /// need them, skips their YAML.
    fn page(&self) -> (&'static str, &'static str) {
        self.yaml.split_once("\nexamples:\n").expect("a test reads every rule's page")
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// A finding with its rule and object.
#[derive(Clone, Debug)]
pub struct Raised<'a> {
    /// The rule that raised it.
    pub rule: &'static Rule,
    /// The object it is about.
    pub object: &'a Object,
    /// The finding; its spans refer to the source of the object.
    pub finding: Finding,
}

impl Raised<'_> {
    /// Whether the finding is reported with `--pedantic` only.
    pub(crate) fn is_pedantic(&self) -> bool {
        self.finding.pedantic || self.rule.is_pedantic()
    }

    /// Its own severity, or that of its rule.
    pub(crate) fn severity(&self) -> Severity {
        self.finding.severity.unwrap_or(self.rule.meta().severity)
    }
}

/// Runs rules on a unit: on each object, then on the unit as a whole.
pub fn run<'a>(context: &Context<'a>, active: &[&'static Rule]) -> Vec<Raised<'a>> {
    let mut raised = Vec::new();
    let mut found = Vec::new();
    let before = context.before_substitution();
    let before = before.as_ref().unwrap_or(context);
    for object in before.objects {
        let Some(workload) = Subject::new(object, before) else { continue };
        for rule in active {
            let Check::Unsubstituted(check) = rule.check else { continue };
            check(&workload, &mut found);
            raised.extend(found.drain(..).map(|finding| Raised { rule, object, finding }));
        }
    }
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
    let mut found_in_unit = Vec::new();
    for rule in active {
        if let Check::Unit(check) = rule.check {
            check(context, &mut found_in_unit);
            let found = found_in_unit.drain(..);
            raised.extend(found.map(|(object, finding)| Raised { rule, object, finding }));
        }
    }
    raised
}

/// Every rule, by id.
pub fn all() -> &'static [&'static Rule] {
    RULES
}

/// The rule with an id.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// True for the id of a policy or of a rule of the user: `policy[NAME]`, `rule[ID]`.
pub(crate) fn is_own_id(id: &str) -> bool {
    let name = ["policy[", "rule["].iter().find_map(|prefix| id.strip_prefix(prefix));
    name.is_some_and(|rest| rest.len() > 1 && rest.ends_with(']'))
}

/// Every rule, by id; a test checks the order.
static RULES: &[&Rule] = &[
    &annotation_not_string::RULE,
    &backup_lost_with_pod::RULE,
    &broken_dollar_quotes::RULE,
    &command_not_run::RULE,
    &config_map_not_found::RULE,
    &constant_under_argocd::RULE,
    &cronjob_each_minute::RULE,
    &cronjob_history::RULE,
    &cronjob_impossible_day::RULE,
    &cronjob_missed_runs::RULE,
    &cronjob_uneven_step::RULE,
    &dangling_generated_name::RULE,
    &decimal_file_mode::RULE,
    &default_backoff_limit::RULE,
    &default_true_never_false::RULE,
    &delete_hook_race::RULE,
    &deploys_once::RULE,
    &destroys_data::RULE,
    &duplicate_entry::RULE,
    &duplicate_job::RULE,
    &duplicate_key::RULE,
    &edit_within_ttl::RULE,
    &failure_hidden::RULE,
    &fleet_compare_patch::RULE,
    &force_has_no_effect::RULE,
    &force_replace_runs_twice::RULE,
    &generate_name::RULE,
    &generate_name_leaks::RULE,
    &hint_has_no_effect::RULE,
    &hook_annotation_without_hook::RULE,
    &hook_conversion::RULE,
    &hook_deletes_data::RULE,
    &hook_duplicate_event::RULE,
    &hook_in_list::RULE,
    &hook_keep_policy::RULE,
    &hook_leftover::RULE,
    &hook_needs_later_object::RULE,
    &hook_never_runs_under_argocd::RULE,
    &hook_on_pod_template::RULE,
    &hook_only_app::RULE,
    &hook_outlives_timeout::RULE,
    &hook_relied_on_by_self_heal::RULE,
    &hook_removes_lasting_object::RULE,
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
    &invalid_policy::RULE,
    &job_orphaned::RULE,
    &job_reruns::RULE,
    &key_not_found::RULE,
    &kubectl_forbidden::RULE,
    &kustomize_churn::RULE,
    &logs_lost_on_failure::RULE,
    &lookup_removes_object::RULE,
    &lost_continuation::RULE,
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
    &patch_matches_nothing::RULE,
    &pod_hook::RULE,
    &policy_undecided::RULE,
    &program_not_in_image::RULE,
    &psql_variable_not_replaced::RULE,
    &random_name::RULE,
    &removed_api_version::RULE,
    &removed_image::RULE,
    &replace_without_force::RULE,
    &restart_policy_always::RULE,
    &retry_cannot_help::RULE,
    &script_syntax_error::RULE,
    &selector_set_by_hand::RULE,
    &service_not_found::RULE,
    &service_selects_job::RULE,
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
    &unquoted_schedule::RULE,
    &unreadable::RULE,
    &unrenderable::RULE,
    &unreplaceable_job::RULE,
    &unused_ignore::RULE,
    &weight_not_integer::RULE,
    &wrong_type::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_persona_is_in_the_head_of_the_page() {
        for rule in all() {
            assert_eq!(rule.is_pedantic(), rule.meta().persona == Persona::Pedantic, "{}", rule.id);
        }
        assert!(all().iter().any(|rule| rule.is_pedantic()));
    }
}
