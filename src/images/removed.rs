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
    /// Parts of the tags that were not copied.
    not_copied: &'static [&'static str],
}

/// Bitnami moved all tags with a version but those for old distributions, and publishes what is left as `latest`:
/// <https://github.com/bitnami/containers/issues/83267>, <https://github.com/bitnami/containers/issues/86251>.
static REMOVED: [Removed; 1] = [Removed {
    owner: "bitnami",
    kept: &["latest"],
    date: "29 September 2025",
    copies: "bitnamilegacy",
    not_copied: &["debian-8", "debian-9", "debian-10", "centos-7", "ol-7"],
}];

impl Removed {
    /// What holds for an image, by the owner and the tag.
    pub(crate) fn of(image: Image<'_>) -> Option<&'static Self> {
        let mut all = REMOVED.iter();
        all.find(|one| image.is_of(one.owner) && !one.kept.contains(&image.tag))
    }

    /// Whether the copies have a tag: `11.13.0-debian-10-r60`.
    pub(crate) fn has_copy(&self, tag: &str) -> bool {
        let is_for = |part: &&str| {
            let mut rests = tag.split(*part).skip(1);
            rests.any(|rest| !rest.starts_with(|one: char| one.is_ascii_digit()))
        };
        !self.not_copied.iter().any(is_for)
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
        let has_copy = |image: &str| {
            let image = Image::of(image);
            Removed::of(image).is_some_and(|one| one.has_copy(image.tag))
        };
        assert!(has_copy("bitnami/postgresql:16.4.0-debian-12-r1"));
        assert!(has_copy("bitnami/postgresql:16.4.0"));
        assert!(!has_copy("bitnami/postgresql:11.14.0-debian-10-r22"));
        assert!(!has_copy("bitnami/redis:5-debian-9"));
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
