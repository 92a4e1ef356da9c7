//! The forecast against the tables in `testdata/forecast`: documented facts and observations, each row with
//! its source.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use serde::Deserialize;
use yaml_spans::{self as yaml, Source};

use super::*;
use crate::{deploy::classify, object::Object, release_changes::Change};

/// A row: a workload under some deployers, and the known outcome at each event.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    source: String,
    deployer: Vec<String>,
    /// Merged into a Job with one container.
    #[serde(default)]
    object: serde_json::Value,
    #[serde(default)]
    chart: bool,
    /// What an upgrade changes, where it is not the image: `nothing`, `mutable`, `name`.
    change: Option<String>,
    /// What a new render changes: `template`, `name`.
    render: Option<String>,
    /// By event: the outcome, then what else happens; `absent` if the event cannot happen.
    events: BTreeMap<String, String>,
}

const JOB: &str = r#"{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate"}, "spec": {
    "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "m", "image": "app:1"}]}}}}"#;

fn merge(base: &mut serde_json::Value, over: &serde_json::Value) {
    let (Some(base), Some(over)) = (base.as_object_mut(), over.as_object()) else {
        return;
    };
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (_, serde_json::Value::Null) => _ = base.remove(key),
            (Some(own), value) if own.is_object() && value.is_object() => merge(own, value),
            _ => _ = base.insert(key.clone(), value.clone()),
        }
    }
}

fn object(case: &Case) -> Object {
    let mut json: serde_json::Value = serde_json::from_str(JOB).unwrap();
    merge(&mut json, &case.object);
    read(json.to_string())
}

fn changes(case: &Case, object: &Object) -> ReleaseChanges {
    let named = |what: &str| match what {
        "nothing" => Change::default(),
        "mutable" => Change { mutable: true, ..Change::default() },
        "name" => {
            Change { name: true, mutable: true, fields: vec!["spec.template"], ..Change::default() }
        }
        "template" => Change { mutable: true, fields: vec!["spec.template"], ..Change::default() },
        other => panic!("{}: no change is called {other}", case.source),
    };
    let mut changes = ReleaseChanges::edited(object);
    if let Some(what) = &case.change {
        changes.upgrade = named(what);
    }
    if let Some(what) = &case.render {
        changes.render = named(what);
    }
    changes
}

fn shown(forecast: Option<&Forecast>) -> String {
    let Some(forecast) = forecast else { return "absent".to_owned() };
    let also = forecast.also.iter().map(|also| format!(" {also}"));
    forecast.outcome.name().to_owned() + &also.collect::<String>()
}

fn check(case: &Case, wrong: &mut Vec<String>) -> usize {
    let object = object(case);
    let changes = changes(case, &object);
    let mut cells = 0;
    for deployer in &case.deployer {
        let deployer: Deployer = deployer.parse().unwrap();
        let role = classify(&object, &deployer, case.chart);
        let work = DeployedWorkload::new(&object, role, case.chart).expect("a workload");
        for (event, expected) in &case.events {
            let found = Event::ALL.into_iter().find(|known| known.name() == event);
            let event = found.unwrap_or_else(|| panic!("{}: no event {event}", case.source));
            let found = forecast(&work, &changes, &deployer, event);
            if let Some(found) = &found {
                assert!(found.outcome != Outcome::Unknown || !found.reason.is_empty());
                assert!(!found.fact.is_empty(), "every cell rests on a fact");
                assert!(!found.reason.contains(['{', '}']), "{}", found.reason);
            }
            if shown(found.as_ref()) != *expected {
                let (source, event, found) = (&case.source, event.name(), shown(found.as_ref()));
                wrong.push(format!("{source}: {deployer} {event}: {found}, not {expected}"));
            }
            cells += 1;
        }
    }
    cells
}

#[test]
fn every_cell_of_the_facts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/forecast");
    let (mut cells, mut wrong) = (0, Vec::new());
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "yaml")) {
        let cases: Vec<Case> = serde_yaml::from_str(&fs::read_to_string(file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        cells += cases.iter().map(|case| check(case, &mut wrong)).sum::<usize>();
    }
    assert!(wrong.is_empty(), "{} of {cells} cells:\n{}", wrong.len(), wrong.join("\n"));
    assert!(cells >= 300, "{cells}");
}

/// The object in a YAML document.
fn read(text: String) -> Object {
    let source = Arc::new(Source::new("a.yaml", text));
    let document = yaml::parse(&source.text).remove(0).unwrap();
    Object::new(&source, document.root, document.span).unwrap()
}

/// A Job or hook with this name, and this text after the name in its metadata.
fn part(name: &str, metadata: &str) -> Object {
    let text = format!(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: {name}{metadata}}}, spec: {{template: {{spec: \
         {{restartPolicy: Never, containers: [{{name: m, image: a:1}}]}}}}}}}}"
    );
    read(text)
}

