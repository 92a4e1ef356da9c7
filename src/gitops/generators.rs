//! Evaluates the generators of an ApplicationSet that need only the repository: list, git, and matrix and
//! merge of those.

use std::{
    cell::{Cell, RefCell},
    fmt,
    path::Path,
};

use globset::GlobMatcher;
use helm_render::{Budget, Limits};
use serde_json::{Map, Value as Json, json};
use yaml_spans::{self as yaml, Node, Value};

use super::{
    applicationset_template::Substitution,
    argocd::host,
    options::{flag, text},
    repository::{Owner, Tree},
};
use crate::{
    discover,
    glob::{self, GlobError},
};

/// One set of parameters, nested as Go templates see them.
pub(crate) type Parameters = Map<String, Json>;

/// Why a generator or its template was not evaluated; displayed as the end of a sentence.
#[derive(Clone, Debug)]
pub(crate) enum GeneratorError {
    /// The generator has a `selector`.
    Selector,
    /// The generator names no kind.
    Empty,
    /// A generator of this kind needs more than the repository: clusters, pull requests, a service.
    Kind(String),
    /// The `git` generator reads another repository.
    OtherRepository(String),
    /// The `matrix` generator does not have exactly two generators.
    Matrix,
    /// The `merge` generator has no generators.
    Merge,
    /// A Go template fails, with its error.
    Template(String),
    /// A pattern of the `git` generator cannot be used.
    Glob(String, GlobError),
    /// Evaluating takes more than a limit, which is named as the end of a sentence.
    Limit(String),
}

impl fmt::Display for GeneratorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selector => f.write_str("its generator has a `selector`"),
            Self::Empty => f.write_str("it has an empty generator"),
            Self::Kind(kind) => {
                write!(f, "its `{kind}` generator needs values that are not in this repository")
            }
            Self::OtherRepository(host) => write!(f, "its `git` generator reads {host}"),
            Self::Matrix => f.write_str("its `matrix` generator does not have two generators"),
            Self::Merge => f.write_str("its `merge` generator has no generators"),
            Self::Template(error) => write!(f, "its template fails: {error}"),
            Self::Glob(start, error) => write!(f, "its pattern `{start}` {error}"),
            Self::Limit(limit) => write!(f, "it {limit}"),
        }
    }
}

impl std::error::Error for GeneratorError {}

impl GeneratorError {
    /// Whether only the parameters are unknown: other generators and the template are evaluated without them.
    fn is_unknown(&self) -> bool {
        matches!(self, Self::Selector | Self::Kind(_) | Self::OtherRepository(_))
    }

    /// The limit that was exceeded, as the end of a sentence.
    pub(crate) fn limit(&self) -> Option<String> {
        match self {
            Self::Limit(limit) => Some(limit.clone()),
            Self::Glob(start, error) if error.is_limit() => {
                Some(format!("has a pattern that {error}: `{start}`"))
            }
            _ => None,
        }
    }
}

/// The most parameter sets of one ApplicationSet.
const MOST_SETS: u64 = 10_000;
/// The most bytes of templates filled and parameters combined for one ApplicationSet.
const MOST_BYTES: u64 = 64 << 20;

/// Evaluates generators against a repository.
pub(crate) struct Generators<'a> {
    tree: &'a Tree,
    /// Whether `goTemplate: true` is set, which changes how parameters are substituted.
    go: bool,
    /// Shared by all templates of the ApplicationSet.
    budget: Budget,
    /// Parameter sets made, and generators evaluated.
    sets: Cell<u64>,
    /// Why the parameters of some generators are unknown.
    unknown: RefCell<Vec<GeneratorError>>,
}

impl<'a> Generators<'a> {
    /// The generators of one ApplicationSet.
    pub(crate) fn new(tree: &'a Tree, go: bool) -> Self {
        let limits = Limits { bytes: MOST_BYTES, bytes_at_once: MOST_BYTES, ..Limits::default() };
        let unknown = RefCell::default();
        Self { tree, go, budget: Budget::new(limits), sets: Cell::new(0), unknown }
    }

