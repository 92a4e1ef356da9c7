//! `Chart.yaml`: decoding and validation. Helm `pkg/chart/v2/metadata.go`, `dependency.go`.

use std::sync::Arc;

use go_template::{quote::quote, runes};
use yaml_spans::{Node, Source, Span, Value};

use crate::{
    decode::{Decoder, decode},
    semver,
};

/// The fields of `Chart.yaml`, in the order of Helm's Go struct. Strings are empty where the file
/// sets nothing.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// `name`.
    pub name: Arc<str>,
    /// `home`, a URL.
    pub home: String,
    /// `sources`, a list of URLs.
    pub sources: Option<Vec<String>>,
    /// `version`, a semantic version.
    pub version: String,
    /// `description`.
    pub description: String,
    /// `keywords`.
    pub keywords: Option<Vec<String>>,
    /// `maintainers`.
    pub maintainers: Option<Vec<Maintainer>>,
    /// `icon`, a URL.
    pub icon: String,
    /// `apiVersion`: `v1` or `v2`.
    pub api_version: String,
    /// `condition`, which Helm decodes and does not use.
    pub condition: String,
    /// `tags`, which Helm decodes and does not use.
    pub tags: String,
    /// `appVersion`.
    pub app_version: String,
    /// `deprecated`.
    pub deprecated: bool,
    /// `annotations`, sorted by key.
    pub annotations: Option<Vec<(String, String)>>,
    /// `kubeVersion`, a constraint.
    pub kube_version: String,
    /// `dependencies`, including those of `requirements.yaml`.
    pub dependencies: Option<Vec<Dependency>>,
    /// `type`.
    pub kind: String,
    /// The fields that have a location, by their name in `Chart.yaml`.
    pub(crate) spans: Vec<(&'static str, Span)>,
}

/// What is wrong with the metadata of a chart, in Helm's words.
#[derive(Debug)]
pub(crate) struct Invalid {
    pub(crate) problem: String,
    /// The file and the range there, for an entry of a list.
    pub(crate) at: Option<(Arc<Source>, Span)>,
}

impl<T: Into<String>> From<T> for Invalid {
    fn from(problem: T) -> Self {
        Self { problem: problem.into(), at: None }
    }
}

/// A maintainer of a chart.
#[derive(Clone, Debug, Default)]
pub struct Maintainer {
    /// `name`.
    pub name: String,
    /// `email`.
    pub email: String,
    /// `url`.
    pub url: String,
    is_null: bool,
}

/// A dependency as a chart declares it.
#[derive(Clone, Debug, Default)]
pub struct Dependency {
    /// `name` of the chart.
    pub name: Arc<str>,
    /// `version`, a constraint.
    pub version: String,
    /// `repository`, a URL.
    pub repository: String,
    /// `condition`: dotted paths of values, separated by commas; the first boolean decides.
    pub condition: String,
    /// `tags`, which the values below `tags` switch on and off.
    pub tags: Vec<String>,
    /// `enabled` as written; a render computes its own.
    pub enabled: bool,
    /// `import-values`.
    pub import_values: Vec<ImportValues>,
    /// `alias`; empty if the dependency goes by its own name.
    pub alias: String,
    /// The file that declares it, and the range there.
    pub at: Option<(Arc<Source>, Span)>,
    is_null: bool,
}

/// One entry of `import-values`.
#[derive(Clone, Debug)]
pub enum ImportValues {
    /// A table below `exports` in the child's values.
    Export(String),
    /// A table in the child's values, imported into one of the parent's; both are dotted paths.
    Path {
        /// The path in the child's values.
        child: String,
        /// The path in the parent's values; `.` is the top.
        parent: String,
    },
    /// An entry of any other form; Helm ignores it.
    Other,
}

impl Metadata {
    /// Decodes a file over the fields that another file set, such as `requirements.yaml` over
    /// `Chart.yaml`.
    ///
    /// # Errors
    ///
    /// Go's message for a field of the wrong type.
    pub(crate) fn decode(&mut self, source: &Arc<Source>, root: &Node) -> Result<(), String> {
        decode("chart.Metadata", root, |from| self.read(source, from))?;
        let names = ["name", "version", "appVersion", "kubeVersion", "type", "apiVersion"];
        let spans = names.into_iter().filter_map(|name| Some((name, root.get(name)?.span)));
        self.spans.extend(spans);
        Ok(())
    }

    /// The value of the field that a problem names, `chart.metadata.version "x" is invalid`; empty if it has none.
    pub(crate) fn place_of(&self, problem: &str) -> Span {
        let rest = problem.strip_prefix("chart.metadata.").unwrap_or_default();
        let field = rest.split(' ').next().unwrap_or_default();
        let known = self.spans.iter().find(|(name, _)| *name == field);
        known.map(|(_, span)| *span).unwrap_or_default()
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

    /// Validates the fields, after replacing unprintable characters in them.
    ///
    /// # Errors
    ///
    /// Helm's message for the first problem.
    pub(crate) fn validate(&mut self) -> Result<(), Invalid> {
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

    fn check_fields(&self) -> Result<(), Invalid> {
        let name = quote(self.name.as_bytes());
        if self.api_version.is_empty() {
            return Err("chart.metadata.apiVersion is required".into());
        }
        match &*self.name {
            "" => return Err("chart.metadata.name is required".into()),
            "." | ".." => return Err(format!("chart.metadata.name {name} is not allowed").into()),
            text if text.contains('/') => {
                return Err(format!("chart.metadata.name {name} is invalid").into());
            }
            _ => {}
        }
        if self.version.is_empty() {
            return Err("chart.metadata.version is required".into());
        }
        if semver::Version::parse(&self.version).is_err() {
            let version = quote(self.version.as_bytes());
            return Err(format!("chart.metadata.version {version} is invalid").into());
        }
        if !matches!(&*self.kind, "" | "application" | "library") {
            return Err("chart.metadata.type must be application or library".into());
        }
        Ok(())
    }

    fn check_dependencies(&mut self) -> Result<(), Invalid> {
        let mut keys: Vec<Arc<str>> = Vec::new();
        for dependency in self.dependencies.iter_mut().flatten() {
            if dependency.is_null {
                return Err("dependencies must not contain empty or null nodes".into());
            }
            dependency.sanitize();
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            if !dependency.alias.chars().all(is_plain) {
                let name = quote(dependency.name.as_bytes());
                let problem = format!("dependency {name} has disallowed characters in the alias");
                return Err(Invalid { problem, at: dependency.at.clone() });
            }
            let key = dependency.key();
            if keys.contains(&key) {
                let key = quote(key.as_bytes());
                let problem = format!("more than one dependency with name or alias {key}");
                return Err(Invalid { problem, at: dependency.at.clone() });
            }
            keys.push(key);
        }
        Ok(())
    }

    /// The range of a field in `Chart.yaml`.
    pub(crate) fn span_of(&self, field: &str) -> Option<Span> {
        self.spans.iter().find(|(name, _)| *name == field).map(|(_, span)| *span)
    }
}

impl Dependency {
    /// The name of the dependency in its parent: the alias, if it has one.
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
            // For a missing key or another type Go prints a text that no table has as its path.
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

/// Replaces white space with blanks and drops other unprintable characters.
fn sanitize(text: &str) -> String {
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return text.to_owned();
    }
    let map = |c: char| if c.is_whitespace() { Some(' ') } else { runes::is_print(c).then_some(c) };
    text.chars().filter_map(map).collect()
}
