//! The names of well-known images.

mod removed;
mod sh;

pub(crate) use removed::Removed;
pub(crate) use sh::{has_busybox, has_dash, has_plain_sh, lacks_pipefail};

/// Where official images come from.
const REGISTRIES: [&str; 7] = [
    "",
    "docker.io",
    "docker.io/library",
    "index.docker.io/library",
    "library",
    "mirror.gcr.io/library",
    "public.ecr.aws/docker/library",
];

/// An image without its digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Image<'a> {
    /// `docker.io/bitnami`; empty if none is written.
    registry: &'a str,
    pub(crate) name: &'a str,
    pub(crate) tag: &'a str,
}

impl<'a> Image<'a> {
    pub(crate) fn of(image: &'a str) -> Self {
        let image = image.split('@').next().unwrap_or(image);
        let (registry, last) = image.rsplit_once('/').unwrap_or(("", image));
        let (name, tag) = last.split_once(':').unwrap_or((last, "latest"));
        Self { registry, name, tag }
    }

    /// Whether it is one of the official images of Docker (<https://github.com/docker-library/official-images>).
    pub(crate) fn is_official(self) -> bool {
        REGISTRIES.contains(&self.registry)
    }

    /// Whether it comes from a registry, or a folder in it: `registry.k8s.io`.
    pub(crate) fn is_from(self, registry: &str) -> bool {
        self.registry == registry
    }

    /// Whether it is an image of an owner on Docker Hub: `bitnami/kubectl`.
    pub(crate) fn is_of(self, owner: &str) -> bool {
        let registry = self.registry;
        let registry = ["docker.io/", "index.docker.io/", "registry-1.docker.io/"]
            .iter()
            .find_map(|hub| registry.strip_prefix(hub))
            .unwrap_or(registry);
        registry == owner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_tags_and_digests_are_told_from_names() {
        let image = Image::of("docker.io/library/redis:7-alpine@sha256:0123");
        assert_eq!((image.name, image.tag, image.is_official()), ("redis", "7-alpine", true));
        let image = Image::of("docker.io/bitnami/kubectl");
        assert_eq!((image.name, image.tag, image.is_official()), ("kubectl", "latest", false));
        assert!(image.is_of("bitnami") && Image::of("bitnami/kubectl:1.30").is_of("bitnami"));
        assert!(!Image::of("registry.local:5000/postgres").is_official());
        assert!(!Image::of("ghcr.io/bitnami/kubectl").is_of("bitnami"));
    }
}