    /// Fills a template with parameters.
    ///
    /// # Errors
    /// A Go template fails, or all templates together exceed a limit.
    pub(crate) fn fill(&self, set: &Parameters, template: &Node) -> Result<Node, GeneratorError> {
        self.charge(size(template))?;
        let is_partial = !self.unknown.borrow().is_empty();
        let substitution = Substitution::new(set, self.go, is_partial, &self.budget);
        let filled = substitution.fill(template)?;
        self.charge(size(&filled))?;
        Ok(filled)
    }

    fn charge(&self, bytes: u64) -> Result<(), GeneratorError> {
        self.budget.spend(0, bytes).map_err(|limit| GeneratorError::Limit(limit.to_string()))
    }

    fn count(&self, sets: u64) -> Result<(), GeneratorError> {
        self.sets.set(self.sets.get().saturating_add(sets));
        if self.sets.get() > MOST_SETS {
            let limit = format!("makes more than {MOST_SETS} parameter sets");
            return Err(GeneratorError::Limit(limit));
        }
        Ok(())
    }

    /// The parameter sets of a generator. A generator that needs more than the repository yields one set without
    /// parameters; [`Generators::unknown`] says why.
    ///
    /// # Errors
    /// The generator is incomplete, or exceeds a limit.
    pub(crate) fn evaluate(&self, generator: &Node) -> Result<Vec<Parameters>, GeneratorError> {
        self.count(1)?;
        let mut entries = generator.entries().iter();
        let Some(entry) = entries.find(|entry| &*entry.key != "selector") else {
            return Err(GeneratorError::Empty);
        };
        let found = match &*entry.key {
            "list" => self.list(&entry.value),
            "git" => self.git(&entry.value),
            "matrix" => self.matrix(&entry.value),
            "merge" => self.merge(&entry.value),
            kind => Err(GeneratorError::Kind(kind.to_owned())),
        };
        let found = found.and_then(|sets| selected(sets, generator.get("selector")));
        match found {
            Err(reason) if reason.is_unknown() => {
                self.unknown.borrow_mut().push(reason);
                Ok(vec![Parameters::new()])
            }
            found => found,
        }
    }

    /// Forgets the generators evaluated so far.
    pub(crate) fn restart(&self) {
        self.unknown.borrow_mut().clear();
    }

    /// Why the parameters of a generator are unknown, if those of any are.
    pub(crate) fn unknown(&self) -> Option<GeneratorError> {
        self.unknown.borrow().first().cloned()
    }

    fn list(&self, node: &Node) -> Result<Vec<Parameters>, GeneratorError> {
        let items = node.get("elements").map(Node::items).unwrap_or_default();
        let parameters = |item: &Node| {
            self.count(1)?;
            self.charge(size(item))?;
            Ok(item.to_json().as_object().cloned())
        };
        items.iter().filter_map(|item| parameters(item).transpose()).collect()
    }

    fn git(&self, node: &Node) -> Result<Vec<Parameters>, GeneratorError> {
        let url = text(node, &["repoURL"]).unwrap_or_default();
        if self.tree.owner(url) == Owner::Other {
            return Err(GeneratorError::OtherRepository(host(url)));
        }
        // The patterns use parameters of a generator that is not evaluated.
        if let Some(reason) = self.unknown().filter(|_| has_parameters(node)) {
            return Err(reason);
        }
        let prefix = text(node, &["pathParamPrefix"]);
        let mut found = match (node.get("directories"), node.get("files")) {
            (Some(directories), _) => self.directories(directories)?,
            (None, Some(files)) => self.files(files)?,
            (None, None) => Vec::new(),
        };
        let values = node.get("values").map(|node| node.to_json());
        for parameters in &mut found {
            if let Some(prefix) = prefix {
                let path = parameters.remove("path");
                parameters.insert(prefix.to_owned(), json!({ "path": path }));
            }
            if let Some(values) = &values {
                self.charge(node.get("values").map_or(0, size))?;
                parameters.insert("values".to_owned(), values.clone());
            }
        }
        Ok(found)
    }

