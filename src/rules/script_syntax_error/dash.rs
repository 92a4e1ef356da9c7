//! The images whose `sh` is dash without `pipefail`: the official ones on Debian, whose releases up to 13 have dash 0.5.12
//! (<https://packages.debian.org/trixie/dash>).

use crate::images::Image;

/// Official images that are on Debian unless their tag says otherwise
/// (<https://github.com/docker-library/official-images/tree/master/library>).
const IMAGES: [&str; 15] = [
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
    "wordpress",
];

/// The words of a tag that leave an image on such a release of Debian.
const WORDS: [&str; 15] = [
    "apache", "bookworm", "bullseye", "buster", "cli", "current", "fpm", "latest", "lts",
    "mainline", "perl", "slim", "stable", "trixie", "zts",
];

/// Whether the `sh` of an image is certainly such a dash.
pub(super) fn has_dash(image: &str) -> bool {
    let image = Image::of(image);
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let mut words = image.tag.split('-');
    image.is_official()
        && IMAGES.contains(&image.name)
        && words.all(|word| !word.is_empty() && (is_number(word) || WORDS.contains(&word)))
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
            "ubuntu:24.04",
            "app:1.4.2",
        ] {
            assert!(!has_dash(image), "{image}");
        }
    }
}
