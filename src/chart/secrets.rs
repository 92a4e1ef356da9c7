//! The secrets of a chart and of everything it is rendered with.

use helm_render::Chart;

use super::ValueSet;
use crate::{redact::SecretValues, settings::Values, unit::Rendering};

/// The secrets of the values of a chart, its dependencies and its value sets. The names of the charts are public.
pub(crate) fn of_values(chart: &Chart, sets: &[ValueSet], values: &Values) -> SecretValues {
    let mut all = of_flags(values);
    add_chart(chart, &mut all);
    sets.iter().for_each(|set| all.add_table(&set.table));
    all
}

/// The secrets of the values of the command line, which are known even if they cannot be parsed.
pub(crate) fn of_flags(values: &Values) -> SecretValues {
    let mut all = SecretValues::default();
    values.flags.iter().for_each(|flag| all.add_flag(&flag.text));
    all
}

fn add_chart(chart: &Chart, all: &mut SecretValues) {
    all.add_public(chart.name());
    all.add_parsed_table(&chart.values, chart.take_values_documents().as_ref());
    let templates = chart.templates.iter();
    templates.for_each(|template| all.extend(&SecretValues::of_manifest(&template.data)));
    chart.dependencies.iter().for_each(|dependency| add_chart(dependency, all));
}

/// The secrets of rendered manifests.
pub(super) fn of_rendering(rendering: &Rendering) -> SecretValues {
    let mut all = SecretValues::default();
    for file in &rendering.rendered.files {
        all.extend(&SecretValues::of_manifest(file.text.as_bytes()));
    }
    all
}

#[cfg(test)]
mod tests {
    use helm_render::HelmVersion;

    use super::*;

    /// Of what Helm 3 does not read, the secrets are secrets all the same.
    #[test]
    fn each_document_of_the_values_is_searched() {
        let files = [
            ("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"),
            ("values.yaml", "tokens:\n  shop: hunter22\n---\ntokens:\n  stall: hunter33\n"),
        ];
        let secrets = |version| {
            let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
            let chart = Chart::from_files(files, "shop", version).unwrap();
            of_values(&chart, &[], &Values::default())
        };
        let mut known = SecretValues::default();
        known.add_public("shop");
        ["hunter22", "hunter33"].into_iter().for_each(|value| known.add(value));
        for version in [HelmVersion::V3, HelmVersion::V4] {
            assert_eq!(secrets(version), known, "{version:?}");
        }
    }
}
