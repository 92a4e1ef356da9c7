//! `.Chart`: a struct in Helm 3, a map in Helm 4.

use go_template::{
    GoKind, List, Map, Type, Value,
    provenance::{Input, Inputs, Taint},
};

use crate::{
    HelmVersion,
    chart::{Dependency, ImportValues, Maintainer},
    dependencies::ChartView,
    go_objects::{GoField, GoStruct},
    options::RenderOptions,
};

static CHART: Type = Type::new("struct { chart.Metadata; IsRoot bool }", GoKind::Struct);
static METADATA: Type = Type::new("chart.Metadata", GoKind::Struct);
static MAINTAINER: Type = Type::new("*chart.Maintainer", GoKind::Pointer);
static MAINTAINERS: Type = Type::slice("[]*chart.Maintainer", &MAINTAINER);
static DEPENDENCY: Type = Type::new("*chart.Dependency", GoKind::Pointer);
static DEPENDENCIES: Type = Type::slice("[]*chart.Dependency", &DEPENDENCY);

/// The value of `.Chart`, each field labelled with its input below `input`.
pub(crate) fn chart(
    inputs: &mut Inputs,
    view: &ChartView,
    options: &RenderOptions,
    input: Input,
) -> Value {
    let is_struct = options.version == HelmVersion::V3;
    let mut fields = fields(view, options, is_struct);
    for field in &mut fields {
        let input = inputs.child(input, field.name);
        let value = std::mem::replace(&mut field.value, Value::NIL);
        field.value = match value.as_map().is_some_and(Map::is_nil) {
            true => value.with_taint(Taint::of(input)),
            false => value.label(inputs, input),
        };
    }
    let is_root = GoField { name: "IsRoot", json: "IsRoot", value: view.is_root().into() };
    if is_struct {
        let metadata = Value::object(GoStruct::new(&METADATA, fields));
        let fields = vec![GoField { name: "Metadata", json: "", value: metadata }, is_root];
        return Value::object(GoStruct { is_embedding: true, ..GoStruct::new(&CHART, fields) });
    }
    fields.push(is_root);
    let entries = fields.into_iter().map(|field| (field.name.into(), field.value)).collect();
    Value::from(Map::loaded(inputs, &Type::MAP, entries, input))
}

fn fields(view: &ChartView, options: &RenderOptions, is_struct: bool) -> Vec<GoField> {
    let metadata = &view.chart.metadata;
    let path = view.path();
    let others = options.dependency_versions.iter().find(|other| other.chart == path);
    let overridden = |root: &Option<String>, other: Option<&String>, own: &String| {
        let other = root.as_ref().filter(|_| view.is_root()).or(other);
        Value::from(&**other.unwrap_or(own))
    };
    let (version, app_version) =
        (others.map(|other| &other.version), others.map(|other| &other.app_version));
    let field = |name, json, value| GoField { name, json, value };
    let text = |name, json, text: &str| GoField { name, json, value: Value::from(text) };
    let list = |items: &Option<Vec<String>>| strings(items.as_deref(), is_struct);
    let declared = view.declared.borrow();
    let declared = declared.iter().flatten().map(|one| one.borrow().clone());
    let dependencies = declared.map(|one| dependency(&one, is_struct)).collect();
    let maintainers = metadata.maintainers.iter().flatten();
    let maintainers = maintainers.map(|one| maintainer(one, is_struct)).collect();
    vec![
        text("Name", "name?", &view.name()),
        text("Home", "home?", &metadata.home),
        field("Sources", "sources?", list(&metadata.sources)),
        field(
            "Version",
            "version?",
            overridden(&options.chart_version, version, &metadata.version),
        ),
        text("Description", "description?", &metadata.description),
        field("Keywords", "keywords?", list(&metadata.keywords)),
        field("Maintainers", "maintainers?", structs(&MAINTAINERS, maintainers, is_struct)),
        text("Icon", "icon?", &metadata.icon),
        text("APIVersion", "apiVersion?", &metadata.api_version),
        text("Condition", "condition?", &metadata.condition),
        text("Tags", "tags?", &metadata.tags),
        field(
            "AppVersion",
            "appVersion?",
            overridden(&options.app_version, app_version, &metadata.app_version),
        ),
        field("Deprecated", "deprecated?", metadata.deprecated.into()),
        field("Annotations", "annotations?", annotations(metadata.annotations.as_deref())),
        text("KubeVersion", "kubeVersion?", &metadata.kube_version),
        field("Dependencies", "dependencies?", structs(&DEPENDENCIES, dependencies, is_struct)),
        text("Type", "type?", &metadata.kind),
    ]
}

fn structs(go_type: &'static Type, items: Vec<Value>, is_struct: bool) -> Value {
    Value::from(List::of(if is_struct { go_type } else { &Type::LIST }, items))
}

fn strings(items: Option<&[String]>, is_struct: bool) -> Value {
    let values = items.into_iter().flatten().map(|item| Value::from(&**item)).collect();
    structs(&Type::STRINGS, values, is_struct)
}

fn annotations(entries: Option<&[(String, String)]>) -> Value {
    let Some(entries) = entries else { return Value::from(Map::nil(&Type::STRING_MAP)) };
    let entries = entries.iter().map(|(key, text)| (key.as_str().into(), Value::from(&**text)));
    Value::from(Map::of(&Type::STRING_MAP, entries.collect()))
}

fn maintainer(maintainer: &Maintainer, is_struct: bool) -> Value {
    let text = |name, json, text: &str| GoField { name, json, value: Value::from(text) };
    let fields = vec![
        text("Name", "name?", &maintainer.name),
        text("Email", "email?", &maintainer.email),
        text("URL", "url?", &maintainer.url),
    ];
    object(&MAINTAINER, fields, is_struct)
}

fn dependency(dependency: &Dependency, is_struct: bool) -> Value {
    let field = |name, json, value| GoField { name, json, value };
    let text = |name, json, text: &str| GoField { name, json, value: Value::from(text) };
    let import = |import: &ImportValues| {
        let (child, parent) = match import {
            ImportValues::Export(name) => (format!("exports.{name}"), "."),
            ImportValues::Path { child, parent } => (child.clone(), &**parent),
            ImportValues::Other => return None,
        };
        let entries = [("child".into(), child.into()), ("parent".into(), parent.into())];
        Some(Value::from(Map::of(&Type::STRING_MAP, entries.into_iter().collect())))
    };
    let imports = dependency.import_values.iter().filter_map(import).collect();
    let fields = vec![
        text("Name", "name", &dependency.name),
        text("Version", "version?", &dependency.version),
        text("Repository", "repository", &dependency.repository),
        text("Condition", "condition?", &dependency.condition),
        field("Tags", "tags?", strings(Some(&dependency.tags), is_struct)),
        field("Enabled", "enabled?", dependency.enabled.into()),
        field("ImportValues", "import-values?", Value::from(List::new(imports))),
        text("Alias", "alias?", &dependency.alias),
    ];
    object(&DEPENDENCY, fields, is_struct)
}

/// A pointer to a struct in Helm 3, a map in Helm 4.
fn object(go_type: &'static Type, fields: Vec<GoField>, is_struct: bool) -> Value {
    if is_struct {
        return Value::object(GoStruct::new(go_type, fields));
    }
    fields.into_iter().map(|field| (field.name.into(), field.value)).collect()
}