/// The outcomes of workloads that are deployed together.
fn unit(objects: &[Object], deployer: &str, event: Event) -> Vec<String> {
    let deployer: Deployer = deployer.parse().unwrap();
    let work = |object| DeployedWorkload::new(object, classify(object, &deployer, false), false);
    let works: Vec<_> = objects
        .iter()
        .filter_map(|object| Some((work(object)?, ReleaseChanges::edited(object))))
        .collect();
    let all: Vec<_> = objects.iter().collect();
    let rows = forecast_unit(&works, &all, &deployer, &[event]);
    rows.iter().map(|row| shown(row.at(event))).collect()
}

/// The outcomes of a Job that a workload with these annotations deletes by name.
fn deleted(annotations: &str, deployer: &str) -> [Outcome; 2] {
    let job = part("migrate", "");
    let hook = part("clean", &format!(", annotations: {{{annotations}}}"));
    let deployer: Deployer = deployer.parse().unwrap();
    let role = classify(&job, &deployer, false);
    let work = DeployedWorkload::new(&job, role, false).unwrap().deleted_by(vec![&hook]);
    let changes = ReleaseChanges::edited(&job);
    [Event::Upgrade, Event::Redeploy]
        .map(|event| outcome(&work, &changes, &deployer, event).unwrap())
}

/// helm A.4; argocd 0.2: hooks that run first are waited for, so what they delete is gone.
#[test]
fn what_a_hook_deletes_first_is_created_again() {
    use Outcome::{Rejected, Replaced, Unchanged};
    let refused = [Rejected, Unchanged];
    let replaced = [Replaced; 2];
    assert_eq!(deleted("helm.sh/hook: \"pre-install,pre-upgrade\"", "helm3"), replaced);
    assert_eq!(deleted("helm.sh/hook: pre-upgrade", "helm4"), replaced);
    assert_eq!(deleted("argocd.argoproj.io/hook: PreSync", "argocd"), replaced);
    // The first deploy ends with it.
    assert_eq!(deleted("helm.sh/hook: \"post-install,post-upgrade\"", "helm3"), replaced);
    assert_eq!(deleted("argocd.argoproj.io/hook: PostSync", "argocd"), replaced);
    // Too late, at another event, or no hook under this deployer.
    assert_eq!(deleted("helm.sh/hook: post-upgrade", "helm3"), refused);
    assert_eq!(deleted("helm.sh/hook: pre-install", "helm3"), refused);
    assert_eq!(deleted("argocd.argoproj.io/hook: PostDelete", "argocd"), refused);
    assert_eq!(deleted("helm.sh/hook: pre-install", "helm4"), refused);
    assert_eq!(deleted("helm.sh/hook: pre-upgrade", "flux"), refused);
    assert_eq!(deleted("helm.sh/hook: pre-upgrade", "kubectl"), refused);
    // A HelmRelease calls no Helm without a change.
    assert_eq!(
        deleted("helm.sh/hook: pre-upgrade", "flux:kind=HelmRelease"),
        [Replaced, Unchanged]
    );
}

/// helm A.11; helm F.1: a failure skips the post hooks; the pre hooks have run by then.
#[test]
fn helm_does_not_come_to_what_follows_a_failure() {
    let objects = [
        part("pre", ", annotations: {helm.sh/hook: \"pre-install,pre-upgrade\"}"),
        part("plain", ""),
        part("post", ", annotations: {helm.sh/hook: \"post-install,post-upgrade\"}"),
    ];
    assert_eq!(unit(&objects, "helm3", Event::Upgrade), ["runs-again", "rejected", "blocked"]);
    assert_eq!(unit(&objects, "helm3", Event::Redeploy), ["runs-again", "unchanged", "runs-again"]);
    // A failing pre hook stops the release before anything else is sent.
    let stale = part(
        "stale",
        ", annotations: {helm.sh/hook: pre-upgrade, helm.sh/hook-weight: \"-1\", \
         helm.sh/hook-delete-policy: hook-failed}, generateName: stale-",
    );
    let objects = [stale, objects[0].clone(), objects[1].clone()];
    assert_eq!(unit(&objects, "helm4", Event::Upgrade), ["rejected", "blocked", "blocked"]);
}

