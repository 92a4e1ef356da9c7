//! The unit around an object: its other objects, their predicted changes, the deployers and the policy.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

use helm_render::functions::Host;
use job_lifecycle::{
    Deployer, Hook, Object, Role, Tool, classify,
    deploy::{reads_helm, unknown_field},
    kubernetes::{Version, api_versions},
};
use shell_effects::SelectedObjects;
use yaml_spans::Node;

use crate::{
    finding::{PerDeployer, Severity},
    mentions::Names,
    policy::Policy,
    unit::{Counts, Deployment, Generated, PredictedChanges, UnitKind},
};

/// What rules know about a unit besides the object they check.
pub struct Context<'a> {
    /// What the unit is: a chart, an overlay or plain files.
    pub kind: UnitKind,
    /// The objects that are deployed together.
    pub objects: &'a [Object],
    /// The objects before Flux substitutes variables in them; empty if it does not.
    pub before: &'a [Object],
    /// What the next deploys change in the objects.
    pub changes: &'a PredictedChanges,
    /// The objects whose names end in a hash, of this kustomization and of others.
    pub generated: &'a [Generated],
    /// The deployers in force, stated or assumed.
    pub deployers: &'a [Deployer],
    /// The deployments of this unit by GitOps objects.
    pub deployments: &'a [Arc<Deployment>],
    /// How many files and objects were read, including objects that no rule checks.
    pub counts: Counts,
    /// Whether something states that the files of the unit are deployed together.
    pub together: bool,
    /// Whether it is a chart that its authors have marked as deprecated, one beside a newer version of it, or a part of a copied one
    /// that nobody turns on.
    pub deprecated: bool,
    /// Whether only the chart's tests or joblint chose the values: nobody is known to deploy the objects.
    pub tried: bool,
    /// Whether only a switch that joblint turned on renders the objects: no values of the tree do.
    pub enabled: bool,
    /// Whether joblint rendered the chart as an upgrade, because installations do not render the objects of this view.
    pub upgrading: bool,
    /// Whether a bot of the repository raises the versions of images.
    pub bumped: bool,
    /// Whether the files lie in folders that are deployed as kustomizations, which do not list them.
    pub switched_off: bool,
    /// Whether nothing in the repository deploys the objects although their likes are deployed from it.
    pub undeployed: bool,
    /// Whether dependencies of the chart are not in its `charts/`: what they render is not among the objects.
    pub incomplete: bool,
    /// Where the names of this unit are looked for in its repository; `None` outside of a check.
    pub names: Option<Names<'a>>,
    /// The names of the CustomResourceDefinitions that Helm installs from `crds/`.
    pub crds: &'a HashSet<String>,
    /// The folders that the user named, as the start of printed paths.
    pub named: &'a [String],
    /// The Kubernetes version of the cluster.
    pub kubernetes: Version,
    /// What the user's settings say about rules.
    pub policy: &'a Policy,
    /// What is found when first asked for.
    pub found: Found,
}

/// What takes a look at all objects of a unit, and is found when first asked for.
#[derive(Default)]
pub struct Found {
    /// The Jobs that the commands of workloads delete; see [`Context::deleters`].
    pub(crate) deletions: OnceLock<Vec<Deletions>>,
    /// See [`Context::is_of_old_cluster`].
    old_cluster: OnceLock<bool>,
}

/// The Jobs that the commands of a workload delete.
#[derive(Debug)]
pub(crate) struct Deletions {
    /// The index of the workload among the objects of the unit.
    pub(crate) index: usize,
    pub(crate) names: Vec<String>,
    pub(crate) selected: Vec<SelectedObjects>,
}

impl Deletions {
    /// Whether the Job of this name is one of them.
    pub(crate) fn hold(&self, job: &Object, name: &str) -> bool {
        let labels = job.root.at(&["metadata", "labels"]);
        let has = |(key, value): &(String, String)| {
            labels.and_then(|labels| labels.get(key)).and_then(Node::as_str) == Some(value)
        };
        self.names.iter().any(|own| own == name)
            || self.selected.iter().any(|one| one.labels.iter().all(has))
    }
}

