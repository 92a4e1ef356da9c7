//! Programs that well-known images do not have, by the files that those are built from.

use crate::images::Image;

/// The clients of clouds, clusters, stores of objects and engines of containers.
const CLOUD: [&str; 18] = [
    "argocd",
    "aws",
    "az",
    "azcopy",
    "docker",
    "flux",
    "gcloud",
    "gsutil",
    "helm",
    "kubectl",
    "mc",
    "oc",
    "rclone",
    "restic",
    "s3cmd",
    "skopeo",
    "terraform",
    "velero",
];

/// The clients of databases, with the official images that have them.
const DATABASES: [(&[&str], &[&str]); 4] = [
    (&["pg_dump", "pg_dumpall", "pg_isready", "pg_restore", "psql"], &["postgres"]),
    (&["mysql", "mysqladmin", "mysqldump"], &["mariadb", "mysql", "percona"]),
    (&["mongodump", "mongorestore", "mongosh"], &["mongo"]),
    (&["redis-cli"], &["redis", "valkey"]),
];

/// Official images (<https://github.com/docker-library/official-images/tree/master/library>) that have none of these clients
/// but those of their own database, and `docker` its own.
const OFFICIAL: [&str; 27] = [
    "almalinux",
    "alpine",
    "amazonlinux",
    "busybox",
    "debian",
    "docker",
    "eclipse-temurin",
    "fedora",
    "golang",
    "httpd",
    "mariadb",
    "memcached",
    "mongo",
    "mysql",
    "nginx",
    "node",
    "openjdk",
    "percona",
    "perl",
    "php",
    "postgres",
    "python",
    "rabbitmq",
    "redis",
    "ruby",
    "ubuntu",
    "valkey",
];

/// What else the smallest of them lack, in all their variants.
const SMALL: [(&[&str], &[&str]); 4] = [
    // https://git.alpinelinux.org/aports/tree/main/alpine-base/APKBUILD
    (
        &["alpine", "busybox"],
        &["bash", "curl", "envsubst", "git", "jq", "openssl", "python3", "ssh"],
    ),
    // https://salsa.debian.org/cloud-team/debian-docker-images, variant with the priority "required"
    (&["debian"], &["curl", "envsubst", "git", "jq", "nc", "python3", "ssh", "wget"]),
    (&["ubuntu"], &["curl", "envsubst", "git", "jq", "nc", "python3", "ssh", "wget"]),
    // https://github.com/docker-library/postgres, https://github.com/redis/docker-library-redis
    (&["postgres", "redis"], &["curl", "git", "jq"]),
];

/// What images of a language lack in their small variants: image, word of the tag, programs.
///
/// Sources: <https://github.com/nodejs/docker-node>, <https://github.com/docker-library/python>.
const VARIANTS: [(&str, &str, &[&str]); 4] = [
    ("node", "alpine", &["curl", "git", "jq"]),
    ("node", "slim", &["curl", "git", "jq", "wget"]),
    ("python", "alpine", &["curl", "git", "jq"]),
    ("python", "slim", &["curl", "git", "jq", "wget"]),
];

/// Programs that an image has had no more since a major version.
///
/// Sources: <https://mariadb.com/docs/server/clients-and-utilities/mariadb-client/mariadb-command-line-client>,
/// <https://www.mongodb.com/docs/v6.0/release-notes/6.0-compatibility/#legacy-mongo-shell-removed>.
const RETIRED: [(&str, u32, &[&str]); 2] =
    [("mariadb", 11, &["mysql", "mysqladmin", "mysqldump"]), ("mongo", 6, &["mongo"])];

/// The new names of programs that [`RETIRED`] images have under others.
const RENAMED: [(&str, &str); 4] = [
    ("mongo", "mongosh"),
    ("mysql", "mariadb"),
    ("mysqladmin", "mariadb-admin"),
    ("mysqldump", "mariadb-dump"),
];

