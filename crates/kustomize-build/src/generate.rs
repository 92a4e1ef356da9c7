//! `configMapGenerator` and `secretGenerator`.

use std::sync::Arc;

use yaml_spans::{Location, Span};

use crate::{
    Origin,
    error::{Error, Reason, Result},
    go::{Strings, Text},
    loader::Loader,
    node::{Kind, Node},
    origin::{Field, Part, Step},
    resource::{Behavior, Resource},
    scalar::Tag,
    transform::Place,
    types::{GeneratorArgs, GeneratorOptions},
};

/// The most data of one generated resource, in bytes. Kubernetes accepts 1 MiB.
const MOST_DATA: usize = 16 << 20;

/// A key and its content.
struct Pair {
    key: String,
    content: Vec<u8>,
    origin: Origin,
    at: Option<Location>,
}

/// Makes a ConfigMap or Secret.
pub(crate) struct Generator {
    pub(crate) kind: &'static str,
    pub(crate) args: GeneratorArgs,
    pub(crate) global: Option<GeneratorOptions>,
    pub(crate) place: Place,
}

impl Generator {
    pub(crate) fn generate(&self, loader: &Loader<'_>) -> Result<Resource> {
        let args = &self.args;
        let metadata = args.metadata.clone().unwrap_or_default();
        let own = |text: &Text, other: Text| if text.is_empty() { other } else { text.clone() };
        let name = own(&args.name, metadata.name);
        let namespace = own(&args.namespace, metadata.namespace);
        if name.is_empty() {
            return Err(Error::generator("a configmap must have a name"));
        }
        let mut node = Node::map();
        let none = Origin::default();
        node.set("apiVersion", Node::string("v1", none.clone()), &none);
        node.set("kind", Node::string(self.kind, none.clone()), &none);
        let named = node.get_or_create("metadata", Kind::Map);
        named.set("name", self.string(&name), &none);
        if !namespace.is_empty() {
            named.set("namespace", self.string(&namespace), &none);
        }
        if self.kind == "Secret" {
            let default = Node::string("Opaque", none.clone());
            let kind =
                if args.secret_type.is_empty() { default } else { self.string(&args.secret_type) };
            node.set("type", kind, &none);
        }
        self.add_data(&mut node, &name, loader)?;
        let hashes = self.add_options(&mut node);
        let mut resource = Resource::new(node);
        resource.history.behavior = Behavior::new(&args.behavior);
        resource.history.needs_hash = hashes;
        Ok(resource)
    }

    fn string(&self, text: &Text) -> Node {
        Node::string(text.text.clone(), self.place.origin(text))
    }

    fn add_data(&self, node: &mut Node, name: &Text, loader: &Loader<'_>) -> Result<()> {
        let mut pairs = self.pairs(loader).map_err(|error| error.prefixed("loading KV pairs"))?;
        pairs.sort_by(|a, b| a.key.cmp(&b.key));
        if let Some(pair) = pairs.windows(2).find(|pair| pair[0].key == pair[1].key) {
            let message =
                format!("configmap {} illegally repeats the key `{}`", &**name, pair[1].key);
            return Err(Error::generator(message).at(pair[1].at.clone()));
        }
        let is_secret = self.kind == "Secret";
        if is_secret {
            node.get_or_create("data", Kind::Map);
        }
        for pair in pairs {
            let (field, text) = match String::from_utf8(pair.content) {
                Ok(text) if !is_secret => ("data", text),
                Ok(text) => ("data", base64_lines(text.as_bytes())),
                Err(error) if is_secret => ("data", base64_lines(error.as_bytes())),
                Err(error) => ("binaryData", base64_lines(error.as_bytes())),
            };
            let value = Node::string(text, pair.origin.clone());
            node.get_or_create(field, Kind::Map).set(&pair.key, value, &pair.origin);
        }
        Ok(())
    }

    /// Adds labels and annotations. Returns whether the name gets a hash.
    fn add_options(&self, node: &mut Node) -> bool {
        let options = [self.args.options.as_ref(), self.global.as_ref()];
        let options: Vec<_> = options.into_iter().flatten().collect();
        let maps = |get: fn(&GeneratorOptions) -> &Option<Strings>| {
            options.iter().filter_map(move |options| get(options).as_ref())
        };
        for (field, maps) in [
            ("labels", maps(|options| &options.labels).collect::<Vec<_>>()),
            ("annotations", maps(|options| &options.annotations).collect()),
        ] {
            for (key, value) in maps.into_iter().flat_map(|strings| &strings.0) {
                let metadata = node.get_or_create("metadata", Kind::Map);
                let map = metadata.get_or_create(field, Kind::Map);
                if map.get(key).is_none() {
                    let place =
                        Place { field: Field::GeneratorOptions, chain: self.place.chain.clone() };
                    map.set(
                        key,
                        Node::string(value.text.clone(), place.origin(value)),
                        &place.origin(key),
                    );
                }
            }
        }
        if options.iter().any(|options| options.immutable) {
            let none = Origin::default();
            node.set("immutable", Node::scalar("true", Tag::Bool, none.clone()), &none);
        }
        !options.iter().any(|options| options.disable_name_suffix_hash)
    }

