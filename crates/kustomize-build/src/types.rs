//! The fields of kustomizations and of the configuration of built-in plugins.

use crate::{
    error::Result,
    go::{Decode, Decoder, Strings, Text, go_struct},
    id::{Gvk, Id},
    node::Node,
    origin::Field,
    read::Input,
};

go_struct! {
    /// A kustomization file.
    Kustomization "types.Kustomization" {
        api_version: Text = "apiVersion",
        kind: Text = "kind",
        metadata: Option<ObjectMeta> = "metadata",
        openapi: Option<Strings> = "openapi",
        name_prefix: Text = "namePrefix",
        name_suffix: Text = "nameSuffix",
        namespace: Text = "namespace",
        common_labels: Option<Strings> = "commonLabels",
        labels: Option<Vec<Label>> = "labels",
        common_annotations: Option<Strings> = "commonAnnotations",
        patches_strategic_merge: Option<Vec<Text>> = "patchesStrategicMerge",
        patches_json6902: Option<Vec<Patch>> = "patchesJson6902",
        patches: Option<Vec<Patch>> = "patches",
        images: Option<Vec<Image>> = "images",
        image_tags: Option<Vec<Image>> = "imageTags",
        replacements: Option<Vec<Replacement>> = "replacements",
        replicas: Option<Vec<Replica>> = "replicas",
        vars: Option<Vec<Var>> = "vars",
        sort_options: Option<SortOptions> = "sortOptions",
        resources: Option<Vec<Text>> = "resources",
        components: Option<Vec<Text>> = "components",
        crds: Option<Vec<Text>> = "crds",
        bases: Option<Vec<Text>> = "bases",
        config_map_generator: Option<Vec<GeneratorArgs>> = "configMapGenerator",
        secret_generator: Option<Vec<GeneratorArgs>> = "secretGenerator",
        helm_globals: Option<HelmGlobals> = "helmGlobals",
        helm_charts: Option<Vec<HelmChart>> = "helmCharts",
        helm_chart_inflation_generator: Option<Vec<HelmChartArgs>> = "helmChartInflationGenerator",
        generator_options: Option<GeneratorOptions> = "generatorOptions",
        configurations: Option<Vec<Text>> = "configurations",
        generators: Option<Vec<Text>> = "generators",
        transformers: Option<Vec<Text>> = "transformers",
        validators: Option<Vec<Text>> = "validators",
        build_metadata: Option<Vec<Text>> = "buildMetadata",
    }
}

go_struct! {
    /// Metadata of a kustomization or plugin.
    ObjectMeta "types.ObjectMeta" {
        name: Text = "name",
        namespace: Text = "namespace",
        labels: Option<Strings> = "labels",
        annotations: Option<Strings> = "annotations",
    }
}

go_struct! {
    /// An entry of `labels`.
    Label "types.Label" {
        pairs: Option<Strings> = "pairs",
        include_selectors: bool = "includeSelectors",
        include_templates: bool = "includeTemplates",
        fields: Vec<FieldSpec> = "fields",
    }
}

go_struct! {
    /// A path in the resources of some kinds.
    FieldSpec "types.FieldSpec" {
        group: Text = "group",
        version: Text = "version",
        kind: Text = "kind",
        path: Text = "path",
        create: bool = "create",
    }
}

go_struct! {
    /// An entry of `patches` or `patchesJson6902`.
    Patch "types.Patch" {
        path: Text = "path",
        patch: Text = "patch",
        target: Option<Selector> = "target",
        options: Option<PatchOptions> = "options",
    }
}

go_struct! {
    /// What a patch may change.
    PatchOptions "types.PatchArgs" {
        allow_name_change: bool = "allowNameChange",
        allow_kind_change: bool = "allowKindChange",
    }
}

go_struct! {
    /// Selects resources by patterns.
    Selector "types.Selector" {
        group: Text = "group",
        version: Text = "version",
        kind: Text = "kind",
        name: Text = "name",
        namespace: Text = "namespace",
        annotation_selector: Text = "annotationSelector",
        label_selector: Text = "labelSelector",
    }
}

