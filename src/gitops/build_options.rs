//! What Argo CD passes to `kustomize build`: `kustomize.buildOptions` of `argocd-cm`, as a manifest, as values of Argo
//! CD's chart, or as `kustomizeBuildOptions` of its operator (argo-cd `util/argo/argo.go`, `util/kustomize`).

use std::{path::Path, sync::LazyLock};

use job_lifecycle::Tool;
use memchr::memmem::Finder;
use yaml_spans::{self as yaml, Node, Value};

use crate::unit::Deployment;

/// The key in `argocd-cm`; `.v4.4.0` after it names the version that it is for.
const KEY: &str = "kustomize.buildOptions";
/// The field of an `ArgoCD` object.
const FIELD: &str = "kustomizeBuildOptions";

/// The end of both names. Built once because every file is searched for it.
static END: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new("uildOptions"));

/// Options for all builds or for those of one version of kustomize.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildOptions {
    version: Option<String>,
    flags: String,
}

/// The options that a file states.
pub(super) fn of_file(path: &Path, bytes: &[u8]) -> Vec<BuildOptions> {
    let mut found = Vec::new();
    let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if !are_in(bytes) || !is_yaml {
        return found;
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return found };
    for document in yaml::parse(text).into_iter().filter_map(Result::ok) {
        collect(&document.root, &mut found);
    }
    found
}

/// Whether a text may state options.
pub(super) fn are_in(bytes: &[u8]) -> bool {
    END.find(bytes).is_some()
}

fn collect(node: &Node, found: &mut Vec<BuildOptions>) {
    match &node.value {
        Value::Map(map) => {
            for entry in &map.entries {
                match (version(&entry.key), entry.value.as_str()) {
                    (Some(version), Some(flags)) => {
                        found.push(BuildOptions { version, flags: flags.to_owned() });
                    }
                    _ => collect(&entry.value, found),
                }
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// The version that a key with options is for; the inner `None` is for all versions.
fn version(key: &str) -> Option<Option<String>> {
    match key.strip_prefix(KEY) {
        Some("") => Some(None),
        Some(rest) => Some(Some(rest.strip_prefix('.')?.to_owned())),
        None => (key == FIELD).then_some(None),
    }
}

/// Tells the deployments of Argo CD how kustomize is called. Where several instances say different things, each kustomization
/// may be built by the most permissive one.
pub(super) fn apply(all: &[BuildOptions], deployments: &mut [Deployment]) {
    for deployment in deployments.iter_mut().filter(|one| one.deployer.tool == Tool::Argocd) {
        let build = &mut deployment.build;
        let of = |version: Option<&str>| {
            let own = all.iter().filter(move |one| one.version.as_deref() == version);
            own.map(|one| one.flags.as_str()).collect::<Vec<_>>()
        };
        let flags = match build.version.as_deref().map(|version| of(Some(version))) {
            Some(own) if !own.is_empty() => own,
            _ => of(None),
        };
        build.loads_anywhere = flags.iter().any(|flags| loads_anywhere(flags));
        build.is_unstated = flags.is_empty();
        build.refuses_charts =
            !flags.is_empty() && !flags.iter().any(|flags| flags.contains("--enable-helm"));
    }
}

/// Whether flags lift the load restriction: `--load-restrictor LoadRestrictionsNone`, also with `=` and with the older
/// name of the flag.
fn loads_anywhere(flags: &str) -> bool {
    let words: Vec<_> =
        flags.split([' ', '=', '\n', '\t']).filter(|word| !word.is_empty()).collect();
    let is_flag = |word: &str| matches!(word, "--load-restrictor" | "--load_restrictor");
    let lifts = |value: &str| matches!(value, "LoadRestrictionsNone" | "none");
    words.windows(2).any(|pair| is_flag(pair[0]) && lifts(pair[1]))
}
