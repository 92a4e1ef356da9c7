//! Recognises the texts that a release usually raises among those that reach a workload.

use std::sync::Arc;

use job_lifecycle::release_changes::Raised;
use kustomize_build::{Field, Part, Value};
use yaml_spans::{Edit, Location, Span};

use crate::{
    kustomize::{
        is_same,
        origin::{self, Document},
    },
    release_changes::{is_digest, is_version, next_of, reference},
};

/// The variables of a Flux Kustomization in messages.
const SUBSTITUTE: &str = "postBuild";

/// The most inputs of one kustomization that are raised.
const MOST: usize = 64;

/// A text that the next release raises.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// The text.
    pub(super) at: Location,
    /// Where to point: the text, or the entry of a generator that names the file.
    pub(super) label: Location,
    /// The field: `newTag`, `configMapGenerator`.
    pub(super) name: String,
    /// The version that it is raised to; inputs of one version are raised together.
    pub(super) version: Option<String>,
    pub(super) edit: Edit,
}

impl Input {
    pub(super) fn is(&self, at: &Location) -> bool {
        is_same(&self.at, at)
    }

    /// Whether a name that a person wrote holds the version, so that whoever raises the one raises the other:
    /// `schema-migration-v13` beside `VERSION=13`.
    pub(super) fn is_in_name(&self, name: &str) -> bool {
        let text = self.at.source.slice(self.at.span);
        let bare = |part: &'_ str| part.strip_prefix('v').unwrap_or(part).to_owned();
        let is_version =
            |part: &String| part.len() > 1 && part.starts_with(|c: char| c.is_ascii_digit());
        let versions = text.split(['=', ':', '@', '"', '\'']).map(bare).filter(is_version);
        let parts: Vec<_> = name.split('-').map(bare).collect();
        !text.contains('\n') && versions.into_iter().any(|version| parts.contains(&version))
    }

    pub(super) fn raised(&self) -> Raised {
        Raised { input: self.name.clone(), to: self.edit.text.clone() }
    }
}

/// The texts that reach some workloads and that a release raises, each once. Of each generated name it is one: any of
/// them changes the hash.
pub(super) fn inputs<'a>(works: impl Iterator<Item = &'a Document>) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    for document in works {
        for value in document.all().iter().filter(|value| !value.is_key) {
            for input in of_value(value, document) {
                let is_known = inputs.iter().any(|own| own.is(&input.at));
                if !is_known && inputs.len() < MOST {
                    inputs.push(input);
                }
            }
        }
    }
    inputs
}

fn of_value(value: &Value, document: &Document) -> Vec<Input> {
    let parts = value.origin.parts();
    let generated = |part: &&Part| {
        matches!(part.field, Field::ConfigMapGenerator | Field::SecretGenerator)
            && key_before(&part.at) != Some("name")
    };
    let content = parts.iter().find(generated).and_then(content);
    // `images` replaces the tag that is written.
    let is_set = parts.iter().any(|part| part.field == Field::Images && image(part).is_some());
    let others = parts.iter().filter_map(|part| match part.field {
        Field::Images => image(part),
        Field::Labels | Field::Annotations | Field::NamePrefix | Field::NameSuffix => {
            version(part, name_of(part.field))
        }
        Field::Resources | Field::Patches if document.is_image(value) && !is_set => tag(part),
        Field::Replacements => version(part, "replacements"),
        Field::Substitute if document.is_image(value) => {
            tag(part).or_else(|| version(part, SUBSTITUTE))
        }
        Field::Substitute => version(part, SUBSTITUTE),
        _ => None,
    });
    others.chain(content).collect()
}

fn name_of(field: Field) -> &'static str {
    match field {
        Field::ConfigMapGenerator => "configMapGenerator",
        Field::SecretGenerator => "secretGenerator",
        Field::Labels => "labels",
        Field::Annotations => "commonAnnotations",
        Field::NamePrefix => "namePrefix",
        Field::NameSuffix => "nameSuffix",
        Field::Images => "images",
        Field::Resources
        | Field::Patches
        | Field::GeneratorOptions
        | Field::Namespace
        | Field::Replicas
        | Field::Replacements
        | Field::Vars
        | Field::HelmCharts
        | Field::Substitute
        | Field::Plugins => "image",
    }
}