    /// The folders that match the patterns. `exclude` wins; hidden folders never match.
    fn directories(&self, patterns: &Node) -> Result<Vec<Parameters>, GeneratorError> {
        let patterns = Patterns::new(patterns)?;
        let folders = self.tree.known.folders(&self.tree.root).iter();
        let folders: Vec<_> = folders.filter(|folder| patterns.select(folder)).collect();
        self.count(folders.len() as u64)?;
        Ok(folders.into_iter().map(|folder| self.path(folder, None)).collect())
    }

    /// The content of the files that match the patterns: one set for a mapping, one per item for a list.
    fn files(&self, patterns: &Node) -> Result<Vec<Parameters>, GeneratorError> {
        let patterns = Patterns::new(patterns)?;
        let mut found = Vec::new();
        for path in self.tree.known.files(&self.tree.root) {
            let Ok(inside) = path.strip_prefix(&self.tree.root) else { continue };
            let inside = discover::shown(inside);
            if !patterns.select(&inside) {
                continue;
            }
            let Some(content) = read(path, self.tree) else { continue };
            let (folder, name) = inside.rsplit_once('/').unwrap_or(("", &inside));
            let sets = match content {
                Json::Array(items) => items,
                one => vec![one],
            };
            for set in sets {
                self.count(1)?;
                let mut parameters = set.as_object().cloned().unwrap_or_default();
                parameters.extend(self.path(folder, Some(name)));
                found.push(parameters);
            }
        }
        Ok(found)
    }

    /// The parameter `path` with its parts.
    fn path(&self, folder: &str, file: Option<&str>) -> Parameters {
        let segments: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        let base = segments.last().copied().unwrap_or_default();
        let mut path = json!({
            "path": folder, "basename": base, "basenameNormalized": normalized(base), "segments": segments,
        });
        if let Some(name) = file {
            path["filename"] = json!(name);
            path["filenameNormalized"] = json!(normalized(name));
        }
        let mut parameters = Parameters::new();
        parameters.insert("path".to_owned(), path);
        parameters
    }

    /// Combines every set of the first generator with every set of the second, which may use parameters of
    /// the first.
    fn matrix(&self, node: &Node) -> Result<Vec<Parameters>, GeneratorError> {
        let [first, second] = node.get("generators").map(Node::items).unwrap_or_default() else {
            return Err(GeneratorError::Matrix);
        };
        let mut found = Vec::new();
        for outer in self.evaluate(first)? {
            let filled = self.fill(&outer, second)?;
            let len = json_size(&outer);
            for inner in self.evaluate(&filled)? {
                self.count(1)?;
                self.charge(len)?;
                let mut both = outer.clone();
                both.extend(inner);
                found.push(both);
            }
        }
        Ok(found)
    }

    /// The sets of the first generator, overridden by sets of the others with equal merge keys.
    fn merge(&self, node: &Node) -> Result<Vec<Parameters>, GeneratorError> {
        let [first, others @ ..] = node.get("generators").map(Node::items).unwrap_or_default()
        else {
            return Err(GeneratorError::Merge);
        };
        let keys: Vec<&str> = node
            .get("mergeKeys")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::as_str)
            .collect();
        let mut found = self.evaluate(first)?;
        for other in others {
            let sets = self.evaluate(other)?;
            for base in &mut found {
                let agrees =
                    |set: &&Parameters| keys.iter().all(|key| at(set, key) == at(base, key));
                self.budget
                    .spend(sets.len() as u64 * keys.len().max(1) as u64, 0)
                    .map_err(|limit| GeneratorError::Limit(limit.to_string()))?;
                if let Some(set) = sets.iter().find(agrees) {
                    self.charge(json_size(set))?;
                    base.extend(set.clone());
                }
            }
        }
        Ok(found)
    }
}

