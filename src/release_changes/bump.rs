//! Recognises the values that a new release usually changes (image tags, digests, versions) and computes
//! their next value.

use go_template::provenance::Step;
use helm_render::{
    Override,
    values::{GLOBAL, Tree},
};
use job_lifecycle::release_changes::Raised;

/// Values that change together: the tag and digest of one image, or a single other value.
#[derive(Clone, Debug)]
pub(super) struct ValueGroup {
    /// Their paths: `Values.image.tag`.
    pub(super) names: Vec<String>,
    pub(super) overrides: Vec<Override>,
}

impl ValueGroup {
    pub(super) fn raised(&self) -> Vec<Raised> {
        let to = |raised: &Override| text(&raised.value).unwrap_or_default();
        let values = self.names.iter().zip(&self.overrides);
        values.map(|(input, raised)| Raised { input: input.clone(), to: to(raised) }).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// `tag: 1.4.2` of an image.
    Tag,
    /// `digest: sha256:…`.
    Digest,
    /// `image: shop/app:1.4.2`.
    Reference,
    /// `serverVersion: 1.4.2`.
    Version,
}

/// Sibling keys that show that a `tag` belongs to an image.
const BESIDE_A_TAG: [&str; 6] =
    ["repository", "image", "registry", "digest", "pullpolicy", "imagepullpolicy"];

/// Words beside `image` in keys whose value is not an image reference.
const NO_IMAGES: [&str; 6] = ["registry", "repository", "tag", "digest", "policy", "secret"];

/// Words in keys of versions that are unrelated to the deployed software.
const OTHER_VERSIONS: [&str; 12] = [
    "api",
    "kube",
    "kubernetes",
    "k8s",
    "schema",
    "tls",
    "ssl",
    "min",
    "max",
    "http",
    "ip",
    "protocol",
];

/// The values that a new release usually changes, grouped, in the order of the values.
pub(super) fn groups(leaves: &[Override]) -> Vec<ValueGroup> {
    let mut groups: Vec<(&[Step], ValueGroup)> = Vec::new();
    for leaf in leaves.iter().filter(|leaf| !is_inherited(leaf, leaves)) {
        let Some(role) = role(leaf, leaves) else { continue };
        let Some(value) = next_value(&leaf.value, role) else { continue };
        let raised = Override { path: leaf.path.clone(), value };
        let of_image = matches!(role, Role::Tag | Role::Digest);
        let above = &leaf.path[..leaf.path.len() - 1];
        match groups.iter_mut().find(|(own, _)| of_image && *own == above) {
            Some((_, group)) => {
                group.names.push(shown(&leaf.path));
                group.overrides.push(raised);
            }
            None => {
                let key = if of_image { above } else { &leaf.path[..] };
                groups.push((
                    key,
                    ValueGroup { names: vec![shown(&leaf.path)], overrides: vec![raised] },
                ));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Returns whether a sub-chart's `global` value is inherited from the parent chart.
fn is_inherited(leaf: &Override, leaves: &[Override]) -> bool {
    let global = leaf.path.iter().skip(1).position(|step| key(step) == Some(GLOBAL));
    global.is_some_and(|at| leaves.iter().any(|other| other.path == leaf.path[at + 1..]))
}

fn role(leaf: &Override, leaves: &[Override]) -> Option<Role> {
    let key = key(leaf.path.last()?)?;
    let text = text(&leaf.value)?;
    if text.trim().is_empty() || text.contains("{{") || text.contains(char::is_whitespace) {
        return None;
    }
    let words = words(key);
    let last = words.last().map(String::as_str).unwrap_or_default();
    match last {
        "tag" if is_of_image(leaf, leaves, &words) => Some(Role::Tag),
        "digest" | "sha" | "sha256" if is_digest(&text) => Some(Role::Digest),
        _ if is_image(&words) && reference(&text).is_some() => Some(Role::Reference),
        "version" if is_version(&text) && !is_other(&words) => Some(Role::Version),
        _ => None,
    }
}

/// Returns whether a `tag` belongs to an image, judged by its own key, its parents and its siblings.
fn is_of_image(leaf: &Override, leaves: &[Override], words: &[String]) -> bool {
    let says = |step: &Step| key(step).is_some_and(|key| key.to_lowercase().contains("image"));
    let above = &leaf.path[..leaf.path.len() - 1];
    let beside = || {
        leaves.iter().any(|other| {
            let own = other.path.len() == leaf.path.len() && other.path.starts_with(above);
            let key = other.path.last().and_then(key).unwrap_or_default().to_lowercase();
            own && BESIDE_A_TAG.contains(&&*key)
        })
    };
    words.iter().any(|word| word == "image") || above.iter().any(says) || beside()
}

/// Returns whether a key names an image: `image`, `imageEnvoy`, `webImage`.
fn is_image(words: &[String]) -> bool {
    words.iter().any(|word| word == "image")
        && !words.iter().any(|word| NO_IMAGES.contains(&&**word))
}

fn is_other(words: &[String]) -> bool {
    words.iter().any(|word| OTHER_VERSIONS.contains(&&**word))
}

fn is_digest(text: &str) -> bool {
    let hex = text.rsplit(':').next().unwrap_or_default();
    hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a text is a version: at least two dotted numbers, an optional `v` before and any suffix
/// after a hyphen, plus or underscore.
fn is_version(text: &str) -> bool {
    let core = text.strip_prefix('v').unwrap_or(text);
    let core = core.split(['-', '+', '_']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    core.contains('.') && core.split('.').all(is_number)
}

/// Splits an image reference before its tag or digest.
fn reference(text: &str) -> Option<(&str, &str)> {
    let at = text.find('@').or_else(|| text.rfind(':'))?;
    let (before, after) = text.split_at(at + 1);
    let is_tag = !after.is_empty() && !after.contains('/') && before.len() > 1;
    is_tag.then_some((before, after))
}

fn next_value(value: &Tree, role: Role) -> Option<Tree> {
    match value {
        Tree::Str(text) => Some(Tree::Str(
            match role {
                Role::Digest => next_digest(text),
                Role::Reference => {
                    let (before, after) = reference(text)?;
                    let is_digest = is_digest(after);
                    let next = if is_digest { next_digest(after) } else { next_version(after) };
                    format!("{before}{next}")
                }
                Role::Tag | Role::Version => next_version(text),
            }
            .into(),
        )),
        Tree::Int(number) => Some(Tree::Int(number.checked_add(1)?)),
        Tree::Float(number) => next_version(&number.to_string()).parse().ok().map(Tree::Float),
        Tree::Null | Tree::Bool(_) | Tree::List(_) | Tree::Table(_) => None,
    }
}

/// Increments the last number of the first dotted version: `v1.4.9-alpine3` becomes `v1.4.10-alpine3`. A text
/// without a number gets the suffix `-1`.
pub fn next_version(text: &str) -> String {
    let Some(start) = text.find(|c: char| c.is_ascii_digit()) else { return format!("{text}-1") };
    let run = text[start..].find(|c: char| !c.is_ascii_digit() && c != '.');
    let end = run.map_or(text.len(), |run| start + run);
    let end = start + text[start..end].trim_end_matches('.').len();
    let number = text[start..end].rfind('.').map_or(start, |dot| start + dot + 1);
    match text[number..end].parse::<u128>().ok().and_then(|value| value.checked_add(1)) {
        Some(next) => {
            let width = end - number;
            format!("{}{next:0width$}{}", &text[..number], &text[end..])
        }
        None => format!("{text}-1"),
    }
}

fn next_digest(text: &str) -> String {
    let other = if text.ends_with('0') { '1' } else { '0' };
    let mut next = text.to_owned();
    next.pop();
    next.push(other);
    next
}

fn text(value: &Tree) -> Option<String> {
    match value {
        Tree::Str(text) => Some(text.to_string()),
        Tree::Int(number) => Some(number.to_string()),
        Tree::Float(number) => Some(number.to_string()),
        Tree::Null | Tree::Bool(_) | Tree::List(_) | Tree::Table(_) => None,
    }
}

fn key(step: &Step) -> Option<&str> {
    match step {
        Step::Key(key) => Some(key),
        Step::Index(_) | Step::Keys => None,
    }
}

/// Splits a key into words: `imageTag`, `image_tag` and `image-tag` are `image` and `tag`.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in key.chars() {
        let is_break = !c.is_alphanumeric();
        if is_break || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if let (false, Some(word)) = (is_break, words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The path as [`Inputs::path`](go_template::provenance::Inputs::path) writes it.
fn shown(path: &[Step]) -> String {
    let mut inputs = go_template::provenance::Inputs::new();
    let mut input = inputs.root("Values");
    for step in path {
        input = match step {
            Step::Key(key) => inputs.child(input, key),
            Step::Index(index) => inputs.item(input, *index as usize),
            Step::Keys => inputs.keys(input),
        };
    }
    inputs.path(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_version() {
        for (text, next) in [
            ("1.4.9", "1.4.10"),
            ("v3", "v4"),
            ("2.0-alpine3.14", "2.1-alpine3.14"),
            ("v1.36.0-alpine", "v1.36.1-alpine"),
            ("1.1.0-dev", "1.1.1-dev"),
            ("RELEASE.2024-01-31", "RELEASE.2025-01-31"),
            ("007", "008"),
            ("latest", "latest-1"),
            ("1.", "2."),
        ] {
            assert_eq!(next_version(text), next);
        }
    }

    fn leaf(path: &str, value: &str) -> Override {
        let path = path.split('.').map(|key| Step::Key(key.into())).collect();
        Override { path, value: Tree::Str(value.into()) }
    }

    fn names(leaves: &[(&str, &str)]) -> Vec<Vec<String>> {
        let leaves: Vec<_> = leaves.iter().map(|(path, value)| leaf(path, value)).collect();
        groups(&leaves).into_iter().map(|group| group.names).collect()
    }

    #[test]
    fn images_are_raised_and_settings_are_not() {
        let digest = format!("sha256:{}", "0123456789abcdef".repeat(4));
        assert_eq!(
            names(&[
                ("image.repository", "shop/app"),
                ("image.tag", "1.4.2"),
                ("image.digest", &digest),
                ("migrate.image", "shop/migrate:1.4.2"),
                ("imageK8S", "shop/control:1.4.2"),
                ("job.imageTag", "latest"),
                ("serverVersion", "16.2"),
            ]),
            [
                vec!["Values.image.tag", "Values.image.digest"],
                vec!["Values.migrate.image"],
                vec!["Values.imageK8S"],
                vec!["Values.job.imageTag"],
                vec!["Values.serverVersion"],
            ]
        );
        let settled: Vec<Vec<String>> = names(&[
            ("metrics.tag", "prod"),
            ("image.tag", ""),
            ("image.digest", ""),
            ("image.pullPolicy", "Always"),
            ("base.image", "busybox"),
            ("imageRegistry", "registry:5000"),
            ("base.image", "registry:5000/busybox"),
            ("job.image", "shop/app:{{ .Chart.AppVersion }}"),
            ("apiVersion", "1.2"),
            ("tls.minVersion", "1.2"),
            ("kubeVersion", "1.30.0"),
            ("server.version", "two"),
        ]);
        assert!(settled.is_empty(), "{settled:?}");
        let tag = "1.4.2";
        let inherited = [("global.image.tag", tag), ("db.global.image.tag", tag)];
        assert_eq!(names(&inherited), [["Values.global.image.tag"]]);
    }
}
