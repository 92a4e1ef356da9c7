//! The inputs of a chart: those that its render names, and all its values.

use std::collections::BTreeSet;

use go_template::provenance::{Input, Inputs};
use helm_render::{
    Chart,
    functions::Host,
    values::{Setting, Table, Tree},
};

use super::Traced;

/// Every input worth perturbing, in a fixed order.
pub fn all(chart: &Chart, base: &mut Traced) -> Vec<Input> {
    let mut found = BTreeSet::new();
    let inputs = &base.rendered.provenance.inputs;
    for (_, spans) in base.files.values() {
        for span in spans {
            found.extend(inputs.members(span.data));
            found.extend(inputs.members(span.control));
        }
    }
    let inputs = &mut base.rendered.provenance.inputs;
    let values = inputs.root("Values");
    of_chart(inputs, chart, values, &mut found);
    for (root, fields) in [
        ("Chart", ["Version", "AppVersion"].as_slice()),
        ("Release", &["Name", "Namespace", "Revision", "IsUpgrade"]),
        ("Capabilities", &["KubeVersion", "APIVersions"]),
    ] {
        let root = inputs.root(root);
        found.extend(fields.iter().map(|field| inputs.child(root, field)));
    }
    found.extend([Host::RANDOM, Host::TIME].map(|root| inputs.root(root)));
    found.into_iter().collect()
}

fn of_chart(inputs: &mut Inputs, chart: &Chart, at: Input, found: &mut BTreeSet<Input>) {
    of_table(inputs, &chart.values, at, found);
    for sub in &chart.dependencies {
        let declared = chart.metadata.dependencies.iter().flatten();
        let alias =
            declared.filter(|one| *one.name == *sub.name()).find(|one| !one.alias.is_empty());
        let name = alias.map_or(sub.name(), |one| &one.alias);
        let at = inputs.child(at, name);
        of_chart(inputs, sub, at, found);
    }
}

fn of_table(inputs: &mut Inputs, table: &Table, at: Input, found: &mut BTreeSet<Input>) {
    for (key, setting) in table {
        let at = inputs.child(at, key);
        of_setting(inputs, setting, at, found);
    }
}

fn of_setting(inputs: &mut Inputs, setting: &Setting, at: Input, found: &mut BTreeSet<Input>) {
    match &setting.value {
        Tree::Table(table) if !table.is_empty() => of_table(inputs, table, at, found),
        Tree::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                let at = inputs.item(at, index);
                of_setting(inputs, item, at, found);
            }
        }
        _ => _ = found.insert(at),
    }
}
