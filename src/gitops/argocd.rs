//! Argo CD: reads Applications and ApplicationSets; an Application yields one deployment per source.

use std::path::{Path, PathBuf};

use helm_render::values::{Flag, FlagKind};
use job_lifecycle::{
    Deployer, Object, Tool,
    deployer::{Argocd, OptionName},
};
use yaml_spans::{Entry, Node, Value};

use super::{
    applicationset_template::with_unknown_values,
    generators::{GeneratorError, Generators},
    options::{Options, entry, flag, text},
    overrides,
    repository::{Owner, Tree},
    target::{self, Depth},
    values_file::NamedFiles,
    values_text,
};
use crate::{
    discover::normal,
    glob,
    unit::{Build, Deployment, DeploymentSource, HelmInput, Named, ValuesLayer},
};

/// Entries of `spec.syncPolicy.syncOptions` that affect Jobs.
const SYNC_OPTIONS: &[(&str, OptionName)] = &[
    ("Replace=true", Argocd::REPLACE),
    ("ServerSideApply=true", Argocd::SERVER_SIDE_APPLY),
    ("ApplyOutOfSyncOnly=true", Argocd::APPLY_OUT_OF_SYNC_ONLY),
];

/// The deployments of an Application or ApplicationSet; empty for other objects.
pub(crate) fn deployments(object: &Object, tree: &Tree) -> Vec<Deployment> {
    match (object.kind(), object.root.get("spec")) {
        ("Application", Some(spec)) => of_application(object, spec, tree),
        ("ApplicationSet", Some(spec)) => of_set(object, spec, tree),
        _ => Vec::new(),
    }
}

/// The deployments of an ApplicationSet's Applications. Where a generator cannot be evaluated, the template is used
/// without its parameters.
fn of_set(object: &Object, spec: &Node, tree: &Tree) -> Vec<Deployment> {
    let Some(template) = spec.get("template") else { return Vec::new() };
    let go = flag(spec, &["goTemplate"]);
    let generators = Generators::new(tree, go);
    let mut all: Vec<Deployment> = Vec::new();
    for generator in spec.get("generators").map(Node::items).unwrap_or_default() {
        generators.restart();
        let filled = generators.evaluate(generator).and_then(|sets| {
            sets.iter().map(|set| generators.fill(set, template)).collect::<Result<Vec<_>, _>>()
        });
        let (templates, reason) = match filled {
            Ok(templates) => (templates, generators.unknown()),
            Err(reason) => (vec![template.clone()], Some(reason)),
        };
        for template in templates {
            let root = if reason.is_some() { with_unknown_values(&template) } else { template };
            let application = Object { root, ..object.clone() };
            let Some(spec) = application.root.get("spec") else { continue };
            for mut one in of_application(&application, spec, tree) {
                one.object = object.clone();
                one.title = match (&reason, application.name()) {
                    (None, Some(name)) => format!("Application `{name}`"),
                    _ => format!("ApplicationSet `{}`", object.display_name()),
                };
                match (&reason, &mut one.source) {
                    (Some(reason), DeploymentSource::Unresolved(why)) => *why = reason.to_string(),
                    (Some(reason), _) => one.not_evaluated.push(reason.to_string()),
                    (None, _) => {}
                }
                one.exceeded.extend(reason.as_ref().and_then(GeneratorError::limit));
                all.push(one);
            }
        }
    }
    if spec.get("templatePatch").is_some() {
        all.iter_mut().for_each(|one| one.not_evaluated.push("`templatePatch`".to_owned()));
    }
    all
}

fn of_application(object: &Object, spec: &Node, tree: &Tree) -> Vec<Deployment> {
    let sources: Vec<&Node> = match spec.get("sources").map(Node::items).unwrap_or_default() {
        [] => spec.get("source").into_iter().collect(),
        several => several.iter().collect(),
    };
    let (deployer, not_evaluated) = deployer(object);
    let application = Application { object, spec, sources: &sources, tree };
    let deployed = sources.iter().filter(|source| !is_reference(source));
    deployed.map(|source| application.deployment(source, &deployer, &not_evaluated)).collect()
}

