//! Classification against documented and observed behaviour; the third column, or a comment, names the source.

use std::sync::Arc;

use yaml_spans::{self as yaml, Source};

use super::*;

fn object(annotations: &str) -> Object {
    let text = format!(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: x, annotations: {{{annotations}}}}}}}"
    );
    let source = Arc::new(Source::new("a.yaml", text));
    let document = yaml::parse(&source.text).remove(0).unwrap();
    Object::new(&source, document.root, document.span).unwrap()
}

fn role(deployer: &str, from_chart: bool, annotations: &str) -> Role {
    classify(&object(annotations), &deployer.parse().unwrap(), from_chart)
}

/// `plain`, `dropped`, or the events of the hook.
fn words(role: &Role) -> String {
    match role {
        Role::Plain => "plain".into(),
        Role::Dropped => "dropped".into(),
        Role::Hook(hook) => hook.events.join(" "),
    }
}

#[test]
fn helm_events() {
    for (value, expected, source) in [
        ("pre-install", "pre-install", "helm A.1"),
        ("post-delete", "post-delete", "helm A.1"),
        ("pre-rollback", "pre-rollback", "helm A.1"),
        ("test", "test", "helm A.1"),
        ("test-success", "test", "helm A.1"),
        ("\"test,test-success\"", "test test", "helm A.2"),
        ("\"post-install,post-install\"", "post-install post-install", "observed 2"),
        ("Post-Install", "post-install", "observed 2"),
        ("\" post-install , post-upgrade \"", "post-install post-upgrade", "observed 2"),
        ("post-instal", "dropped", "observed 2"),
        ("\"post-install,\"", "dropped", "observed 2"),
        ("\"\"", "dropped", "observed 2"),
        ("null", "dropped", "helm A.2"),
        ("true", "dropped", "helm A.2"),
        ("crd-install", "dropped", "observed 2"),
        ("test-failure", "dropped", "observed 2"),
        ("\"post-install,bogus\"", "dropped", "observed 2"),
    ] {
        for deployer in ["helm3", "helm4", "fleet", "flux:kind=HelmRelease"] {
            let role = role(deployer, false, &format!("helm.sh/hook: {value}"));
            assert_eq!(words(&role), expected, "{value} under {deployer} ({source})");
        }
    }
    assert_eq!(role("helm3", true, "a: b"), Role::Plain);
}

#[test]
fn helm_policies() {
    let policies = |value: &str| {
        let annotations = format!("helm.sh/hook: post-upgrade{value}");
        role("helm3", true, &annotations).hook().unwrap().policies.join(" ")
    };
    let with = |value: &str| policies(&format!(", helm.sh/hook-delete-policy: {value}"));
    // helm A.5: the default applies only when the key is absent.
    assert_eq!(policies(""), "before-hook-creation");
    assert_eq!(with("\"\""), "");
    assert_eq!(with("hook-success"), "");
    assert_eq!(with("hook-succeeded"), "hook-succeeded");
    assert_eq!(
        with("\"Hook-Succeeded, before-hook-creation\""),
        "hook-succeeded before-hook-creation"
    );
}

#[test]
fn helm_weights() {
    // helm A.3; observed 2: Atoi without trimming; non-string scalars are coerced.
    for (value, expected) in [
        ("\"5\"", 5),
        ("\"-5\"", -5),
        ("\"+5\"", 5),
        ("\"05\"", 5),
        ("5", 5),
        ("\" 5\"", 0),
        ("\"1.5\"", 0),
        ("\"\"", 0),
        ("\"99999999999999999999\"", 0),
        ("\"x\"", 0),
    ] {
        let annotations = format!("helm.sh/hook: pre-install, helm.sh/hook-weight: {value}");
        assert_eq!(role("helm4", true, &annotations).hook().unwrap().weight, expected, "{value}");
    }
}

#[test]
fn argocd_events() {
    for (annotations, expected, source) in [
        ("argo: PreSync", "PreSync", "argocd 0.1"),
        ("argo: \"PreSync, PostSync\"", "PreSync PostSync", "argocd 0.1"),
        ("argo: \"PreSync,PreSync\"", "PreSync", "argocd 0.1"),
        ("argo: \"PreSync,\"", "PreSync", "argocd 0.1"),
        ("argo: \"PreSync,Foo\"", "PreSync", "observed 5"),
        ("argo: SyncFail", "SyncFail", "argocd 1"),
        ("argo: Presync", "dropped", "argocd 0.1"),
        ("argo: pre-sync", "dropped", "argocd 0.1"),
        ("argo: \"\"", "dropped", "argocd 0.1"),
        ("argo: Skip", "dropped", "argocd 0.1"),
        ("argo: \"Skip,PreSync\"", "PreSync", "argocd 0.1"),
        ("argo: Bogus, helm: pre-install", "PreSync", "argocd 0.1"),
        ("argo: PostSync, helm: pre-install", "PostSync", "argocd 0.1"),
        ("argo: Skip, helm: pre-install", "dropped", "argocd 0.1"),
        ("argo: Skip, helm: post-delete", "PostDelete", "argocd 0.1"),
        ("argo: PreSync, helm: pre-delete", "PreSync PreDelete", "argocd 0.1"),
        ("argo: PreDelete", "PreDelete", "argocd 1"),
        ("argo: \"PostSync,PostDelete\"", "PostSync PostDelete", "argocd 1"),
        ("helm: \"pre-install,pre-upgrade\"", "PreSync", "argocd 3"),
        ("helm: \"pre-install,post-install\"", "PreSync PostSync", "observed argocd-controllers"),
        ("helm: \"post-install,test\"", "PostSync", "argocd 3"),
        ("helm: \"pre-install,crd-install\"", "PreSync", "argocd 3"),
        ("helm: \"post-install,\"", "PostSync", "observed 5"),
        ("helm: Post-Install", "dropped", "observed 5"),
        ("helm: crd-install", "plain", "observed 5"),
        ("helm: pre-delete", "PreDelete", "argocd 3"),
        ("helm: post-delete", "PostDelete", "argocd 3"),
        ("helm: test", "dropped", "argocd 3"),
        ("helm: pre-rollback", "dropped", "argocd 3"),
        ("helm: \"\"", "dropped", "argocd 0.1"),
        ("x: y", "plain", "argocd 0.1"),
    ] {
        let annotations = annotations.replace("argo:", "argocd.argoproj.io/hook:");
        let annotations = annotations.replace("helm:", "helm.sh/hook:");
        assert_eq!(
            words(&role("argocd", false, &annotations)),
            expected,
            "{annotations} ({source})"
        );
    }
}

