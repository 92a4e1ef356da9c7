//! The registry: every rule is `rules/<id>.yaml` and a check in `src/rules/`, joined by a line here.

pub mod meta;
mod refused;

use std::sync::OnceLock;

pub use meta::{Category, Example, Files, Meta, OptionMeta, Persona};

use crate::{finding::Finding, object::Object, unit::Context, workload::Workload};

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
    Workload(fn(&Workload<'_>, &mut Vec<Finding>)),
    /// One object of any kind, Jobs included.
    Object(fn(&Object, &Context<'_>, &mut Vec<Finding>)),
    /// All objects of a unit together; a finding belongs to the object it comes with.
    Unit(for<'a> fn(&Context<'a>, &mut Vec<(&'a Object, Finding)>)),
    /// Raised by the run itself.
    Run,
}

impl Rule {
    /// The rule's page without its examples.
    pub fn meta(&self) -> &Meta {
        self.meta.get_or_init(|| {
            serde_yaml::from_str(self.page().0).expect("a test reads every rule's page")
        })
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

/// Every rule, by id.
pub fn all() -> &'static [Rule] {
    &RULES
}

pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// The rule that one of joblint's own stages raises.
pub fn of_the_run(id: &'static str) -> &'static Rule {
    find(id).expect("stages raise registered rules only")
}

macro_rules! rules {
    (@check Run) => { Check::Run };
    (@check $scope:ident $module:ident) => { Check::$scope($module::check) };
    ($($id:literal => $scope:ident $($module:ident)?,)*) => {
        $($(mod $module;)?)*

        static RULES: [Rule; [$($id),*].len()] = [$(Rule {
            id: $id,
            yaml: include_str!(concat!("../rules/", $id, ".yaml")),
            check: rules!(@check $scope $($module)?),
            meta: OnceLock::new(),
        },)*];
    };
}

rules! {
    "annotation-not-string" => Object annotation_not_string,
    "constant-under-argocd" => Workload constant_under_argocd,
    "cronjob-history" => Workload cronjob_history,
    "cronjob-missed-runs" => Workload cronjob_missed_runs,
    "default-backoff-limit" => Workload default_backoff_limit,
    "delete-hook-race" => Workload delete_hook_race,
    "destroys-data" => Workload destroys_data,
    "duplicate-job" => Unit duplicate_job,
    "failure-hidden" => Workload failure_hidden,
    "fleet-compare-patch" => Unit fleet_compare_patch,
    "force-has-no-effect" => Unit force_has_no_effect,
    "force-replace-runs-twice" => Workload force_replace_runs_twice,
    "generate-name" => Workload generate_name,
    "generate-name-leaks" => Workload generate_name_leaks,
    "hint-has-no-effect" => Workload hint_has_no_effect,
    "hook-conversion" => Run,
    "hook-deletes-data" => Object hook_deletes_data,
    "hook-duplicate-event" => Object hook_duplicate_event,
    "hook-in-list" => Object hook_in_list,
    "hook-keep-policy" => Object hook_keep_policy,
    "hook-leftover" => Workload hook_leftover,
    "hook-needs-later-object" => Unit hook_needs_later_object,
    "hook-never-runs-under-argocd" => Object hook_never_runs_under_argocd,
    "hook-only-app" => Unit hook_only_app,
    "hook-outlives-timeout" => Workload hook_outlives_timeout,
    "hook-relied-on-by-self-heal" => Workload hook_relied_on_by_self_heal,
    "hook-with-generate-name" => Object hook_with_generate_name,
    "hook-without-deadline" => Workload hook_without_deadline,
    "idempotency-unknown" => Workload idempotency_unknown,
    "ignore-differences-useless" => Unit ignore_differences_useless,
    "ignore-without-reason" => Run,
    "immutable-change" => Run,
    "install-and-upgrade-merge" => Object install_and_upgrade_merge,
    "install-only-hook" => Object install_only_hook,
    "invalid-cronjob" => Workload invalid_cronjob,
    "invalid-job" => Workload invalid_job,
    "invalid-name" => Workload invalid_name,
    "job-orphaned" => Run,
    "job-reruns" => Run,
    "logs-lost-on-failure" => Workload logs_lost_on_failure,
    "misplaced-field" => Workload misplaced_field,
    "missing-required" => Workload missing_required,
    "missing-ttl" => Workload missing_ttl,
    "mixed-hooks" => Object mixed_hooks,
    "name-and-generate-name" => Workload name_and_generate_name,
    "name-hash-incomplete" => Workload name_hash_incomplete,
    "name-hash-truncated" => Workload name_hash_truncated,
    "name-too-long" => Workload name_too_long,
    "no-deadline" => Workload no_deadline,
    "nondeterministic-template" => Workload nondeterministic_template,
    "not-idempotent" => Workload not_idempotent,
    "not-rendered" => Run,
    "overlap" => Workload overlap,
    "pod-hook" => Object pod_hook,
    "random-name" => Workload random_name,
    "removed-api-version" => Workload removed_api_version,
    "replace-without-force" => Workload replace_without_force,
    "restart-policy-always" => Workload restart_policy_always,
    "retry-cannot-help" => Workload retry_cannot_help,
    "selector-set-by-hand" => Workload selector_set_by_hand,
    "sidecar-blocks-completion" => Workload sidecar_blocks_completion,
    "stale-hook-blocks" => Object stale_hook_blocks,
    "substituted-by-flux" => Workload substituted_by_flux,
    "suspended-hook" => Workload suspended_hook,
    "sync-option-unknown" => Object sync_option_unknown,
    "template-changes-under-fixed-name" => Workload template_changes_under_fixed_name,
    "ttl-in-cronjob" => Workload ttl_in_cronjob,
    "ttl-out-of-sync" => Workload ttl_out_of_sync,
    "ttl-races-wait" => Workload ttl_races_wait,
    "ttl-reruns" => Workload ttl_reruns,
    "unbounded-wait" => Workload unbounded_wait,
    "unknown-argocd-hook" => Object unknown_argocd_hook,
    "unknown-delete-policy" => Object unknown_delete_policy,
    "unknown-field" => Workload unknown_field,
    "unknown-hook-event" => Object unknown_hook_event,
    "unpinned-image" => Workload unpinned_image,
    "unreadable" => Run,
    "unrenderable" => Run,
    "unreplaceable-job" => Workload unreplaceable_job,
    "unused-ignore" => Run,
    "weight-not-integer" => Object weight_not_integer,
    "wrong-type" => Workload wrong_type,
}
