//! The changes of plain manifests, which only an edit changes: there is no template to render again.

use std::iter;

use yaml_spans::Node;

use super::{Change, ReleaseChanges};
use crate::{
    Label,
    object::Object,
    workload::{self, Kind},
};

impl ReleaseChanges {
    /// A new version edits the pod template and nothing else.
    pub fn template_edit() -> Self {
        let fields = vec!["spec.template"];
        let upgrade = Change { fields, mutable: true, ..Change::default() };
        Self { upgrade, ..Self::default() }
    }

    /// The changes of a plain manifest: a redeploy changes nothing, a new version edits the images, and with
    /// them a name that contains a version.
    pub fn edited(object: &Object) -> Self {
        let pod = workload::pod_path(object).and_then(|path| object.root.at(path));
        let images: Vec<_> = pod.into_iter().flat_map(workload::images).collect();
        let name = object
            .name()
            .filter(|name| is_versioned_name(name, images.iter().filter_map(|i| i.as_str())));
        let fields = match workload::kind_of(object) {
            Some(Kind::Job) => vec!["spec.template"],
            Some(Kind::CronJob) | None => Vec::new(),
        };
        let label =
            |node: &Node, text| Label { source: object.source.clone(), span: node.span, text };
        let image = |node: &&Node| {
            label(
                node,
                format!(
                    "a new version is another image than `{}`",
                    node.as_str().unwrap_or_default()
                ),
            )
        };
        let causes = match (name, object.root.at(&["metadata", "name"])) {
            (Some(name), Some(node)) => {
                vec![label(node, format!("`{name}` changes with the version"))]
            }
            _ => images.iter().map(image).collect(),
        };
        let upgrade =
            Change { name: name.is_some(), mutable: true, fields, causes, ..Change::default() };
        Self { upgrade, ..Self::default() }
    }
}

/// True for a name that changes with the content of the object: it contains a version, a date, a hash, the
/// tag of one of the images, or a placeholder.
pub fn is_versioned_name<'a>(name: &str, images: impl Iterator<Item = &'a str>) -> bool {
    let name = &without_scaffold(name);
    let filled_in = name.contains(['<', '{', '$']);
    filled_in
        || name.replace('.', "-").split('-').skip(1).any(is_varying)
        || ends_in_tag(name, images)
}

/// True for a name that ends in the tag of one of the images: `migrate-2-7-5` for `app:v2.7.5`.
pub fn ends_in_tag<'a>(name: &str, mut images: impl Iterator<Item = &'a str>) -> bool {
    let name = name.replace('.', "-");
    images.any(|image| {
        let tag = image.rsplit_once(':').map_or("", |(_, tag)| tag).to_lowercase();
        let tag = tag.replace(['.', '_', '+'], "-");
        let number = tag.strip_prefix('v').filter(|number| number.contains('-'));
        let mut written = iter::once(&*tag).chain(number);
        tag.len() > 1 && written.any(|tag| name.ends_with(&format!("-{tag}")))
    })
}

/// What Backstage and Cookiecutter fill in, once, when they make the repository.
const SCAFFOLD: [&str; 4] = ["{{cookiecutter.", "{{ cookiecutter.", "${{values.", "${{ values."];

/// A name without the placeholders that are filled in once.
fn without_scaffold(name: &str) -> String {
    let mut name = name.to_owned();
    while let Some(at) = SCAFFOLD.iter().find_map(|open| name.find(open)) {
        let end = name[at..].find("}}").map_or(name.len(), |end| at + end + 2);
        name.replace_range(at..end, "");
    }
    name
}

/// A version, date or hash: `v2`, `20240131`, `3f2a9c1`.
fn is_varying(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let hex = part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let version = part.strip_prefix('v').is_some_and(|v| !v.is_empty() && digits == v.len());
    version || hex && part.len() >= 6 && digits > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_in_the_tag_of_an_image() {
        for (name, image) in [
            ("migrate-1.4.2", "shop/app:1.4.2"),
            ("migrate-v2-7-5", "app:v2.7.5"),
            ("migrate-2-7-5", "app:v2.7.5"),
            ("migrate-nightly", "app:nightly"),
        ] {
            assert!(ends_in_tag(name, iter::once(image)), "{name}");
        }
        for (name, image) in
            [("migrate-3", "app:v3"), ("migrate-2-7", "app:v2.7.5"), ("a-5", "app:5")]
        {
            assert!(!ends_in_tag(name, iter::once(image)), "{name}");
        }
    }

    #[test]
    fn what_is_filled_in_once_is_no_version() {
        for name in ["init-${TAG}", "init-<VERSION>", "init-v2-${{ values.app }}"] {
            assert!(is_versioned_name(name, std::iter::empty()), "{name}");
        }
        for name in ["init", "init-${{ values.app }}", "{{cookiecutter.app}}-init"] {
            assert!(!is_versioned_name(name, std::iter::empty()), "{name}");
        }
    }
}
