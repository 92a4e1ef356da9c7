//! Containers that run until they are stopped, so that a Job never completes: injected sidecars, and images
//! of proxies, collectors and servers.

use std::path::Path;

use yaml_spans::Node;

/// The key of a label or annotation, and the values that match; empty: any value.
pub type Mark = (&'static str, &'static [&'static str]);

/// A service mesh or agent that injects a container into pods.
#[derive(Debug)]
pub struct Injector {
    /// The injected container, as the subject of a sentence.
    pub adds: &'static str,
    /// Marks on the pod that request the injection.
    pub pod: &'static [Mark],
    /// Marks on the namespace that request the injection.
    pub namespace: &'static [Mark],
    /// Marks on the pod or the namespace that prevent the injection, or make the container end with the others.
    pub ends: &'static [Mark],
    /// A setting of the mesh that, turned on, lets all of them end with the others.
    pub setting: Option<&'static str>,
    /// It ends when the main container calls it, possibly from code that the manifest does not show.
    pub called: bool,
    /// How to let the Job complete, an imperative phrase.
    pub help: &'static str,
}

/// The injectors whose containers keep a Job from completing.
///
/// Sources: istio.io "Installing the Sidecar" and the annotation reference (native sidecars are
/// Istio's default from 1.27), linkerd.io "Automatic Proxy Injection" and "Native sidecars",
/// developer.hashicorp.com "Consul on Kubernetes annotations" and "Vault Agent Injector annotations",
/// docs.dapr.io "Running Dapr with a Kubernetes Job". Kuma is absent because it stops its
/// proxy itself.
pub const INJECTORS: &[Injector] = &[
    Injector {
        adds: "the Istio proxy (before 1.27, or without native sidecars)",
        pod: &[("sidecar.istio.io/inject", &["true"]), ("istio.io/rev", &[])],
        namespace: &[("istio-injection", &["enabled"]), ("istio.io/rev", &[])],
        ends: &[
            ("sidecar.istio.io/inject", &["false"]),
            ("sidecar.istio.io/nativeSidecar", &["true"]),
        ],
        setting: Some("ENABLE_NATIVE_SIDECARS"),
        called: false,
        help: "annotate the pod template with `sidecar.istio.io/nativeSidecar: \"true\"`, or keep the \
               proxy away with the label `sidecar.istio.io/inject: \"false\"`",
    },
    Injector {
        adds: "the Linkerd proxy",
        pod: &[("linkerd.io/inject", &["enabled", "ingress"])],
        namespace: &[("linkerd.io/inject", &["enabled", "ingress"])],
        ends: &[
            ("linkerd.io/inject", &["disabled"]),
            ("config.beta.linkerd.io/proxy-enable-native-sidecar", &["true"]),
            ("config.alpha.linkerd.io/proxy-enable-native-sidecar", &["true"]),
        ],
        setting: Some("nativeSidecar"),
        called: false,
        help: "annotate the pod template with \
               `config.beta.linkerd.io/proxy-enable-native-sidecar: \"true\"`, or with \
               `linkerd.io/inject: disabled`",
    },
    Injector {
        adds: "the Consul proxy",
        pod: &[("consul.hashicorp.com/connect-inject", &["true"])],
        namespace: &[],
        ends: &[("consul.hashicorp.com/connect-inject", &["false"])],
        setting: None,
        called: true,
        help: "call its `/graceful_shutdown` when the work is done, or set \
               `consul.hashicorp.com/connect-inject: \"false\"`",
    },
    Injector {
        adds: "the Vault agent",
        pod: &[("vault.hashicorp.com/agent-inject", &["true"])],
        namespace: &[],
        // With `agent-enable-quit`, the agent ends when something calls its quit endpoint, often code outside the manifest.
        ends: &[
            ("vault.hashicorp.com/agent-pre-populate-only", &["true"]),
            ("vault.hashicorp.com/agent-enable-quit", &["true"]),
        ],
        setting: None,
        called: false,
        help: "add `vault.hashicorp.com/agent-pre-populate-only: \"true\"`",
    },
    Injector {
        adds: "the Dapr sidecar",
        pod: &[("dapr.io/enabled", &["true"])],
        namespace: &[],
        ends: &[],
        setting: None,
        called: true,
        help: "call its `POST /v1.0/shutdown` when the work is done",
    },
];

/// An annotation of the pod that lists the containers which a controller stops when all others have ended
/// (github.com/otherguy/k8s-controller-sidecars).
const STOPPED: &str = "pod.kubernetes.io/sidecars";

/// True when the pod of this metadata says that a controller stops a container.
pub fn is_stopped(metadata: Option<&Node>, container: &str) -> bool {
    let listed = metadata.and_then(|metadata| metadata.at(&["annotations", STOPPED])?.as_str());
    listed.is_some_and(|names| names.split(',').any(|name| name.trim() == container))
}

/// Text in a command that stops a sidecar or waits for another container to end.
const ENDERS: &[&str] =
    &["quitquitquit", "graceful_shutdown", "/shutdown", "linkerd-await", "kubexit", KILL];

/// Text in a command that ends processes: those of other containers only if the pod shares them.
const KILL: &str = "kill";

/// An image whose default command runs until it is stopped.
struct Daemon {
    /// The last segment of the image's name.
    image: &'static str,
    /// Text that the tag must contain.
    tag: &'static str,
    /// First words of a command, besides options, with which it still runs until stopped.
    words: &'static [&'static str],
}

const fn daemon(image: &'static str, words: &'static [&'static str]) -> Daemon {
    Daemon { image, tag: "", words }
}

/// Source: the documentation of the images.
const DAEMONS: &[Daemon] = &[
    daemon("gce-proxy", &["cloud_sql_proxy"]),
    daemon("cloud-sql-proxy", &["cloud-sql-proxy"]),
    daemon("alloydb-auth-proxy", &["alloydb-auth-proxy"]),
    daemon("envoy", &["envoy"]),
    daemon("proxyv2", &["proxy", "pilot-agent"]),
    daemon("consul-dataplane", &["consul-dataplane"]),
    daemon("pgbouncer", &["pgbouncer"]),
    daemon("oauth2-proxy", &["oauth2-proxy"]),
    daemon("kube-rbac-proxy", &["kube-rbac-proxy"]),
    daemon("fluent-bit", &["fluent-bit"]),
    daemon("fluentd", &["fluentd"]),
    daemon("filebeat", &["filebeat"]),
    daemon("promtail", &["promtail"]),
    daemon("alloy", &["alloy", "run"]),
    daemon("telegraf", &["telegraf"]),
    daemon("opentelemetry-collector", &["otelcol"]),
    daemon("opentelemetry-collector-contrib", &["otelcol-contrib"]),
    daemon("nginx", &["nginx"]),
    daemon("httpd", &["httpd-foreground"]),
    daemon("haproxy", &["haproxy"]),
    daemon("redis", &["redis-server"]),
    daemon("memcached", &["memcached"]),
    daemon("postgres", &["postgres"]),
    daemon("mysql", &["mysqld"]),
    daemon("mariadb", &["mariadbd", "mysqld"]),
    daemon("mongo", &["mongod"]),
    Daemon { image: "docker", tag: "dind", words: &["dockerd"] },
];

/// Options and words with which they end by themselves.
const ENDS: &[&str] = &["--version", "--help", "--once", "--test", "--dry-run", "validate", "-t"];

/// True for a container with a known image and a command that runs until it is stopped.
pub fn never_ends(container: &Node) -> bool {
    let Some(image) = container.get("image").and_then(Node::as_str) else { return false };
    let last = image.rsplit('/').next().unwrap_or(image);
    let last = last.split('@').next().unwrap_or(last);
    let (name, tag) = last.split_once(':').unwrap_or((last, ""));
    let known = DAEMONS.iter().find(|known| known.image == name && tag.contains(known.tag));
    let Some(known) = known else { return false };
    let words = words(container);
    let first = words.first().map(|word| word.rsplit('/').next().unwrap_or(word));
    let serves = first.is_none_or(|word| word.starts_with('-') || known.words.contains(&word));
    let stoppable = container.get("env").map(Node::items).unwrap_or_default().iter().any(|env| {
        env.get("name").and_then(Node::as_str).is_some_and(|name| name.ends_with("QUITQUITQUIT"))
    });
    let ends = |word: &&str| ENDS.contains(word) || word.contains("quitquitquit");
    serves && !stoppable && !words.iter().any(ends) && !is_ended_by_probe(container)
}

/// Whether the liveness probe runs a script of the author, which may end the container once the work is done: one that is
/// mounted by itself.
fn is_ended_by_probe(container: &Node) -> bool {
    let items = |path: &[&str]| container.at(path).map(Node::items).unwrap_or_default();
    let mut probed = items(&["livenessProbe", "exec", "command"]).iter().filter_map(Node::as_str);
    let mounts: Vec<_> = items(&["volumeMounts"])
        .iter()
        .filter_map(|mount| mount.get("mountPath").and_then(Node::as_str))
        .collect();
    let is_mounted = |word: &str| mounts.iter().any(|mount| Path::new(word).starts_with(mount));
    probed.any(|text| text.split_whitespace().any(is_mounted))
}

/// True when the container's command stops a sidecar.
pub fn ends_others(container: &Node) -> bool {
    words(container).iter().any(|word| ENDERS.iter().any(|ender| word.contains(ender)))
}

/// True when a script that a container runs stops a sidecar; `shares` if the containers see each other's processes
/// (`shareProcessNamespace`).
pub fn script_ends_others(script: &str, shares: bool) -> bool {
    ENDERS.iter().any(|ender| script.contains(ender) && (shares || *ender != KILL))
}

/// The first of the marks that a label or annotation of `metadata` matches: its key and value.
pub fn mark<'a>(metadata: &'a Node, marks: &[Mark]) -> Option<(&'static str, &'a Node)> {
    marks.iter().find_map(|&(key, values)| {
        let own = ["labels", "annotations"].iter().find_map(|map| metadata.at(&[map, key]))?;
        let value = own.as_str()?;
        (values.is_empty() || values.contains(&value)).then_some((key, own))
    })
}

/// True when the container's command is a shell, so that the manifest contains its script.
pub fn is_script(container: &Node) -> bool {
    let shell = |word: &&str| matches!(word.rsplit('/').next(), Some("sh" | "bash" | "ash"));
    words(container).first().is_some_and(shell)
}

/// `command` and `args` as one list.
fn words(container: &Node) -> Vec<&str> {
    let list = |key| container.get(key).map(Node::items).unwrap_or_default();
    list("command").iter().chain(list("args")).filter_map(Node::as_str).collect()
}
