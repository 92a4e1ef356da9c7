//! Flux: reads Kustomizations, which apply a path of a source, and HelmReleases, which install a chart.

use std::{collections::BTreeSet, path::PathBuf};

use helm_render::values::{Flag, FlagKind};
use job_lifecycle::{
    Object, Tool,
    deployer::{DriftExclusion, Flux, NamePattern, OptionName},
};
use yaml_spans::{Node, Value};

use super::{
    argocd::host,
    by_kind::ByKind,
    flux_named,
    flux_parents::{Parents, Patch},
    options::{Options, scalar, text},
    overrides,
    post_build::Sources,
    repository::{Owner, Tree, address},
    target::{self, Depth},
    values_file::NamedFiles,
    values_text,
};
use crate::unit::{Build, Deployment, DeploymentSource, HelmInput, ValuesLayer};

const KUSTOMIZATION: &[(OptionName, &[&str])] = &[
    (Flux::FORCE, &["spec", "force"]),
    (Flux::INTERVAL, &["spec", "interval"]),
    (Flux::PRUNE, &["spec", "prune"]),
    (Flux::WAIT, &["spec", "wait"]),
    (Flux::TIMEOUT, &["spec", "timeout"]),
];

const HELM_RELEASE: &[(OptionName, &[&str])] = &[
    (Flux::INTERVAL, &["spec", "interval"]),
    (Flux::TIMEOUT, &["spec", "timeout"]),
    (Flux::FORCE, &["spec", "upgrade", "force"]),
    (Flux::DRIFT_DETECTION, &["spec", "driftDetection", "mode"]),
    (Flux::INSTALL_RETRIES, &["spec", "install", "remediation", "retries"]),
    (Flux::INSTALL_STRATEGY, &["spec", "install", "strategy", "name"]),
    (Flux::UPGRADE_RETRIES, &["spec", "upgrade", "remediation", "retries"]),
    (Flux::UPGRADE_REMEDIATION, &["spec", "upgrade", "remediation", "strategy"]),
    (Flux::REMEDIATE_LAST_FAILURE, &["spec", "upgrade", "remediation", "remediateLastFailure"]),
    (Flux::UPGRADE_STRATEGY, &["spec", "upgrade", "strategy", "name"]),
];

/// What Kustomizations patch into those below them: a parent often adds the source to all of its folder.
pub(super) fn parents<'a>(objects: &[&'a Object], tree: &Tree) -> Parents<'a> {
    let options = KUSTOMIZATION.iter().filter_map(|(_, path)| path.last().copied());
    let fields: Vec<_> = options.chain([SOURCE]).collect();
    Parents::of(objects, &fields, tree)
}

/// The field of a Kustomization that names its source.
const SOURCE: &str = "sourceRef";

