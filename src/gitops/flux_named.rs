//! What Flux objects name, as far as it may be in this repository.

use job_lifecycle::Object;
use yaml_spans::Node;

use super::{
    options::text,
    repository::{Tree, address},
};
use crate::unit::Named;

/// The path of a Kustomization, whose `sourceRef` names a source of the repository, or one that is not in it.
pub(super) fn path(
    reference: Option<&Node>,
    source: Option<&Object>,
    path: &str,
    tree: &Tree,
) -> Option<Named> {
    let kind = reference.and_then(|node| text(node, &["kind"])).unwrap_or("GitRepository");
    let url = source.and_then(|source| text(&source.root, &["spec", "url"]));
    let url = url.filter(|url| !url.contains("${"));
    match (kind, url) {
        ("GitRepository", Some(url)) if !tree.may_be_own(url) => None,
        ("GitRepository", Some(_)) => Some(Named::Path(path.to_owned())),
        // `flux bootstrap` creates the source of its own repository. Of another one, which is not in the tree either,
        // nothing is known but the paths that may be meant for here.
        ("GitRepository", None) => {
            let name = reference.and_then(|node| text(node, &["name"]));
            let is_own = name.is_none_or(|name| name == "flux-system");
            (is_own || path.contains("${")).then(|| Named::Path(path.to_owned()))
        }
        (_, Some(url)) if is_of_others(url, tree) => None,
        // An artifact is packed from some folder.
        _ => Some(Named::PathBelow(path.to_owned())),
    }
}

/// The chart of a HelmRelease.
pub(super) fn chart<'o>(
    spec: &Node,
    source: &dyn Fn(&Node) -> Option<&'o Object>,
    tree: &Tree,
) -> Option<Named> {
    if let Some(chart) = spec.at(&["chart", "spec"]) {
        return of_template(chart, source, tree);
    }
    let reference = spec.get("chartRef")?;
    let found = source(reference);
    if let Some(template) = found.filter(|found| found.kind() == "HelmChart") {
        return of_template(template.root.get("spec")?, source, tree);
    }
    let url = found.and_then(|found| text(&found.root, &["spec", "url"]));
    let of_url = url.and_then(|url| url.rsplit('/').next()).filter(|name| !name.contains("${"));
    let name = of_url.or_else(|| text(reference, &["name"]))?;
    Some(Named::Chart(name.to_owned()))
}

fn of_template<'o>(
    chart: &Node,
    source: &dyn Fn(&Node) -> Option<&'o Object>,
    tree: &Tree,
) -> Option<Named> {
    let name = text(chart, &["chart"])?;
    let reference = chart.get("sourceRef");
    match reference.and_then(|node| text(node, &["kind"])) {
        Some("HelmRepository") => Some(Named::Chart(name.to_owned())),
        _ => path(reference, reference.and_then(source), name, tree),
    }
}

/// Whether an artifact comes from an owner who has no remote of this repository: `acme` in `oci://ghcr.io/acme/shop`.
fn is_of_others(url: &str, tree: &Tree) -> bool {
    let owner = |address: &str| address.split('/').nth(1).map(str::to_lowercase);
    let own = owner(&address(url));
    own.is_some() && !tree.remotes().iter().any(|remote| owner(remote) == own)
}
