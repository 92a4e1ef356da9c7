//! The shell that a container is started with.

use yaml_spans::Node;

use crate::{command::Command, images::Image};

/// Official images whose variants on Alpine have no bash, by the files that they are built from
/// (<https://github.com/docker-library/official-images/tree/master/library>). `postgres` and `wordpress` install it.
const ON_ALPINE: [&str; 8] = ["golang", "nginx", "node", "php", "python", "redis", "ruby", "rust"];

/// Owners and names of images on Docker Hub that are Alpine and a client, without bash.
///
/// Sources: <https://github.com/curl/curl-container>, <https://github.com/rclone/rclone/blob/master/Dockerfile>,
/// <https://github.com/restic/restic/blob/master/docker/Dockerfile>.
const CLIENTS: [(&str, &str); 3] =
    [("curlimages", "curl"), ("rclone", "rclone"), ("restic", "restic")];

/// The word that starts a shell which the image does not have, and the name of the shell.
pub(super) fn absent<'a>(command: &Command<'a>) -> Option<(&'a Node, &'a str)> {
    let image = Image::of(command.stated_image()?.as_str()?);
    let word = command.container.get("command")?.items().first()?;
    let path = word.as_str()?;
    let name = path.rsplit('/').next()?;
    let is_looked_up = matches!(&path[..path.len() - name.len()], "" | "/bin/" | "/usr/bin/");
    (is_looked_up && lacks(image, name) && !command.is_made_up(0)).then_some((word, name))
}

/// Whether an image certainly lacks a shell.
fn lacks(image: Image<'_>, shell: &str) -> bool {
    let is_alpine = |word: &str| word.starts_with("alpine");
    let is_bashless = || {
        image.is_official()
            && (matches!(image.name, "alpine" | "busybox")
                || ON_ALPINE.contains(&image.name) && image.tag.split('-').any(is_alpine))
            || CLIENTS.iter().any(|(owner, name)| image.is_of(owner) && image.name == *name)
    };
    match shell {
        "bash" => is_bashless() || has_no_shell(image),
        "sh" => has_no_shell(image),
        _ => false,
    }
}

/// Whether an image has no shell at all.
///
/// Sources: <https://github.com/GoogleContainerTools/distroless#debug-images>,
/// <https://github.com/kubernetes/release/tree/master/images/build/go-runner>.
pub(super) fn has_no_shell(image: Image<'_>) -> bool {
    let is_debug = image.tag.split('-').any(|word| word == "debug");
    image.is_from("gcr.io/distroless") && !is_debug
        || image.is_from("registry.k8s.io") && image.name == "kubectl"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_images_lack_bash_and_those_without_a_distribution_any_shell() {
        let lacks = |image, shell| lacks(Image::of(image), shell);
        for image in [
            "alpine:3.22",
            "busybox",
            "node:22-alpine",
            "python:3.13-alpine3.22",
            "curlimages/curl:8.10.1",
        ] {
            assert!(lacks(image, "bash") && !lacks(image, "sh"), "{image}");
        }
        for image in
            ["gcr.io/distroless/static-debian12:nonroot", "registry.k8s.io/kubectl:v1.34.0"]
        {
            assert!(lacks(image, "bash") && lacks(image, "sh"), "{image}");
        }
        for image in [
            "postgres:17-alpine",
            "node:22",
            "ghcr.io/shop/alpine:3",
            "gcr.io/distroless/base:debug-nonroot",
            "alpine/k8s:1.34.0",
            "registry.k8s.io/etcd:3.5.0",
        ] {
            assert!(!lacks(image, "bash") && !lacks(image, "sh"), "{image}");
        }
    }
}
