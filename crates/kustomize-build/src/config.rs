//! Which fields the transformers change: kustomize's defaults, and what `configurations` add.

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use crate::{
    error::{Error, Reason, Result},
    go::{Decode, Decoder, go_struct},
    id::Gvk,
    loader::Loader,
    types::FieldSpec as Spec,
};

/// A path in the resources of some kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    pub(crate) gvk: Gvk,
    /// Field names separated by `/`.
    pub(crate) path: Cow<'static, str>,
    /// Whether missing fields are created.
    pub(crate) create: bool,
}

/// The fields that refer to resources of a kind by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NameReference {
    pub(crate) gvk: Gvk,
    pub(crate) referrers: Vec<FieldSpec>,
}

/// The fields of all transformers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) name_prefix: Vec<FieldSpec>,
    pub(crate) name_suffix: Vec<FieldSpec>,
    pub(crate) namespace: Vec<FieldSpec>,
    pub(crate) common_labels: Vec<FieldSpec>,
    pub(crate) labels: Vec<FieldSpec>,
    pub(crate) template_labels: Vec<FieldSpec>,
    pub(crate) common_annotations: Vec<FieldSpec>,
    pub(crate) name_reference: Vec<NameReference>,
    pub(crate) var_reference: Vec<FieldSpec>,
    pub(crate) images: Vec<FieldSpec>,
    pub(crate) replicas: Vec<FieldSpec>,
}

go_struct! {
    /// A file of `configurations`.
    ConfigFile "builtinconfig.TransformerConfig" {
        name_prefix: Vec<Spec> = "namePrefix",
        name_suffix: Vec<Spec> = "nameSuffix",
        namespace: Vec<Spec> = "namespace",
        common_labels: Vec<Spec> = "commonLabels",
        labels: Vec<Spec> = "labels",
        template_labels: Vec<Spec> = "templateLabels",
        common_annotations: Vec<Spec> = "commonAnnotations",
        name_reference: Vec<NameReferenceFile> = "nameReference",
        var_reference: Vec<Spec> = "varReference",
        images: Vec<Spec> = "images",
        replicas: Vec<Spec> = "replicas",
    }
}

go_struct! {
    /// An entry of `nameReference`.
    NameReferenceFile "builtinconfig.NameBackReferences" {
        group: crate::go::Text = "group",
        version: crate::go::Text = "version",
        kind: crate::go::Text = "kind",
        referrers: Vec<Spec> = "fieldSpecs",
    }
}

impl From<&Spec> for FieldSpec {
    fn from(spec: &Spec) -> Self {
        let gvk = Gvk::of(&spec.group, &spec.version, &spec.kind);
        Self { gvk, path: spec.path.to_string().into(), create: spec.create }
    }
}

/// Adds the fields that are not there yet.
pub(crate) fn merge_all(own: &mut Vec<FieldSpec>, other: &[FieldSpec]) -> Result<()> {
    other.iter().try_for_each(|spec| merge_one(own, spec))
}

/// Adds a field that is not there yet.
pub(crate) fn merge_one(own: &mut Vec<FieldSpec>, spec: &FieldSpec) -> Result<()> {
    match own.iter().find(|old| old.gvk.is_selected(&spec.gvk) && old.path == spec.path) {
        Some(old) if old.create != spec.create => {
            Err(Error::new(Reason::Kustomization, "conflicting fieldspecs"))
        }
        Some(_) => Ok(()),
        None => {
            own.push(spec.clone());
            Ok(())
        }
    }
}

impl Config {
    /// The defaults, with those of configuration files.
    pub(crate) fn load(loader: &Loader<'_>, paths: &[crate::go::Text]) -> Result<Arc<Self>> {
        let mut config = DEFAULTS.clone();
        if paths.is_empty() {
            return Ok(config);
        }
        let mut own = Self::default();
        for path in paths {
            own.merge(&read(loader, path).map_err(|error| error.at(path.at.clone()))?)?;
        }
        Arc::make_mut(&mut config).merge(&own)?;
        Ok(config)
    }

    /// Adds the fields of another configuration, which most kustomizations share.
    pub(crate) fn join(self: &mut Arc<Self>, other: &Arc<Self>) -> Result<()> {
        if Arc::ptr_eq(self, other) {
            return Ok(());
        }
        match **self == Self::default() {
            true => self.clone_from(other),
            false => Arc::make_mut(self).merge(other)?,
        }
        Ok(())
    }

