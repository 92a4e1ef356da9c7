//! Other values for one input.

use std::sync::Arc;

use go_template::provenance::{Input, Inputs, Step};
use helm_render::{
    Chart, KubeVersion, Override, RenderOptions,
    values::{GLOBAL, Setting, Table, Tree, override_tables},
};

/// A render with another value of one input.
pub struct Bump {
    pub options: RenderOptions,
    /// The value, for messages.
    pub what: String,
}

/// All renders to try for an input; none if it cannot be set from outside, such as the name of a
/// chart.
pub fn bumps(inputs: &Inputs, input: Input, chart: &Chart, base: &RenderOptions) -> Vec<Bump> {
    let steps: Vec<Step> = inputs.steps(input).into_iter().cloned().collect();
    let (Some(Step::Key(root)), below) = (steps.first(), &steps[1..]) else { return Vec::new() };
    let field = match below.first() {
        Some(Step::Key(key)) => &**key,
        _ => "",
    };
    match &**root {
        "Values" if !below.is_empty() => of_values(chart, below, base),
        "Chart" | "Release" | "Capabilities" => of_objects(root, field, base),
        "random" => vec![with(base, "seed", |options| options.seed ^= 0x5EED)],
        "time" => vec![with(base, "now", |options| options.now += 40_000_000_123_456_789)],
        _ => Vec::new(),
    }
}

fn with(base: &RenderOptions, what: &str, change: impl FnOnce(&mut RenderOptions)) -> Bump {
    let mut options = base.clone();
    change(&mut options);
    Bump { options, what: what.to_owned() }
}

fn of_objects(root: &str, field: &str, base: &RenderOptions) -> Vec<Bump> {
    let version = base.version;
    match (root, field) {
        ("Chart", "Version") => ["77.6.5", "0.0.1-rc.1+zq"]
            .map(|text| with(base, text, |to| to.chart_version = Some(text.into())))
            .into(),
        ("Chart", "AppVersion") => ["77.6.5", "zq"]
            .map(|text| with(base, text, |to| to.app_version = Some(text.into())))
            .into(),
        ("Release", "Name") => ["zq", "release-name-zq"]
            .map(|text| with(base, text, |to| to.release.name = text.into()))
            .into(),
        ("Release", "Namespace") => {
            ["zq"].map(|text| with(base, text, |to| to.release.namespace = text.into())).into()
        }
        ("Release", "Revision") => vec![with(base, "7", |to| to.release.revision = 7)],
        ("Release", "IsUpgrade" | "IsInstall") => {
            vec![with(base, "true", |to| to.release.is_upgrade = true)]
        }
        ("Capabilities", "KubeVersion") => ["v1.16.3", "v1.21.0", "v2.99.7"]
            .map(|text| {
                let kube = KubeVersion::parse(text, version).unwrap();
                with(base, text, |to| to.kube_version = Some(kube))
            })
            .into(),
        ("Capabilities", "APIVersions") => API_SETS
            .iter()
            .map(|set| with(base, set[0], |to| to.api_versions = set.map(str::to_owned).into()))
            .collect(),
        _ => Vec::new(),
    }
}

/// API versions that charts check for.
const API_SETS: &[[&str; 4]] = &[
    [
        "monitoring.coreos.com/v1",
        "monitoring.coreos.com/v1/ServiceMonitor",
        "monitoring.coreos.com/v1/PrometheusRule",
        "cert-manager.io/v1",
    ],
    [
        "policy/v1beta1/PodDisruptionBudget",
        "policy/v1beta1/PodSecurityPolicy",
        "networking.k8s.io/v1/Ingress",
        "route.openshift.io/v1",
    ],
    ["policy/v1beta1", "extensions/v1beta1", "networking.k8s.io/v1beta1", "batch/v1beta1"],
];

