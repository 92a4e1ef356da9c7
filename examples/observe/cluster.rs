//! A cluster, seen through its API: what is there, and everything that happened since.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// The server of a kubeconfig with a token.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub kubeconfig: PathBuf,
    server: String,
    token: String,
}

/// A Job, a CronJob or a Pod.
#[derive(Clone, Debug)]
pub struct Thing {
    pub kind: &'static str,
    pub name: String,
    pub uid: String,
    /// A Job or Pod that has ended.
    pub ended: bool,
    /// It has pods that run.
    pub active: bool,
    suspended: bool,
    deleting: bool,
    /// The object that made it.
    owner: Option<String>,
}

/// Something that came into being.
#[derive(Clone, Debug)]
pub struct Birth {
    pub thing: Thing,
    /// The cluster's clock.
    pub at: u64,
}

const KINDS: [(&str, &str); 3] = [
    ("Job", "apis/batch/v1/namespaces/{}/jobs"),
    ("CronJob", "apis/batch/v1/namespaces/{}/cronjobs"),
    ("Pod", "api/v1/namespaces/{}/pods"),
];

/// How long anything may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(40);
const PAUSE: Duration = Duration::from_millis(250);

impl Cluster {
    pub fn new(kubeconfig: &Path) -> Self {
        let text = fs::read_to_string(kubeconfig).expect("a kubeconfig");
        let config: Value = serde_yaml::from_str(&text).expect("a kubeconfig");
        let text = |pointer: &str| config.pointer(pointer).and_then(Value::as_str);
        Self {
            kubeconfig: kubeconfig.to_owned(),
            server: text("/clusters/0/cluster/server").expect("a server").to_owned(),
            token: text("/users/0/user/token").expect("a token").to_owned(),
        }
    }

    /// The version of the API server.
    pub fn version(&self) -> String {
        self.get("version")["gitVersion"].as_str().unwrap_or("unknown").to_owned()
    }

    fn curl(&self, path: &str, more: &[&str]) -> Command {
        let mut command = Command::new("curl");
        command.args(["-sk", "--max-time", "60", "-H"]);
        command.arg(format!("Authorization: Bearer {}", self.token)).args(more);
        command.arg(format!("{}/{path}", self.server)).stdin(Stdio::null());
        command
    }