/// The name under which an image has a program that it had under another one before.
pub(super) fn renamed(image: Image<'_>, program: &str) -> Option<&'static str> {
    let mut names = RENAMED.iter().filter(|(old, _)| *old == program).map(|(_, new)| *new);
    names.next().filter(|_| is_retired(image, program))
}

/// Images of an owner on Docker Hub that have one client and none of the others.
const CLIENTS: [(&str, &str, &[&str]); 6] = [
    // https://github.com/aws/aws-cli/blob/v2/docker/Dockerfile
    ("amazon", "aws-cli", &["aws"]),
    // https://github.com/bitnami/containers/tree/main/bitnami/kubectl
    ("bitnami", "kubectl", &["kubectl"]),
    ("bitnamilegacy", "kubectl", &["kubectl"]),
    // https://github.com/curl/curl-container
    ("curlimages", "curl", &[]),
    // https://github.com/GoogleCloudPlatform/cloud-sdk-docker
    ("google", "cloud-sdk", &["docker", "gcloud", "gsutil", "kubectl"]),
    // https://github.com/minio/mc/blob/master/Dockerfile
    ("minio", "mc", &["mc"]),
];

/// What else the small distributions of some of [`CLIENTS`] lack, and the tag since which they do, if they had it before.
const BARE: [(&str, &[&str], &str); 4] = [
    // https://github.com/aws/aws-cli/issues/5106
    ("aws-cli", &["jq", "tar"], ""),
    ("curl", &["jq"], ""),
    // https://github.com/minio/mc/issues/4469
    ("mc", &["find"], ""),
    // https://github.com/minio/mc/pull/4725, https://github.com/minio/mc/issues/4764
    ("mc", &["awk", "grep", "jq", "sed", "tar"], "RELEASE.2023-11-06"),
];

/// Whether a tag is that of a release, or a later one, as its text tells.
fn is_since(tag: &str, release: &str) -> bool {
    tag == "latest" || tag.get(..7) == release.get(..7) && tag >= release
}

/// Whether an image certainly lacks a program.
pub(super) fn lacks(image: Image<'_>, program: &str) -> bool {
    let database = DATABASES.iter().find(|(clients, _)| clients.contains(&program));
    let is_client = CLOUD.contains(&program) || database.is_some();
    if image.is_official() {
        let is_own = database.is_some_and(|(_, images)| images.contains(&image.name))
            || image.name == program;
        let mut small = SMALL.iter().filter(|(images, _)| images.contains(&image.name));
        return is_client && !is_own && OFFICIAL.contains(&image.name)
            || small.any(|(_, programs)| programs.contains(&program))
            || lacks_in_variant(image, program)
            || is_retired(image, program);
    }
    let mut of_clients =
        CLIENTS.iter().filter(|(owner, name, _)| image.is_of(owner) && image.name == *name);
    let mut bare = BARE
        .iter()
        .filter(|(name, programs, _)| *name == image.name && programs.contains(&program));
    let is_other =
        is_client || bare.any(|(.., since)| since.is_empty() || is_since(image.tag, since));
    is_other && of_clients.any(|(.., own)| !own.contains(&program))
}

fn lacks_in_variant(image: Image<'_>, program: &str) -> bool {
    VARIANTS.iter().any(|(name, variant, programs)| {
        let mut words = image.tag.split('-');
        *name == image.name
            && programs.contains(&program)
            && words.any(|word| word.starts_with(variant))
    })
}

fn is_retired(image: Image<'_>, program: &str) -> bool {
    let major = image.tag.split(['.', '-']).next().unwrap_or_default();
    let is_since =
        |since: u32| major == "latest" || major.parse().is_ok_and(|own: u32| own >= since);
    RETIRED.iter().any(|(name, since, programs)| {
        *name == image.name && programs.contains(&program) && is_since(*since)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_the_clients_of_its_own_database() {
        let lacks = |image, program| lacks(Image::of(image), program);
        assert!(!lacks("postgres:16-alpine", "pg_dump") && lacks("postgres:16-alpine", "aws"));
        assert!(!lacks("mariadb:10.11", "mysqldump") && lacks("mongo:7", "mysqldump"));
        assert!(lacks("alpine:3.20", "psql") && lacks("busybox", "curl"));
        assert!(!lacks("mongo:7", "jq") && !lacks("python:3.12", "curl"));
        assert!(lacks("bitnami/kubectl:1.30", "aws") && !lacks("bitnami/kubectl:1.30", "kubectl"));
        assert!(lacks("google/cloud-sdk:latest", "mysqldump") && lacks("google/cloud-sdk", "aws"));
        assert!(!lacks("google/cloud-sdk", "gsutil") && !lacks("google/cloud-sdk", "kubectl"));
        assert!(lacks("amazon/aws-cli:2.15.0", "tar") && !lacks("amazon/aws-cli:2.15.0", "grep"));
        assert!(
            lacks("minio/mc:RELEASE.2022-01-07T06-01-38Z", "find") && lacks("minio/mc", "grep")
        );
        assert!(lacks("minio/mc:RELEASE.2024-11-21T17-21-54Z", "sed"));
        assert!(
            !lacks("minio/mc:RELEASE.2023-09-29T16-41-22Z", "sed")
                && !lacks("minio/mc:edge", "sed")
        );
        assert!(lacks("amazon/aws-cli:2.15.0", "jq") && !lacks("bitnami/kubectl:1.30", "jq"));
        assert!(lacks("busybox:1.36", "docker") && !lacks("docker:27-cli", "docker"));
        assert!(lacks("docker:27-cli", "kubectl") && !lacks("php:8.3", "curl"));
        assert!(lacks("mariadb:11.4", "mysqldump") && !lacks("mariadb:11.4", "mariadb-dump"));
        assert!(lacks("mongo:7-jammy", "mongo") && !lacks("mongo:5.0", "mongo"));
        assert!(lacks("node:22-slim", "curl") && lacks("python:3.13-alpine3.22", "git"));
        assert!(!lacks("python:3.13", "git") && !lacks("node:22-alpine", "wget"));
        assert!(!lacks("registry.local/alpine:3.20", "aws") && !lacks("alpine/k8s:1.30", "aws"));
    }
}