#[test]
fn argocd_gets_the_objects_that_helm_renders() {
    // observed argocd-controllers; observed g-map: hooks of a chart.
    let of_chart = |value: &str| words(&role("argocd", true, &format!("helm.sh/hook: {value}")));
    assert_eq!(of_chart("crd-install"), "dropped");
    assert_eq!(of_chart("\"post-install,\""), "dropped");
    assert_eq!(of_chart("\"pre-install,bogus\""), "dropped");
    assert_eq!(of_chart("Post-Install"), "dropped");
    assert_eq!(of_chart("\"post-install,post-upgrade\""), "PostSync");
}

#[test]
fn argocd_versions() {
    let argo = |version: &str, annotations: &str| {
        words(&role(&format!("argocd:version={version}"), false, annotations))
    };
    let own = |value: &str| format!("argocd.argoproj.io/hook: {value}");
    // argocd 1: PostDelete since 2.10, PreDelete since 3.3.
    assert_eq!(argo("2.9", &own("PostDelete")), "dropped");
    assert_eq!(argo("2.10", &own("PostDelete")), "PostDelete");
    assert_eq!(argo("3.2", &own("PreDelete")), "dropped");
    assert_eq!(argo("3.2", "helm.sh/hook: pre-delete"), "dropped");
    assert_eq!(argo("3.3", "helm.sh/hook: pre-delete"), "PreDelete");
    // argocd 1: lists of delete hooks since 3.3.3; 3.3.3 and 3.3.4 lose the sync phases.
    let both = "helm.sh/hook: \"post-install,post-delete\"";
    assert_eq!(argo("3.3.2", both), "PostSync");
    assert_eq!(argo("3.3.3", both), "PostDelete");
    assert_eq!(argo("3.3.4", both), "PostDelete");
    assert_eq!(argo("3.3.5", both), "PostSync PostDelete");
}

#[test]
fn argocd_policies_and_waves() {
    let hook = |annotations: &str| {
        let annotations = format!("argocd.argoproj.io/hook: Sync, {annotations}");
        role("argocd", false, &annotations).hook().unwrap().clone()
    };
    let policies = |annotations: &str| hook(annotations).policies.join(" ");
    // argocd 2.1: the union of both annotations, case-sensitive; without a known policy the default.
    assert_eq!(policies("a: b"), "BeforeHookCreation");
    assert_eq!(
        policies("argocd.argoproj.io/hook-delete-policy: hookSucceeded"),
        "BeforeHookCreation"
    );
    assert_eq!(policies("argocd.argoproj.io/hook-delete-policy: \"\""), "BeforeHookCreation");
    assert_eq!(
        policies(
            "argocd.argoproj.io/hook-delete-policy: HookSucceeded, \
             helm.sh/hook-delete-policy: \"hook-failed,Before-Hook-Creation\""
        ),
        "HookFailed HookSucceeded"
    );
    // argocd 0.2: sync-wave, else hook-weight, else 0.
    assert_eq!(hook("argocd.argoproj.io/sync-wave: \"-2\", helm.sh/hook-weight: \"7\"").weight, -2);
    assert_eq!(hook("argocd.argoproj.io/sync-wave: \"5m\", helm.sh/hook-weight: \"7\"").weight, 7);
    assert_eq!(hook("argocd.argoproj.io/sync-wave: \" 5\"").weight, 0);
}

#[test]
fn tools_without_hooks() {
    let annotations = "helm.sh/hook: pre-install, argocd.argoproj.io/hook: PreSync";
    assert_eq!(role("kubectl", false, annotations), Role::Plain);
    // flux 1; flux 2: only charts have hooks. fleet 3.3: raw manifests have them since Fleet 0.15.
    assert_eq!(role("flux", false, annotations), Role::Plain);
    assert_eq!(words(&role("flux", true, annotations)), "pre-install");
    assert_eq!(role("fleet:version=0.14", false, annotations), Role::Plain);
    assert_eq!(words(&role("fleet:version=0.14", true, annotations)), "pre-install");
    assert_eq!(words(&role("fleet:version=0.15", false, annotations)), "pre-install");
}

#[test]
fn items_of_a_list() {
    // helm A.2: Helm does not expand a List; Argo CD does.
    let item = Object { in_list: true, ..object("helm.sh/hook: post-install") };
    assert_eq!(classify(&item, &"helm3".parse().unwrap(), true), Role::Plain);
    assert_eq!(words(&classify(&item, &"argocd".parse().unwrap(), false)), "PostSync");
}
