//! `Chart.yaml` as Helm decodes and checks it. Helm `pkg/chart/v2/metadata.go`, `dependency.go`.

use std::sync::Arc;

use go_template::{quote::quote, runes};
use yaml_spans::{Node, Source, Span, Value};

use crate::{
    decode::{Decoder, decode},
    semver,
};

/// The fields of `Chart.yaml`, in Go's order.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    pub name: Arc<str>,
    pub home: String,
    pub sources: Option<Vec<String>>,
    pub version: String,
    pub description: String,
    pub keywords: Option<Vec<String>>,
    pub maintainers: Option<Vec<Maintainer>>,
    pub icon: String,
    pub api_version: String,
    pub condition: String,
    pub tags: String,
    pub app_version: String,
    pub deprecated: bool,
    pub annotations: Option<Vec<(String, String)>>,
    pub kube_version: String,
    pub dependencies: Option<Vec<Dependency>>,
    /// `type`.
    pub kind: String,
    /// Where the fields are set in `Chart.yaml`.
    pub(crate) places: Vec<(&'static str, Span)>,
}

#[derive(Clone, Debug, Default)]
pub struct Maintainer {
    pub name: String,
    pub email: String,
    pub url: String,
    is_null: bool,
}

/// A chart that another one depends on.
#[derive(Clone, Debug, Default)]
pub struct Dependency {
    pub name: Arc<str>,
    pub version: String,
    pub repository: String,
    pub condition: String,
    pub tags: Vec<String>,
    pub enabled: bool,
    pub import_values: Vec<ImportValues>,
    pub alias: String,
    /// The file that declares it, and where.
    pub at: Option<(Arc<Source>, Span)>,
    is_null: bool,
}

/// One entry of `import-values`.
#[derive(Clone, Debug)]
pub enum ImportValues {
    /// A name below the child's `exports`.
    Export(String),
    /// A path in the child and one in the parent.
    Path { child: String, parent: String },
    /// Anything else; without effect.
    Other,
}

impl Metadata {
    /// Decodes a file over what another file set, as `requirements.yaml` over `Chart.yaml`.
    ///
    /// # Errors
    ///
    /// Go's text when a field has another type.
    pub(crate) fn decode(&mut self, source: &Arc<Source>, root: &Node) -> Result<(), String> {
        decode("chart.Metadata", root, |from| self.read(source, from))?;
        let names = ["name", "version", "appVersion", "kubeVersion", "type", "apiVersion"];
        let places = names.into_iter().filter_map(|name| Some((name, root.get(name)?.span)));
        self.places.extend(places);
        Ok(())
    }

    fn read(&mut self, source: &Arc<Source>, from: &mut Decoder<'_, '_>) {
        if let Some(name) = from.string("name") {
            self.name = name.into();
        }
        let texts: [(&str, &mut String); 10] = [
            ("home", &mut self.home),
            ("version", &mut self.version),
            ("description", &mut self.description),
            ("icon", &mut self.icon),
            ("apiVersion", &mut self.api_version),
            ("condition", &mut self.condition),
            ("tags", &mut self.tags),
            ("appVersion", &mut self.app_version),
            ("kubeVersion", &mut self.kube_version),
            ("type", &mut self.kind),
        ];
        for (name, field) in texts {
            if let Some(text) = from.string(name) {
                *field = text;
            }
        }
        from.strings("sources", &mut self.sources);
        from.strings("keywords", &mut self.keywords);
        from.string_map("annotations", &mut self.annotations);
        if let Some(deprecated) = from.bool("deprecated") {
            self.deprecated = deprecated;
        }
        from.structs("maintainers", "chart.Maintainer", &mut self.maintainers, maintainer);
        let dependency = |from: &mut Decoder<'_, '_>| dependency(source, from);
        from.structs("dependencies", "chart.Dependency", &mut self.dependencies, dependency);
    }