/// A source that only provides value files to the other sources.
fn is_reference(source: &Node) -> bool {
    source.get("ref").is_some() && source.get("path").is_none() && source.get("chart").is_none()
}

/// Reads the deployer options of `syncPolicy` (argocd 0.4; argocd 5.1; argocd 10).
fn deployer(object: &Object) -> (Deployer, Vec<String>) {
    let mut options = Options::new(Tool::Argocd, object);
    let policy = ["spec", "syncPolicy"];
    let automated = entry(&object.root, &["spec", "syncPolicy", "automated"]);
    let off = |entry: &&Entry| entry.value.get("enabled").and_then(Node::as_bool) == Some(false);
    if let Some(entry) = automated.filter(|entry| !off(entry)) {
        options.set(Argocd::AUTOMATED, "true", entry.key_span);
        options.take_in(Argocd::PRUNE, &entry.value, &["prune"]);
        options.take_in(Argocd::SELF_HEAL, &entry.value, &["selfHeal"]);
    }
    let listed = object.root.at(&policy).and_then(|policy| policy.get("syncOptions"));
    for item in listed.map(Node::items).unwrap_or_default() {
        let known = SYNC_OPTIONS.iter().find(|(word, _)| item.as_str() == Some(word));
        if let Some((_, option)) = known {
            options.set(*option, "true", item.span);
        }
    }
    (options.deployer, options.not_evaluated)
}

/// An Application with what is needed to read its sources.
struct Application<'a> {
    object: &'a Object,
    spec: &'a Node,
    sources: &'a [&'a Node],
    tree: &'a Tree,
}

