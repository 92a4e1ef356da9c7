//! Fleet: reads a `fleet.yaml`, which makes its folder a bundle, with one deployment per target
//! customisation.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::{
    Object, Tool,
    deploy::{compare_patch_target, compare_patches},
    deployer::Fleet,
};
use yaml_spans::{self as yaml, Node, Source};

use super::{
    argocd::host,
    options::{Options, flag, text},
    repository::Tree,
    target::{self, Depth},
    values_file::NamedFiles,
};
use crate::{
    discover::normal,
    unit::{Build, Deployment, DeploymentSource, HelmInput, ValuesLayer},
};

/// The deployments of a `fleet.yaml`: the bundle and its target customisations. Empty if the file cannot be
/// read or holds something else.
pub(crate) fn deployments(path: &Path, tree: &Tree) -> Vec<Deployment> {
    let Some(folder) = path.parent() else { return Vec::new() };
    let Ok(text) = tree.boundary.read_to_string(path) else { return Vec::new() };
    let source = Arc::new(Source::new(tree.shown(path), text));
    let Some(Ok(document)) = yaml::parse(&source.text).into_iter().next() else {
        return Vec::new();
    };
    if is_of_kubernetes(&document.root) {
        return Vec::new();
    }
    let object = Object {
        source,
        root: document.root,
        document: document.span,
        in_list: false,
        is_templated: false,
    };
    let bundle = Bundle { object: &object, folder, tree };
    let targets = object.root.get("targetCustomizations").map(Node::items).unwrap_or_default();
    let targets = targets.iter().filter(|target| !flag(target, &["doNotDeploy"]));
    std::iter::once(None).chain(targets.map(Some)).map(|target| bundle.deployment(target)).collect()
}

/// Whether the file holds an object of Kubernetes that happens to be called so, such as a `Fleet` of Agones. The options of
/// a bundle have neither key.
fn is_of_kubernetes(root: &Node) -> bool {
    ["apiVersion", "kind"].iter().all(|key| root.get(key).is_some())
}

struct Bundle<'a> {
    object: &'a Object,
    folder: &'a Path,
    tree: &'a Tree,
}

impl Bundle<'_> {
    /// Fields of the target override those of the bundle.
    fn deployment(&self, target: Option<&Node>) -> Deployment {
        let layers: Vec<&Node> = std::iter::once(&self.object.root).chain(target).collect();
        let last = |path: &[&str]| layers.iter().rev().find_map(|layer| text(layer, path));
        let mut options = Options::new(Tool::Fleet, self.object);
        for layer in &layers {
            options.take_in(Fleet::CORRECT_DRIFT, layer, &["correctDrift", "enabled"]);
            for path in [["correctDrift", "force"], ["helm", "force"]] {
                if flag(layer, &path) {
                    options.take_in(Fleet::FORCE, layer, &path);
                }
            }
            if layer.at(&["yaml", "overlays"]).is_some() {
                options.not_evaluated.push("`yaml.overlays`".to_owned());
            }
        }
        let bundle = last(&["namespace"]).or(last(&["defaultNamespace"])).unwrap_or("default");
        options.deployer.drift_exclusions = layers
            .iter()
            .flat_map(|layer| compare_patches(layer))
            .map(|one| compare_patch_target(one, bundle))
            .collect();
        let deployed = self.deployed(
            last(&["helm", "repo"]),
            last(&["helm", "chart"]),
            last(&["kustomize", "dir"]),
        );
        let mut files = NamedFiles::of(self.object, self.tree);
        let helm = matches!(deployed, DeploymentSource::Chart(_))
            .then(|| self.helm(&layers, &mut files, &mut options.not_evaluated));
        let namespace = last(&["namespace"]).or(last(&["defaultNamespace"])).map(str::to_owned);
        let folder = self.tree.shown(self.folder);
        let title = match target.and_then(|target| text(target, &["name"])) {
            Some(name) => format!("Fleet bundle `{folder}`, target `{name}`"),
            None => format!("Fleet bundle `{folder}`"),
        };
        Deployment {
            object: self.object.clone(),
            title,
            deployer: options.deployer,
            source: deployed,
            named: None,
            helm,
            namespace,
            not_evaluated: options.not_evaluated,
            refused: files.refused,
            kustomize: None,
            build: Build::default(),
            variables: None,
            exceeded: Vec::new(),
        }
    }

    fn deployed(
        &self,
        repo: Option<&str>,
        chart: Option<&str>,
        overlay: Option<&str>,
    ) -> DeploymentSource {
        if let Some(repo) = repo {
            return DeploymentSource::External(format!(
                "chart `{}` of {}",
                chart.unwrap_or("?"),
                host(repo)
            ));
        }
        if let Some(chart) = chart {
            let folder = normal(&self.folder.join(chart));
            if let Some(refusal) = self.tree.refusal(&folder) {
                return DeploymentSource::Unresolved(format!("`{chart}` {refusal}"));
            }
            return match self.tree.boundary.has_file(&folder.join("Chart.yaml")) {
                true => DeploymentSource::Chart(folder),
                false if chart.contains("://") => {
                    DeploymentSource::External(format!("chart {}", host(chart)))
                }
                false => DeploymentSource::Unresolved(format!("there is no chart `{chart}` here")),
            };
        }
        let folder: PathBuf = overlay.map_or(self.folder.to_owned(), |dir| self.folder.join(dir));
        let found = target::of_folder(&normal(&folder), Depth::Bundle, self.tree);
        found.unwrap_or_else(|| {
            DeploymentSource::Unresolved(format!(
                "there is no folder `{}` here",
                overlay.unwrap_or(".")
            ))
        })
    }

    /// Reads the Helm settings. Precedence within each layer: `values` < `valuesFiles` < `valuesFrom`
    /// (fleet 3.7).
    fn helm(
        &self,
        layers: &[&Node],
        files: &mut NamedFiles<'_>,
        notes: &mut Vec<String>,
    ) -> HelmInput {
        let mut input = HelmInput::default();
        for layer in layers {
            let Some(helm) = layer.get("helm") else { continue };
            if let Some(node) = helm.get("values").filter(|node| node.as_map().is_some()) {
                if self.object.source.slice(node.span).contains("${") {
                    notes.push("`${ }` in `helm.values`".to_owned());
                }
                input.values.push(ValuesLayer::Node(self.object.source.clone(), node.clone()));
            }
            for item in helm.get("valuesFiles").map(Node::items).unwrap_or_default() {
                let path = normal(&self.folder.join(item.as_str().unwrap_or_default()));
                input.values.extend(files.layer(path, item, false, notes));
            }
            if helm.get("valuesFrom").is_some() {
                notes.push("`helm.valuesFrom`".to_owned());
            }
            input.release = text(helm, &["releaseName"]).map(str::to_owned).or(input.release);
            input.skip_schema |= flag(helm, &["skipSchemaValidation"]);
        }
        let named = |key| layers.iter().rev().find_map(|layer| text(layer, &[key]));
        input.namespace = named("namespace").or(named("defaultNamespace")).map(str::to_owned);
        input
    }
}