    fn get(&self, path: &str) -> Value {
        let output = self.curl(path, &[]).output().expect("curl");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    fn send(&self, method: &str, path: &str, body: &Value) {
        let body = body.to_string();
        let kind = if method == "PATCH" { "merge-patch+json" } else { "json" };
        let kind = format!("Content-Type: application/{kind}");
        let output = self.curl(path, &["-X", method, "-H", &kind, "-d", &body]).output();
        output.expect("curl");
    }

    /// A new namespace in which pods can be created, and its pods succeed.
    pub fn create_namespace(&self, name: &str) {
        self.send("POST", "api/v1/namespaces", &json!({"metadata": {"name": name}}));
        let path = format!("api/v1/namespaces/{name}/serviceaccounts/default");
        wait(|| self.get(&path)["metadata"]["name"] == "default");
        let map = json!({"metadata": {"name": "play"}, "data": {"all": "succeed"}});
        self.send("POST", &format!("api/v1/namespaces/{name}/configmaps"), &map);
    }

    /// How the pods that start from now on end: `succeed`, `fail`, or one of them after a time: `succeed:25s`.
    pub fn play(&self, namespace: &str, how: &str) {
        self.edit(namespace, "play", &json!({"all": how}));
    }

    /// Changes a ConfigMap by hand.
    pub fn edit(&self, namespace: &str, name: &str, data: &Value) {
        let path = format!("api/v1/namespaces/{namespace}/configmaps/{name}");
        self.send("PATCH", &path, &json!({"data": data}));
    }

    /// The tag in the ConfigMap `settings`.
    pub fn setting(&self, namespace: &str) -> Option<String> {
        let map = self.get(&format!("api/v1/namespaces/{namespace}/configmaps/settings"));
        map["data"]["tag"].as_str().map(str::to_owned)
    }

    /// Deletes all Jobs and Pods by hand and waits until they are gone.
    pub fn delete_jobs(&self, namespace: &str) {
        for (kind, path) in [KINDS[0], KINDS[2]] {
            let path = path.replace("{}", namespace);
            self.send("DELETE", &path, &json!({"propagationPolicy": "Background"}));
            wait(|| self.things(namespace).iter().all(|thing| thing.kind != kind));
        }
    }

    /// What is there.
    pub fn things(&self, namespace: &str) -> Vec<Thing> {
        let mut all = Vec::new();
        for (kind, path) in KINDS {
            let list = self.get(&path.replace("{}", namespace));
            let items = list["items"].as_array().cloned().unwrap_or_default();
            all.extend(items.iter().map(|item| Thing::new(kind, item)));
        }
        all
    }

    /// The cluster's clock.
    pub fn now(&self, namespace: &str) -> u64 {
        version(&self.get(&KINDS[0].1.replace("{}", namespace)))
    }

    /// What came into being after a moment.
    pub fn births(&self, namespace: &str, since: u64) -> Vec<Birth> {
        let watch = |(kind, path): (&'static str, &str)| {
            let path = path.replace("{}", namespace);
            let query = format!("{path}?watch=1&resourceVersion={since}&timeoutSeconds=1");
            let child = self.curl(&query, &[]).stdout(Stdio::piped()).spawn();
            (kind, child.expect("curl"))
        };
        let children: Vec<_> = KINDS.into_iter().map(watch).collect();
        children.into_iter().flat_map(|(kind, child)| added(kind, child)).collect()
    }

    /// Waits until what was started has ended, or runs on as told.
    pub fn settle(&self, namespace: &str) {
        wait(|| self.things(namespace).iter().all(Thing::rests));
    }

    /// Waits until a TTL has removed every Job that has ended.
    pub fn wait_for_ttl(&self, namespace: &str) {
        wait(|| !self.things(namespace).iter().any(|thing| thing.kind == "Job"));
    }
}

impl Thing {
    fn new(kind: &'static str, object: &Value) -> Self {
        let text = |pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let status = &object["status"];
        let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
        let holds = |kind: &str| {
            conditions.iter().any(|one| one["type"] == kind && one["status"] == "True")
        };
        let phase = status["phase"].as_str().unwrap_or_default();
        Self {
            kind,
            name: text("/metadata/name"),
            uid: text("/metadata/uid"),
            ended: holds("Complete") || holds("Failed") || matches!(phase, "Succeeded" | "Failed"),
            active: status["active"].as_u64() > Some(0) || phase == "Running",
            suspended: object["spec"]["suspend"] == true,
            deleting: !object["metadata"]["deletionTimestamp"].is_null(),
            owner: object
                .pointer("/metadata/ownerReferences/0/uid")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }
    }

    /// Nothing of it is about to change.
    fn rests(&self) -> bool {
        !self.deleting
            && match self.kind {
                "Job" => self.ended || self.suspended || self.active,
                // A pod of a Job is seen through its Job.
                "Pod" => self.ended || self.active || self.owner.is_some(),
                _ => true,
            }
    }

    /// Runs by itself: no pod of a Job.
    pub fn is_work(&self) -> bool {
        self.owner.is_none()
    }

    /// True for a pod of this Job.
    pub fn is_pod_of(&self, job: &Thing) -> bool {
        self.owner.as_ref() == Some(&job.uid)
    }
}

/// The objects that a watch saw coming.
fn added(kind: &'static str, mut child: Child) -> Vec<Birth> {
    let mut text = String::new();
    if let Some(output) = &mut child.stdout {
        output.read_to_string(&mut text).expect("a watch");
    }
    child.wait().expect("curl");
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let added = events.filter(|event| {
        assert!(event["type"] != "ERROR", "{event}");
        event["type"] == "ADDED"
    });
    let birth = |event: Value| {
        let object = &event["object"];
        Birth { thing: Thing::new(kind, object), at: version(object) }
    };
    added.map(birth).collect()
}

fn version(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str();
    text.and_then(|text| text.parse().ok()).expect("a resource version")
}

/// Looks again and again until it is so; gives up quietly when it never is.
fn wait(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() && start.elapsed() < PATIENCE {
        std::thread::sleep(PAUSE);
    }
}