impl Application<'_> {
    fn deployment(
        &self,
        source: &Node,
        deployer: &Deployer,
        not_evaluated: &[String],
    ) -> Deployment {
        let mut deployer = deployer.clone();
        let mut notes = not_evaluated.to_vec();
        let deployed = self.deployed(source, &mut deployer);
        let mut files = NamedFiles::of(self.object, self.tree);
        let helm = match &deployed {
            DeploymentSource::Chart(folder) => {
                Some(self.helm(source, folder, &mut files, &mut notes))
            }
            _ => None,
        };
        let namespace = text(self.spec, &["destination", "namespace"]).map(str::to_owned);
        let title = format!("{} `{}`", self.object.kind(), self.object.display_name());
        Deployment {
            object: self.object.clone(),
            title,
            deployer,
            source: deployed,
            named: self.named(source),
            helm,
            namespace,
            not_evaluated: notes,
            refused: files.refused,
            kustomize: overrides::of_argocd(self.object, source),
            build: Build {
                version: text(source, &["kustomize", "version"]).map(str::to_owned),
                ..Build::default()
            },
            variables: None,
            exceeded: globs_beyond_limits(source),
        }
    }

    fn deployed(&self, source: &Node, deployer: &mut Deployer) -> DeploymentSource {
        let url = text(source, &["repoURL"]).unwrap_or_default();
        if let Some(chart) = text(source, &["chart"]) {
            return DeploymentSource::External(format!("chart `{chart}` of {}", host(url)));
        }
        let Some(path) = text(source, &["path"]) else {
            return DeploymentSource::Unresolved(
                "its source has neither `path` nor `chart`".to_owned(),
            );
        };
        if let Some(unknown) = [url, path].into_iter().find(|text| text.contains("{{")) {
            return DeploymentSource::Unresolved(format!("`{unknown}` is filled in by a template"));
        }
        if source.get("plugin").is_some() {
            return DeploymentSource::Unresolved("a plugin generates its manifests".to_owned());
        }
        let owner = self.tree.owner(url);
        let depth = match flag(source, &["directory", "recurse"]) {
            true => Depth::Tree,
            false => Depth::Folder,
        };
        let folder = self.tree.path(path);
        let found = match target::of_folder(&folder, depth, self.tree) {
            Some(DeploymentSource::Manifests(files)) => Some(self.filtered(source, &files)),
            found => found,
        };
        match (found, owner) {
            (Some(found), Owner::Own | Owner::Unknown) => found,
            // Every repository has this folder.
            (Some(found), Owner::Other) if folder != self.tree.root => {
                deployer.assumed = true;
                found
            }
            (None, Owner::Own | Owner::Unknown) => {
                DeploymentSource::Unresolved(format!("there is no folder `{path}` here"))
            }
            (_, Owner::Other) => DeploymentSource::External(format!("`{path}` of {}", host(url))),
        }
    }

    /// What a source names, unless its address is that of another repository.
    fn named(&self, source: &Node) -> Option<Named> {
        let url = text(source, &["repoURL"]).unwrap_or_default();
        let chart = text(source, &["chart"]).map(|chart| Named::Chart(chart.to_owned()));
        let path = || text(source, &["path"]).map(|path| Named::Path(path.to_owned()));
        let may_be_here = url.contains("{{") || self.tree.may_be_own(url);
        chart.or_else(|| path().filter(|_| may_be_here))
    }

    /// Applies the globs `directory.include` and `exclude`, matched against the path below the folder;
    /// `exclude` wins.
    fn filtered(&self, source: &Node, files: &[PathBuf]) -> DeploymentSource {
        let folder = self.tree.path(text(source, &["path"]).unwrap_or_default());
        let glob = |key: &str| glob::compile(text(source, &["directory", key])?, false).ok();
        let (include, exclude) = (glob("include"), glob("exclude"));
        let keep = |path: &PathBuf| {
            let inside = path.strip_prefix(&folder).unwrap_or(path);
            include.as_ref().is_none_or(|glob| glob.is_match(inside))
                && !exclude.as_ref().is_some_and(|glob| glob.is_match(inside))
        };
        DeploymentSource::Manifests(files.iter().filter(|file| keep(file)).cloned().collect())
    }

    /// Reads the Helm values in order of precedence: value files, then `valuesObject` or `values`, then
    /// parameters (argocd 4).
    fn helm(
        &self,
        source: &Node,
        folder: &Path,
        files: &mut NamedFiles<'_>,
        notes: &mut Vec<String>,
    ) -> HelmInput {
        let none = Node { span: source.span, value: Value::Null, style: source.style };
        let helm = source.get("helm").unwrap_or(&none);
        let mut values = Vec::new();
        let ignores_missing = flag(helm, &["ignoreMissingValueFiles"]);
        for item in helm.get("valueFiles").map(Node::items).unwrap_or_default() {
            match self.value_file(item.as_str().unwrap_or_default(), folder) {
                Ok(path) => values.extend(files.layer(path, item, ignores_missing, notes)),
                Err(reason) => notes.push(reason),
            }
        }
        let inline = helm.get("valuesObject").filter(|node| node.as_map().is_some());
        match (inline, helm.get("values").and_then(|node| Some((node, node.as_str()?)))) {
            (Some(node), _) => {
                values.push(ValuesLayer::Node(self.object.source.clone(), node.clone()))
            }
            (None, Some((node, text))) => values.push(values_text::layer(self.object, node, text)),
            (None, None) => {}
        }
        values.extend(parameters(helm, folder, files, notes));
        let own = |node: &Node, path: &[&str]| text(node, path).map(str::to_owned);
        HelmInput {
            release: own(helm, &["releaseName"]).or(self.object.name().map(str::to_owned)),
            namespace: own(helm, &["namespace"]).or(own(self.spec, &["destination", "namespace"])),
            values,
            skip_tests: flag(helm, &["skipTests"]),
            skip_crds: flag(helm, &["skipCrds"]),
            skip_schema: flag(helm, &["skipSchemaValidation"]),
            kube_version: own(helm, &["kubeVersion"]),
            api_versions: texts(helm.get("apiVersions")),
        }
    }

    /// Resolves a value file: relative to the source's path, from the repository root after `/`, from the
    /// repository of another source after `$ref/`.
    fn value_file(&self, written: &str, folder: &Path) -> Result<PathBuf, String> {
        let name = self.object.name().unwrap_or_default();
        let written = written.replace("$ARGOCD_APP_NAME", name).replace("${ARGOCD_APP_NAME}", name);
        let not_read = |why: &str| Err(format!("value file `{written}`: {why}"));
        if written.contains("://") {
            return not_read("is not in this repository");
        }
        if written.contains(['*', '?', '[']) {
            return not_read("patterns are not evaluated");
        }
        if let Some(rest) = written.strip_prefix('$') {
            let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
            let named = |source: &&&Node| text(source, &["ref"]) == Some(name);
            let Some(source) = self.sources.iter().find(named) else {
                return not_read("no source has this `ref`");
            };
            let url = text(source, &["repoURL"]).unwrap_or_default();
            let found = self.tree.path(path);
            return match self.tree.owner(url) != Owner::Other || self.tree.boundary.has_file(&found)
            {
                true => Ok(found),
                false => not_read(&format!("lies in {}", host(url))),
            };
        }
        Ok(match written.strip_prefix('/') {
            Some(rest) => self.tree.path(rest),
            None => normal(&folder.join(written)),
        })
    }
}

