//! Charts for Helm 2, which nobody can deploy with a Helm of today without a change.

use helm_render::Chart;
use yaml_spans::{Location, parse};

use crate::{
    settings::Settings,
    unit::{Failure, Problem, Unit},
};

/// The field of `Chart.yaml` that states the Tiller.
const TILLER: &str = "tillerVersion";

/// The problem of a chart that states which Tiller it needs and that Helm 3 reads only for the sake of such charts: it
/// has no `apiVersion`. `None` if anything says who deploys it.
pub(super) fn problem(chart: &Chart, unit: &Unit, settings: &Settings) -> Option<Problem> {
    if !unit.deployments.is_empty() || !settings.deployers.is_empty() {
        return None;
    }
    let source = chart.chart_yaml.clone();
    if !source.text.contains(TILLER) {
        return None;
    }
    let document = parse(&source.text).into_iter().next()?.ok()?;
    let tiller = document.root.entry(TILLER)?.key_span;
    if document.root.get("apiVersion").is_some() {
        return None;
    }
    let reason = format!("`{}` is a chart for Helm 2: it was not checked", chart.name());
    let help = "Add `apiVersion: v1` and remove `tillerVersion`, if Helm 3 or 4 deploys the chart";
    Some(Problem {
        headline: Some(format!("not rendered: `{}` is a chart for Helm 2", chart.name())),
        help: Some(help.to_owned()),
        ..Problem::new(Failure::NotRendered, Location { source, span: tiller }, reason)
    })
}
