//! The registry: every rule is `rules/<id>.yaml` and a check in `src/rules/`, joined by a line here.

pub mod meta;

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
    /// The rule's page.
    pub fn meta(&self) -> &Meta {
        self.meta.get_or_init(|| {
            serde_yaml::from_str(self.yaml).expect("a test reads every rule's page")
        })
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
    "ignore-without-reason" => Run,
    "restart-policy-always" => Workload restart_policy_always,
    "unreadable" => Run,
    "unused-ignore" => Run,
}
