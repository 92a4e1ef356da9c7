//! The user's own policies.

use admission_policy::PolicySet;

/// What the user demands beyond the settings.
#[derive(Debug, Default)]
pub struct Own {
    /// The admission policies, with what they refer to.
    pub admission: PolicySet,
}