/// argocd 0.2; argocd 0.3; argocd 1.2: phases and waves; SyncFail hooks run when a sync fails.
#[test]
fn argocd_stops_after_the_wave_that_fails() {
    let hook =
        |name, hook| part(name, &format!(", annotations: {{argocd.argoproj.io/hook: {hook}}}"));
    let wave = part("later", "-v2, annotations: {argocd.argoproj.io/sync-wave: \"1\"}");
    let objects = [
        hook("pre", "PreSync"),
        part("plain", ""),
        wave,
        hook("post", "PostSync"),
        hook("fail", "SyncFail"),
    ];
    assert_eq!(
        unit(&objects, "argocd:prune=true", Event::Upgrade),
        ["runs-again", "rejected", "blocked", "blocked", "runs"]
    );
    assert_eq!(
        unit(&objects, "argocd:prune=true", Event::Redeploy),
        ["runs-again", "unchanged", "unchanged", "runs-again", "skipped"]
    );
}

/// flux 1.1; observed k01: one rejected object stops the whole stage. kubectl continues (kubectl 4.1).
#[test]
fn a_kustomization_applies_all_or_nothing() {
    let objects = [part("renamed-v2", ""), part("plain", ""), part("other", "")];
    assert_eq!(
        unit(&objects, "flux:prune=true", Event::Upgrade),
        ["blocked", "rejected", "rejected"]
    );
    assert_eq!(
        unit(&objects, "kubectl", Event::Upgrade),
        ["runs-again left-behind", "rejected", "rejected"]
    );
}

/// helm A.4; argocd 0.2; argocd 8; observed 2; observed 5: a pod without its ServiceAccount is not created,
/// and a retry meets the same state.
#[test]
fn a_hook_waits_in_vain_for_what_is_created_after_it() {
    let account = |annotations: &str| {
        read(format!(
            "{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: z-sa{annotations}}}}}"
        ))
    };
    let hook = |annotations: &str| {
        read(format!(
            "{{apiVersion: batch/v1, kind: Job, metadata: {{name: a-job, annotations: {{{annotations}}}}}, \
             spec: {{ttlSecondsAfterFinished: 9, template: {{spec: {{serviceAccountName: z-sa, \
             restartPolicy: Never, containers: [{{name: m, image: a:1}}]}}}}}}}}"
        ))
    };
    let (pre, plain) = ("helm.sh/hook: \"pre-install,pre-upgrade\"", part("plain", ""));
    let objects = [hook(pre), account(""), plain];
    let first = |deployer, event| unit(&objects, deployer, event)[0].clone();
    for deployer in ["helm3", "helm4", "flux:kind=HelmRelease", "fleet", "argocd"] {
        let tried =
            [Event::Install, Event::Redeploy, Event::Upgrade, Event::Forced, Event::AfterFailure];
        for event in tried {
            assert_eq!(first(deployer, event), "blocked", "{deployer} {event:?}");
        }
        // It never ran.
        assert_eq!(first(deployer, Event::WhileRunning), "absent", "{deployer}");
        assert_eq!(first(deployer, Event::AfterTtl), "absent", "{deployer}");
    }
    assert_eq!(unit(&objects, "helm3", Event::Install), ["blocked", "blocked"]);
    // The account exists: created before the hook, or by the install.
    let weight = "helm.sh/hook-weight: \"-1\"";
    let early = [hook(pre), account(&format!(", annotations: {{{pre}, {weight}}}"))];
    assert_eq!(unit(&early, "helm3", Event::Install), ["runs"]);
    let same = [hook(pre), account(&format!(", annotations: {{{pre}}}"))];
    assert_eq!(unit(&same, "helm3", Event::Install), ["blocked"]);
    assert_eq!(unit(&same, "argocd", Event::Install), ["runs"]);
    let upgrade = [hook("helm.sh/hook: pre-upgrade"), account("")];
    assert_eq!(unit(&upgrade, "helm3", Event::Upgrade), ["runs"]);
    assert_eq!(unit(&upgrade, "argocd", Event::Upgrade), ["blocked"]);
    // Continuing means terminating the sync, which deletes its hooks.
    assert_eq!(unit(&upgrade, "argocd", Event::Removed), ["skipped"]);
    assert_eq!(unit(&upgrade, "argocd", Event::Uninstall), ["skipped"]);
}
