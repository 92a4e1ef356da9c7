//! What the fixes of each rule may change, as the rules' pages say it.

use joblint::diagnostic::Diagnostic;
use serde::Deserialize;
use serde_json::Value as Json;

use super::Files;

const HOOK: &str = "/metadata/annotations/helm.sh/hook";
const HELM_POLICY: &str = "/metadata/annotations/helm.sh/hook-delete-policy";
const ARGO_POLICY: &str = "/metadata/annotations/argocd.argoproj.io/hook-delete-policy";
const SYNC_OPTIONS: &str = "/metadata/annotations/argocd.argoproj.io/sync-options";
const COMMANDS: &[&str] = &["/command", "/args"];

/// The fields that the fixes of a rule change, each as the end of its path, or a part of it that other fields follow.
const NAMED: &[(&str, &[&str])] = &[
    ("annotation-not-string", &["/annotations", "/labels"]),
    ("failure-hidden", COMMANDS),
    ("force-replace-runs-twice", &[SYNC_OPTIONS, "/syncPolicy/syncOptions"]),
    ("generate-name-leaks", &["/spec/ttlSecondsAfterFinished"]),
    ("hook-duplicate-event", &[HOOK]),
    ("hook-keep-policy", &["/metadata/annotations/helm.sh/resource-policy"]),
    ("install-only-hook", &[HOOK]),
    ("kustomize-churn", &["/name"]),
    ("logs-lost-on-failure", &["/restartPolicy", "/ttlSecondsAfterFinished"]),
    ("lost-continuation", COMMANDS),
    ("misplaced-field", &["/spec"]),
    ("missing-ttl", &["/spec/ttlSecondsAfterFinished"]),
    ("name-and-generate-name", &["/metadata/name", "/metadata/generateName"]),
    ("not-idempotent", COMMANDS),
    ("overlap", &["/concurrencyPolicy", "/podReplacementPolicy"]),
    ("removed-api-version", &["/apiVersion"]),
    ("removed-image", &["/image"]),
    ("replace-without-force", &[SYNC_OPTIONS, "/syncPolicy/syncOptions"]),
    ("restart-policy-always", &["/restartPolicy"]),
    ("selector-set-by-hand", &["/spec/selector", "/spec/manualSelector"]),
    ("stale-hook-blocks", &[HELM_POLICY, ARGO_POLICY]),
    ("substituted-by-flux", &["/command", "/args", "/env"]),
    ("sync-option-unknown", &["/metadata/annotations", "/syncPolicy/syncOptions"]),
    (
        "template-changes-under-fixed-name",
        &["/metadata/name", "/metadata/labels", "/metadata/annotations", "/spec/template/metadata"],
    ),
    ("ttl-races-wait", &["/spec/ttlSecondsAfterFinished"]),
    ("ttl-reruns", &["/spec/ttlSecondsAfterFinished", "/metadata/annotations"]),
    ("unknown-argocd-hook", &["/metadata/annotations/argocd.argoproj.io/hook"]),
    ("unknown-delete-policy", &[HELM_POLICY, ARGO_POLICY]),
    ("unknown-field", &["/spec"]),
    ("unknown-hook-event", &[HOOK]),
    ("unreplaceable-job", &["/metadata/annotations"]),
    ("unused-ignore", &["/metadata/annotations/joblint.dev/ignore"]),
    (
        "weight-not-integer",
        &[
            "/metadata/annotations/helm.sh/hook-weight",
            "/metadata/annotations/argocd.argoproj.io/sync-wave",
        ],
    ),
    ("wrong-type", &["/spec"]),
];

/// True when the fix of a finding may change a path: a field of the rule, in an object of the finding's kind.
pub fn allows(finding: &Diagnostic, path: &str, before: &[Json]) -> bool {
    let named = NAMED.iter().find(|(rule, _)| *rule == finding.rule.id);
    let fields = named.map(|(_, fields)| *fields).unwrap_or_default();
    let is_named = |field: &&str| path.ends_with(field) || path.contains(&format!("{field}/"));
    let document =
        path.split('/').nth(1).and_then(|index| before.get(index.parse::<usize>().ok()?));
    let is_own = |document: &Json| {
        let workload = finding.workload.as_ref();
        workload
            .is_none_or(|one| finding.rule.id == "kustomize-churn" || document["kind"] == *one.kind)
    };
    document.is_some_and(is_own) && fields.iter().any(is_named)
}

/// A comment that the files no longer have.
pub fn lost_comment(before: &Files, after: &Files) -> Option<String> {
    let mut left: Vec<_> = after.iter().flat_map(|(_, text)| comments(text)).collect();
    let mut all = before.iter().flat_map(|(_, text)| comments(text));
    let lost = all.find(|comment| match left.iter().position(|other| other == comment) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    });
    lost.map(str::to_owned)
}

/// What a parser that takes no key twice says of a file that it could read before.
pub fn unreadable(before: &Files, after: &Files) -> Option<String> {
    let error = |text: &str| {
        let documents = serde_yaml::Deserializer::from_str(text);
        documents.map(serde_yaml::Value::deserialize).find_map(Result::err)
    };
    let pairs = before.iter().zip(after).filter(|((_, old), _)| error(old).is_none());
    pairs.into_iter().find_map(|(_, (path, new))| Some(format!("{path}: {}", error(new)?)))
}

/// The comments of a text, or what looks like one in a script.
fn comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let start =
            if line.trim_start().starts_with('#') { line.find('#') } else { line.find(" #") };
        Some(line[start?..].trim())
    })
}
