//! The images whose `sh` is certainly not bash: that of busybox, and dash in the official ones on Debian.

use super::Image;

/// Official images that are on Debian unless their tag says otherwise
/// (<https://github.com/docker-library/official-images/tree/master/library>).
const IMAGES: [&str; 16] = [
    "debian",
    "golang",
    "haproxy",
    "httpd",
    "memcached",
    "nginx",
    "node",
    "perl",
    "php",
    "postgres",
    "python",
    "redis",
    "ruby",
    "rust",
    "ubuntu",
    "wordpress",
];

/// The words of a tag that leave an image on Debian.
const WORDS: [&str; 18] = [
    "apache", "bookworm", "bullseye", "buster", "cli", "current", "focal", "fpm", "jammy",
    "latest", "lts", "mainline", "noble", "perl", "slim", "stable", "trixie", "zts",
];

/// Releases of Debian whose dash has no `pipefail`: it came with 0.5.12-7, and Debian 13 has 0.5.12-12
/// (<https://tracker.debian.org/media/packages/d/dash/changelog-0.5.12-12>).
const WITHOUT_PIPEFAIL: [&str; 7] = ["bookworm", "bullseye", "buster", "9", "10", "11", "12"];

/// The same of Ubuntu, whose release 24.04 has 0.5.12-6ubuntu5 (<https://packages.ubuntu.com/noble/dash>).
const OF_UBUNTU: [&str; 6] = ["20", "22", "24", "focal", "jammy", "noble"];

/// Whether the `sh` of an image certainly has no `pipefail`: a tag without a release moves to the next one.
pub(crate) fn lacks_pipefail(image: &str) -> bool {
    let known = Image::of(image);
    let is_old = |word: &str| {
        let release = word.split('.').next().unwrap_or(word);
        if known.name == "ubuntu" {
            return OF_UBUNTU.contains(&release);
        }
        let is_release =
            known.name == "debian" || !release.starts_with(|c: char| c.is_ascii_digit());
        is_release && WITHOUT_PIPEFAIL.contains(&release)
    };
    has_dash(image) && known.tag.split('-').any(is_old)
}

/// Whether the `sh` of an image is certainly dash, and the image on Debian.
pub(crate) fn has_dash(image: &str) -> bool {
    let image = Image::of(image);
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let mut words = image.tag.split('-');
    image.is_official()
        && IMAGES.contains(&image.name)
        && words.all(|word| !word.is_empty() && (is_number(word) || WORDS.contains(&word)))
}

/// Whether the `sh` of an image is certainly one of the two.
pub(crate) fn has_plain_sh(image: &str) -> bool {
    has_dash(image) || has_busybox(image)
}

/// Images of the owner `alpine` on Docker Hub, which are on Alpine (<https://hub.docker.com/u/alpine>).
const OF_ALPINE: [&str; 5] = ["curl", "git", "helm", "k8s", "openssl"];

/// Whether the `sh` of an image is certainly that of busybox.
pub(crate) fn has_busybox(image: &str) -> bool {
    let is_alpine = |word: &str| {
        word.strip_prefix("alpine")
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    let image = Image::of(image);
    image.is_official()
        && (matches!(image.name, "alpine" | "busybox")
            || IMAGES.contains(&image.name) && image.tag.split('-').any(is_alpine))
        || image.is_of("alpine") && OF_ALPINE.contains(&image.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_official_images_on_debian_have_dash_for_certain() {
        for image in [
            "postgres:17",
            "docker.io/library/python:3.11-slim",
            "node:22-bookworm-slim@sha256:0123",
            "debian",
            "php:8.3-fpm",
            "ubuntu:24.04",
        ] {
            assert!(has_dash(image), "{image}");
        }
        for image in [
            "postgres:17-alpine",
            "postgres:17-alpine3.20",
            "bitnami/postgresql:17",
            "ghcr.io/shop/python:3.11",
            "debian:sid",
            "python:${TAG}",
            "app:1.4.2",
        ] {
            assert!(!has_dash(image), "{image}");
        }
        for image in [
            "node:22-bookworm-slim",
            "debian:12",
            "debian:11.9-slim",
            "python:3.11-buster",
            "ubuntu:22.04",
            "ubuntu:noble",
        ] {
            assert!(lacks_pipefail(image), "{image}");
        }
        for image in
            ["postgres:12", "postgres:17", "debian:13", "debian", "postgres:18-trixie", "ubuntu"]
        {
            assert!(!lacks_pipefail(image), "{image}");
        }
        for image in ["alpine:3.18", "docker.io/library/busybox", "postgres:17-alpine3.20"] {
            assert!(has_busybox(image), "{image}");
        }
        for image in ["postgres:17", "ghcr.io/shop/alpine:3", "bash:5"] {
            assert!(!has_busybox(image), "{image}");
        }
    }
}
