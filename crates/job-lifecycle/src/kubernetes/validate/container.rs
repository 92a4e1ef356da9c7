//! `validateContainers` and `validateInitContainers`.

use super::{Causes, Place, names, probe, resources, security};

const PULL_POLICIES: &[&str] = &["Always", "IfNotPresent", "Never"];
const MESSAGE_POLICIES: &[&str] = &["File", "FallbackToLogsOnError"];
const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];

/// Where an environment variable takes its value from, with the fields that such a source needs.
const VALUE_SOURCES: &[(&str, &[&str])] = &[
    ("configMapKeyRef", &["key"]),
    ("fieldRef", &["fieldPath"]),
    ("fileKeyRef", &[]),
    ("resourceFieldRef", &["resource"]),
    ("secretKeyRef", &["key"]),
];

pub(super) fn check(pod: &Place<'_>, causes: &mut Causes) {
    let containers = pod.field("containers");
    if containers.items().next().is_none() {
        causes.required(&containers, "");
    }
    let mut names = Vec::new();
    for container in containers.items() {
        common(pod, &container, causes);
        unique(&container.field("name"), &mut names, causes);
        probe::check(&container, causes);
    }
    for container in pod.field("initContainers").items() {
        common(pod, &container, causes);
        unique(&container.field("name"), &mut names, causes);
        let policy = container.field("restartPolicy");
        match policy.text() {
            Some("Always") => probe::check(&container, causes),
            _ if policy.is_placeholder() => {}
            _ => probe::forbid(&container, causes),
        }
    }
}

fn common(pod: &Place<'_>, container: &Place<'_>, causes: &mut Causes) {
    let (name, image) = (container.field("name"), container.field("image"));
    if name.is_empty() {
        causes.required(&name, "");
    } else {
        causes.checked(&name, names::dns_label);
    }
    if image.is_empty() {
        causes.required(&image, "");
    }
    causes.one_of(&container.field("terminationMessagePolicy"), MESSAGE_POLICIES);
    causes.one_of(&container.field("imagePullPolicy"), PULL_POLICIES);
    ports(&container.field("ports"), causes);
    container.field("env").items().for_each(|variable| environment(&variable, causes));
    environment_from(&container.field("envFrom"), causes);
    mounts(pod, &container.field("volumeMounts"), causes);
    resources::check(&container.field("resources"), causes);
    security::container(&container.field("securityContext"), causes);
}

fn unique<'a>(name: &Place<'a>, seen: &mut Vec<&'a str>, causes: &mut Causes) {
    let Some(text) = name.text().filter(|text| !text.is_empty()) else { return };
    if seen.contains(&text) {
        causes.duplicate(name);
    }
    seen.push(text);
}

fn ports(ports: &Place<'_>, causes: &mut Causes) {
    let mut seen = Vec::new();
    for port in ports.items() {
        let (name, number) = (port.field("name"), port.field("containerPort"));
        if !name.is_empty() {
            causes.checked(&name, names::port_name);
            unique(&name, &mut seen, causes);
        }
        match number.int() {
            Some(0) => causes.required(&number, ""),
            None if !number.is_set() => causes.required(&number, ""),
            _ => causes.in_range(&number, 1, 65_535),
        }
        let host = port.field("hostPort");
        if host.int() != Some(0) {
            causes.in_range(&host, 1, 65_535);
        }
        causes.one_of(&port.field("protocol"), PROTOCOLS);
    }
}

fn environment(variable: &Place<'_>, causes: &mut Causes) {
    let (name, from) = (variable.field("name"), variable.field("valueFrom"));
    if name.is_empty() {
        causes.required(&name, "");
    } else {
        causes.checked(&name, names::env_name);
    }
    if !from.is_set() {
        return;
    }
    let sources = VALUE_SOURCES.iter().map(|(kind, needs)| (from.field(kind), needs));
    let sources: Vec<_> = sources.filter(|(source, _)| source.is_set()).collect();
    for kind in ["configMapKeyRef", "secretKeyRef"].map(|kind| from.field(kind)) {
        if kind.is_set() {
            causes.checked_always(&kind.field("name"), names::dns_subdomain);
        }
    }
    for (source, needs) in &sources {
        for place in needs.iter().map(|field| source.field(field)).filter(Place::is_empty) {
            causes.required(&place, "");
        }
    }
    let detail = match sources.len() {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        }
        _ if !variable.field("value").is_empty() => {
            "may not be specified when `value` is not empty"
        }
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    causes.invalid_as(&from, "\"\"", detail);
}

fn environment_from(list: &Place<'_>, causes: &mut Causes) {
    for item in list.items() {
        let sources = ["configMapRef", "secretRef"].map(|kind| item.field(kind));
        let sources: Vec<_> = sources.iter().filter(|source| source.is_set()).collect();
        for name in sources.iter().map(|source| source.field("name")) {
            if name.is_empty() {
                causes.required(&name, "");
            } else {
                causes.checked(&name, names::dns_subdomain);
            }
        }
        let detail = match sources.len() {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        causes.invalid_as(&item.named_as(list), "\"\"", detail);
    }
}

fn mounts(pod: &Place<'_>, mounts: &Place<'_>, causes: &mut Causes) {
    let volumes: Vec<_> = pod.field("volumes").items().map(|volume| volume.field("name")).collect();
    let mut paths = Vec::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        if name.is_empty() {
            causes.required(&name, "");
        } else if !volumes.iter().any(|known| known.is_placeholder() || known.text() == name.text())
        {
            causes.not_found(&name);
        }
        if path.is_empty() {
            causes.required(&path, "");
        } else if let Some(text) = path.text() {
            if paths.contains(&text) {
                causes.invalid(&path, "must be unique");
            }
            paths.push(text);
        }
    }
}
