//! What each deployer does with a changed Job, and with a Job that becomes a hook or stops being one.

use super::*;

/// Force replaces, pruning deletes, otherwise changes are rejected and old objects stay.
#[test]
fn each_deployer_has_its_verdict() {
    let folder = repository(&[("jobs/all.yaml", PLAIN)]);
    let new = PLAIN.split("---\n").next().unwrap().replace("app:1", "app:2");
    write(folder.path(), &[("jobs/all.yaml", &new)]);
    let outcomes = |deployer: &str| -> Vec<String> {
        let report = json(folder.path(), &["--base", "v1", "jobs", "--deployer", deployer]);
        let jobs = report["jobs"].as_array().unwrap().iter();
        jobs.map(|job| job["deployers"][0]["outcome"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(outcomes("argocd:prune=true"), ["rejected", "deleted"]);
    assert_eq!(outcomes("argocd"), ["rejected", "orphaned"]);
    assert_eq!(outcomes("argocd:force=true,prune=true"), ["replaced", "deleted"]);
    assert_eq!(outcomes("flux:force=true,prune=false"), ["replaced", "left-behind"]);
    assert_eq!(outcomes("helm3"), ["rejected", "deleted"]);
    assert_eq!(outcomes("kubectl"), ["rejected", "left-behind"]);
    assert_eq!(outcomes("kubectl:mode=create"), ["blocked", "left-behind"]);
}

/// Deployer, old and new annotations, another image, outcome, also, source.
type Conversion =
    (&'static str, &'static str, &'static str, bool, Outcome, &'static [Outcome], &'static str);

/// A Job whose annotations change: what happens to it and to the old object, and the source of that fact.
#[rustfmt::skip]
const CONVERSIONS: &[Conversion] = &[
    ("helm3", "{}", "helm.sh/hook: pre-upgrade", false, RunsAgain, &[Deleted], "helm A.10; observed 2"),
    ("helm4", "{}", "helm.sh/hook: pre-upgrade", false, RunsAgain, &[Deleted], "helm A.10; observed 2"),
    ("helm3", "helm.sh/resource-policy: keep", "helm.sh/hook: pre-upgrade", false, RunsAgain, &[], "helm A.10"),
    ("helm3", "{}", SUCCEEDED, false, Blocked, &[], "helm A.5"),
    ("helm4", "{}", SUCCEEDED, false, FalseSuccess, &[], "helm A.6"),
    ("helm4", "{}", SUCCEEDED, true, Rejected, &[], "helm A.6"),
    ("helm3", "{}", "helm.sh/hook: post-upgrade", true, RunsAgain, &[], "helm A.10; observed 2"),
    ("helm3", "{}", "helm.sh/hook: pre-install", false, Deleted, &[], "helm F.1: no part of the new manifest"),
    ("helm3", "helm.sh/hook: post-install", "{}", false, Rejected, &[], "helm A.10; observed 2"),
    ("helm4", "helm.sh/hook: pre-upgrade", "{}", true, Rejected, &[], "helm A.10; observed 2"),
    ("helm3", SUCCEEDED, "{}", false, RunsAgain, &[], "helm A.5: the hook is gone after its run"),
    ("helm3", "helm.sh/hook: test", "{}", false, Runs, &[], "helm A.9: it never ran in an upgrade"),
    ("argocd:prune=true", "{}", "argocd.argoproj.io/hook: Sync", false, RunsAgain, &[], "observed k-tohook"),
    ("argocd", "{}", "argocd.argoproj.io/hook: Sync", false, Deleted, &[], "observed q-tohook2"),
    ("argocd", "argocd.argoproj.io/hook: Sync", "{}", false, Unchanged, &[], "observed q-back: the sync configures the Job"),
    ("argocd", "argocd.argoproj.io/hook: Sync", "{}", true, Rejected, &[], "observed q-back; argocd 5: `field is immutable`"),
    ("argocd:force=true", "argocd.argoproj.io/hook: Sync", "{}", true, Replaced, &[], "observed e-forceapp: a sync with force replaces"),
    ("argocd", "argocd.argoproj.io/hook: Sync, argocd.argoproj.io/hook-delete-policy: HookSucceeded", "{}", true, RunsAgain, &[], "argocd 2: the hook is gone after its run"),
    ("kubectl", "helm.sh/hook: pre-upgrade", "{}", false, Unchanged, &[], "kubectl knows no hooks"),
    // Hooks in both versions: the old delete policy decides what the new hook finds.
    ("helm3", "helm.sh/hook: 'pre-install,pre-upgrade'", SUCCEEDED, false, Blocked, &[], "helm A.5"),
    ("helm4", "helm.sh/hook: 'pre-install,pre-upgrade'", SUCCEEDED, false, FalseSuccess, &[], "helm A.6"),
    ("helm4", SUCCEEDED, "helm.sh/hook: 'pre-install,pre-upgrade'", true, RunsAgain, &[], "helm A.5"),
];

const SUCCEEDED: &str =
    "helm.sh/hook: 'pre-install,pre-upgrade', helm.sh/hook-delete-policy: hook-succeeded";

#[test]
fn conversions_end_as_observed() {
    let version = |annotations: &str, image: &str| {
        let annotations = annotations.trim_matches(['{', '}']);
        let text = PLAIN.split("---\n").next().unwrap();
        let text = text
            .replace("name: migrate}", &format!("name: migrate, annotations: {{{annotations}}}}}"));
        vec![file("a.yaml", text.replace("app:1", image))]
    };
    for (deployer, old, new, changed, outcome, also, source) in CONVERSIONS {
        let settings =
            Settings { deployers: vec![deployer.parse().unwrap()], ..Settings::default() };
        let image = if *changed { "app:2" } else { "app:1" };
        let report = compare_files(version(old, "app:1"), version(new, image), &settings);
        let column = report.comparison.unwrap().jobs.remove(0).columns.remove(0);
        let case = format!("{deployer}: {old} → {new} ({source})");
        assert_eq!((column.outcome, column.also.as_slice()), (*outcome, *also), "{case}");
    }
}
