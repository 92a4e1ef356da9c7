//! Argo CD's application controller and repo-server: a repository, an Application, and the operations on them.

use std::{fs, path::Path, process::Command, thread, time::Duration};

use job_lifecycle::Event;
use serde_json::{Value, json};

use super::{
    cluster::{conditions, is_there, wait_for},
    tools::{Ran, Site, Verb, WATCH, is_kustomization},
};

const APPLICATIONS: &str = "apis/argoproj.io/v1alpha1/namespaces/argocd/applications";
const REFRESH: &str = "argocd.argoproj.io/refresh";
const CASCADE: &str = "resources-finalizer.argocd.argoproj.io";
/// How long the controller may take to refresh.
const PATIENCE: Duration = Duration::from_secs(60);
/// By then a refresh that found a difference has started a sync.
const HESITATION: Duration = Duration::from_secs(6);
/// The status gives the start of an operation in whole seconds.
const SECOND: Duration = Duration::from_millis(1100);

impl Site<'_> {
    /// Runs a verb and returns the result once the controller has settled.
    pub fn application(&self, verb: Verb, files: &Path) -> Ran {
        match verb {
            Verb::Heal | Verb::Look => {
                thread::sleep(WATCH);
                Ran { failed: false, text: resources(&self.app()) }
            }
            Verb::Uninstall => self.app_delete(),
            _ => {
                let is_new = self.commit(files);
                let is_first = !is_there(&self.app());
                self.tools.cluster.apply(&self.app_path(), &self.described());
                if !is_first {
                    self.refresh();
                }
                let by_itself = self.is_automated() && (is_new || is_first);
                if by_itself { self.synced() } else { self.sync(verb == Verb::Forced) }
            }
        }
    }

    /// Stops the controller from acting on the Application.
    pub fn app_forget(&self) {
        if is_there(&self.app()) {
            let free = json!({"metadata": {"finalizers": null}});
            self.tools.cluster.patch(&self.app_path(), &free);
            self.tools.cluster.delete(&self.app_path());
        }
    }

    fn app_path(&self) -> String {
        format!("{APPLICATIONS}/{}", self.namespace)
    }

    fn app(&self) -> Value {
        self.tools.cluster.get(&self.app_path())
    }

    fn is_automated(&self) -> bool {
        let own = self.deployer.argocd();
        [own.automated, own.self_heal].contains(&Some(true))
    }

    /// Commits the files to the repository; false if nothing changed.
    fn commit(&self, files: &Path) -> bool {
        let repository = self.work.join("repository");
        let unit = repository.join("shop");
        if !repository.exists() {
            fs::create_dir_all(&repository).expect("a folder");
            git(&repository, &["init", "-q", "-b", "main"]);
        }
        if unit.exists() {
            fs::remove_dir_all(&unit).expect("removed");
        }
        copy(files, &unit);
        git(&repository, &["add", "-A"]);
        let author = ["-c", "user.name=observe", "-c", "user.email=observe@example.invalid"];
        git(&repository, &[&author[..], &["commit", "-q", "-m", "change"]].concat())
    }

    fn head(&self) -> String {
        let mut command = Command::new("git");
        command.args(["rev-parse", "HEAD"]).current_dir(self.work.join("repository"));
        let output = command.output().expect("git").stdout;
        String::from_utf8_lossy(&output).trim().to_owned()
    }

    fn described(&self) -> Value {
        let own = self.deployer.argocd();
        let mut policy = json!({"retry": {"limit": 0}, "syncOptions": self.options()});
        if self.is_automated() {
            policy["automated"] = json!({
                "prune": own.prune == Some(true), "selfHeal": own.self_heal == Some(true),
            });
        }
        let finalizers = if self.event == Event::Uninstall { vec![CASCADE] } else { Vec::new() };
        let repository = self.work.join("repository");
        let mut source = json!({
            "repoURL": format!("file://{}", repository.display()),
            "targetRevision": "main", "path": "shop",
        });
        if !is_kustomization(&repository.join("shop")) {
            source["helm"] = json!({"releaseName": "r"});
        }
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {
                "name": self.namespace, "namespace": "argocd", "finalizers": finalizers,
            },
            "spec": {
                "project": "default",
                "source": source,
                "destination": {
                    "server": "https://kubernetes.default.svc", "namespace": self.namespace,
                },
                "syncPolicy": policy,
            },
        })
    }

    fn options(&self) -> Vec<&'static str> {
        let own = self.deployer.argocd();
        let all = [
            (own.replace, "Replace=true"),
            (own.server_side_apply, "ServerSideApply=true"),
            (own.apply_out_of_sync_only, "ApplyOutOfSyncOnly=true"),
        ];
        all.iter().filter(|(is, _)| *is == Some(true)).map(|(_, option)| *option).collect()
    }

    fn refresh(&self) {
        let asked = json!({"metadata": {"annotations": {REFRESH: "normal"}}});
        self.tools.cluster.patch(&self.app_path(), &asked);
        wait_for(PATIENCE, || self.app()["metadata"]["annotations"][REFRESH].is_null());
    }

    /// Syncs as a user does. A sync that does not end is terminated.
    fn sync(&self, forced: bool) -> Ran {
        let cluster = &self.tools.cluster;
        wait_for(PATIENCE, || !is_busy(&self.app()));
        let before = self.app()["status"]["operationState"]["startedAt"].clone();
        thread::sleep(SECOND);
        let force = forced || self.deployer.is_forced();
        let operation = json!({
            "initiatedBy": {"username": "observe"},
            "sync": {
                "prune": self.deployer.argocd().prune == Some(true), "syncOptions": self.options(),
                "syncStrategy": {"hook": {"force": force}},
            },
        });
        cluster.patch(&self.app_path(), &json!({"operation": operation}));
        let ended = || {
            let app = self.app();
            !is_busy(&app) && app["status"]["operationState"]["startedAt"] != before
        };
        if wait_for(self.patience, ended) { ran(&self.app()) } else { self.terminate() }
    }

    /// Waits until the controller has synced a new commit on its own.
    fn synced(&self) -> Ran {
        let head = self.head();
        let mut looked = None;
        let rests = wait_for(self.patience, || {
            let app = self.app();
            let (status, state) = (&app["status"], &app["status"]["operationState"]);
            let has_looked = status["sync"]["revision"] == *head
                || !messages(&app, "ComparisonError").is_empty();
            if !has_looked || is_busy(&app) {
                looked = None;
                return false;
            }
            let looked = *looked.get_or_insert_with(std::time::Instant::now);
            let is_done = state["syncResult"]["revision"] == *head;
            is_done && status["sync"]["status"] == "Synced" && looked.elapsed() >= SECOND
                || looked.elapsed() >= HESITATION
        });
        let app = self.app();
        match rests {
            true if app["status"]["operationState"]["syncResult"]["revision"] == *head => ran(&app),
            true => {
                let errors = messages(&app, "ComparisonError");
                let mark = if errors.is_empty() { "" } else { "ERROR " };
                let text = format!("{mark}{}\n{}", errors.join("\n"), resources(&app));
                Ran { failed: !errors.is_empty(), text }
            }
            false => self.terminate(),
        }
    }

    fn terminate(&self) -> Ran {
        let before = self.app();
        let message = before["status"]["operationState"]["message"].as_str().unwrap_or_default();
        let text = format!("ERROR timed out: {message}\n{}", resources(&before));
        if before["status"]["operationState"]["phase"] == "Running" {
            let change = json!({"status": {"operationState": {"phase": "Terminating"}}});
            self.tools.cluster.patch(&self.app_path(), &change);
            wait_for(PATIENCE, || !is_busy(&self.app()));
        }
        Ran { failed: true, text }
    }

    fn app_delete(&self) -> Ran {
        self.tools.cluster.delete(&self.app_path());
        if wait_for(PATIENCE, || !is_there(&self.app())) {
            return Ran::default();
        }
        let text = messages(&self.app(), "DeletionError").join("\n");
        Ran { failed: true, text: format!("ERROR timed out: {text}") }
    }
}

