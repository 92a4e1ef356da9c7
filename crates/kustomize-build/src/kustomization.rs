//! Reading kustomization files.

use std::sync::Arc;

use yaml_spans::{Location, Node, Source, Span};

use crate::{
    error::{Error, Reason, Result},
    go::{Decode, Decoder},
    loader::Loader,
    types::{HelmChart, Kustomization},
    workspace::Documents,
};

/// The names of kustomization files.
pub const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

const VERSION: &str = "kustomize.config.k8s.io/v1beta1";
const COMPONENT_VERSION: &str = "kustomize.config.k8s.io/v1alpha1";

/// A kustomization file that was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) kustomization: Kustomization,
    pub(crate) file_name: &'static str,
    pub(crate) source: Arc<Source>,
    pub(crate) warnings: Vec<String>,
}

impl Loaded {
    /// A place for errors that concern the whole file.
    pub(crate) fn location(&self) -> Location {
        Location { source: self.source.clone(), span: self.source.line_span(1) }
    }
}

/// Reads the kustomization file of a folder.
pub(crate) fn load(loader: &Loader<'_>) -> Result<Loaded> {
    let found: Vec<_> = FILE_NAMES
        .into_iter()
        .filter(|name| loader.exists(name))
        .filter_map(|name| loader.source(name).ok().map(|source| (name, source)))
        .collect();
    let root = loader.root().display();
    let (file_name, source) = match found.as_slice() {
        [(name, source)] => (*name, source.clone()),
        [] => {
            let message = format!(
                "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{root}'"
            );
            return Err(Error::new(Reason::Kustomization, message));
        }
        [(_, source), ..] => {
            let message = format!("Found multiple kustomization files under: {root}\n");
            let at = Location { source: source.clone(), span: source.line_span(1) };
            return Err(Error::new(Reason::Kustomization, message).at(Some(at)));
        }
    };
    let mut kustomization = decode(&source, &loader.documents(&source))?;
    let warnings = warnings(&kustomization);
    kustomization.fix();
    let loaded = Loaded { kustomization, file_name, source, warnings };
    loaded.check(&root.to_string())?;
    Ok(loaded)
}

fn decode(source: &Arc<Source>, documents: &Documents) -> Result<Kustomization> {
    let invalid = |error: Error| error.prefixed("invalid Kustomization");
    let whole = Location { source: source.clone(), span: source.line_span(1) };
    let empty = || {
        let message = "kustomization.yaml is empty";
        Error::new(Reason::Kustomization, message).at(Some(whole.clone()))
    };
    let root = match documents.first() {
        None => return Err(empty()),
        Some(Err(error)) => {
            let line = source.line_of(error.span.start);
            let message = format!("yaml: line {line}: {}", error.reason);
            let at = Location { source: source.clone(), span: error.span };
            return Err(invalid(Error::new(Reason::Kustomization, message).at(Some(at))));
        }
        Some(Ok(document)) => &document.root,
    };
    let decoder = Decoder { source, inside: None, root: "Kustomization", is_strict: true };
    check_generators(&decoder, root).map_err(invalid)?;
    let kustomization = Kustomization::decode(&decoder, root, "").map_err(invalid)?;
    let is_empty = root.entries().iter().all(|entry| {
        entry.value.is_null()
            || ["apiVersion", "kind"].iter().any(|key| entry.key.eq_ignore_ascii_case(key))
    });
    if is_empty { Err(empty()) } else { Ok(kustomization) }
}

