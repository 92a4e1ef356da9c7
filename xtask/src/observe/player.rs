//! What plays a cell: a command-line tool, the engine inside a controller, or the controller itself.

use std::{path::Path, process::Command};

use job_lifecycle::{
    Deployer, Event, Tool,
    deployer::{Argocd, Drift, Flux, OptionName, OptionValue},
};

use super::{cases::Case, hooks::Part};

/// Each player has its own table in `testdata/observed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    Helm3,
    Helm4,
    Kubectl,
    /// One sync operation of `gitops-engine`.
    ArgocdSync,
    /// One reconciliation of `pkg/ssa`.
    FluxApply,
    /// Application controller and repo-server.
    Argocd,
    KustomizeController,
    HelmController,
}

/// The table, the binary among the tools, the Go module whose version counts (`None`: the binary says its
/// version), and the API that a cluster with a controller serves.
type Known = (Player, &'static str, &'static str, Option<&'static str>, Option<&'static str>);

const KNOWN: [Known; 8] = [
    (Player::Helm3, "helm3", "helm3", Some("helm.sh/helm/v3"), None),
    (Player::Helm4, "helm4", "helm4", Some("helm.sh/helm/v4"), None),
    (Player::Kubectl, "kubectl", "kubectl", None, None),
    (
        Player::ArgocdSync,
        "argocd",
        "argocd-sync",
        Some("github.com/argoproj/argo-cd/gitops-engine"),
        None,
    ),
    (Player::FluxApply, "flux", "flux-apply", Some("github.com/fluxcd/pkg/ssa"), None),
    (
        Player::Argocd,
        "argocd-controller",
        "argocd",
        Some("github.com/argoproj/argo-cd/v3"),
        Some("argoproj.io/v1alpha1"),
    ),
    (
        Player::KustomizeController,
        "kustomize-controller",
        "kustomize-controller",
        Some("github.com/fluxcd/kustomize-controller"),
        Some("kustomize.toolkit.fluxcd.io/v1"),
    ),
    (
        Player::HelmController,
        "helm-controller",
        "helm-controller",
        Some("github.com/fluxcd/helm-controller"),
        Some("helm.toolkit.fluxcd.io/v2"),
    ),
];

/// Options and the events that they affect; the other events are played without the option.
const DECIDES: [(Player, OptionName, &[Event]); 6] = [
    (Player::ArgocdSync, Argocd::SELF_HEAL, &[Event::SelfHeal, Event::AfterTtl]),
    (Player::ArgocdSync, Argocd::PRUNE, &[Event::Upgrade, Event::Rollback, Event::Removed]),
    (Player::Argocd, Argocd::SELF_HEAL, &[Event::Upgrade, Event::SelfHeal, Event::AfterTtl]),
    (Player::Argocd, Argocd::PRUNE, &[Event::Upgrade, Event::Rollback, Event::Removed]),
    (Player::HelmController, Flux::DRIFT_DETECTION, &[Event::SelfHeal, Event::AfterTtl]),
    (Player::KustomizeController, Flux::PRUNE, &[Event::Removed, Event::Uninstall]),
];

/// True when the option has a value other than false.
fn is_set(deployer: &Deployer, option: OptionName) -> bool {
    let options = deployer.options().into_iter();
    options.filter(|(name, _)| *name == option).any(|(_, value)| value != OptionValue::Flag(false))
}

impl Player {
    pub fn all() -> [Player; KNOWN.len()] {
        KNOWN.map(|row| row.0)
    }

