//! The transformers that the fields of a kustomization configure.

use super::{Steps, Target};
use crate::{
    config::{Config, FieldSpec, merge_all, merge_one},
    error::{Error, Reason, Result},
    go::Text,
    json_patch,
    node::{Data, Node},
    origin::Field,
    read::Input,
    transform::{
        Affix, Annotations, Content, Images, JsonPatch, Labels, Namespace, Patch, Replacements,
        Replicas, Side, StrategicMerge, Subjects, Transform, read_replacements,
    },
    types,
};

impl Target<'_> {
    /// The transformers of the fields, in kustomize's order.
    pub(super) fn built_in_steps(&self, config: &Config) -> Result<Steps> {
        let k = self.kustomization();
        let mut steps = Steps::new();
        if let Some(paths) = k.patches_strategic_merge.as_ref().filter(|paths| !paths.is_empty()) {
            self.push(&mut steps, "PatchStrategicMergeTransformer", self.strategic_merge(paths)?);
        }
        for patch in k.patches.iter().flatten() {
            if let Some(patch) = self.unless_remote(self.patch(patch))? {
                self.push(&mut steps, "PatchTransformer", patch);
            }
        }
        if !k.namespace.is_empty() {
            let namespace = Namespace {
                namespace: k.namespace.clone(),
                specs: config.namespace.clone(),
                unset_only: false,
                subjects: Subjects::DefaultOnly,
                place: self.place(Field::Namespace),
            };
            self.push(&mut steps, "NamespaceTransformer", namespace);
        }
        if !k.name_prefix.is_empty() {
            let (text, specs) = (k.name_prefix.clone(), config.name_prefix.clone());
            let (side, place) = (Side::Prefix, self.place(Field::NamePrefix));
            self.push(&mut steps, "PrefixTransformer", Affix { side, text, specs, place });
        }
        if !k.name_suffix.is_empty() {
            let (text, specs) = (k.name_suffix.clone(), config.name_suffix.clone());
            let (side, place) = (Side::Suffix, self.place(Field::NameSuffix));
            self.push(&mut steps, "SuffixTransformer", Affix { side, text, specs, place });
        }
        self.labels(&mut steps, config)?;
        if let Some(annotations) = k.common_annotations.clone().filter(|a| !a.0.is_empty()) {
            let specs = config.common_annotations.clone();
            let place = self.place(Field::Annotations);
            self.push(
                &mut steps,
                "AnnotationsTransformer",
                Annotations { annotations, specs, place },
            );
        }
        for patch in k.patches_json6902.iter().flatten() {
            let json = self.json_patch(&patch.target, &patch.path, &patch.patch);
            if let Some(json) = self.unless_remote(json)? {
                self.push(&mut steps, "PatchJson6902Transformer", json);
            }
        }
        for replica in k.replicas.iter().flatten().cloned() {
            let (specs, place) = (config.replicas.clone(), self.place(Field::Replicas));
            self.push(&mut steps, "ReplicaCountTransformer", Replicas { replica, specs, place });
        }
        for image in k.images.iter().flatten().cloned() {
            let (specs, place) = (config.images.clone(), self.place(Field::Images));
            self.push(&mut steps, "ImageTagTransformer", Images { image, specs, place });
        }
        if let Some(list) = k.replacements.as_ref().filter(|list| !list.is_empty()) {
            self.push(&mut steps, "ReplacementTransformer", self.replacements(list)?);
        }
        Ok(steps)
    }

    /// What was made, or nothing if a partial build leaves it out because its file is remote.
    fn unless_remote<T>(&self, made: Result<T>) -> Result<Option<T>> {
        match made {
            Err(error) if error.reason == Reason::Remote => self.loader.skip(error).map(|()| None),
            made => made.map(Some),
        }
    }

    fn push(&self, steps: &mut Steps, kind: &str, transformer: impl Transform + 'static) {
        steps.push((Box::new(transformer), self.note(kind)));
    }

    fn labels(&self, steps: &mut Steps, config: &Config) -> Result<()> {
        let k = self.kustomization();
        let labels = k.labels.as_deref().unwrap_or_default();
        let common = k.common_labels.clone().unwrap_or_default();
        if labels.is_empty() && common.0.is_empty() {
            return Ok(());
        }
        for label in labels {
            let mut specs: Vec<_> = label.fields.iter().map(FieldSpec::from).collect();
            let result = merge_all(&mut specs, &config.labels).and_then(|()| {
                if label.include_selectors {
                    return merge_all(&mut specs, &config.common_labels);
                }
                if label.include_templates {
                    merge_all(&mut specs, &config.template_labels)
                        .map_err(|error| error.prefixed("failed to merge template fieldSpec"))?;
                }
                let own = FieldSpec {
                    path: "metadata/labels".into(),
                    create: true,
                    ..FieldSpec::default()
                };
                merge_one(&mut specs, &own)
            });
            let at = label.fields.first().and_then(|spec| spec.path.at.clone());
            result.map_err(|error| error.prefixed("failed to merge labels").at(at))?;
            let labels = label.pairs.clone().unwrap_or_default();
            let place = self.place(Field::Labels);
            self.push(steps, "LabelTransformer", Labels { labels, specs, place });
        }
        let (specs, place) = (config.common_labels.clone(), self.place(Field::Labels));
        self.push(steps, "LabelTransformer", Labels { labels: common, specs, place });
        Ok(())
    }

    pub(super) fn replacements(&self, list: &[types::Replacement]) -> Result<Replacements> {
        let mut replacements = Vec::new();
        for replacement in list {
            let path = &replacement.path;
            if path.is_empty() {
                replacements.push(replacement.clone());
                continue;
            }
            if replacement.source.is_some()
                || replacement.targets.as_ref().is_some_and(|t| !t.is_empty())
            {
                let message = "cannot specify both path and inline replacement";
                return Err(Error::transformer(message).at(path.at.clone()));
            }
            let source = self.loader.source(path).map_err(|error| error.at(path.at.clone()))?;
            replacements.extend(read_replacements(&source)?);
        }
        let partial = self.loader.partial().cloned();
        Ok(Replacements { replacements, place: self.place(Field::Replacements), partial })
    }

    /// Each entry is a patch, or the path of one.
    pub(super) fn strategic_merge(&self, paths: &[Text]) -> Result<StrategicMerge> {
        let (mut patches, mut is_whole) = (Vec::new(), true);
        for path in paths {
            let read = self.read_inline(path, Field::Patches).or_else(|_| {
                self.read_file(path, Field::Patches).map_err(|error| {
                    let kind = "trouble configuring builtin PatchStrategicMergeTransformer";
                    match error.reason {
                        Reason::Remote => error,
                        _ => error.prefixed(kind),
                    }
                    .at(path.at.clone())
                })
            });
            match self.unless_remote(read)? {
                Some(read) => patches.extend(read),
                None => is_whole = false,
            }
        }
        if patches.is_empty() && is_whole {
            let at = paths.first().and_then(|path| path.at.clone());
            let files: Vec<_> = paths.iter().map(|path| &**path).collect();
            let message = format!("patch appears to be empty; files=[{}], Patch=", files.join(" "));
            return Err(Error::transformer(message).at(at));
        }
        Ok(StrategicMerge { patches, schemas: self.loader.schemas().clone() })
    }

    pub(super) fn patch(&self, patch: &types::Patch) -> Result<Patch> {
        let (path, inline) = (&patch.path, patch.patch.trim());
        let at = if path.is_empty() { &patch.patch } else { path };
        let fail = |message: String| {
            let config = shown_config(patch);
            let message = format!(
                "trouble configuring builtin PatchTransformer with config: `\n{config}`: {message}"
            );
            Err(Error::transformer(message).at(at.at.clone()).at(Some(self.location())))
        };
        let (content, shown) = match (inline.is_empty(), path.is_empty()) {
            (true, true) => {
                return fail(format!(
                    "must specify one of patch and path in\n{}",
                    shown_config(patch)
                ));
            }
            (false, false) => {
                return fail(format!(
                    "patch and path can't be set at the same time\n{}",
                    shown_config(patch)
                ));
            }
            (false, true) => {
                let input = self.inline(&patch.patch, Field::Patches);
                (self.content(&input, inline), format!("[patch: {inline:?}]"))
            }
            (true, false) => {
                let source = match self.loader.source(path) {
                    Ok(source) => source,
                    Err(error) if error.reason == Reason::Remote => {
                        return Err(error.at(path.at.clone()));
                    }
                    Err(error) => {
                        return fail(format!(
                            "failed to get the patch file from path({}): {error}",
                            &**path
                        ));
                    }
                };
                let text = source.text.clone();
                let input = Input {
                    text: &text,
                    documents: Some(self.loader.documents(&source)),
                    source,
                    inside: None,
                    field: Field::Patches,
                    chain: self.step(path),
                };
                (self.content(&input, &text), format!("[path: {:?}]", &**path))
            }
        };
        let content = match content {
            Ok(content) => content,
            Err(why) => return fail(format!("{why} {shown}")),
        };
        let options = patch.options.clone().unwrap_or_default();
        Ok(Patch {
            content,
            target: patch.target.clone(),
            options,
            shown,
            at: at.clone(),
            schemas: self.loader.schemas().clone(),
        })
    }

    /// What a patch is: resources, or else operations. A file of no bytes is a list of no operations; without content it
    /// could be either (`PatchTransformer.Config` in kustomize `api/internal/builtins`).
    ///
    /// # Errors
    /// Why it is none, up to the patch in messages.
    fn content(&self, input: &Input<'_>, text: &str) -> std::result::Result<Content, &'static str> {
        match self.read_resources(input) {
            Ok(resources) if !resources.is_empty() => return Ok(Content::Merge(resources)),
            Ok(_) if text.is_empty() => return Ok(Content::Json(Vec::new())),
            Ok(resources) => {
                let documents = input.json_documents().unwrap_or_default();
                return match documents.iter().all(|one| matches!(one.data, Data::Map(_))) {
                    true if !documents.is_empty() => Ok(Content::Merge(resources)),
                    _ => Err("illegally qualifies as both an SM and JSON patch:"),
                };
            }
            Err(_) => {}
        }
        let neither = "unable to parse SM or JSON patch from";
        let documents = input.json_documents().map_err(|_| neither)?;
        let is_json =
            !text.starts_with('[') || serde_json::from_str::<serde_json::Value>(text).is_ok();
        let operations = documents.first().filter(|_| is_json).and_then(json_patch::operations);
        operations.map(Content::Json).ok_or(neither)
    }

    pub(super) fn json_patch(
        &self,
        target: &Option<types::Selector>,
        path: &Text,
        text: &Text,
    ) -> Result<JsonPatch> {
        let fail = |message: &str, at: &Text| {
            let message =
                format!("trouble configuring builtin PatchJson6902Transformer: {message}");
            Err(Error::transformer(message).at(at.at.clone()).at(Some(self.location())))
        };
        let Some(target) = target.clone().filter(|target| !target.name.is_empty()) else {
            return fail("must specify the target name", path);
        };
        let operations = match (path.is_empty(), text.is_empty()) {
            (true, true) => return fail("empty file path and empty jsonOp", &target.name),
            (false, false) => return fail("must specify a file path or jsonOp, not both", path),
            (true, false) => self.inline(text, Field::Patches).json_documents(),
            (false, true) => {
                let source = self.loader.source(path).map_err(|error| error.at(path.at.clone()))?;
                let text = source.text.clone();
                Input {
                    text: &text,
                    documents: Some(self.loader.documents(&source)),
                    source,
                    inside: None,
                    field: Field::Patches,
                    chain: self.step(path),
                }
                .json_documents()
            }
        }?;
        let at = if path.is_empty() { text } else { path };
        match operations.first().and_then(json_patch::operations) {
            Some(operations) if !operations.is_empty() => Ok(JsonPatch { operations, target }),
            _ => fail("patch appears to be empty", at),
        }
    }
}

/// The configuration of a patch as kustomize shows it.
fn shown_config(patch: &types::Patch) -> String {
    let none = crate::Origin::default();
    let mut node = Node::map();
    let set = |node: &mut Node, key: &str, text: &str| {
        if !text.is_empty() {
            node.set(key, Node::string(text, none.clone()), &none);
        }
    };
    set(&mut node, "patch", &patch.patch);
    set(&mut node, "path", &patch.path);
    if let Some(target) = &patch.target {
        let fields = [
            ("group", &target.group),
            ("version", &target.version),
            ("kind", &target.kind),
            ("name", &target.name),
            ("namespace", &target.namespace),
            ("annotationSelector", &target.annotation_selector),
            ("labelSelector", &target.label_selector),
        ];
        let shown = node.get_or_create("target", crate::node::Kind::Map);
        fields.into_iter().for_each(|(key, text)| set(shown, key, text));
    }
    let mut printed = crate::print::Printed::default();
    match printed.add(&node) {
        Ok(()) => printed.text,
        Err(_) => String::new(),
    }
}