/// The arguments of both generators are decoded into one struct, so the fields that only plugins and secrets have are
/// checked here.
fn check_generators(decoder: &Decoder<'_>, root: &Node) -> Result<()> {
    for (field, unknown) in
        [("configMapGenerator", &["type", "metadata"][..]), ("secretGenerator", &["metadata"][..])]
    {
        let generators =
            root.entries().iter().filter(|entry| entry.key.eq_ignore_ascii_case(field));
        for entry in generators.flat_map(|entry| entry.value.items()).flat_map(Node::entries) {
            if unknown.iter().any(|name| name.eq_ignore_ascii_case(&entry.key)) {
                let message = format!("json: unknown field {:?}", entry.key);
                let span: Span = entry.key_span;
                let at = Location { source: decoder.source.clone(), span };
                return Err(Error::new(Reason::Kustomization, message).at(Some(at)));
            }
        }
    }
    Ok(())
}

fn warnings(kustomization: &Kustomization) -> Vec<String> {
    let k = kustomization;
    let fix = "Run 'kustomize edit fix' to update your Kustomization automatically.";
    [
        (k.bases.is_some(), "bases", "resources", ""),
        (k.common_labels.is_some(), "commonLabels", "labels", ""),
        (k.image_tags.is_some(), "imageTags", "images", ""),
        (k.patches_json6902.is_some(), "patchesJson6902", "patches", ""),
        (k.patches_strategic_merge.is_some(), "patchesStrategicMerge", "patches", ""),
        (k.vars.is_some(), "vars", "replacements", "[EXPERIMENTAL] "),
    ]
    .into_iter()
    .filter(|(is_used, ..)| *is_used)
    .map(|(_, old, new, note)| {
        format!("# Warning: '{old}' is deprecated. Please use '{new}' instead. {note}{fix}")
    })
    .collect()
}

impl Kustomization {
    pub(crate) fn is_component(&self) -> bool {
        &*self.kind == "Component"
    }

    /// Rewrites the deprecated forms, as kustomize's `FixKustomization` does.
    fn fix(&mut self) {
        if self.kind.is_empty() {
            self.kind.text = "Kustomization".into();
        }
        if self.api_version.is_empty() {
            let version = if self.is_component() { COMPONENT_VERSION } else { VERSION };
            self.api_version.text = version.into();
        }
        if let Some(bases) = self.bases.take() {
            self.resources.get_or_insert_default().extend(bases);
        }
        if let Some(images) = self.image_tags.take() {
            self.images.get_or_insert_default().extend(images);
        }
        self.fix_charts();
        let configs = self.config_map_generator.iter_mut().flatten();
        for generator in configs.chain(self.secret_generator.iter_mut().flatten()) {
            if !generator.env.is_empty() {
                let env = std::mem::take(&mut generator.env);
                generator.envs.push(env);
            }
        }
    }
}

impl Kustomization {
    /// Moves the charts of `helmChartInflationGenerator` to `helmCharts`. Of the homes the last one counts.
    fn fix_charts(&mut self) {
        for old in self.helm_chart_inflation_generator.take().into_iter().flatten() {
            let globals = self.helm_globals.get_or_insert_default();
            for (home, own) in [
                (&mut globals.chart_home, &old.chart_home),
                (&mut globals.config_home, &old.helm_home),
            ] {
                if !own.is_empty() {
                    *home = own.clone();
                }
            }
            self.helm_charts.get_or_insert_default().push(HelmChart::from(&old));
        }
    }
}

impl Loaded {
    fn check(&self, root: &str) -> Result<()> {
        let k = &self.kustomization;
        let mut problems = Vec::new();
        let is_known = k.is_component() || &*k.kind == "Kustomization";
        let mut at = None;
        if !is_known {
            problems.push("kind should be Kustomization or Component".to_owned());
            at = k.kind.at.clone();
        }
        let required = if k.is_component() { COMPONENT_VERSION } else { VERSION };
        if &*k.api_version != required {
            problems.push(format!("apiVersion for {} should be {required}", &*k.kind));
            at = at.or(k.api_version.at.clone());
        }
        if problems.is_empty() {
            return Ok(());
        }
        let message =
            format!("Failed to read kustomization file under {root}:\n{}", problems.join("\n"));
        Err(Error::new(Reason::Kustomization, message).at(at))
    }
}