fn of_values(chart: &Chart, path: &[Step], base: &RenderOptions) -> Vec<Bump> {
    let path = match path {
        [path @ .., Step::Keys] => path,
        path => path,
    };
    let current = find(chart, path);
    if path.is_empty() {
        return Vec::new();
    }
    let is_global = matches!(path.last(), Some(Step::Key(key)) if **key == *GLOBAL);
    let values = match &current {
        // Helm rejects anything but a table here, and makes an empty one for the charts below.
        current if is_global => {
            let none = Table::new();
            let own = if let Some(Tree::Table(table)) = current { table } else { &none };
            tables(own).into_iter().filter(|value| !matches!(value, Tree::Null)).collect()
        }
        Some(Tree::Table(table)) => tables(table),
        Some(Tree::List(items)) => lists(items),
        Some(Tree::Str(text)) => texts(text),
        Some(Tree::Bool(flag)) => vec![Tree::Bool(!flag), Tree::Null, text("zq")],
        Some(Tree::Int(number)) => numbers(*number as f64),
        Some(Tree::Float(number)) => numbers(*number),
        Some(Tree::Null) | None => anything(),
    };
    let bump = |value: Tree| {
        let what = setting(value.clone()).to_json().to_string();
        let path = path.to_vec();
        with(base, &what, |to| to.overrides = vec![Override { path, value }])
    };
    values.into_iter().map(bump).collect()
}

/// The default at a path: of the chart, or of the dependency that the path leads into.
fn find(chart: &Chart, path: &[Step]) -> Option<Tree> {
    let Some((first, rest)) = path.split_first() else {
        return Some(Tree::Table(chart.values.clone()));
    };
    let Step::Key(key) = first else { return None };
    let own = chart.values.get(key).and_then(|setting| below(setting, rest));
    let theirs = || {
        if **key == *GLOBAL {
            return chart.dependencies.iter().find_map(|sub| find(sub, path));
        }
        let declared = chart.metadata.dependencies.iter().flatten();
        let mut named = declared.filter(|one| *one.alias == **key).map(|one| &*one.name);
        let name = named.next().unwrap_or(key);
        find(chart.dependencies.iter().find(|sub| sub.name() == name)?, rest)
    };
    match own {
        Some(Tree::Table(own)) => match theirs() {
            Some(Tree::Table(theirs)) => Some(Tree::Table(override_tables(theirs, own))),
            _ => Some(Tree::Table(own)),
        },
        Some(own) => Some(own),
        None => theirs(),
    }
}

fn below(setting: &Setting, path: &[Step]) -> Option<Tree> {
    match (path.split_first(), &setting.value) {
        (None, value) => Some(value.clone()),
        (Some((Step::Key(key), rest)), Tree::Table(table)) => below(table.get(key)?, rest),
        (Some((Step::Index(index), rest)), Tree::List(items)) => {
            below(items.get(*index as usize)?, rest)
        }
        _ => None,
    }
}

fn setting(value: Tree) -> Setting {
    Setting::new(value, None)
}

fn text(text: &str) -> Tree {
    Tree::Str(text.into())
}

fn table(key: &str, value: Tree) -> Tree {
    Tree::Table(Table::from([(Arc::from(key), setting(value))]))
}

fn texts(current: &str) -> Vec<Tree> {
    let mut texts = vec![text(&format!("{current}zq")), text("zq"), text(""), Tree::Null];
    // Texts that templates inspect rather than print: numbers, versions, sizes, flags.
    texts.extend(["77.6.5", "true", "77Mi", "zq: [qz]"].map(text));
    texts
}

fn numbers(current: f64) -> Vec<Tree> {
    [current + 1.0, current - 1.0, 0.0]
        .map(Tree::Float)
        .into_iter()
        .chain([Tree::Null, text("zq")])
        .collect()
}

fn anything() -> Vec<Tree> {
    vec![
        text("zq"),
        Tree::Bool(true),
        Tree::Float(7.0),
        table("zq", text("qz")),
        Tree::List(vec![setting(text("zq"))]),
        Tree::List(vec![setting(table("name", text("zq")))]),
    ]
}

fn tables(current: &Table) -> Vec<Tree> {
    let mut tables = vec![table("zq", text("qz")), Tree::Null, table("zq", Tree::Bool(true))];
    tables.extend(current.keys().take(60).map(|key| table(key, Tree::Null)));
    tables
}

fn lists(current: &[Setting]) -> Vec<Tree> {
    let last = match current.last().map(|item| &item.value) {
        Some(Tree::Table(_)) => table("name", text("zq")),
        _ => text("zq"),
    };
    let mut longer = current.to_vec();
    longer.push(setting(last.clone()));
    let shorter = current[..current.len().saturating_sub(1)].to_vec();
    let other = vec![setting(last)];
    [longer, shorter, other]
        .map(Tree::List)
        .into_iter()
        .chain([table("zq", text("qz")), Tree::Null])
        .collect()
}
