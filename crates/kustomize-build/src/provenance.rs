//! The annotations of `buildMetadata`.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use crate::{
    files::clean,
    resource::{ORIGIN, Resource, TRANSFORMATIONS},
};

/// Where a resource comes from, or what changed it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Provenance {
    path: PathBuf,
    by: Option<Configured>,
}

/// What a generator or transformer is configured by.
#[derive(Clone, Debug)]
struct Configured {
    api_version: String,
    kind: String,
    name: String,
    namespace: String,
}

/// A built-in plugin that a field of a kustomization configures.
pub(crate) fn plugin(file: &Provenance, kind: &str) -> Provenance {
    let by = Configured {
        api_version: "builtin".into(),
        kind: kind.into(),
        name: String::new(),
        namespace: String::new(),
    };
    Provenance { path: file.path.clone(), by: Some(by) }
}

/// A plugin that a file configures.
pub(crate) fn of_resource(file: &Provenance, resource: &Resource) -> Provenance {
    let by = Configured {
        api_version: resource.gvk().api_version(),
        kind: resource.kind().into(),
        name: resource.name().into(),
        namespace: resource.namespace().into(),
    };
    Provenance { path: file.path.clone(), by: Some(by) }
}

impl Provenance {
    /// A file or folder relative to this one.
    pub(crate) fn file(&self, path: &str) -> Self {
        Self { path: clean(&self.path.join(Path::new(path))), by: None }
    }

    /// The text of the annotation.
    pub(crate) fn text(&self) -> String {
        let path = self.path.display();
        let Some(by) = &self.by else { return format!("path: {path}\n") };
        let mut text = format!("configuredIn: {path}\nconfiguredBy:\n");
        let fields = [
            ("apiVersion", &by.api_version),
            ("kind", &by.kind),
            ("name", &by.name),
            ("namespace", &by.namespace),
        ];
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            let _ = writeln!(text, "  {name}: {value}");
        }
        text
    }

    /// Notes at a resource that this changed it, or made it.
    pub(crate) fn add_transformation(&self, resource: &mut Resource) {
        if resource.annotation(ORIGIN).is_none() {
            resource.set_annotation(ORIGIN, self.text());
            return;
        }
        let mut text = resource.annotation(TRANSFORMATIONS).unwrap_or_default().to_owned();
        for (index, line) in self.text().lines().enumerate() {
            let mark = if index == 0 { "- " } else { "  " };
            let _ = writeln!(text, "{mark}{line}");
        }
        resource.set_annotation(TRANSFORMATIONS, text);
    }
}
