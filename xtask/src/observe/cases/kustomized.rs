//! A unit as a kustomization: workloads in a base, an overlay with the fields of the case, and a kustomization
//! above it that adds the ConfigMap `settings`.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{TAG, Version, id, merge, settings_map};

/// The overlay of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kustomized {
    /// Its fields in the first version, beside `resources`.
    #[serde(default)]
    pub fields: Value,
    /// The fields that differ in the next version, if more than the tag does.
    pub next: Option<Value>,
    /// The fields that remove the workloads. Without them, the base loses its files.
    pub without: Option<Value>,
    /// Other files of its folder.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

impl Kustomized {
    /// Writes a version. `works` are the workloads, `beside` the other objects of the base.
    pub fn write(
        &self,
        folder: &Path,
        (works, beside): (&[Value], &[Value]),
        version: Version,
        with_works: bool,
    ) {
        let mut fields = json!({"resources": ["../base"]});
        merge(&mut fields, &self.fields);
        let other = match (with_works, version) {
            (false, _) => self.without.as_ref(),
            (true, Version::First) => None,
            (true, Version::Next) => self.next.as_ref(),
        };
        merge(&mut fields, other.unwrap_or(&Value::Null));
        let stay = if with_works || self.without.is_some() { works } else { &[] };
        let name = |object: &Value| {
            format!("{}-{}.yaml", object["kind"].as_str().unwrap_or_default(), id(object))
        };
        let base: Vec<_> =
            beside.iter().chain(stay).map(|object| (name(object).to_lowercase(), object)).collect();
        let put = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text.replace(TAG, &version.tag())).expect("written");
        };
        let root = json!({"resources": ["app", "settings.yaml"]});
        let names: Vec<_> = base.iter().map(|(name, _)| name).collect();
        for (path, object) in [
            ("kustomization.yaml", &root),
            ("settings.yaml", &settings_map()),
            ("app/kustomization.yaml", &fields),
            ("base/kustomization.yaml", &json!({"resources": names})),
        ] {
            put(path, &format!("{object:#}\n"));
        }
        self.files.iter().for_each(|(path, text)| put(&format!("app/{path}"), text));
        base.iter()
            .for_each(|(name, object)| put(&format!("base/{name}"), &format!("{object:#}\n")));
    }
}