/// The deployment of a Kustomization or HelmRelease; empty for other objects.
pub(super) fn deployments(
    object: &Object,
    all: &ByKind<'_>,
    parents: &Parents<'_>,
    tree: &Tree,
) -> Vec<Deployment> {
    let flux = Reader { object, all, parents, tree };
    match (object.group(), object.kind()) {
        // A file without the required fields is a patch of others, and says nothing of the root of the repository.
        ("kustomize.toolkit.fluxcd.io", "Kustomization") if is_patch(object) => Vec::new(),
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => vec![flux.kustomization()],
        ("helm.toolkit.fluxcd.io", "HelmRelease") => flux.release().into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether a Kustomization has neither a path nor the fields that its schema requires
/// (<https://fluxcd.io/flux/components/kustomize/kustomizations/>).
fn is_patch(object: &Object) -> bool {
    let lacks = |field| object.root.at(&["spec", field]).is_none();
    lacks("path") && lacks("interval") && lacks("prune")
}

struct Reader<'a> {
    object: &'a Object,
    all: &'a ByKind<'a>,
    parents: &'a Parents<'a>,
    tree: &'a Tree,
}

/// Where the repository behind a `sourceRef` is.
enum SourceLocation {
    Here,
    /// Nothing says whether its address is that of this repository.
    Unknown,
    /// Probably this repository: its address differs or is unknown.
    Assumed,
    External(String),
}

impl Reader<'_> {
    fn kustomization(&self) -> Deployment {
        let root = &self.object.root;
        let mut options = Options::new(Tool::Flux, self.object).fixed(Flux::KIND, "Kustomization");
        KUSTOMIZATION.iter().for_each(|(name, path)| options.take(*name, path));
        let patches = self.parents.patches_of(self.object, self.tree);
        self.patched(&patches, &mut options);
        self.substitutes(&mut options);
        let sources = Sources { object: self.object, all: self.all };
        let variables = sources.variables(&mut options.not_evaluated);
        let path = text(root, &["spec", "path"]).unwrap_or("./");
        let patched =
            || patches.iter().rev().find_map(|patch| patch.field(SOURCE)).map(|(node, _)| node);
        let source = root.at(&["spec", SOURCE]).or_else(patched);
        let place = source.map(|source| self.locate(source));
        let folder = self.artifact(path).unwrap_or_else(|| self.tree.path(path));
        let found = target::of_folder(&folder, Depth::Kustomize, self.tree);
        // Every repository has a root, so that it is here says nothing.
        let may_be_here = folder != self.tree.root;
        let is_only = || may_be_here || self.is_only_repository();
        let deployed = match (place, found) {
            (None, _) => DeploymentSource::Unresolved("it names no source".to_owned()),
            (Some(SourceLocation::Here), Some(found)) => found,
            (Some(SourceLocation::Unknown), Some(found)) if is_only() => found,
            (Some(SourceLocation::Assumed), Some(found)) if may_be_here => {
                options.deployer.assumed = true;
                found
            }
            (Some(SourceLocation::Here | SourceLocation::Unknown), None) => {
                DeploymentSource::Unresolved(format!("there is no folder `{path}` here"))
            }
            (Some(SourceLocation::Assumed | SourceLocation::Unknown), _) => {
                DeploymentSource::External(format!("`{path}` of another repository"))
            }
            (Some(SourceLocation::External(_)), Some(found)) if self.artifact(path).is_some() => {
                found
            }
            (Some(SourceLocation::External(source)), _) => {
                DeploymentSource::External(format!("`{path}` of {source}"))
            }
        };
        Deployment {
            object: self.object.clone(),
            title: self.title(),
            deployer: options.deployer,
            source: deployed,
            named: flux_named::path(
                source,
                source.and_then(|one| self.source(one)),
                path,
                self.tree,
            ),
            helm: None,
            namespace: text(root, &["spec", "targetNamespace"]).map(str::to_owned),
            not_evaluated: options.not_evaluated,
            refused: Vec::new(),
            kustomize: overrides::of_flux(self.object),
            build: Build::default(),
            variables,
            exceeded: Vec::new(),
        }
    }

    /// Sets the options that the Kustomizations above patch in. The last patch wins, also over the object itself.
    fn patched(&self, patches: &[&Patch<'_>], options: &mut Options<'_>) {
        for (name, path) in KUSTOMIZATION {
            let set = |patch: &&Patch<'_>| {
                let (value, at) = patch.field(path.last()?)?;
                Some((scalar(value)?, at))
            };
            if let Some((value, at)) = patches.iter().rev().find_map(set) {
                options.set_at(*name, &value, at);
            }
        }
    }

    /// A `postBuild` without variables substitutes nothing (`fluxcd/pkg` `kustomize_varsub.go`). A missing
    /// `postBuild` proves less: a parent Kustomization often adds it with a patch.
    fn substitutes(&self, options: &mut Options<'_>) {
        for field in ["substitute", "substituteFrom"] {
            let path = ["spec", "postBuild", field];
            let Some(entry) = super::options::entry(&self.object.root, &path) else { continue };
            let empty = match &entry.value.value {
                Value::Map(map) => map.entries.is_empty(),
                _ => entry.value.items().is_empty(),
            };
            if !empty {
                return options.set(Flux::POST_BUILD, "true", entry.key_span);
            }
        }
    }

    /// `None` for a HelmRelease without a chart, which is a patch.
    fn release(&self) -> Option<Deployment> {
        let root = &self.object.root;
        let spec = root.get("spec")?;
        let mut options = Options::new(Tool::Flux, self.object).fixed(Flux::KIND, "HelmRelease");
        HELM_RELEASE.iter().for_each(|(name, path)| options.take(*name, path));
        self.client_side(&mut options);
        options.deployer.drift_exclusions = self.ignored(spec);
        let (deployed, assumed) = match (spec.at(&["chart", "spec"]), spec.get("chartRef")) {
            (Some(chart), _) if chart.get("chart").is_some() => self.chart(chart),
            (_, Some(reference)) => (self.chart_reference(reference), false),
            _ => return None,
        };
        options.deployer.assumed = assumed;
        if spec.get("postRenderers").is_some() {
            options.not_evaluated.push("`spec.postRenderers`".to_owned());
        }
        let mut files = NamedFiles::of(self.object, self.tree);
        let helm = matches!(deployed, DeploymentSource::Chart(_))
            .then(|| self.helm(spec, &mut files, &mut options.not_evaluated));
        Some(Deployment {
            object: self.object.clone(),
            title: self.title(),
            deployer: options.deployer,
            source: deployed,
            named: flux_named::chart(spec, &|reference| self.source(reference), self.tree),
            namespace: self.namespace(spec).map(str::to_owned),
            helm,
            not_evaluated: options.not_evaluated,
            refused: files.refused,
            kustomize: None,
            build: Build::default(),
            variables: None,
            exceeded: Vec::new(),
        })
    }

    /// The objects that `driftDetection.ignore` excludes entirely: entries with an empty path (flux 2.4).
    fn ignored(&self, spec: &Node) -> Vec<DriftExclusion> {
        let entries = spec.at(&["driftDetection", "ignore"]).map(Node::items).unwrap_or_default();
        let whole = |entry: &&Node| {
            let paths = entry.get("paths").map(Node::items).unwrap_or_default();
            paths.iter().any(|path| path.as_str() == Some(""))
        };
        let own = |entry: &Node, key: &str| text(entry, &["target", key]).map(str::to_owned);
        let ignored = |entry: &Node| DriftExclusion {
            api_version: None,
            kind: own(entry, "kind"),
            namespace: own(entry, "namespace"),
            name: own(entry, "name").map(|regex| NamePattern { regex, whole: true }),
            default_namespace: self.namespace(spec).unwrap_or_default().to_owned(),
        };
        entries.iter().filter(whole).map(ignored).collect()
    }

    fn title(&self) -> String {
        format!("{} `{}`", self.object.kind(), self.object.display_name())
    }

    /// helm-controller uses server-side apply unless the object disables it (flux 2.1).
    fn client_side(&self, options: &mut Options<'_>) {
        for action in ["install", "upgrade"] {
            let path = ["spec", action, "serverSideApply"];
            let Some(entry) = super::options::entry(&self.object.root, &path) else { continue };
            let off =
                entry.value.as_bool() == Some(false) || entry.value.as_str() == Some("disabled");
            if off {
                options.set(Flux::APPLY, "csa", entry.key_span.to(entry.value.span));
            }
        }
    }

    /// The object that a reference names. Objects of an overlay may have no namespace yet.
    fn named(&self, kind: &str, name: &str, namespace: Option<&str>) -> Option<&Object> {
        let namespace = namespace.or(self.object.namespace());
        let all = self.all.of(kind).iter().copied();
        let mut same = all.filter(|object| object.name() == Some(name));
        let fits = |object: &&Object| object.namespace().is_none() || namespace.is_none();
        same.clone().find(|object| object.namespace() == namespace).or_else(|| same.find(fits))
    }

    fn source(&self, reference: &Node) -> Option<&Object> {
        let (kind, name) = (text(reference, &["kind"])?, text(reference, &["name"])?);
        self.named(kind, name, text(reference, &["namespace"]))
    }

    fn locate(&self, reference: &Node) -> SourceLocation {
        let kind = text(reference, &["kind"]).unwrap_or("GitRepository");
        let name = text(reference, &["name"]).unwrap_or_default();
        if kind != "GitRepository" {
            return SourceLocation::External(format!("{kind} `{name}`"));
        }
        let url = self.source(reference).and_then(|source| text(&source.root, &["spec", "url"]));
        match url.map(|url| self.tree.owner(url)) {
            // `flux bootstrap` creates the source of its own repository, which is often not in the tree.
            None if name == "flux-system" => SourceLocation::Here,
            None | Some(Owner::Other) => SourceLocation::Assumed,
            Some(Owner::Own) => SourceLocation::Here,
            Some(Owner::Unknown) => SourceLocation::Unknown,
        }
    }

    /// Whether the sources of the tree name no more than one Git repository.
    fn is_only_repository(&self) -> bool {
        let urls = self
            .all
            .of("GitRepository")
            .iter()
            .filter_map(|object| text(&object.root, &["spec", "url"]));
        urls.map(address).collect::<BTreeSet<_>>().len() <= 1
    }

    /// The folder that an ArtifactGenerator copies to this path of an ExternalArtifact.
    fn artifact(&self, path: &str) -> Option<PathBuf> {
        let reference = self.object.root.at(&["spec", "sourceRef"])?;
        let name = text(reference, &["name"])?;
        (text(reference, &["kind"])? == "ExternalArtifact").then_some(())?;
        let folder = self.object.source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut makers = self.all.of("ArtifactGenerator").to_vec();
        // Several clusters may define generators of the same name; the one in the same folder comes first.
        makers.sort_by_key(|object| !object.source.path.starts_with(folder));
        let wanted = path.trim_start_matches("./").trim_matches('/');
        makers.into_iter().find_map(|maker| {
            let artifacts = maker.root.at(&["spec", "artifacts"])?.items();
            let artifact = artifacts.iter().find(|one| text(one, &["name"]) == Some(name))?;
            let copies = artifact.get("copy")?.items();
            copies.iter().find_map(|copy| {
                let to = text(copy, &["to"])?.strip_prefix("@artifact/")?.trim_matches('/');
                let (_, from) = text(copy, &["from"])?.strip_prefix('@')?.split_once('/')?;
                let from = from.trim_end_matches("/**").trim_end_matches("/*");
                let rest = match to {
                    "" => wanted,
                    _ => wanted.strip_prefix(to)?.trim_start_matches('/'),
                };
                Some(self.tree.path(&format!("{from}/{rest}")))
            })
        })
    }

    fn chart(&self, chart: &Node) -> (DeploymentSource, bool) {
        let name = text(chart, &["chart"]).unwrap_or_default();
        let reference = chart.get("sourceRef");
        let kind = reference.and_then(|node| text(node, &["kind"])).unwrap_or("source");
        let repository = reference.and_then(|node| text(node, &["name"])).unwrap_or_default();
        let Some(reference) = reference.filter(|_| kind == "GitRepository") else {
            let url = reference.and_then(|node| self.source(node));
            let url = url.and_then(|source| text(&source.root, &["spec", "url"])).map(host);
            let place = url.unwrap_or_else(|| format!("{kind} `{repository}`"));
            return (DeploymentSource::External(format!("chart `{name}` of {place}")), false);
        };
        let folder = self.tree.path(name);
        if let Some(refusal) = self.tree.refusal(&folder) {
            return (DeploymentSource::Unresolved(format!("`{name}` {refusal}")), false);
        }
        let here = self.tree.boundary.has_file(&folder.join("Chart.yaml"));
        match self.locate(reference) {
            SourceLocation::Here | SourceLocation::Unknown if here => {
                (DeploymentSource::Chart(folder), false)
            }
            SourceLocation::Assumed if here => (DeploymentSource::Chart(folder), true),
            SourceLocation::Here | SourceLocation::Unknown => {
                (DeploymentSource::Unresolved(format!("there is no chart `{name}` here")), false)
            }
            _ => (
                DeploymentSource::External(format!("chart `{name}` of {kind} `{repository}`")),
                false,
            ),
        }
    }

    fn chart_reference(&self, reference: &Node) -> DeploymentSource {
        let kind = text(reference, &["kind"]).unwrap_or_default();
        let name = text(reference, &["name"]).unwrap_or_default();
        if let Some(source) = self.source(reference) {
            if kind == "HelmChart" {
                return self.chart_of(source);
            }
            if let Some(url) = text(&source.root, &["spec", "url"]) {
                return DeploymentSource::External(format!("chart of {}", host(url)));
            }
        }
        DeploymentSource::External(format!("chart of {kind} `{name}`"))
    }

    fn chart_of(&self, source: &Object) -> DeploymentSource {
        source.root.get("spec").map_or_else(
            || DeploymentSource::Unresolved("its HelmChart has no `spec`".to_owned()),
            |spec| self.chart(spec).0,
        )
    }

    fn namespace<'n>(&'n self, spec: &'n Node) -> Option<&'n str> {
        text(spec, &["targetNamespace"]).or(self.object.namespace())
    }

    fn helm(&self, spec: &Node, files: &mut NamedFiles<'_>, notes: &mut Vec<String>) -> HelmInput {
        let name = self.object.name().unwrap_or_default();
        let release = match (text(spec, &["releaseName"]), text(spec, &["targetNamespace"])) {
            (Some(release), _) => release.to_owned(),
            (None, Some(target)) => format!("{target}-{name}"),
            (None, None) => name.to_owned(),
        };
        let mut values = Vec::new();
        for item in spec.at(&["chart", "spec", "valuesFiles"]).map(Node::items).unwrap_or_default()
        {
            let path = self.tree.path(item.as_str().unwrap_or_default());
            values.extend(files.layer(path, item, false, notes));
        }
        for item in spec.get("valuesFrom").map(Node::items).unwrap_or_default() {
            match self.values_from(item) {
                Ok(found) => values.push(found),
                Err(reason) => notes.push(reason),
            }
        }
        if let Some(node) = spec.get("values").filter(|node| node.as_map().is_some()) {
            values.push(ValuesLayer::Node(self.object.source.clone(), node.clone()));
        }
        // helm-controller ends longer names in a hash; the name is only cut here.
        let release = release.chars().take(53).collect();
        let namespace = self.namespace(spec).map(str::to_owned);
        HelmInput { release: Some(release), namespace, values, ..HelmInput::default() }
    }

    /// The values in a key of a ConfigMap or Secret of the repository.
    fn values_from(&self, item: &Node) -> Result<ValuesLayer, String> {
        let (kind, name) = (text(item, &["kind"]), text(item, &["name"]));
        let (kind, name) = (kind.unwrap_or_default(), name.unwrap_or_default());
        let key = text(item, &["valuesKey"]).unwrap_or("values.yaml");
        let missing = || format!("`valuesFrom` {kind} `{name}`: is not here");
        let object = self.named(kind, name, None).ok_or_else(missing)?;
        let data = ["stringData", "data"].iter().find_map(|data| object.root.at(&[data, key]));
        let found = data.and_then(|node| Some((node, node.as_str()?)));
        let (node, text_of) = found.ok_or_else(|| format!("{} of {kind} `{name}`", key))?;
        if kind == "Secret" && object.root.at(&["stringData", key]).is_none() {
            return Err(format!("`valuesFrom` Secret `{name}`: its data is encoded"));
        }
        Ok(match text(item, &["targetPath"]) {
            Some(path) => {
                let text = format!("{path}={}", text_of.trim_end());
                ValuesLayer::Flag(Flag { kind: FlagKind::Set, text })
            }
            None => values_text::layer(object, node, text_of),
        })
    }
}
