//! Dependencies that come from elsewhere: fetched ones, and copies of other people's charts in `charts/`.

use helm_render::{Chart, Dependency, Metadata};

use crate::unit::Rendering;

/// How the repositories of dependencies begin that are fetched.
const FETCHED: [&str; 5] = ["http://", "https://", "oci://", "@", "alias:"];

/// Whether a template is that of a dependency which its chart fetches, or which names other people as its source.
pub(crate) fn is_vendored(rendering: &Rendering, template: &str) -> bool {
    let mut around = Some(&*rendering.chart);
    sub_charts(rendering, template).any(|name| {
        let Some(chart) = around.take() else { return false };
        let own = chart.dependencies.iter().find(|sub| sub.name() == name);
        around = own.map(|own| &**own);
        declared_by(chart, name).is_some_and(|one| is_fetched(rendering, one, template))
            || own.is_some_and(|own| is_of_others(&own.metadata, &chart.metadata))
    })
}

/// The name of the dependency that a template is in: `db` for `shop/charts/db/templates/job.yaml`.
pub(super) fn sub_chart<'r>(rendering: &'r Rendering, template: &str) -> Option<&'r str> {
    sub_charts(rendering, template).next()
}

/// The names of the dependencies that a template is in, outermost first: those of the second are in `charts/` of the first.
fn sub_charts<'r>(rendering: &'r Rendering, template: &str) -> impl Iterator<Item = &'r str> {
    let templates = &rendering.rendered.templates;
    let inside = templates.iter().find(|one| one.file().path == template);
    let mut parts = inside.map_or("", |one| &one.name).split('/').skip(1);
    std::iter::from_fn(move || {
        parts.next().filter(|part| *part == "charts")?;
        parts.next()
    })
}

/// What the chart declares of a dependency.
pub(super) fn declared<'r>(rendering: &'r Rendering, name: &str) -> Option<&'r Dependency> {
    declared_by(&rendering.chart, name)
}

fn declared_by<'c>(chart: &'c Chart, name: &str) -> Option<&'c Dependency> {
    let mut declared = chart.metadata.dependencies.iter().flatten();
    declared.find(|one| one.alias == name || *one.name == *name)
}

/// Whether the dependency that a template is in is downloaded, and does not belong to this repository.
pub(super) fn is_fetched(rendering: &Rendering, dependency: &Dependency, template: &str) -> bool {
    let is_remote = FETCHED.iter().any(|scheme| dependency.repository.starts_with(scheme));
    is_remote && !is_beside(rendering, template)
}

/// Whether a template is in a folder beside the chart, where its repository keeps a library that it publishes.
fn is_beside(rendering: &Rendering, template: &str) -> bool {
    let folder = rendering.chart.chart_yaml.path.trim_end_matches("Chart.yaml");
    !template.starts_with(folder) || folder.is_empty() && template.starts_with("../")
}

/// Whether the home and sources of a chart are none of those of the chart around it.
fn is_of_others(chart: &Metadata, around: &Metadata) -> bool {
    let (own, theirs) = (owners(chart), owners(around));
    !own.is_empty() && own.iter().all(|owner| !theirs.contains(owner))
}

/// Whether a chart is a copy of a published one: it comes from a repository of charts whose owner is none of the owners of this
/// repository (`https://github.com/bitnami/charts/tree/main/bitnami/mongodb`). `remotes` are addresses without a scheme. Other
/// sources may be those of what the chart installs.
pub(crate) fn is_copy(chart: &Metadata, remotes: &[String]) -> bool {
    let mut urls = chart.sources.iter().flatten().chain([&chart.home]);
    !remotes.is_empty() && urls.any(|url| is_of_other_charts(url, remotes))
}

/// Whether an address is that of charts of another owner.
fn is_of_other_charts(url: &str, remotes: &[String]) -> bool {
    let mut parts = url.split('/').skip(3);
    let (Some(owner), Some(name)) = (parts.next(), parts.next()) else { return false };
    let mut own = remotes.iter().filter_map(|remote| remote.split('/').nth(1));
    let is_own = own.any(|own| own.eq_ignore_ascii_case(owner));
    let mut words = name.split(['-', '_', '.']);
    !is_own && words.any(|word| matches!(word, "chart" | "charts"))
}

/// Who is behind the home and sources of a chart: `github.com/vmware-tanzu`.
fn owners(chart: &Metadata) -> Vec<String> {
    let urls = chart.sources.iter().flatten().chain([&chart.home]);
    let owner = |url: &String| {
        let (_, rest) = url.split_once("://")?;
        let parts: Vec<_> = rest.split('/').take(2).collect();
        Some(parts.join("/").to_lowercase())
    };
    urls.filter_map(owner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_names_the_charts_of_another_owner() {
        let is_copy = |url: &str| is_of_other_charts(url, &["github.com/Shop/apps".to_owned()]);
        assert!(is_copy("https://github.com/bitnami/charts/tree/main/bitnami/mongodb"));
        assert!(is_copy("https://github.com/grafana/helm-charts"));
        for own in [
            "https://github.com/shop/charts",
            "https://github.com/minio/minio",
            "https://charts.example.com",
            "",
        ] {
            assert!(!is_copy(own), "{own}");
        }
    }
}