/// `newTag` or `digest`, or the end of an image that Argo CD sets: `shop/migrate:1.2.0`.
fn image(part: &Part) -> Option<Input> {
    let key = key_before(&part.at).filter(|key| ["newTag", "digest"].contains(key));
    let source = &part.at.source;
    let before = source.text.get(..part.at.span.start as usize)?;
    let name = key.or_else(|| before.ends_with([':', '@']).then_some("images"))?;
    raised(part, name, |text| (!is_floating(text)).then(|| next_of(text)))
}

/// Whether a tag has no number: `latest`, `stable`, `main`. A release leaves it as it is.
fn is_floating(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_digit())
}

/// The tag or digest of an image that a base or patch states.
fn tag(part: &Part) -> Option<Input> {
    raised(part, "image", |text| {
        let (before, after) = reference(text)?;
        // Nobody raises `latest`.
        (is_version(after) || is_digest(after)).then_some(())?;
        Some(format!("{before}{}", next_of(after)))
    })
}

/// A text that looks like a version, or a part of one such as `-1.2.0`.
fn version(part: &Part, name: &str) -> Option<Input> {
    let is_revision = key_before(&part.at).is_some_and(|key| {
        let key = key.to_ascii_lowercase();
        ["version", "revision", "release", "commit", "git-sha"].iter().any(|end| key.ends_with(end))
    });
    raised(part, name, |text| {
        let core = text.trim_matches('-');
        (is_version(core) || is_revision && !is_floating(core)).then(|| next_of(text))
    })
}

/// The value of a literal, a line of an env file, or a file.
fn content(part: &Part) -> Option<Input> {
    let (name, source) = (name_of(part.field), &part.at.source);
    let text = source.slice(part.at.span);
    let is_file = part.at.span == Span::new(0, source.text.len()) || text.contains('\n');
    let label = match part.chain.as_ref().filter(|_| is_file) {
        Some(step) => step.at.clone(),
        None => part.at.clone(),
    };
    let span = Span { start: content_end(part), ..part.at.span };
    let span = Span { end: span.start, ..span };
    let edit = Edit { span, text: if is_file { "\n".to_owned() } else { "1".to_owned() } };
    source.editable.then(|| Input {
        at: part.at.clone(),
        label: origin::first_line(label),
        name: name.to_owned(),
        version: None,
        edit,
    })
}

/// Where a text may be extended: before the quote that ends it.
fn content_end(part: &Part) -> u32 {
    let text = part.at.source.slice(part.at.span);
    let is_quoted = text.starts_with(['"', '\'']) && text.ends_with(['"', '\'']) && text.len() > 1;
    part.at.span.end - u32::from(is_quoted)
}

/// A text without its quotes, raised.
fn raised(part: &Part, name: &str, next: impl Fn(&str) -> Option<String>) -> Option<Input> {
    let Location { source, span } = &part.at;
    let text = source.slice(*span);
    let quote = text.chars().next().filter(|quote| ['"', '\''].contains(quote));
    let inner = match quote {
        Some(quote) => text.strip_prefix(quote)?.strip_suffix(quote)?,
        None => text,
    };
    if inner.is_empty() || inner.contains(['\n', '\\', '$']) || !source.editable {
        return None;
    }
    let margin = u32::from(quote.is_some());
    let edit = Edit {
        span: Span { start: span.start + margin, end: span.end - margin },
        text: next(inner)?,
    };
    let label = part.at.clone();
    let version = edit.text.rsplit([':', '@']).next().unwrap_or_default().trim_matches('-');
    let version = Some(version.to_owned());
    Some(Input { at: part.at.clone(), label, name: name.to_owned(), version, edit })
}

/// The key whose value a text is, if both stand on one line.
fn key_before(at: &Location) -> Option<&str> {
    let source: &Arc<_> = &at.source;
    let line = source.line_span(source.line_of(at.span.start));
    let before = source.text.get(line.start as usize..at.span.start as usize)?;
    let before = before.trim_end().strip_suffix(':')?;
    let key = before.rsplit([' ', '{', ',', '\t']).next()?;
    Some(key.trim_matches(['"', '\'']))
}