/// The built-in values that distinguish an upgrade from an installation.
const RELEASE: [&str; 3] = ["Release.Revision", "Release.IsUpgrade", "Release.IsInstall"];

impl<'a> Context<'a> {
    /// The unit before Flux substitutes variables; `None` if it does not.
    pub(crate) fn before_substitution(&self) -> Option<Context<'a>> {
        let (objects, found) = (self.before, Default::default());
        (!objects.is_empty()).then_some(Context { objects, before: &[], found, ..*self })
    }
}

impl Context<'_> {
    /// The part of a printed path that says what a file is for: below the folder that the user named.
    pub(crate) fn below_named<'p>(&self, path: &'p str) -> &'p str {
        let below = self.named.iter().filter_map(|folder| path.strip_prefix(&**folder));
        below.min_by_key(|rest| rest.len()).unwrap_or(path)
    }

    /// Whether what is deployed together needs an old cluster: an object that is not of the batch API has a version which is gone, and
    /// nobody says which version the cluster has. A template that asks for the APIs of the cluster has others for newer ones.
    pub(crate) fn is_of_old_cluster(&self) -> bool {
        let is_old = || {
            (self.together || self.from_chart())
                && !self.policy.states_kubernetes
                && self.objects.iter().any(|object| self.is_of_gone_version(object))
        };
        *self.found.old_cluster.get_or_init(is_old)
    }

    /// Whether a chart needs an old cluster as its users install it: nobody is known to turn on what only tests or a guess render.
    pub(crate) fn is_always_of_old_cluster(&self) -> bool {
        let is_there = |object: &Object| !self.tried || object.decided().is_empty();
        let mut objects = self.objects.iter().filter(|object| is_there(object));
        self.from_chart()
            && self.is_of_old_cluster()
            && objects.any(|object| self.is_of_gone_version(object))
    }

    /// Whether no cluster of today serves the version of an object that is not of the batch API.
    fn is_of_gone_version(&self, object: &Object) -> bool {
        let own = object.api_version();
        let is_gone = !own.starts_with("batch/")
            && api_versions::removed_from(self.kubernetes).any(|removed| removed == own);
        let asks = || {
            let version = object.root.get("apiVersion").zip(object.source.origin.as_deref());
            let inputs = version.map(|(version, origin)| origin.inputs(version.span));
            inputs.into_iter().flatten().any(|input| input.starts_with("Capabilities."))
        };
        is_gone && !asks()
    }

    /// How a deployer treats an object of this unit.
    pub(crate) fn role(&self, object: &Object, deployer: &Deployer) -> Role {
        classify(object, deployer, self.from_chart())
    }

    /// The object as a hook; `None` if the deployer does not treat it as one.
    pub(crate) fn hook(&self, object: &Object, deployer: &Deployer) -> Option<Hook> {
        match self.role(object, deployer) {
            Role::Hook(hook) => Some(hook),
            Role::Plain | Role::Dropped => None,
        }
    }

    /// True when the deployer uses Helm to separate the hooks of the unit from the other objects.
    pub(crate) fn reads_helm(&self, deployer: &Deployer) -> bool {
        reads_helm(deployer, self.kind == UnitKind::Chart)
    }

    /// True when a `lookup` in the cluster decides whether the templates print the object: they may find the old one
    /// and keep it. Argo CD renders without a cluster (argo-cd issue 5202). Where the APIs of the cluster decide as well,
    /// the `lookup` may be one that was not asked here.
    pub(crate) fn is_guarded_by_lookup(&self, object: &Object, deployer: &Deployer) -> bool {
        if deployer.tool == Tool::Argocd {
            return false;
        }
        let decided = object.decided();
        let is_of_apis = |input: &String| input.starts_with("Capabilities.APIVersions");
        decided.iter().any(|input| input == Host::LOOKUP)
            || decided.iter().any(is_of_apis) && looks_up_its_kind(object)
    }

    /// True when the templates print the object only where a `lookup` does not find it: the deployer never meets the old
    /// one.
    pub(crate) fn is_printed_where_absent(&self, object: &Object, deployer: &Deployer) -> bool {
        let own = Host::looked_up(object.kind(), object.name().unwrap_or_default());
        deployer.tool != Tool::Argocd && object.decided().contains(&own)
    }

    /// True for an object that the chart renders only for upgrades: `{{ if gt .Release.Revision 1 }}`.
    pub(crate) fn is_of_upgrades(&self, object: &Object) -> bool {
        let is_of_release = |input: &String| RELEASE.contains(&input.as_str());
        self.upgrading && object.decided().iter().any(is_of_release)
    }

    /// The verdict under each deployer in force; per tool the most severe one.
    pub(crate) fn judge(
        &self,
        verdict: impl Fn(&Deployer) -> Option<(Severity, String)>,
    ) -> Vec<PerDeployer> {
        let mut all: Vec<PerDeployer> = Vec::new();
        for deployer in self.deployers {
            let Some((severity, text)) = verdict(deployer) else { continue };
            let own = PerDeployer { tool: deployer.tool, severity, text };
            match all.iter_mut().find(|other| other.tool == own.tool) {
                Some(other) if other.severity < own.severity => *other = own,
                Some(_) => {}
                None => all.push(own),
            }
        }
        all
    }

    /// What each deployer in force does with a field that is unknown to the API server.
    pub(crate) fn unknown_field(&self) -> Vec<PerDeployer> {
        let mut answers: Vec<PerDeployer> = Vec::new();
        for deployer in self.deployers {
            let text = unknown_field(deployer, self.from_chart());
            let answer = PerDeployer::new(deployer.tool, Severity::Error, text);
            if !answers.contains(&answer) {
                answers.push(answer);
            }
        }
        answers
    }

    /// The tools of the deployers in force.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let mut tools: Vec<_> = self.deployers.iter().map(|deployer| deployer.tool).collect();
        tools.dedup();
        tools
    }

    /// The deployers that apply the object as an ordinary one. If the object is annotated as a hook, an assumed
    /// deployer without hooks does not count: something else deploys the object.
    pub(crate) fn applying<'a>(&'a self, object: &'a Object) -> impl Iterator<Item = &'a Deployer> {
        self.deployers.iter().filter(|deployer| {
            self.role(object, deployer) == Role::Plain
                && !(deployer.assumed && object.is_annotated_hook())
        })
    }

    /// Whether Flux substitutes variables in the objects of a Kustomization (`postBuild`); `None` if it does not apply
    /// them or nothing says so.
    pub(crate) fn substitutes(&self) -> Option<bool> {
        self.deployers.iter().find_map(|deployer| {
            let applies =
                deployer.tool == Tool::Flux && !deployer.is_helm_release(self.from_chart());
            deployer.flux().post_build.filter(|_| applies)
        })
    }

    /// True when nothing states the deployer.
    pub(crate) fn is_assumed(&self) -> bool {
        self.deployers.iter().any(|deployer| deployer.assumed)
    }

    /// True when nothing states any of the deployers.
    pub(crate) fn is_all_assumed(&self) -> bool {
        self.deployers.iter().all(|deployer| deployer.assumed)
    }

    /// True when the objects are rendered from a Helm chart.
    pub fn from_chart(&self) -> bool {
        self.kind == UnitKind::Chart
    }
}

/// An annotation or label: `disabled` turns the substitution of Flux off for its object.
const SUBSTITUTE: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// Whether an object turns the substitution of Flux off.
pub(crate) fn is_substitution_off(object: &Object) -> bool {
    let label =
        object.root.at(&["metadata", "labels", SUBSTITUTE]).and_then(|value| value.as_str());
    object.annotation_text(SUBSTITUTE).or(label) == Some("disabled")
}

/// Whether the template of an object looks up an object of its kind: `lookup "v1" "Namespace" "" "shop"`.
fn looks_up_its_kind(object: &Object) -> bool {
    let span = object.root.get("kind").map_or(object.root.span, |kind| kind.span);
    let kind = format!("\"{}\"", object.kind());
    object.source.origin.as_deref().is_some_and(|origin| {
        let template = origin.written(span).at.source;
        template.text.split("lookup ").skip(1).any(|rest| {
            let end = rest.find([')', '}', '\n']).unwrap_or(rest.len());
            rest[..end].contains(&kind)
        })
    })
}
