//! Which zero values the types of the API print.

use serde_json::Value as Json;

use crate::kubernetes::immutable::defaults::is_pointer;

/// Scalars that are pointers in Go, beside those that matter to comparisons: type, fields.
const POINTERS: &[(&str, &[&str])] = &[
    (
        "CronJobSpec",
        &[
            "failedJobsHistoryLimit",
            "startingDeadlineSeconds",
            "successfulJobsHistoryLimit",
            "suspend",
            "timeZone",
        ],
    ),
    ("ObjectMeta", &["deletionGracePeriodSeconds"]),
    ("OwnerReference", &["blockOwnerDeletion", "controller"]),
];

/// Scalars that are printed even if they are zero: their tag lacks `omitempty`.
const REQUIRED: &[(&str, &[&str])] = &[
    ("Container", &["name"]),
    ("ContainerPort", &["containerPort"]),
    ("CronJobSpec", &["schedule"]),
    ("EnvVar", &["name"]),
    ("ExecAction", &["command"]),
    ("HTTPHeader", &["name", "value"]),
    ("ISCSIVolumeSource", &["iqn", "lun", "targetPortal"]),
    ("KeyToPath", &["key", "path"]),
    ("LabelSelectorRequirement", &["key", "operator"]),
    ("ObjectFieldSelector", &["fieldPath"]),
    ("OwnerReference", &["apiVersion", "kind", "name", "uid"]),
    ("SecretKeySelector", &["key"]),
    ("SleepAction", &["seconds"]),
    ("Sysctl", &["name", "value"]),
    ("VolumeMount", &["mountPath", "name"]),
];

/// True unless a field holds a zero value that its type omits.
pub(super) fn is_printed(of: &str, field: &str, value: &Json) -> bool {
    let is_zero = match value {
        Json::Bool(value) => !value,
        Json::Number(number) => number.as_f64() == Some(0.0),
        Json::String(text) => text.is_empty(),
        _ => false,
    };
    // All scalars of a Job are pointers.
    !is_zero
        || of == "JobSpec"
        || is_pointer(of, field)
        || has(POINTERS, of, field)
        || has(REQUIRED, of, field)
}

fn has(table: &[(&str, &[&str])], of: &str, field: &str) -> bool {
    table.iter().any(|row| row.0 == of && row.1.contains(&field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::schema;

    #[test]
    fn every_row_names_a_field_of_the_schema() {
        for (of, fields) in POINTERS.iter().chain(REQUIRED) {
            let found = schema::find(of).unwrap_or_else(|| panic!("no type {of}"));
            for field in *fields {
                assert!(found.field(field).is_some(), "{of}.{field}");
            }
        }
    }
}
