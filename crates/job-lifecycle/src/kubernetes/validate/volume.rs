//! `ValidateVolumes`, for the kinds of volumes that Jobs use.

use super::{Causes, Place, names};

/// What a kind of volume cannot be without: kind, field.
const REQUIRED: &[(&str, &str)] = &[
    ("configMap", "name"),
    ("csi", "driver"),
    ("hostPath", "path"),
    ("nfs", "server"),
    ("persistentVolumeClaim", "claimName"),
    ("secret", "secretName"),
];

/// Kinds of volumes in the order the server looks at them; the second it meets is one too many.
const KINDS: &[&str] = &[
    "emptyDir",
    "hostPath",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "persistentVolumeClaim",
    "configMap",
    "projected",
    "csi",
    "ephemeral",
    "image",
];

/// Types of host paths; an empty one means no check.
const HOST_PATHS: &[&str] = &[
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

const MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";

pub(super) fn check(volumes: &Place<'_>, causes: &mut Causes) {
    let mut seen = Vec::new();
    for volume in volumes.items() {
        source(&volume, causes);
        let name = volume.field("name");
        if name.is_empty() {
            causes.required(&name, "");
            continue;
        }
        causes.checked(&name, names::dns_label);
        if let Some(text) = name.text() {
            if seen.contains(&text) {
                causes.duplicate(&name);
            }
            seen.push(text);
        }
    }
}

fn source(volume: &Place<'_>, causes: &mut Causes) {
    let kinds = KINDS.iter().map(|kind| volume.field(kind)).filter(Place::is_set);
    for second in kinds.skip(1) {
        causes.forbidden(&second, "may not specify more than 1 volume type");
    }
    for (kind, field) in REQUIRED {
        let place = volume.field(kind);
        if place.is_set() && place.field(field).is_empty() {
            causes.required(&place.field(field), "");
        }
    }
    causes.one_of(&volume.at(&["hostPath", "type"]), HOST_PATHS);
    let path = volume.at(&["nfs", "path"]);
    if volume.field("nfs").is_set() && path.is_empty() {
        causes.required(&path, "");
    } else if path.text().is_some_and(|text| !text.starts_with('/')) {
        causes.invalid(&path, "must be an absolute path");
    }
    for kind in ["configMap", "secret"] {
        let place = volume.field(kind);
        mode(&place.field("defaultMode"), causes);
        place.field("items").items().for_each(|item| key_to_path(&item, causes));
    }
    for projected in volume.at(&["projected", "sources"]).items() {
        for kind in ["configMap", "secret"] {
            let items = projected.at(&[kind, "items"]);
            items.items().for_each(|item| key_to_path(&item, causes));
        }
    }
    mode(&volume.at(&["projected", "defaultMode"]), causes);
}

fn key_to_path(item: &Place<'_>, causes: &mut Causes) {
    for name in ["key", "path"] {
        if item.field(name).is_empty() {
            causes.required(&item.field(name), "");
        }
    }
    if item.field("path").text().is_some_and(|text| text.starts_with('/')) {
        causes.invalid(&item.field("path"), "must be a relative path");
    }
    mode(&item.field("mode"), causes);
}

fn mode(at: &Place<'_>, causes: &mut Causes) {
    if at.int().is_some_and(|mode| !(0..=0o777).contains(&mode)) {
        causes.invalid(at, MODE);
    }
}
