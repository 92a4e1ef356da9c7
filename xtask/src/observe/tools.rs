//! The deployers, and how to run each of them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use job_lifecycle::{Deployer, Event, Tool, deployer::KubectlMode};

use super::{artifacts::Artifacts, cluster::Cluster, kustomize, player::Player};

/// How long to watch a controller that acts on its own.
pub const WATCH: Duration = Duration::from_secs(22);

/// A folder with the binaries of [`Player`], and the cluster that they act on.
#[derive(Debug)]
pub struct Tools {
    pub folder: PathBuf,
    pub cluster: Cluster,
    /// Serves the sources that Flux controllers fetch.
    pub artifacts: Artifacts,
}

/// A command that has ended.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    pub failed: bool,
    /// Standard output and standard error.
    pub text: String,
}

/// What a tool has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Install,
    Upgrade,
    /// Deploy the same version again.
    Redeploy,
    /// Deploy with the tool's force option.
    Forced,
    Rollback,
    Uninstall,
    Test,
    /// Let a controller correct drift without a deploy.
    Heal,
    /// Only report drift.
    Look,
}

/// A unit in a namespace, and its deployer.
pub struct Site<'a> {
    pub tools: &'a Tools,
    pub player: Player,
    pub deployer: &'a Deployer,
    /// The event to play.
    pub event: Event,
    pub namespace: &'a str,
    /// For the tools' own files.
    pub work: &'a Path,
    /// How long a tool may wait.
    pub patience: Duration,
}

impl Site<'_> {
    /// Runs a verb over the files of a unit.
    pub fn run(&self, verb: Verb, files: &Path) -> Ran {
        match self.player {
            Player::Helm3 | Player::Helm4 => self.helm(verb, files),
            Player::Kubectl => self.kubectl(verb, files),
            Player::ArgocdSync => self.argocd_sync(verb, files),
            Player::FluxApply => self.flux_apply(verb, files),
            Player::Argocd => self.application(verb, files),
            Player::KustomizeController | Player::HelmController => self.reconcile(verb, files),
        }
    }

    /// Stops controllers from acting on this namespace.
    pub fn leave(&self) {
        match self.player {
            Player::Argocd => self.app_forget(),
            Player::KustomizeController | Player::HelmController => self.flux_suspend(),
            _ => {}
        }
    }

    fn command(&self, program: &str) -> Command {
        // An upper limit, whatever timeout the tool was given.
        let mut command = Command::new("timeout");
        command.arg("120").arg(self.tools.folder.join(program)).stdin(Stdio::null());
        command.env("KUBECONFIG", &self.tools.cluster.kubeconfig).current_dir(self.work);
        for name in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            command.env(name, self.work);
        }
        command
    }

    fn helm(&self, verb: Verb, files: &Path) -> Ran {
        let (helm3, helm4) = (self.deployer.helm3(), self.deployer.helm4());
        let four = self.deployer.tool == Tool::Helm4;
        let mut command = self.command(self.deployer.tool.name());
        let files = files.to_string_lossy();
        match verb {
            Verb::Install => command.args(["install", "r", &files]),
            Verb::Rollback => command.args(["rollback", "r", "1"]),
            Verb::Uninstall => command.args(["uninstall", "r"]),
            Verb::Test => command.args(["test", "r"]),
            _ => command.args(["upgrade", "--install", "r", &files]),
        };
        command.args(["-n", self.namespace, "--timeout"]);
        command.arg(format!("{}s", self.patience.as_secs()));
        if matches!(verb, Verb::Uninstall | Verb::Test) {
            return ran(command);
        }
        let wait = helm4.wait.map(|wait| wait.name()).map(|way| format!("--wait={way}"));
        command.args(wait.as_deref().or((helm3.wait == Some(true)).then_some("--wait")));
        command.args(
            [helm3.wait_for_jobs, helm4.wait_for_jobs]
                .contains(&Some(true))
                .then_some("--wait-for-jobs"),
        );
        let forced = verb == Verb::Forced || self.deployer.is_forced();
        let force = if four { "--force-replace" } else { "--force" };
        command.args((forced && verb != Verb::Install).then_some(force));
        if verb != Verb::Rollback {
            command.args((helm3.atomic == Some(true)).then_some("--atomic"));
            let csa = self.deployer.applies_client_side();
            command.args(csa.then_some("--server-side=false"));
        }
        ran(command)
    }

    /// The manifests of a unit in one file: of a chart by `helm template`, of a kustomization by `kustomize build`.
    fn manifests(&self, files: &Path) -> PathBuf {
        let rendered = self.work.join("rendered.yaml");
        if is_kustomization(files) {
            fs::write(&rendered, kustomize::build(self.tools, files)).expect("written");
            return rendered;
        }
        if !files.join("Chart.yaml").exists() {
            return files.join("all.yaml");
        }
        let mut template = self.command("helm4");
        template.args(["template", "r", "-n", self.namespace]).arg(files);
        fs::write(&rendered, template.output().expect("helm").stdout).expect("written");
        rendered
    }

    /// One operation of Argo CD's engine.
    fn argocd_sync(&self, verb: Verb, files: &Path) -> Ran {
        let manifests = self.manifests(files);
        let mut command = self.command("argocd-sync");
        command.args(["-n", self.namespace, "-timeout"]);
        command.arg(format!("{}s", self.patience.as_secs())).arg("-f").arg(manifests);
        let own = self.deployer.argocd();
        let flags = [
            (own.prune == Some(true), "-prune"),
            (own.replace == Some(true), "-replace"),
            (own.server_side_apply == Some(true), "-ssa"),
            (own.apply_out_of_sync_only == Some(true) || verb == Verb::Heal, "-only-out-of-sync"),
            (self.deployer.is_forced() || verb == Verb::Forced, "-force"),
            (verb == Verb::Heal, "-skip-hooks"),
            (verb == Verb::Look, "-diff"),
        ];
        command.args(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag));
        ran(command)
    }

    /// One reconciliation of a Kustomization.
    fn flux_apply(&self, verb: Verb, files: &Path) -> Ran {
        let mut command = self.command("flux-apply");
        command.args(["-n", self.namespace, "-f"]).arg(self.manifests(files));
        let forced = self.deployer.is_forced() || verb == Verb::Forced;
        command.args(forced.then_some("-force"));
        let waits = self.deployer.flux().wait == Some(true);
        command.args(waits.then_some("-wait"));
        ran(command)
    }

    fn kubectl(&self, verb: Verb, files: &Path) -> Ran {
        let mode = self.deployer.kubectl_mode();
        let words: &[&str] = match (verb, mode) {
            (Verb::Uninstall, _) => &["delete"],
            // `kubectl replace` needs an existing object.
            (Verb::Forced, KubectlMode::Apply | KubectlMode::Create) => &["apply", "--force"],
            (Verb::Forced, KubectlMode::ServerSide) => &["apply", "--server-side", "--force"],
            (Verb::Forced, KubectlMode::Replace) => &["replace", "--force"],
            (_, KubectlMode::ServerSide) => &["apply", "--server-side"],
            (_, KubectlMode::Create) => &["create"],
            (_, KubectlMode::Replace) => &["replace"],
            (_, KubectlMode::Apply) => &["apply"],
        };
        let mut command = self.command("kubectl");
        command.args(words).args(["-n", self.namespace]);
        match is_kustomization(files) {
            true => command.arg("-k").arg(files),
            false => command.arg("-f").arg(files.join("all.yaml")),
        };
        ran(command)
    }
}