    /// Helm's checks; makes texts printable on the way.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub(crate) fn validate(&mut self) -> Result<(), String> {
        self.name = sanitize(&self.name).into();
        for text in [
            &mut self.description,
            &mut self.home,
            &mut self.icon,
            &mut self.condition,
            &mut self.tags,
            &mut self.app_version,
            &mut self.kube_version,
        ] {
            *text = sanitize(text);
        }
        let lists = [&mut self.sources, &mut self.keywords].into_iter().flatten();
        lists.flatten().for_each(|text| *text = sanitize(text));
        self.check_fields()?;
        for maintainer in self.maintainers.iter_mut().flatten() {
            if maintainer.is_null {
                return Err("maintainers must not contain empty or null nodes".into());
            }
            for text in [&mut maintainer.name, &mut maintainer.email, &mut maintainer.url] {
                *text = sanitize(text);
            }
        }
        self.check_dependencies()
    }

    fn check_fields(&self) -> Result<(), String> {
        let name = quote(self.name.as_bytes());
        if self.api_version.is_empty() {
            return Err("chart.metadata.apiVersion is required".into());
        }
        match &*self.name {
            "" => return Err("chart.metadata.name is required".into()),
            "." | ".." => return Err(format!("chart.metadata.name {name} is not allowed")),
            text if text.contains('/') => {
                return Err(format!("chart.metadata.name {name} is invalid"));
            }
            _ => {}
        }
        if self.version.is_empty() {
            return Err("chart.metadata.version is required".into());
        }
        if semver::Version::parse(&self.version).is_err() {
            let version = quote(self.version.as_bytes());
            return Err(format!("chart.metadata.version {version} is invalid"));
        }
        if !matches!(&*self.kind, "" | "application" | "library") {
            return Err("chart.metadata.type must be application or library".into());
        }
        Ok(())
    }

    fn check_dependencies(&mut self) -> Result<(), String> {
        let mut keys: Vec<Arc<str>> = Vec::new();
        for dependency in self.dependencies.iter_mut().flatten() {
            if dependency.is_null {
                return Err("dependencies must not contain empty or null nodes".into());
            }
            dependency.sanitize();
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            if !dependency.alias.chars().all(is_plain) {
                let name = quote(dependency.name.as_bytes());
                return Err(format!("dependency {name} has disallowed characters in the alias"));
            }
            let key = dependency.key();
            if keys.contains(&key) {
                let key = quote(key.as_bytes());
                return Err(format!("more than one dependency with name or alias {key}"));
            }
            keys.push(key);
        }
        Ok(())
    }

    /// The place of a field in `Chart.yaml`.
    pub(crate) fn place(&self, field: &str) -> Option<Span> {
        self.places.iter().find(|(name, _)| *name == field).map(|(_, span)| *span)
    }
}

impl Dependency {
    /// The name it goes by in the parent.
    pub(crate) fn key(&self) -> Arc<str> {
        if self.alias.is_empty() { self.name.clone() } else { self.alias.as_str().into() }
    }

    fn sanitize(&mut self) {
        self.name = sanitize(&self.name).into();
        for text in [&mut self.version, &mut self.repository, &mut self.condition] {
            *text = sanitize(text);
        }
        self.tags.iter_mut().for_each(|tag| *tag = sanitize(tag));
    }
}

fn maintainer(from: &mut Decoder<'_, '_>) -> Maintainer {
    let mut text = |name| from.string(name).unwrap_or_default();
    let (email, name, url) = (text("email"), text("name"), text("url"));
    Maintainer { name, email, url, is_null: from.is_null() }
}

fn dependency(source: &Arc<Source>, from: &mut Decoder<'_, '_>) -> Dependency {
    let mut text = |name| from.string(name).unwrap_or_default();
    let (alias, condition, name) = (text("alias"), text("condition"), text("name"));
    let (repository, version) = (text("repository"), text("version"));
    let mut tags = None;
    from.strings("tags", &mut tags);
    Dependency {
        name: name.into(),
        version,
        repository,
        condition,
        tags: tags.unwrap_or_default(),
        enabled: from.bool("enabled").unwrap_or_default(),
        import_values: from.items("import-values").iter().map(import_values).collect(),
        alias,
        at: Some((source.clone(), from.span_of("name"))),
        is_null: from.is_null(),
    }
}

fn import_values(node: &Node) -> ImportValues {
    match &node.value {
        Value::Str(name) => ImportValues::Export(name.to_string()),
        Value::Map(_) => {
            // What Go prints for a missing key or an odd type finds no table.
            let path = |key| match node.get(key).map(|node| &node.value) {
                Some(Value::Str(path)) => path.to_string(),
                Some(Value::Int(path)) => path.to_string(),
                Some(Value::Bool(path)) => path.to_string(),
                _ => "<nil>".to_owned(),
            };
            ImportValues::Path { child: path("child"), parent: path("parent") }
        }
        _ => ImportValues::Other,
    }
}

/// Spaces of any kind become blanks, other unprintable characters go.
fn sanitize(text: &str) -> String {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let map = |c: char| if c.is_whitespace() { Some(' ') } else { runes::is_print(c).then_some(c) };
    text.chars().filter_map(map).collect()
}