    fn known(self) -> &'static Known {
        KNOWN.iter().find(|row| row.0 == self).expect("a row for each")
    }

    /// The name of its table.
    pub fn name(self) -> &'static str {
        self.known().1
    }

    /// The API group and version that the cluster serves if this controller runs.
    pub fn api(self) -> Option<&'static str> {
        self.known().4
    }

    pub fn is_controller(self) -> bool {
        self.api().is_some()
    }

    /// True when it acts as this deployer, and the event is possible and can be set up.
    pub fn plays(self, case: &Case, deployer: &Deployer, event: Event) -> bool {
        let named = case.events.is_empty() || case.events.iter().any(|own| own == event.name());
        // With another name in the next version, or none, pruning matters at more events.
        let renames = case.kustomization.is_some();
        let decides = renames
            || DECIDES.into_iter().all(|(player, option, events)| {
                player != self || !is_set(deployer, option) || events.contains(&event)
            });
        named && self.acts_as(deployer) && decides && self.brings(case, deployer, event)
    }

    fn acts_as(self, deployer: &Deployer) -> bool {
        let automated = deployer.argocd().automated == Some(true);
        let released = deployer.is_helm_release(false);
        match self {
            Player::Helm3 => deployer.tool == Tool::Helm3,
            Player::Helm4 => deployer.tool == Tool::Helm4,
            Player::Kubectl => deployer.tool == Tool::Kubectl,
            Player::ArgocdSync => deployer.tool == Tool::Argocd && !automated,
            Player::Argocd => deployer.tool == Tool::Argocd,
            Player::FluxApply => deployer.tool == Tool::Flux && !released,
            Player::KustomizeController => deployer.tool == Tool::Flux && !released,
            Player::HelmController => deployer.tool == Tool::Flux && released,
        }
    }

    fn brings(self, case: &Case, deployer: &Deployer, event: Event) -> bool {
        let objects: Vec<_> = case.deployed().into_iter().map(|(_, object)| object).collect();
        let any = |pointer: &str| objects.iter().any(|object| object.pointer(pointer).is_some());
        let parts: Vec<_> = objects.iter().map(|object| Part::of(object, deployer)).collect();
        let hooks = parts.iter().any(Part::is_hook);
        let alone = objects.len() == 1;
        match (event, self) {
            (Event::AfterTtl, _) => any("/spec/ttlSecondsAfterFinished"),
            (Event::SelfHeal, Player::HelmController) => {
                deployer.flux().drift_detection == Some(Drift::Enabled)
            }
            (Event::SelfHeal, _) => {
                deployer.tool == Tool::Flux || deployer.argocd().self_heal == Some(true)
            }
            // A controller syncs a new commit on its own, without force.
            (Event::Forced, Player::Argocd) => deployer.argocd().automated != Some(true),
            // Terminating an operation deletes its hooks; only the controller does that, not the engine.
            (Event::WhileRunning, Player::ArgocdSync) => alone && !hooks,
            // The same holds for an operation that waits for a suspended hook.
            (Event::Removed, Player::ArgocdSync) => !hooks || !any("/spec/suspend"),
            // Without `spec.test` no test runs, and a HelmRelease has no rollback to a chosen version.
            (Event::WhileRunning | Event::AfterFailure, Player::HelmController) => {
                alone && parts.iter().all(|part| part.runs_in_life(deployer))
            }
            (Event::WhileRunning | Event::AfterFailure, _) => alone,
            (Event::Removed, Player::FluxApply) => false,
            // The engine applies and prunes nothing.
            (_, Player::FluxApply) if case.kustomization.is_some() => {
                event != Event::Uninstall && deployer.flux().prune != Some(true)
            }
            (Event::Uninstall, Player::FluxApply | Player::ArgocdSync) => false,
            (Event::Removed | Event::Uninstall, Player::KustomizeController) => {
                deployer.flux().prune.is_some()
            }
            _ => true,
        }
    }

    /// The version: from the build information in the binary, for `kubectl` from its output.
    pub fn version(self, tools: &Path) -> String {
        let (_, _, binary, module, _) = self.known();
        let path = tools.join(binary);
        let mut command =
            Command::new(if module.is_some() { "go".as_ref() } else { path.as_os_str() });
        match module {
            Some(_) => command.args(["version", "-m"]).arg(&path),
            None => command.args(["version", "--client"]),
        };
        let output = command.output().map(|output| output.stdout).unwrap_or_default();
        let text = String::from_utf8_lossy(&output);
        let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let found = lines.find_map(|words| match words[..] {
            ["Client", "Version:", version] => Some(version.to_owned()),
            [_, own, version, ..] if Some(own) == *module => Some(version.to_owned()),
            _ => None,
        });
        format!("{} {}", module.unwrap_or(binary), found.as_deref().unwrap_or("unknown"))
    }
}