/// Reads the parameters as flags: `--set`, then `--set-string` for `forceString`, then `--set-file`.
fn parameters(
    helm: &Node,
    folder: &Path,
    files: &mut NamedFiles<'_>,
    notes: &mut Vec<String>,
) -> Vec<ValuesLayer> {
    let items = |key: &str| helm.get(key).map(Node::items).unwrap_or_default();
    let mut flags: Vec<(FlagKind, String)> = Vec::new();
    for item in items("parameters") {
        let Some(name) = text(item, &["name"]) else { continue };
        let value = item.get("value").and_then(Node::as_str).unwrap_or_default();
        // Argo CD escapes commas, which separate settings.
        let value = value.replace(',', "\\,");
        if value.contains('$') {
            notes.push(format!("parameter `{name}`: build variables"));
        }
        let kind = match flag(item, &["forceString"]) {
            true => FlagKind::String,
            false => FlagKind::Set,
        };
        flags.push((kind, format!("{name}={value}")));
    }
    flags.sort_by_key(|(kind, _)| matches!(kind, FlagKind::String));
    for item in items("fileParameters") {
        let (Some(name), Some(node)) = (text(item, &["name"]), item.get("path")) else { continue };
        let path = normal(&folder.join(node.as_str().unwrap_or_default()));
        if !files.allows(&path, node) {
            continue;
        }
        // In a flag these would end the name or the path, and start those of another file.
        if name.contains(['=', ',', '\\']) {
            notes.push(format!("parameter `{name}`: its name is not a path of keys"));
            continue;
        }
        let path = path.to_string_lossy().replace('\\', "\\\\").replace(',', "\\,");
        flags.push((FlagKind::File, format!("{name}={path}")));
    }
    flags.into_iter().map(|(kind, text)| ValuesLayer::Flag(Flag { kind, text })).collect()
}

/// The globs of `directory` that exceed a limit, as ends of a sentence.
fn globs_beyond_limits(source: &Node) -> Vec<String> {
    let problem = |key: &&str| {
        let error = glob::compile(text(source, &["directory", key])?, false).err()?;
        error.is_limit().then(|| format!("has a glob in `directory.{key}` that {error}"))
    };
    ["include", "exclude"].iter().filter_map(problem).collect()
}

fn texts(node: Option<&Node>) -> Vec<String> {
    let items = node.map(Node::items).unwrap_or_default();
    items.iter().filter_map(Node::as_str).map(str::to_owned).collect()
}

/// A repository address without scheme and user, for messages.
pub(crate) fn host(url: &str) -> String {
    if url.is_empty() {
        return "another repository".to_owned();
    }
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split_once('@').map_or(rest, |(_, rest)| rest).trim_end_matches(".git").to_owned()
}