/// True while an operation is requested or active.
fn is_busy(app: &Value) -> bool {
    let phase = &app["status"]["operationState"]["phase"];
    !app["operation"].is_null() || phase == "Running" || phase == "Terminating"
}

/// The result of the last operation, with its message for each object.
fn ran(app: &Value) -> Ran {
    let state = &app["status"]["operationState"];
    let failed = state["phase"] != "Succeeded";
    let mark = if failed { "ERROR " } else { "" };
    let mut text = format!("{mark}{}\n", word(&state["message"]));
    for one in state["syncResult"]["resources"].as_array().into_iter().flatten() {
        text +=
            &format!("{}/{}: {}\n", word(&one["kind"]), word(&one["name"]), word(&one["message"]));
    }
    Ran { failed, text: text + &resources(app) }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The objects that are out of sync.
fn resources(app: &Value) -> String {
    let all = app["status"]["resources"].as_array().into_iter().flatten();
    let line = |one: &Value| format!("{}/{}: OutOfSync\n", word(&one["kind"]), word(&one["name"]));
    all.filter(|one| one["status"] == "OutOfSync").map(line).collect()
}

/// The messages of the conditions with a type.
fn messages(app: &Value, kind: &str) -> Vec<String> {
    conditions(app, kind).filter_map(|one| one["message"].as_str().map(str::to_owned)).collect()
}

/// True when git succeeds.
fn git(folder: &Path, arguments: &[&str]) -> bool {
    let output = Command::new("git").args(arguments).current_dir(folder).output();
    output.expect("git").status.success()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (own, new) = (entry.path(), to.join(entry.file_name()));
        match own.is_dir() {
            true => copy(&own, &new),
            false => _ = fs::copy(&own, &new).expect("copied"),
        }
    }
}
