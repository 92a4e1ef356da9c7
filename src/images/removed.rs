//! Images that their owner has removed from a registry.

use super::Image;

/// What an owner has removed from Docker Hub.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Removed {
    pub(crate) owner: &'static str,
    /// The tags that the owner still publishes for some of the images.
    kept: &'static [&'static str],
    /// When the last one was removed.
    pub(crate) date: &'static str,
    /// The owner under which they are still there, without updates.
    pub(crate) copies: &'static str,
}

/// Bitnami moved all tags with a version, and publishes what is left as `latest`:
/// <https://github.com/bitnami/containers/issues/83267>.
static REMOVED: [Removed; 1] = [Removed {
    owner: "bitnami",
    kept: &["latest"],
    date: "29 September 2025",
    copies: "bitnamilegacy",
}];

impl Removed {
    /// What holds for an image, by the owner and the tag.
    pub(crate) fn of(image: Image<'_>) -> Option<&'static Self> {
        let mut all = REMOVED.iter();
        all.find(|one| image.is_of(one.owner) && !one.kept.contains(&image.tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_with_a_version_are_gone_from_the_catalogue_of_bitnami() {
        let is_removed = |image: &str| Removed::of(Image::of(image)).is_some();
        for image in [
            "bitnami/kubectl:1.27",
            "docker.io/bitnami/os-shell:12-debian-12-r35",
            "registry-1.docker.io/bitnami/postgresql:16.4.0",
        ] {
            assert!(is_removed(image), "{image}");
        }
        for image in [
            "bitnami/kubectl",
            "bitnami/kubectl:latest",
            "bitnamilegacy/kubectl:1.27",
            "bitnamisecure/kubectl:1.33",
            "ghcr.io/bitnami/kubectl:1.27",
            "registry.example.com/bitnami/kubectl:1.27",
            "public.ecr.aws/bitnami/kubectl:1.27",
        ] {
            assert!(!is_removed(image), "{image}");
        }
    }
}