/// The sets that the `matchLabels` of a selector select.
fn selected(
    mut sets: Vec<Parameters>,
    selector: Option<&Node>,
) -> Result<Vec<Parameters>, GeneratorError> {
    let Some(selector) = selector else { return Ok(sets) };
    let labels = selector.get("matchLabels").map(Node::entries).unwrap_or_default();
    if selector.entries().iter().any(|entry| &*entry.key != "matchLabels") {
        return Err(GeneratorError::Selector);
    }
    sets.retain(|set| {
        labels.iter().all(|label| {
            at(set, &label.key).and_then(Json::as_str) == label.value.as_str()
                && label.value.as_str().is_some()
        })
    });
    Ok(sets)
}

/// Whether a string in the tree still has a parameter in braces.
fn has_parameters(node: &Node) -> bool {
    match &node.value {
        Value::Str(text) => text.contains("{{"),
        Value::Seq(items) => items.iter().any(has_parameters),
        Value::Map(_) => node.entries().iter().any(|entry| has_parameters(&entry.value)),
        _ => false,
    }
}

/// The parameter at a dotted key.
fn at<'a>(parameters: &'a Parameters, key: &str) -> Option<&'a Json> {
    let mut parts = key.split('.');
    let first = parameters.get(parts.next()?)?;
    parts.try_fold(first, |node, part| node.get(part))
}

/// The patterns of a `git` generator. They match as in Argo CD: `*` does not cross `/`, `**` does.
struct Patterns(Vec<(bool, GlobMatcher)>);

impl Patterns {
    fn new(patterns: &Node) -> Result<Self, GeneratorError> {
        let mut all = Vec::new();
        for pattern in patterns.items() {
            let Some(text) = text(pattern, &["path"]) else { continue };
            match glob::compile(text.trim_start_matches("./"), true) {
                Ok(glob) => all.push((flag(pattern, &["exclude"]), glob)),
                Err(error) if error.is_limit() => {
                    let start = text.chars().take(SHOWN).collect();
                    return Err(GeneratorError::Glob(start, error));
                }
                // It matches nothing.
                Err(_) => {}
            }
        }
        Ok(Self(all))
    }

    /// Whether a pattern matches and no excluding one does.
    fn select(&self, path: &str) -> bool {
        let matches = |wanted: bool| {
            self.0.iter().any(|(excludes, glob)| *excludes == wanted && glob.is_match(path))
        };
        matches(false) && !matches(true)
    }
}

/// Characters of a bad pattern to show.
const SHOWN: usize = 80;

/// The bytes of a tree, about.
fn size(node: &Node) -> u64 {
    let below: u64 = match &node.value {
        Value::Map(_) => {
            node.entries().iter().map(|entry| entry.key.len() as u64 + size(&entry.value)).sum()
        }
        Value::Seq(items) => items.iter().map(size).sum(),
        Value::Str(text) => text.len() as u64,
        _ => 0,
    };
    64 + below
}

fn json_size(set: &Parameters) -> u64 {
    fn of(json: &Json) -> u64 {
        32 + match json {
            Json::String(text) => text.len() as u64,
            Json::Array(items) => items.iter().map(of).sum(),
            Json::Object(map) => map.iter().map(|(key, one)| key.len() as u64 + of(one)).sum(),
            _ => 0,
        }
    }
    set.iter().map(|(key, one)| key.len() as u64 + of(one)).sum()
}

fn read(path: &Path, tree: &Tree) -> Option<Json> {
    let text = tree.boundary.read_to_string(path).ok()?;
    let document = yaml::parse(&text).into_iter().next()?.ok()?;
    Some(document.root.to_json())
}

/// Normalises a name to a DNS label.
fn normalized(name: &str) -> String {
    let plain = |c: char| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '-' | '.') => c,
        _ => '-',
    };
    name.chars().map(plain).collect::<String>().trim_matches(['-', '.']).to_owned()
}