impl Site<'_> {
    /// Deploys the first version as a user of this deployer would.
    pub fn first(&self, files: &Path) -> Ran {
        match self.deployer.kubectl_mode() {
            KubectlMode::Replace => {
                let deployer = Deployer::stated(Tool::Kubectl);
                Site { deployer: &deployer, ..*self }.run(Verb::Install, files)
            }
            _ => self.run(Verb::Install, files),
        }
    }
}

fn ran(mut command: Command) -> Ran {
    let output = command.output().expect("a tool");
    let text = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    Ran { failed: !output.status.success(), text }
}

/// True for the folder of a kustomization.
pub fn is_kustomization(files: &Path) -> bool {
    files.join("kustomization.yaml").exists()
}

/// The verb that plays an event on a deployed unit.
pub fn verb(deployer: &Deployer, event: Event) -> Verb {
    let helm = matches!(deployer.tool, Tool::Helm3 | Tool::Helm4);
    match event {
        Event::Install => Verb::Install,
        Event::Redeploy => Verb::Redeploy,
        Event::Forced => Verb::Forced,
        Event::Rollback if helm => Verb::Rollback,
        Event::Uninstall => Verb::Uninstall,
        Event::SelfHeal => Verb::Heal,
        Event::AfterTtl
            if deployer.tool == Tool::Argocd && deployer.argocd().self_heal != Some(true) =>
        {
            Verb::Look
        }
        Event::AfterTtl if deployer.tool.is_gitops() => Verb::Heal,
        _ => Verb::Upgrade,
    }
}