go_struct! {
    /// An entry of `images`.
    Image "types.Image" {
        name: Text = "name",
        new_name: Text = "newName",
        tag_suffix: Text = "tagSuffix",
        new_tag: Text = "newTag",
        digest: Text = "digest",
    }
}

go_struct! {
    /// An entry of `replicas`.
    Replica "types.Replica" {
        name: Text = "name",
        count: Count = "count",
    }
}

/// A number and where it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    pub(crate) number: i64,
    pub(crate) at: Option<yaml_spans::Location>,
}

impl Decode for Count {
    fn decode(decoder: &Decoder<'_>, node: &yaml_spans::Node, path: &str) -> Result<Self> {
        Ok(Self { number: i64::decode(decoder, node, path)?, at: Some(decoder.location(node)) })
    }
}

go_struct! {
    /// An entry of `replacements`.
    Replacement "types.ReplacementField" {
        source: Option<Source> = "source",
        targets: Option<Vec<Target>> = "targets",
        source_value: Option<Text> = "sourceValue",
        path: Text = "path",
    }
}

go_struct! {
    /// The field that a replacement copies.
    Source "types.SourceSelector" {
        group: Text = "group",
        version: Text = "version",
        kind: Text = "kind",
        name: Text = "name",
        namespace: Text = "namespace",
        field_path: Text = "fieldPath",
        options: Option<FieldOptions> = "options",
    }
}

go_struct! {
    /// The fields that a replacement sets.
    Target "types.TargetSelector" {
        select: Option<Selector> = "select",
        reject: Vec<Selector> = "reject",
        field_paths: Vec<Text> = "fieldPaths",
        options: Option<FieldOptions> = "options",
    }
}

go_struct! {
    /// Which part of a field a replacement means.
    FieldOptions "types.FieldOptions" {
        delimiter: Text = "delimiter",
        index: i64 = "index",
        encoding: Text = "encoding",
        create: bool = "create",
    }
}

go_struct! {
    /// An entry of `vars`.
    Var "types.Var" {
        name: Text = "name",
        object: VarObject = "objref",
        field: VarField = "fieldref",
    }
}

go_struct! {
    /// The resource of a var.
    VarObject "types.Target" {
        api_version: Text = "apiVersion",
        group: Text = "group",
        version: Text = "version",
        kind: Text = "kind",
        name: Text = "name",
        namespace: Text = "namespace",
    }
}

go_struct! {
    /// The field of a var.
    VarField "types.FieldSelector" {
        path: Text = "fieldPath",
    }
}

go_struct! {
    /// `sortOptions`.
    SortOptions "types.SortOptions" {
        order: Text = "order",
        legacy: Option<LegacySortOptions> = "legacySortOptions",
    }
}

go_struct! {
    /// The kinds that come first and last.
    LegacySortOptions "types.LegacySortOptions" {
        first: Vec<Text> = "orderFirst",
        last: Vec<Text> = "orderLast",
    }
}

go_struct! {
    /// An entry of `configMapGenerator` or `secretGenerator`.
    GeneratorArgs "types.GeneratorArgs" {
        namespace: Text = "namespace",
        name: Text = "name",
        behavior: Text = "behavior",
        literals: Vec<Text> = "literals",
        files: Vec<Text> = "files",
        envs: Vec<Text> = "envs",
        env: Text = "env",
        options: Option<GeneratorOptions> = "options",
        secret_type: Text = "type",
        metadata: Option<ObjectMeta> = "metadata",
    }
}

go_struct! {
    /// `generatorOptions`.
    GeneratorOptions "types.GeneratorOptions" {
        labels: Option<Strings> = "labels",
        annotations: Option<Strings> = "annotations",
        disable_name_suffix_hash: bool = "disableNameSuffixHash",
        immutable: bool = "immutable",
    }
}

go_struct! {
    /// `helmGlobals`.
    HelmGlobals "types.HelmGlobals" {
        chart_home: Text = "chartHome",
        config_home: Text = "configHome",
    }
}

