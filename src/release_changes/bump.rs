//! Recognises the values that a new release usually changes: whatever flows into an image, and other versions.

use go_template::provenance::Step;
use helm_render::{Override, values::GLOBAL};
use job_lifecycle::release_changes::Raised;

use super::{
    flow::Flows,
    next::{self, Role},
};

/// Values that change together: the tag and digest of one image, or a single other value.
#[derive(Clone, Debug)]
pub(super) struct ValueGroup {
    /// Their paths: `Values.image.tag`.
    pub(super) names: Vec<String>,
    pub(super) overrides: Vec<Override>,
    roles: Vec<Role>,
}

impl ValueGroup {
    pub(super) fn raised(&self) -> Vec<Raised> {
        let to = |raised: &Override| next::text(&raised.value).unwrap_or_default();
        let values = self.names.iter().zip(&self.overrides);
        values.map(|(input, raised)| Raised { input: input.clone(), to: to(raised) }).collect()
    }

    /// Returns whether a tag or digest belongs to the same image as this group: each has one of both.
    fn takes(&self, leaf: &Override, role: &Role) -> bool {
        let of_image = |role: &Role| matches!(role, Role::Tag | Role::Digest);
        let above = |path: &[Step]| path[..path.len() - 1].to_vec();
        of_image(role)
            && self.roles.iter().all(|own| of_image(own) && own != role)
            && self.overrides.iter().all(|own| above(&own.path) == above(&leaf.path))
    }
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

/// The values that a new release usually changes, grouped, in the order of the values. `flows` says which of the
/// `leaves` reach workloads, and how.
pub(super) fn groups(leaves: &[Override], flows: &Flows) -> Vec<ValueGroup> {
    let mut groups: Vec<ValueGroup> = Vec::new();
    for (index, leaf) in leaves.iter().enumerate() {
        if is_inherited(leaf, leaves) {
            continue;
        }
        let by_looks = || flows.data.contains(&index).then(|| role(leaf, leaves))?;
        let Some(role) = flows.images.get(&index).cloned().or_else(by_looks) else { continue };
        let Some(value) = next::next_value(&leaf.value, &role) else { continue };
        let group = groups.iter_mut().find(|group| group.takes(leaf, &role));
        let group = match group {
            Some(group) => group,
            None => {
                let empty =
                    ValueGroup { names: Vec::new(), overrides: Vec::new(), roles: Vec::new() };
                groups.push(empty);
                groups.last_mut().expect("a group was just added")
            }
        };
        group.names.push(shown(&leaf.path));
        group.overrides.push(Override { path: leaf.path.clone(), value });
        group.roles.push(role);
    }
    groups
}

/// Returns whether a sub-chart's `global` value is inherited from the parent chart.
fn is_inherited(leaf: &Override, leaves: &[Override]) -> bool {
    let global = leaf.path.iter().skip(1).position(|step| key(step) == Some(GLOBAL));
    global.is_some_and(|at| leaves.iter().any(|other| other.path == leaf.path[at + 1..]))
}

/// The role of a value that is part of a workload, but not of its images: it looks like a version, or its key
/// and its neighbours say that it belongs to an image.
fn role(leaf: &Override, leaves: &[Override]) -> Option<Role> {
    let key = leaf.path.iter().rev().find_map(key)?;
    let text = next::text(&leaf.value)?;
    if text.trim().is_empty() || text.contains("{{") || text.contains(char::is_whitespace) {
        return None;
    }
    let words = words(key);
    let last = words.last().map(String::as_str).unwrap_or_default();
    match last {
        "tag" if is_of_image(leaf, leaves, &words) => Some(Role::Tag),
        "digest" | "sha" | "sha256" if next::is_digest(&text) => Some(Role::Digest),
        _ if is_image(&words) && next::reference(&text).is_some() => Some(Role::Reference),
        _ if is_versioned_image(&text) => Some(Role::Reference),
        _ if is_other(&words) => None,
        "version" if next::is_version(&text) => Some(Role::Version),
        _ if next::is_semantic_version(&text) => Some(Role::Version),
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

/// Returns whether a text cannot be much else than an image: `shop/app:1.4.2`.
fn is_versioned_image(text: &str) -> bool {
    let reference = next::reference(text);
    reference.is_some_and(|(before, version)| {
        before.contains('/') && (next::is_version(version) || next::is_digest(version))
    })
}

fn is_other(words: &[String]) -> bool {
    words.iter().any(|word| OTHER_VERSIONS.contains(&&**word))
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
    use helm_render::values::Tree;

    use super::*;

    fn leaf(path: &str, value: &str) -> Override {
        let path = path.split('.').map(|key| Step::Key(key.into())).collect();
        Override { path, value: Tree::Str(value.into()) }
    }

    fn names(leaves: &[(&str, &str)]) -> Vec<Vec<String>> {
        let leaves: Vec<_> = leaves.iter().map(|(path, value)| leaf(path, value)).collect();
        let data = (0..leaves.len()).collect();
        let flows = Flows { data, ..Flows::default() };
        groups(&leaves, &flows).into_iter().map(|group| group.names).collect()
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
                ("schema.of", "v3.0.1-ee"),
                ("sidecar.from", "registry:5000/shop/proxy:1.4"),
            ]),
            [
                vec!["Values.image.tag", "Values.image.digest"],
                vec!["Values.migrate.image"],
                vec!["Values.imageK8S"],
                vec!["Values.job.imageTag"],
                vec!["Values.serverVersion"],
                vec!["Values.schema.of"],
                vec!["Values.sidecar.from"],
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
            ("listen", "10.0.0.1"),
            ("url", "http://shop:8080"),
            ("resources.cpu", "0.5"),
        ]);
        assert!(settled.is_empty(), "{settled:?}");
        let tag = "1.4.2";
        let inherited = [("global.image.tag", tag), ("db.global.image.tag", tag)];
        assert_eq!(names(&inherited), [["Values.global.image.tag"]]);
        let unused = groups(&[leaf("image.tag", tag)], &Flows::default());
        assert!(unused.is_empty(), "it reaches no workload");
    }
}
