//! `validateContainers` and `validateInitContainers`.

use super::{Field, FieldErrors, names, probe, resources, security};

const PULL_POLICIES: &[&str] = &["Always", "IfNotPresent", "Never"];
const MESSAGE_POLICIES: &[&str] = &["File", "FallbackToLogsOnError"];
const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];

/// The sources of an environment variable's value, each with its required fields.
const VALUE_SOURCES: &[(&str, &[&str])] = &[
    ("configMapKeyRef", &["key"]),
    ("fieldRef", &["fieldPath"]),
    ("fileKeyRef", &[]),
    ("resourceFieldRef", &["resource"]),
    ("secretKeyRef", &["key"]),
];

pub(super) fn check(pod: &Field<'_>, errors: &mut FieldErrors) {
    let containers = pod.field("containers");
    if containers.items().next().is_none() {
        errors.required(&containers, "");
    }
    let mut names = Vec::new();
    for container in containers.items() {
        common(pod, &container, errors);
        unique(&container.field("name"), &mut names, errors);
        probe::check(&container, errors);
    }
    for container in pod.field("initContainers").items() {
        common(pod, &container, errors);
        unique(&container.field("name"), &mut names, errors);
        let policy = container.field("restartPolicy");
        match policy.text() {
            Some("Always") => probe::check(&container, errors),
            _ if policy.is_placeholder() => {}
            _ => probe::forbid(&container, errors),
        }
    }
}

fn common(pod: &Field<'_>, container: &Field<'_>, errors: &mut FieldErrors) {
    let (name, image) = (container.field("name"), container.field("image"));
    if name.is_empty() {
        errors.required(&name, "");
    } else {
        errors.checked(&name, names::dns_label);
    }
    if image.is_empty() {
        errors.required(&image, "");
    }
    errors.one_of(&container.field("terminationMessagePolicy"), MESSAGE_POLICIES);
    errors.one_of(&container.field("imagePullPolicy"), PULL_POLICIES);
    ports(&container.field("ports"), errors);
    container.field("env").items().for_each(|variable| environment(&variable, errors));
    environment_from(&container.field("envFrom"), errors);
    mounts(pod, &container.field("volumeMounts"), errors);
    resources::check(&container.field("resources"), errors);
    security::container(&container.field("securityContext"), errors);
}

fn unique<'a>(name: &Field<'a>, seen: &mut Vec<&'a str>, errors: &mut FieldErrors) {
    let Some(text) = name.text().filter(|text| !text.is_empty()) else { return };
    if seen.contains(&text) {
        errors.duplicate(name);
    }
    seen.push(text);
}

fn ports(ports: &Field<'_>, errors: &mut FieldErrors) {
    let mut seen = Vec::new();
    for port in ports.items() {
        let (name, number) = (port.field("name"), port.field("containerPort"));
        if !name.is_empty() {
            errors.checked(&name, names::port_name);
            unique(&name, &mut seen, errors);
        }
        match number.int() {
            Some(0) => errors.required(&number, ""),
            None if !number.is_set() => errors.required(&number, ""),
            _ => errors.in_range(&number, 1, 65_535),
        }
        let host = port.field("hostPort");
        if host.int() != Some(0) {
            errors.in_range(&host, 1, 65_535);
        }
        errors.one_of(&port.field("protocol"), PROTOCOLS);
    }
}

fn environment(variable: &Field<'_>, errors: &mut FieldErrors) {
    let (name, from) = (variable.field("name"), variable.field("valueFrom"));
    if name.is_empty() {
        errors.required(&name, "");
    } else {
        errors.checked(&name, names::env_name);
    }
    if !from.is_set() {
        return;
    }
    let sources = VALUE_SOURCES.iter().map(|(kind, needs)| (from.field(kind), needs));
    let sources: Vec<_> = sources.filter(|(source, _)| source.is_set()).collect();
    for kind in ["configMapKeyRef", "secretKeyRef"].map(|kind| from.field(kind)) {
        if kind.is_set() {
            errors.checked_always(&kind.field("name"), names::dns_subdomain);
        }
    }
    for (source, needs) in &sources {
        for missing in needs.iter().map(|field| source.field(field)).filter(Field::is_empty) {
            errors.required(&missing, "");
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
    errors.invalid_as(&from, "\"\"", detail);
}

fn environment_from(list: &Field<'_>, errors: &mut FieldErrors) {
    for item in list.items() {
        let sources = ["configMapRef", "secretRef"].map(|kind| item.field(kind));
        let sources: Vec<_> = sources.iter().filter(|source| source.is_set()).collect();
        for name in sources.iter().map(|source| source.field("name")) {
            if name.is_empty() {
                errors.required(&name, "");
            } else {
                errors.checked(&name, names::dns_subdomain);
            }
        }
        let detail = match sources.len() {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        errors.invalid_as(&item.named_as(list), "\"\"", detail);
    }
}

fn mounts(pod: &Field<'_>, mounts: &Field<'_>, errors: &mut FieldErrors) {
    let volumes: Vec<_> = pod.field("volumes").items().map(|volume| volume.field("name")).collect();
    let mut paths = Vec::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        if name.is_empty() {
            errors.required(&name, "");
        } else if !volumes.iter().any(|known| known.is_placeholder() || known.text() == name.text())
        {
            errors.not_found(&name);
        }
        if path.is_empty() {
            errors.required(&path, "");
        } else if let Some(text) = path.text() {
            if paths.contains(&text) {
                errors.invalid(&path, "must be unique");
            }
            paths.push(text);
        }
    }
}