go_struct! {
    /// An entry of `helmCharts`.
    HelmChart "types.HelmChart" {
        name: Text = "name",
        version: Text = "version",
        repo: Text = "repo",
        release_name: Text = "releaseName",
        namespace: Text = "namespace",
        additional_values_files: Vec<Text> = "additionalValuesFiles",
        values_file: Text = "valuesFile",
        values_inline: Json = "valuesInline",
        values_merge: Text = "valuesMerge",
        include_crds: bool = "includeCRDs",
        skip_hooks: bool = "skipHooks",
        api_versions: Vec<Text> = "apiVersions",
        kube_version: Text = "kubeVersion",
        name_template: Text = "nameTemplate",
        skip_tests: bool = "skipTests",
        debug: bool = "debug",
        devel: bool = "devel",
    }
}

go_struct! {
    /// An entry of the deprecated `helmChartInflationGenerator`.
    HelmChartArgs "types.HelmChartArgs" {
        name: Text = "chartName",
        version: Text = "chartVersion",
        repo: Text = "chartRepoUrl",
        chart_home: Text = "chartHome",
        repo_name: Text = "chartRepoName",
        helm: Text = "helmBin",
        helm_home: Text = "helmHome",
        values_file: Text = "values",
        values_inline: Json = "valuesLocal",
        values_merge: Text = "valuesMerge",
        release_name: Text = "releaseName",
        namespace: Text = "releaseNamespace",
        extra: Vec<Text> = "extraArgs",
    }
}

/// A map of any shape.
#[derive(Clone, Debug)]
pub(crate) struct Json(pub(crate) Node);

impl Default for Json {
    fn default() -> Self {
        Self(Node::map())
    }
}

impl Decode for Json {
    fn decode(decoder: &Decoder<'_>, node: &yaml_spans::Node, path: &str) -> Result<Self> {
        if node.as_map().is_none() {
            return Err(decoder.mismatch(node, path, "map[string]interface {}"));
        }
        let (source, inside) = (decoder.source.clone(), decoder.inside.clone());
        let text = &source.text.clone();
        let field = Field::HelmCharts;
        let input = Input { text, source, documents: None, inside, field, chain: None };
        Ok(Self(input.json(node)))
    }
}

impl From<&HelmChartArgs> for HelmChart {
    fn from(old: &HelmChartArgs) -> Self {
        Self {
            name: old.name.clone(),
            version: old.version.clone(),
            repo: old.repo.clone(),
            values_file: old.values_file.clone(),
            values_inline: old.values_inline.clone(),
            values_merge: old.values_merge.clone(),
            release_name: old.release_name.clone(),
            ..Self::default()
        }
    }
}

impl Selector {
    /// The id without patterns, for messages.
    pub(crate) fn id(&self) -> Id {
        Id {
            gvk: gvk(&self.group, &self.version, &self.kind),
            name: self.name.to_string(),
            namespace: self.namespace.to_string(),
            ..Id::default()
        }
    }
}

impl Source {
    pub(crate) fn id(&self) -> Id {
        Id {
            gvk: gvk(&self.group, &self.version, &self.kind),
            name: self.name.to_string(),
            namespace: self.namespace.to_string(),
            ..Id::default()
        }
    }
}

impl VarObject {
    pub(crate) fn id(&self) -> Id {
        let mut gvk = gvk(&self.group, &self.version, &self.kind);
        match self.api_version.split('/').collect::<Vec<_>>().as_slice() {
            [group, version] => {
                (gvk.group, gvk.version) =
                    ((*group).to_owned().into(), (*version).to_owned().into())
            }
            [version] if !version.is_empty() => gvk.version = (*version).to_owned().into(),
            _ => {}
        }
        let (name, namespace) = (self.name.to_string(), self.namespace.to_string());
        Id { gvk, name, namespace, ..Id::default() }
    }
}

fn gvk(group: &str, version: &str, kind: &str) -> Gvk {
    Gvk::of(group, version, kind)
}
