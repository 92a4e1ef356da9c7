//! Flux controllers: a source with the status that source-controller would write, and a Kustomization or a
//! HelmRelease of it.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use job_lifecycle::{
    Event,
    deployer::{Drift, Retries},
};
use serde_json::{Value, json};

use super::{
    artifacts::Artifact,
    cluster::{conditions, is_there, wait_for},
    player::Player,
    tools::{Ran, Site, Verb, WATCH},
};

const SOURCES: &str = "apis/source.toolkit.fluxcd.io/v1";
/// The source, the chart and the object that deploys them.
const NAME: &str = "shop";
/// The interval for events without a deploy; for the others it is too long to matter.
const SHORT: &str = "6s";
const LONG: &str = "1h";
/// How long a reconciliation may take in addition to its timeout.
const PATIENCE: Duration = Duration::from_secs(90);
/// A controller has settled when nothing changes for this long.
const CALM: Duration = Duration::from_millis(1600);

/// By then a controller has seen a change.
const SEEN: Duration = Duration::from_millis(700);

static TOKEN: AtomicU32 = AtomicU32::new(0);

/// A source's artifact and its revision.
struct Revision {
    name: String,
    artifact: Artifact,
}

impl Site<'_> {
    /// Runs a verb and returns the result once the controller has settled.
    pub fn reconcile(&self, verb: Verb, files: &Path) -> Ran {
        match verb {
            Verb::Heal | Verb::Look => {
                thread::sleep(WATCH);
                self.flux_told(true)
            }
            Verb::Uninstall => self.flux_delete(),
            _ => {
                let revision = self.offer(files);
                let token = self.deploy(verb, &revision);
                let in_time = self.flux_rests(&revision.name, &token);
                self.flux_told(in_time)
            }
        }
    }

    /// Stops the controllers from acting on the object.
    pub fn flux_suspend(&self) {
        if is_there(&self.flux_object()) {
            self.tools.cluster.patch(&self.flux_path(), &json!({"spec": {"suspend": true}}));
        }
    }

    fn is_release(&self) -> bool {
        self.player == Player::HelmController
    }

    fn flux_path(&self) -> String {
        let (api, kinds) = match self.is_release() {
            true => ("helm.toolkit.fluxcd.io/v2", "helmreleases"),
            false => ("kustomize.toolkit.fluxcd.io/v1", "kustomizations"),
        };
        format!("apis/{api}/namespaces/{}/{kinds}/{NAME}", self.namespace)
    }

    fn flux_object(&self) -> Value {
        self.tools.cluster.get(&self.flux_path())
    }

    fn offer(&self, files: &Path) -> Revision {
        let prefix = if self.is_release() { NAME } else { "" };
        let artifact = self.tools.artifacts.offer(files, prefix);
        let name = if self.is_release() {
            let text = fs::read_to_string(files.join("Chart.yaml")).expect("a chart");
            let chart: Value = serde_yaml::from_str(&text).expect("a chart");
            chart["version"].as_str().expect("a version").to_owned()
        } else {
            let hash = artifact.digest.trim_start_matches("sha256:");
            format!("main@sha1:{}", &hash[..40])
        };
        Revision { name, artifact }
    }

    /// Writes the source and the object, and asks for a reconciliation. In between nothing is tried: a controller
    /// takes up each of them at once.
    fn deploy(&self, verb: Verb, revision: &Revision) -> String {
        let cluster = &self.tools.cluster;
        let old = self.flux_object();
        let token = format!("t{}", TOKEN.fetch_add(1, Ordering::Relaxed));
        let same = old["status"]["lastAttemptedRevision"] == *revision.name;
        let mut object = match self.is_release() {
            true => self.release(verb, (same && verb == Verb::Upgrade).then_some(&*token)),
            false => self.kustomization(verb),
        };
        if !same {
            if is_there(&old) {
                self.flux_suspend();
            }
            self.write_source(revision);
            thread::sleep(SEEN);
        }
        object["spec"]["suspend"] = json!(false);
        object["metadata"]["annotations"] = json!({"reconcile.fluxcd.io/requestedAt": token});
        cluster.apply(&self.flux_path(), &object);
        token
    }

    fn write_source(&self, revision: &Revision) {
        let (kind, kinds, spec) = match self.is_release() {
            true => (
                "HelmChart",
                "helmcharts",
                json!({
                    "chart": NAME, "version": "*", "interval": "24h",
                    "sourceRef": {"kind": "HelmRepository", "name": "none"},
                }),
            ),
            false => (
                "GitRepository",
                "gitrepositories",
                json!({"url": "https://127.0.0.1/none", "interval": "24h"}),
            ),
        };
        let path = format!("{SOURCES}/namespaces/{}/{kinds}/{NAME}", self.namespace);
        let cluster = &self.tools.cluster;
        let object = json!({
            "apiVersion": SOURCES.trim_start_matches("apis/"), "kind": kind,
            "metadata": {"name": NAME, "namespace": self.namespace}, "spec": spec,
        });
        cluster.apply(&path, &object);
        let made = cluster.get(&path);
        let (time, generation) =
            (&made["metadata"]["creationTimestamp"], &made["metadata"]["generation"]);
        let Artifact { url, path: file, digest, size } = &revision.artifact;
        let status = json!({
            "observedGeneration": generation,
            "artifact": {
                "url": url, "path": file, "digest": digest, "size": size,
                "revision": revision.name, "lastUpdateTime": time,
            },
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "Succeeded", "message": "stored",
                "lastTransitionTime": time, "observedGeneration": generation,
            }],
        });
        cluster.patch(&format!("{path}/status"), &json!({"status": status}));
    }

    fn interval(&self) -> &'static str {
        if matches!(self.event, Event::AfterTtl | Event::SelfHeal) { SHORT } else { LONG }
    }

    fn kustomization(&self, verb: Verb) -> Value {
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"name": NAME, "namespace": self.namespace},
            "spec": {
                "interval": self.interval(), "retryInterval": LONG,
                "timeout": format!("{}s", self.patience.as_secs()),
                "sourceRef": {"kind": "GitRepository", "name": NAME},
                "path": "./", "targetNamespace": self.namespace,
                "prune": self.deployer.flux().prune.unwrap_or(true),
                "wait": self.deployer.flux().wait == Some(true),
                "force": self.deployer.is_forced() || verb == Verb::Forced,
            },
        })
    }

    /// A HelmRelease of the chart. `again` is a value that forces a new release of the same chart version.
    fn release(&self, verb: Verb, again: Option<&str>) -> Value {
        let client = self.deployer.applies_client_side();
        let mut object = json!({
            "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
            "metadata": {"name": NAME, "namespace": self.namespace},
            "spec": {
                "interval": self.interval(), "releaseName": "r",
                "timeout": format!("{}s", self.patience.as_secs()),
                "chartRef": {"kind": "HelmChart", "name": NAME},
                "install": {"serverSideApply": !client},
                "upgrade": {
                    "force": self.deployer.is_forced() || verb == Verb::Forced,
                    "serverSideApply": if client { "disabled" } else { "auto" },
                },
                "driftDetection": {
                    "mode": self.deployer.flux().drift_detection.unwrap_or(Drift::Disabled).name(),
                },
            },
        });
        self.remediate(&mut object["spec"]);
        if let Some(again) = again {
            object["spec"]["values"] = json!({"again": again});
        }
        object
    }

    /// Writes what the controller does after a failure into the spec of a HelmRelease.
    fn remediate(&self, spec: &mut Value) {
        let own = self.deployer.flux();
        let retries = |retries: Retries| match retries {
            Retries::Count(count) => json!(count),
            Retries::Endless => json!(-1),
        };
        let fields = [
            ("/install/remediation/retries", own.install_retries.map(retries)),
            ("/install/strategy/name", own.install_strategy.map(|one| json!(one.name()))),
            ("/upgrade/remediation/retries", own.upgrade_retries.map(retries)),
            ("/upgrade/remediation/strategy", own.upgrade_remediation.map(|one| json!(one.name()))),
            (
                "/upgrade/remediation/remediateLastFailure",
                own.remediate_last_failure.map(|flag| json!(flag)),
            ),
            ("/upgrade/strategy/name", own.upgrade_strategy.map(|one| json!(one.name()))),
        ];
        for (path, value) in fields {
            let Some(value) = value else { continue };
            let keys = path.split('/').skip(1);
            *keys.fold(&mut *spec, |node, key| &mut node[key]) = value;
        }
    }

    /// Waits until the controller has handled the last request and settled.
    fn flux_rests(&self, revision: &str, token: &str) -> bool {
        let mut last = (Value::Null, Instant::now());
        wait_for(PATIENCE, || {
            let object = self.flux_object();
            let status = &object["status"];
            let ready = condition(&object, "Ready");
            let trying = condition(&object, "Reconciling");
            let generation = &object["metadata"]["generation"];
            let is_tried = !self.is_release() || status["lastAttemptedGeneration"] == *generation;
            let is_done = is_tried
                && status["lastHandledReconcileAt"] == *token
                && status["lastAttemptedRevision"] == *revision
                && ready["observedGeneration"] == *generation
                && ready["status"] != "Unknown"
                && (trying["status"] != "True" || trying["reason"] == "ProgressingWithRetry");
            if !is_done || last.0 != ready {
                last = (ready, Instant::now());
            }
            is_done && last.1.elapsed() >= CALM
        })
    }

    /// The result: the condition `Ready`, and the events about drift.
    fn flux_told(&self, in_time: bool) -> Ran {
        let ready = condition(&self.flux_object(), "Ready");
        let failed = !in_time || ready["status"] == "False";
        let word = |key: &str| ready[key].as_str().unwrap_or_default().to_owned();
        let mark = if failed { "ERROR " } else { "" };
        let mut text = format!("{mark}{}: {}\n", word("reason"), word("message"));
        let events = format!("api/v1/namespaces/{}/events", self.namespace);
        let events = self.tools.cluster.get(&events);
        for event in events["items"].as_array().into_iter().flatten() {
            if event["reason"] == "DriftDetected" {
                text += event["message"].as_str().unwrap_or_default();
                text.push('\n');
            }
        }
        Ran { failed, text }
    }

    fn flux_delete(&self) -> Ran {
        self.tools.cluster.delete(&self.flux_path());
        let gone = wait_for(self.patience, || !is_there(&self.flux_object()));
        if gone { Ran::default() } else { self.flux_told(false) }
    }
}

/// A condition of an object, or null.
fn condition(object: &Value, kind: &str) -> Value {
    conditions(object, kind).next().cloned().unwrap_or_default()
}
