//! A cluster as its API shows it: its objects, and every object created since.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// The server of a kubeconfig, and its token.
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
    /// Has running pods.
    pub active: bool,
    suspended: bool,
    deleting: bool,
    /// The uid of its owner.
    owner: Option<String>,
}

/// The status of a response, its warnings and its body.
#[derive(Debug)]
pub struct Answer {
    pub code: u16,
    pub warnings: Vec<String>,
    pub body: Value,
}

/// An object that was created.
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

/// How long anything may take to settle.
const PATIENCE: Duration = Duration::from_secs(40);
/// By then a watch has reported past events.
const DELAY: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(400);

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

    /// An object or a list; the server's error if there is none.
    pub fn get(&self, path: &str) -> Value {
        let output = self.curl(path, &[]).output().expect("curl");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let kind = if method == "PATCH" { "merge-patch+json" } else { "json" };
        self.send_as(kind, method, path, body)
    }

    fn send_as(&self, kind: &str, method: &str, path: &str, body: &Value) -> Value {
        let (body, kind) = (body.to_string(), format!("Content-Type: application/{kind}"));
        let output = self.curl(path, &["-X", method, "-H", &kind, "-d", &body]).output();
        serde_json::from_slice(&output.expect("curl").stdout).unwrap_or_default()
    }

    /// The server's whole answer.
    pub fn answer(&self, method: &str, path: &str, body: &Value) -> Answer {
        let kind = if method == "PATCH" { "merge-patch+json" } else { "json" };
        let (body, kind) = (body.to_string(), format!("Content-Type: application/{kind}"));
        let output = self
            .curl(path, &["-i", "-X", method, "-H", &kind, "-d", &body])
            .output()
            .expect("curl");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (head, body) = text.rsplit_once("\r\n\r\n").expect("a response has a head");
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        let warnings = head.lines().filter_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("warning").then(|| unquoted(value))
        });
        Answer {
            code,
            warnings: warnings.collect(),
            body: serde_json::from_str(body).unwrap_or_default(),
        }
    }

    /// True when the server knows an API group in a version.
    pub fn serves(&self, api: &str) -> bool {
        self.get(&format!("apis/{api}"))["kind"] == "APIResourceList"
    }

    /// Applies an object: creates it, or changes the fields it contains.
    pub fn apply(&self, path: &str, object: &Value) {
        let path = format!("{path}?fieldManager=observe&force=true");
        let answer = self.send_as("apply-patch+yaml", "PATCH", &path, object);
        assert!(answer["status"] != "Failure", "{answer}");
    }

    /// Applies a merge patch.
    pub fn patch(&self, path: &str, change: &Value) {
        let answer = self.send("PATCH", path, change);
        assert!(answer["status"] != "Failure", "{answer}");
    }

    pub fn delete(&self, path: &str) {
        self.send("DELETE", path, &json!({"propagationPolicy": "Background"}));
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
            self.delete(&path);
            wait(|| self.things(namespace).iter().all(|thing| thing.kind != kind));
        }
    }

    /// The Jobs, CronJobs and Pods of a namespace.
    pub fn things(&self, namespace: &str) -> Vec<Thing> {
        // One process and one connection for the three lists, because this request is the most frequent.
        let [path, rest @ ..] = KINDS.map(|(_, path)| path.replace("{}", namespace));
        let urls = rest.map(|path| format!("{}/{path}", self.server));
        let output = self.curl(&path, &[]).args(urls).output().expect("curl");
        let lists = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
        let items = KINDS.into_iter().zip(lists.flatten()).flat_map(|((kind, _), list)| {
            let items = list["items"].as_array().cloned().unwrap_or_default();
            items.into_iter().map(move |item| Thing::new(kind, &item))
        });
        items.collect()
    }

    /// The cluster's clock.
    pub fn now(&self, namespace: &str) -> u64 {
        version(&self.get(&KINDS[0].1.replace("{}", namespace)))
    }

    /// Records every object created from now on.
    pub fn watch(&self, namespace: &str) -> Watch {
        let since = self.now(namespace);
        let births = Arc::new(Mutex::new(Vec::new()));
        let follow = |(kind, path): (&'static str, &str)| {
            let path = path.replace("{}", namespace);
            let query = format!("{path}?watch=1&resourceVersion={since}");
            let mut command = self.curl(&query, &["--no-buffer", "--max-time", "1200"]);
            let mut child = command.stdout(Stdio::piped()).spawn().expect("curl");
            let (output, births) = (child.stdout.take().expect("a pipe"), births.clone());
            thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.filter_map(|line| added(kind, &line)).for_each(|birth| {
                    births.lock().expect("births").push(birth);
                });
            });
            child
        };
        Watch { children: KINDS.into_iter().map(follow).collect(), births }
    }

    /// Waits until every run has ended, or keeps running as configured.
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
        let holds = |kind: &str| conditions(object, kind).any(|one| one["status"] == "True");
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

    /// True when its state is final.
    fn rests(&self) -> bool {
        !self.deleting
            && match self.kind {
                "Job" => self.ended || self.suspended || self.active,
                // The Job stands for its pods.
                "Pod" => self.ended || self.active || self.owner.is_some(),
                _ => true,
            }
    }

    /// True for everything but the pod of a Job.
    pub fn is_work(&self) -> bool {
        self.owner.is_none()
    }

    /// True for a pod of this Job.
    pub fn is_pod_of(&self, job: &Thing) -> bool {
        self.owner.as_ref() == Some(&job.uid)
    }
}

/// The objects created in a namespace.
#[derive(Debug)]
pub struct Watch {
    children: Vec<Child>,
    births: Arc<Mutex<Vec<Birth>>>,
}

impl Watch {
    /// Everything up to now.
    pub fn births(&self) -> Vec<Birth> {
        thread::sleep(DELAY);
        self.births.lock().expect("births").clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It has already ended.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// The object whose creation a line of a watch reports.
fn added(kind: &'static str, line: &str) -> Option<Birth> {
    let event: Value = serde_json::from_str(line).ok()?;
    assert!(event["type"] != "ERROR", "{event}");
    let object = &event["object"];
    (event["type"] == "ADDED")
        .then(|| Birth { thing: Thing::new(kind, object), at: version(object) })
}

fn version(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str();
    text.and_then(|text| text.parse().ok()).expect("a resource version")
}

/// The conditions of an object with a type.
pub fn conditions<'v>(object: &'v Value, kind: &'v str) -> impl Iterator<Item = &'v Value> {
    let all = object["status"]["conditions"].as_array().into_iter().flatten();
    all.filter(move |one| one["type"] == kind)
}

/// False for the server's error about a missing object.
pub fn is_there(object: &Value) -> bool {
    object["metadata"]["uid"].is_string()
}

/// Polls until a condition holds; gives up quietly after the limit.
fn wait(is_so: impl FnMut() -> bool) {
    wait_for(PATIENCE, is_so);
}

/// Polls until a condition holds; false after a time limit.
pub fn wait_for(patience: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while !is_so() {
        if start.elapsed() >= patience {
            return false;
        }
        thread::sleep(PAUSE);
    }
    true
}

/// The text of a `Warning` header: `299 - "text"`.
fn unquoted(header: &str) -> String {
    let text = header.split_once('"').map_or(header, |(_, text)| text);
    let text = text.trim_end().strip_suffix('"').unwrap_or(text);
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}
