//! The entry point of well-known images, for containers with only `args`.

use yaml_spans::Node;

use super::{Element, escapes::Unescaped};

/// Image names (last path segment) with the `ENTRYPOINT` of their Dockerfile.
const PROGRAMS: [(&str, &str); 17] = [
    // https://github.com/aws/aws-cli/blob/v2/docker/Dockerfile
    ("aws-cli", "aws"),
    // https://github.com/bitnami/containers/tree/main/bitnami/kubectl
    ("kubectl", "kubectl"),
    // https://github.com/alpine-docker/helm
    ("helm", "helm"),
    // https://github.com/curl/curl-container
    ("curl", "curl"),
    // https://github.com/minio/mc/blob/master/Dockerfile
    ("mc", "mc"),
    // https://github.com/golang-migrate/migrate/blob/master/Dockerfile
    ("migrate", "migrate"),
    // https://github.com/flyway/flyway-docker
    ("flyway", "flyway"),
    // https://github.com/liquibase/docker
    ("liquibase", "liquibase"),
    // https://github.com/hashicorp/terraform/blob/main/Dockerfile
    ("terraform", "terraform"),
    // https://github.com/opentofu/opentofu/blob/main/Dockerfile
    ("opentofu", "tofu"),
    // https://github.com/vmware-tanzu/velero/blob/main/Dockerfile
    ("velero", "velero"),
    // https://github.com/rclone/rclone/blob/master/Dockerfile
    ("rclone", "rclone"),
    // https://github.com/restic/restic/blob/master/docker/Dockerfile
    ("restic", "restic"),
    // https://github.com/kubernetes/ingress-nginx/tree/main/images/kube-webhook-certgen
    ("kube-webhook-certgen", "kube-webhook-certgen"),
    // https://github.com/open-policy-agent/gatekeeper/blob/master/crd.Dockerfile
    ("gatekeeper-crds", "kubectl"),
    // https://github.com/fluxcd/flux2/blob/main/Dockerfile
    ("flux-cli", "flux"),
    // https://github.com/amacneil/dbmate/blob/main/Dockerfile
    ("dbmate", "dbmate"),
];

/// The entry point of the container's image, as an implied element, where its first argument is written.
pub(super) fn of(container: &Node) -> Option<Element<'_>> {
    let node = container.get("image")?;
    let image = node.as_str()?.split('@').next()?;
    let name = image.rsplit('/').next()?.split(':').next()?;
    let (_, program) = PROGRAMS.iter().find(|(last, _)| *last == name)?;
    if *program == "curl" && names_program(container) {
        return None;
    }
    let first = container.get("args").and_then(|args| args.items().first());
    Some(Element {
        implied: true,
        ..Element::new(first.unwrap_or(node), Unescaped::as_written((*program).to_owned()))
    })
}

/// Programs of the image of curl that its arguments begin with.
const OF_CURL: [&str; 3] = ["ash", "curl", "sh"];

/// Whether the arguments begin with a program: the entry point of the image of curl runs that instead
/// (<https://github.com/curl/curl-container/blob/main/etc/entrypoint.sh>).
fn names_program(container: &Node) -> bool {
    let first = container.get("args").and_then(|args| args.items().first()?.as_str());
    first.and_then(|first| first.rsplit('/').next()).is_some_and(|name| OF_CURL.contains(&name))
}