    /// Adds the fields of another configuration.
    pub(crate) fn merge(&mut self, other: &Config) -> Result<()> {
        for (own, other) in self.sections().into_iter().zip(other.clone().sections()) {
            merge_all(own, other)?;
        }
        for reference in &other.name_reference {
            match self.name_reference.iter_mut().find(|own| own.gvk == reference.gvk) {
                Some(own) => merge_all(&mut own.referrers, &reference.referrers)?,
                None => self.name_reference.push(reference.clone()),
            }
        }
        Ok(())
    }

    fn sections(&mut self) -> [&mut Vec<FieldSpec>; 10] {
        [
            &mut self.name_prefix,
            &mut self.name_suffix,
            &mut self.namespace,
            &mut self.common_labels,
            &mut self.labels,
            &mut self.template_labels,
            &mut self.common_annotations,
            &mut self.var_reference,
            &mut self.images,
            &mut self.replicas,
        ]
    }

    fn section(&mut self, name: &str) -> Option<&mut Vec<FieldSpec>> {
        const NAMES: [&str; 10] = [
            "namePrefix",
            "nameSuffix",
            "namespace",
            "commonLabels",
            "labels",
            "templateLabels",
            "commonAnnotations",
            "varReference",
            "images",
            "replicas",
        ];
        let index = NAMES.iter().position(|other| *other == name)?;
        self.sections().into_iter().nth(index)
    }
}

/// The defaults of kustomize 5.8.1, in its order, each field once. Written by `testdata/tables`.
static DEFAULTS: LazyLock<Arc<Config>> = LazyLock::new(|| {
    let mut config = Config::default();
    for line in include_str!("config/defaults.tsv").lines() {
        let mut parts = line.split('\t').map(Cow::Borrowed);
        let mut part = || parts.next().expect("a line of the table has six columns");
        let (section, gvk) = (part(), Gvk { group: part(), version: part(), kind: part() });
        let spec = FieldSpec { gvk, path: part(), create: part() == "true" };
        match &*section {
            "nameReference" => {
                config.name_reference.push(NameReference { gvk: spec.gvk, referrers: Vec::new() });
            }
            "referrer" => {
                let kind = config.name_reference.last_mut().expect("follows its kind");
                // kustomize names one field twice.
                if !kind.referrers.contains(&spec) {
                    kind.referrers.push(spec);
                }
            }
            section => config.section(section).expect("a known section").push(spec),
        }
    }
    Arc::new(config)
});

fn read(loader: &Loader<'_>, path: &str) -> Result<Config> {
    let source = loader.source(path)?;
    let Some(document) = yaml_spans::parse(&source.text).into_iter().next() else {
        return Ok(Config::default());
    };
    let root = document.map_err(|error| {
        let at = yaml_spans::Location { source: source.clone(), span: error.span };
        let message = format!("error converting YAML to JSON: yaml: {}", error.reason);
        Error::new(Reason::Kustomization, message).at(Some(at))
    })?;
    let decoder =
        Decoder { source: &source, inside: None, root: "TransformerConfig", is_strict: true };
    let file = ConfigFile::decode(&decoder, &root.root, "")
        .map_err(|error| error.prefixed("error unmarshaling JSON: while decoding JSON"))?;
    Ok(file.config())
}

impl ConfigFile {
    fn config(&self) -> Config {
        let specs = |specs: &[Spec]| sorted(specs.iter().map(FieldSpec::from).collect());
        let mut name_reference: Vec<_> = self
            .name_reference
            .iter()
            .map(|reference| NameReference {
                gvk: Gvk::of(&reference.group, &reference.version, &reference.kind),
                referrers: reference.referrers.iter().map(FieldSpec::from).collect(),
            })
            .collect();
        name_reference.sort_by_key(|reference| crate::order::key(&reference.gvk));
        Config {
            name_prefix: specs(&self.name_prefix),
            name_suffix: specs(&self.name_suffix),
            namespace: specs(&self.namespace),
            common_labels: specs(&self.common_labels),
            labels: specs(&self.labels),
            template_labels: specs(&self.template_labels),
            common_annotations: specs(&self.common_annotations),
            name_reference,
            var_reference: specs(&self.var_reference),
            images: specs(&self.images),
            replicas: specs(&self.replicas),
        }
    }
}

fn sorted(mut specs: Vec<FieldSpec>) -> Vec<FieldSpec> {
    specs.sort_by_key(|spec| crate::order::key(&spec.gvk));
    specs
}
