//! `generators`, `transformers` and `validators`: files that configure built-in plugins.

use std::sync::Arc;

use yaml_spans::{Entry, Map, Source, Span, Style, Value};

use super::{Steps, Target};
use crate::{
    config::FieldSpec,
    error::{Error, Reason, Result},
    go::{Decode, Decoder, Strings, Text, go_struct},
    node::{Data, Node},
    origin::Field,
    resource::Resource,
    scalar::Tag,
    transform::{
        Affix, Annotations, Hashes, Images, Labels, Namespace, Replicas, Side, Subjects, Transform,
    },
    types,
};

go_struct! {
    /// The configuration of any built-in plugin.
    PluginConfig "types.PluginConfig" {
        metadata: types::ObjectMeta = "metadata",
        labels: Strings = "labels",
        annotations: Strings = "annotations",
        specs: Vec<types::FieldSpec> = "fieldSpecs",
        unset_only: bool = "unsetOnly",
        subjects: Text = "setRoleBindingSubjects",
        prefix: Text = "prefix",
        suffix: Text = "suffix",
        image: types::Image = "imageTag",
        replica: types::Replica = "replica",
        path: Text = "path",
        patch: Text = "patch",
        target: Option<types::Selector> = "target",
        options: Option<types::PatchOptions> = "options",
        paths: Vec<Text> = "paths",
        patches: Text = "patches",
        json_op: Text = "jsonOp",
        replacements: Vec<types::Replacement> = "replacements",
    }
}

impl PluginConfig {
    pub(super) fn of(resource: &Resource) -> Result<Self> {
        let gvk = resource.gvk();
        if !gvk.group.is_empty() || gvk.version != "builtin" {
            let message = format!(
                "external plugins disabled; unable to load external plugin '{}'",
                resource.kind()
            );
            let at = resource.node.origin.parts().first().map(|part| part.at.clone());
            return Err(Error::new(Reason::Unsupported, message).at(at));
        }
        decode(resource)
    }
}

/// The configuration of a plugin that is a resource.
pub(super) fn decode<T: Decode>(resource: &Resource) -> Result<T> {
    let source = resource.node.origin.parts().first().map(|part| part.at.source.clone());
    let source = source.unwrap_or_else(|| Arc::new(Source::read_only("", "")));
    let decoder = Decoder { source: &source, inside: None, root: "plugin", is_strict: false };
    T::decode(&decoder, &to_yaml(&resource.node), "").map_err(|error| {
        error.prefixed(format!("plugin {} fails configuration", resource.original_id()))
    })
}

/// A node as it would be read from the file it comes from.
fn to_yaml(node: &Node) -> yaml_spans::Node {
    let span_of = |origin: &crate::Origin| {
        origin.parts().first().map_or_else(Span::default, |part| part.at.span)
    };
    let (value, style) = match &node.data {
        Data::Map(entries) => {
            let mut map = Map::default();
            map.entries.extend(entries.iter().map(|entry| Entry {
                key: entry.key.clone(),
                key_span: span_of(&entry.origin),
                value: to_yaml(&entry.value),
                merged: false,
            }));
            (Value::Map(Arc::new(map)), Style::Block)
        }
        Data::Seq(items) => (Value::Seq(items.iter().map(to_yaml).collect()), Style::Block),
        Data::Scalar(scalar) => {
            let is_string = matches!(scalar.tag, Tag::Str | Tag::Timestamp);
            let text = || Value::Str(scalar.text.clone());
            let value = if is_string { text() } else { yaml_spans::resolve(&scalar.text) };
            (value, Style::Plain)
        }
    };
    yaml_spans::Node { span: span_of(&node.origin), value, style }
}

impl Target<'_> {
    /// The transformers that files configure.
    pub(super) fn plugin_steps(
        &self,
        entries: &[Text],
        warnings: &mut Vec<String>,
    ) -> Result<Steps> {
        let mut steps = Steps::new();
        for (resource, note) in self.plugins(entries, warnings)? {
            let transformers = self.plugin(&resource)?;
            let count = transformers.len();
            for (index, transformer) in transformers.into_iter().enumerate() {
                steps.push((transformer, note.clone().filter(|_| index + 1 == count)));
            }
        }
        Ok(steps)
    }

    fn plugin(&self, resource: &Resource) -> Result<Vec<Box<dyn Transform>>> {
        let config = PluginConfig::of(resource)?;
        let specs: Vec<_> = config.specs.iter().map(FieldSpec::from).collect();
        let place = self.place(Field::Plugins);
        let missing = || {
            let id = resource.original_id();
            let message =
                format!("plugin {id} fails configuration: fieldSpecs is not expected to be nil");
            Err(Error::transformer(message))
        };
        let affix = |side, text: &Text| Affix {
            side,
            text: text.clone(),
            specs: specs.clone(),
            place: place.clone(),
        };
        let prefix = affix(Side::Prefix, &config.prefix);
        let suffix = affix(Side::Suffix, &config.suffix);
        Ok(vec![match resource.kind() {
            "PrefixTransformer" | "SuffixTransformer" | "PrefixSuffixTransformer"
                if specs.is_empty() =>
            {
                return missing();
            }
            "PrefixTransformer" => Box::new(prefix),
            "SuffixTransformer" => Box::new(suffix),
            "PrefixSuffixTransformer" => return Ok(vec![Box::new(prefix), Box::new(suffix)]),
            "LabelTransformer" => Box::new(Labels { labels: config.labels, specs, place }),
            "AnnotationsTransformer" => {
                Box::new(Annotations { annotations: config.annotations, specs, place })
            }
            "ImageTagTransformer" => Box::new(Images { image: config.image, specs, place }),
            "ReplicaCountTransformer" => {
                Box::new(Replicas { replica: config.replica, specs, place })
            }
            "HashTransformer" => Box::new(Hashes),
            "NamespaceTransformer" => Box::new(self.namespace(config, specs)?),
            "ReplacementTransformer" => Box::new(self.replacements(&config.replacements)?),
            "PatchTransformer" => Box::new(self.patch(&types::Patch {
                path: config.path,
                patch: config.patch,
                target: config.target,
                options: config.options,
            })?),
            "PatchJson6902Transformer" => {
                Box::new(self.json_patch(&config.target, &config.path, &config.json_op)?)
            }
            "PatchStrategicMergeTransformer" => {
                let mut entries = config.paths;
                entries.extend(Some(config.patches).filter(|patches| !patches.is_empty()));
                Box::new(self.strategic_merge(&entries)?)
            }
            _ => {
                let message = format!("unable to load builtin {}", resource.gvk());
                return Err(Error::new(Reason::Unsupported, message));
            }
        }])
    }

    fn namespace(&self, config: PluginConfig, specs: Vec<FieldSpec>) -> Result<Namespace> {
        let subjects = match &*config.subjects {
            "" | "defaultOnly" => Subjects::DefaultOnly,
            "allServiceAccounts" => Subjects::AllServiceAccounts,
            "none" => Subjects::None,
            other => {
                let message = format!(
                    "invalid value {other:?} for setRoleBindingSubjects: must be one of \"defaultOnly\", \"none\" or \"allServiceAccounts\""
                );
                return Err(Error::transformer(message).at(config.subjects.at.clone()));
            }
        };
        Ok(Namespace {
            namespace: config.metadata.namespace,
            specs,
            unset_only: config.unset_only,
            subjects,
            place: self.place(Field::Plugins),
        })
    }
}
