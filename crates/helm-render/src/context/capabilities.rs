//! `.Capabilities`.

use go_template::{
    Functions, GoKind, List, Method, Params, Type, Value,
    provenance::{Inputs, Taint},
};

use super::by_version;
use crate::{
    HelmVersion, KubeVersion, RenderOptions,
    capabilities::{API_VERSIONS, helm_version},
    go_objects::{GoField, GoStruct},
};

static CAPABILITIES_V3: Type = Type::new("*chartutil.Capabilities", GoKind::Pointer);
static CAPABILITIES_V4: Type = Type::new("*common.Capabilities", GoKind::Pointer);
static KUBE_V3: Type = Type::new("chartutil.KubeVersion", GoKind::Struct);
static KUBE_V4: Type = Type::new("common.KubeVersion", GoKind::Struct);
static SET_V3: Type = version_set("chartutil.VersionSet");
static SET_V4: Type = version_set("common.VersionSet");
static BUILD: Type = Type::new("version.BuildInfo", GoKind::Struct);

static KUBE_METHODS: [Method; 2] = [
    Method {
        name: "String",
        params: Params::NONE,
        call: |context, receiver, _| {
            let object = receiver.as_object::<GoStruct>();
            let text = object.and_then(go_template::Object::pointer_string);
            let taint = receiver.observed_deep(&mut context.tracker);
            Ok(Value::from(text.unwrap_or_default()).with_taint(taint))
        },
    },
    Method {
        name: "GitVersion",
        params: Params::NONE,
        call: |_, receiver, _| {
            let object = receiver.as_object::<GoStruct>();
            let version = object.and_then(|object| go_template::Object::field(object, "Version"));
            Ok(version.unwrap_or(Value::NIL))
        },
    },
];

static SET_METHODS: [Method; 1] = [Method {
    name: "Has",
    params: Params::fixed(&[&Type::STRING]),
    call: |context, receiver, arguments| {
        let items = receiver.as_list().map(List::items).unwrap_or_default();
        let has = items.iter().any(|item| item.bytes() == arguments[0].bytes());
        let taint = receiver.observed(&mut context.tracker);
        let wanted = arguments[0].observed(&mut context.tracker);
        let taint = context.tracker.join(taint, wanted);
        Ok(Value::from(has).with_taint(taint))
    },
}];

const fn version_set(name: &'static str) -> Type {
    Type::slice(name, &Type::STRING).named(&Type::STRINGS)
}

pub(super) fn set_methods(functions: &mut Functions) {
    for (kube, set) in [(&KUBE_V3, &SET_V3), (&KUBE_V4, &SET_V4)] {
        functions.set_methods(kube, &KUBE_METHODS);
        functions.set_methods(set, &SET_METHODS);
    }
}

/// The value that all charts of a render share.
pub(crate) fn capabilities(
    inputs: &mut Inputs,
    kube: &KubeVersion,
    options: &RenderOptions,
) -> Value {
    let version = options.version;
    let root = inputs.root("Capabilities");
    let kube_input = inputs.child(root, "KubeVersion");
    let mut labelled = |parent, name: &'static str, json: &'static str, text: &str| {
        let taint = Taint::of(inputs.child(parent, name));
        GoField { name, json, value: Value::from(text).with_taint(taint) }
    };
    let fields = vec![
        labelled(kube_input, "Version", "Version", &kube.version),
        labelled(kube_input, "Major", "Major", &kube.major),
        labelled(kube_input, "Minor", "Minor", &kube.minor),
    ];
    let build = build_info(version, |name, json, text| labelled(root, name, json, text));
    let shown = match version {
        HelmVersion::V3 => format!("{{{} {} {}}}", kube.version, kube.major, kube.minor),
        HelmVersion::V4 => {
            format!("{{{} {} {} {}}}", kube.version, kube.normalized, kube.major, kube.minor)
        }
    };
    let text = Some((shown, kube.normalized.clone()));
    let kube_type = by_version(version, &KUBE_V3, &KUBE_V4);
    let kube = GoStruct { text, ..GoStruct::new(kube_type, fields) };
    let taint = Taint::of(inputs.child(root, "APIVersions"));
    let is_lacking = |known: &&str| options.lacking_api_versions.iter().any(|one| one == known);
    let known = API_VERSIONS.iter().copied().filter(|known| !is_lacking(known));
    let all = known.chain(options.api_versions.iter().map(String::as_str));
    let items = all.map(|one| Value::from(one).with_taint(taint)).collect();
    let set = List::of(by_version(version, &SET_V3, &SET_V4), items).shaped_by(taint);
    let fields = vec![
        GoField { name: "KubeVersion", json: "KubeVersion", value: Value::object(kube) },
        GoField { name: "APIVersions", json: "APIVersions", value: Value::from(set) },
        GoField { name: "HelmVersion", json: "HelmVersion", value: Value::object(build) },
    ];
    Value::object(GoStruct::new(by_version(version, &CAPABILITIES_V3, &CAPABILITIES_V4), fields))
}

fn build_info(
    version: HelmVersion,
    mut field: impl FnMut(&'static str, &'static str, &str) -> GoField,
) -> GoStruct {
    let (helm, go) = helm_version(version);
    let mut fields = vec![
        field("Version", "version?", helm),
        field("GitCommit", "git_commit?", ""),
        field("GitTreeState", "git_tree_state?", ""),
        field("GoVersion", "go_version?", go),
    ];
    if version == HelmVersion::V4 {
        fields.push(field("KubeClientVersion", "kube_client_version", "v1.37"));
    }
    GoStruct::new(&BUILD, fields)
}
