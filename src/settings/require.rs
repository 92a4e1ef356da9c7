//! The requirements that `require:` accepts.

use job_lifecycle::suggest::nearest;

const NAMES: [&str; 8] = [
    "ttl",
    "hook",
    "generate-name",
    "idempotency-hint",
    "deadline",
    "backoff-limit",
    "label:KEY",
    "annotation:KEY",
];

/// The reason why a requirement is invalid, and what to write instead.
pub(super) fn error(item: &str) -> Option<(String, String)> {
    let (name, key) = item.split_once(':').unwrap_or((item, ""));
    let kind = |known: &'static str| known.trim_end_matches(":KEY");
    match NAMES.into_iter().find(|known| kind(known) == name) {
        Some(known) if known.ends_with(":KEY") == (item != name && !key.is_empty()) => None,
        Some(known) if known.ends_with(":KEY") => {
            Some((format!("`{item}` names no key"), format!("write it as `{name}:team`")))
        }
        Some(known) => Some((format!("`{known}` takes no key"), format!("write `{known}`"))),
        None => {
            let help = match nearest(name, NAMES.map(kind)) {
                Some(near) if key.is_empty() => format!("did you mean `{near}`?"),
                Some(near) => format!("did you mean `{near}:{key}`?"),
                None => format!("expected one of {}", NAMES.join(", ")),
            };
            Some((format!("unknown requirement `{item}`"), help))
        }
    }
}