    fn pairs(&self, loader: &Loader<'_>) -> Result<Vec<Pair>> {
        let list = |texts: &[Text]| texts.iter().map(|text| &**text).collect::<Vec<_>>().join(" ");
        let GeneratorArgs { envs, literals, files, .. } = &self.args;
        let mut pairs = Vec::new();
        for env in envs {
            let more = self.env_pairs(env, loader).map_err(|error| {
                error.prefixed(format!("env source files: [{}]", list(envs))).at(env.at.clone())
            })?;
            pairs.extend(more);
        }
        for literal in literals {
            let pair = self.literal(literal).map_err(|error| {
                error
                    .prefixed(format!("literal sources [{}]", list(literals)))
                    .at(literal.at.clone())
            })?;
            pairs.push(pair);
        }
        let mut size = 0;
        for file in files {
            let pair = self.file(file, loader).map_err(|error| {
                error.prefixed(format!("file sources: [{}]", list(files))).at(file.at.clone())
            })?;
            size += pair.content.len();
            if size > MOST_DATA {
                let message = format!("the data is larger than {} MiB", MOST_DATA >> 20);
                return Err(Error::new(Reason::Limit, message).at(file.at.clone()));
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }

    fn literal(&self, literal: &Text) -> Result<Pair> {
        let Some((key, value)) = literal.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            let message = format!("invalid literal source {}, expected key=value", &**literal);
            return Err(Error::generator(message));
        };
        let content = without_quotes(value).as_bytes().to_vec();
        let origin = self.place.origin(literal);
        Ok(Pair { key: key.into(), content, origin, at: literal.at.clone() })
    }

    /// The origin of a part of a file that an entry names.
    fn origin_in(
        &self,
        entry: &Text,
        loader: &Loader<'_>,
        path: &str,
        span: impl Fn(&str) -> Span,
    ) -> Origin {
        let Some(at) = entry.at.clone() else { return Origin::default() };
        let step = Step { at, parent: self.place.chain.clone() };
        match loader.source(path) {
            Ok(source) if source.editable => {
                let span = span(&source.text);
                let at = Location { source, span };
                Origin::one(Part { at, field: self.place.field, chain: Some(Arc::new(step)) })
            }
            _ => self.place.origin(entry),
        }
    }

    fn file(&self, file: &Text, loader: &Loader<'_>) -> Result<Pair> {
        let (key, path) = file_source(file)?;
        let content = loader.bytes(path)?;
        let origin = self.origin_in(file, loader, path, |text| Span::new(0, text.len()));
        Ok(Pair { key: key.into(), content, origin, at: file.at.clone() })
    }

    fn env_pairs(&self, env: &Text, loader: &Loader<'_>) -> Result<Vec<Pair>> {
        let content = loader.bytes(env)?;
        let mut pairs = Vec::new();
        let mut start = 0;
        for (number, line) in content.split(|byte| *byte == b'\n').enumerate() {
            let at = start;
            start += line.len() + 1;
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let Ok(text) = std::str::from_utf8(line) else {
                let message = format!(
                    "line {line:?} has invalid utf8 bytes : {}",
                    String::from_utf8_lossy(line)
                );
                return Err(Error::generator(message.replace(',', "")));
            };
            let text =
                if number == 0 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
            let text = text.trim_start();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (key, value) = text.split_once('=').unwrap_or((text, ""));
            if key.is_empty() {
                continue;
            }
            let span = Span::new(at, at + line.len());
            let origin = self.origin_in(env, loader, env, |_| span);
            pairs.push(Pair {
                key: key.into(),
                content: value.as_bytes().to_vec(),
                origin,
                at: env.at.clone(),
            });
        }
        Ok(pairs)
    }
}

/// The key and the path of an entry of `files`.
fn file_source(source: &str) -> Result<(&str, &str)> {
    let fail = |message: String| Err(Error::generator(message));
    match source.matches('=').count() {
        0 => Ok((source.trim_end_matches('/').rsplit('/').next().unwrap_or(source), source)),
        1 => match source.split_once('=') {
            Some(("", path)) => {
                fail(format!("missing key name for file path {path:?} in source {source:?}"))
            }
            Some((key, "")) => {
                fail(format!("missing file path for key name {key:?} in source {source:?}"))
            }
            Some(pair) => Ok(pair),
            None => unreachable!("there is one ="),
        },
        _ => fail(format!("source {source:?} key name or file path contains '='")),
    }
}

/// The text without one pair of quotes around it.
fn without_quotes(text: &str) -> &str {
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

/// Base64 in lines of 70 characters when there is more than one.
fn base64_lines(bytes: &[u8]) -> String {
    const LINE: usize = 70;
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize] as char;
            text.push(if place <= group.len() { digit } else { '=' });
        }
    }
    if text.len() < LINE {
        return text;
    }
    text.as_bytes().chunks(LINE).map(|line| format!("{}\n", line.escape_ascii())).collect()
}
