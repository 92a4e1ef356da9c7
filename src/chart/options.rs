//! The options to render a chart with: the release, the cluster, and what a GitOps object states.

use helm_render::{Budget, Chart, HelmVersion, KubeVersion, Release, RenderOptions};
use job_lifecycle::kubernetes::{Version, api_versions};

use super::{MAX_STACK, ValueSet};
use crate::{settings::Settings, unit::HelmInput};

/// The longest release name that Helm accepts, in characters.
const LONGEST_NAME: usize = 53;

/// Applies the release settings of a GitOps object.
pub(super) fn apply_input(options: &mut RenderOptions, input: &HelmInput) {
    if let Some(release) = &input.release {
        options.release.name.clone_from(release);
    }
    if let Some(namespace) = &input.namespace {
        options.release.namespace.clone_from(namespace);
    }
    let version = input.kube_version.as_deref();
    if let Some(Ok(version)) = version.map(|version| KubeVersion::parse(version, HelmVersion::V4)) {
        options.kube_version = Some(version);
    }
    options.api_versions.clone_from(&input.api_versions);
    options.skips_schema |= input.skip_schema;
}

pub(super) fn options(
    chart: &Chart,
    set: &ValueSet,
    settings: &Settings,
    budget: &Budget,
) -> RenderOptions {
    let mut options = RenderOptions {
        release: Release { name: release_name(chart.name()), ..Release::default() },
        values: set.table.clone(),
        kube_version: kube_version(chart, settings),
        allows_missing: true,
        max_stack: MAX_STACK,
        budget: budget.clone(),
        ..RenderOptions::default()
    };
    if let Some(input) = set.input() {
        apply_input(&mut options, input);
    }
    let cluster = version(options.kube_version.as_ref());
    options.api_versions.extend(api_versions::served_by(cluster));
    if is_connected(set, settings) {
        let removed = api_versions::removed_from(cluster).map(str::to_owned);
        options.lacking_api_versions.extend(removed);
    }
    options
}

/// Whether Helm renders these values with a connection to a cluster, whose API versions `.Capabilities` then lists. Argo
/// CD calls `helm template`, which knows those of Helm's libraries too (`util/helm/cmd.go`).
fn is_connected(set: &ValueSet, settings: &Settings) -> bool {
    let stated: Vec<_> = match settings.deployers.is_empty() {
        true => set.deployments.iter().map(|deployment| &deployment.deployer).collect(),
        false => settings.deployers.iter().collect(),
    };
    stated.is_empty() || stated.iter().any(|deployer| deployer.has_release())
}

/// The version of the cluster that a chart was rendered for.
pub(crate) fn target(options: &RenderOptions) -> Version {
    version(options.kube_version.as_ref())
}

/// The name of a release that nobody states: that of the chart, as far as Helm accepts it.
fn release_name(chart: &str) -> String {
    let is_accepted = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
    let accepted = |c: char| if is_accepted(c) { c } else { '-' };
    let name = chart.chars().take(LONGEST_NAME).map(|c| accepted(c.to_ascii_lowercase()));
    name.collect::<String>().trim_matches(['-', '.']).to_owned()
}

/// The version of the cluster that a chart is rendered for.
///
/// What it serves can be tested by kind too: `.Capabilities.APIVersions.Has "batch/v1/CronJob"`. Helm lists kinds only
/// when it is connected to a cluster (`pkg/action/action.go`, `GetVersionSet`).
fn version(kube: Option<&KubeVersion>) -> Version {
    let number = |text: &str| text.parse().ok();
    let stated = kube.and_then(|v| Some(Version::new(number(&v.major)?, number(&v.minor)?)));
    stated.unwrap_or(Version::NEWEST)
}

/// The Kubernetes version of the settings, else the newest known version that the chart accepts.
fn kube_version(chart: &Chart, settings: &Settings) -> Option<KubeVersion> {
    let parse =
        |version: Version| KubeVersion::parse(&format!("{version}.0"), HelmVersion::V4).ok();
    if let Some(version) = settings.kubernetes {
        return parse(version);
    }
    let Version { major, minor } = Version::NEWEST;
    let all = (0..=minor).rev().filter_map(|minor| parse(Version::new(major, minor)));
    let mut accepted = all.filter(|version| chart.accepts(version));
    accepted.next().or_else(|| parse(Version::NEWEST))
}
