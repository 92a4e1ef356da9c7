//! `ValidateVolumes`, for the volume types that Jobs use.

use super::{Field, FieldErrors, names};

/// Required fields: volume type, field.
const REQUIRED: &[(&str, &str)] = &[
    ("configMap", "name"),
    ("csi", "driver"),
    ("hostPath", "path"),
    ("nfs", "server"),
    ("persistentVolumeClaim", "claimName"),
    ("secret", "secretName"),
];

/// Volume types in the order the server checks them; it forbids the second one that is set.
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

/// Types of host paths; the empty one disables the check.
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

pub(super) fn check(volumes: &Field<'_>, errors: &mut FieldErrors) {
    let mut seen = Vec::new();
    for volume in volumes.items() {
        source(&volume, errors);
        let name = volume.field("name");
        if name.is_empty() {
            errors.required(&name, "");
            continue;
        }
        errors.checked(&name, names::dns_label);
        if let Some(text) = name.text() {
            if seen.contains(&text) {
                errors.duplicate(&name);
            }
            seen.push(text);
        }
    }
}

fn source(volume: &Field<'_>, errors: &mut FieldErrors) {
    let kinds = KINDS.iter().map(|kind| volume.field(kind)).filter(Field::is_set);
    for second in kinds.skip(1) {
        errors.forbidden(&second, "may not specify more than 1 volume type");
    }
    for (kind, field) in REQUIRED {
        let source = volume.field(kind);
        if source.is_set() && source.field(field).is_empty() {
            errors.required(&source.field(field), "");
        }
    }
    errors.one_of(&volume.at(&["hostPath", "type"]), HOST_PATHS);
    let path = volume.at(&["nfs", "path"]);
    if volume.field("nfs").is_set() && path.is_empty() {
        errors.required(&path, "");
    } else if path.text().is_some_and(|text| !text.starts_with('/')) {
        errors.invalid(&path, "must be an absolute path");
    }
    for kind in ["configMap", "secret"] {
        let source = volume.field(kind);
        mode(&source.field("defaultMode"), errors);
        source.field("items").items().for_each(|item| key_to_path(&item, errors));
    }
    for projected in volume.at(&["projected", "sources"]).items() {
        for kind in ["configMap", "secret"] {
            let items = projected.at(&[kind, "items"]);
            items.items().for_each(|item| key_to_path(&item, errors));
        }
    }
    mode(&volume.at(&["projected", "defaultMode"]), errors);
}

fn key_to_path(item: &Field<'_>, errors: &mut FieldErrors) {
    for name in ["key", "path"] {
        if item.field(name).is_empty() {
            errors.required(&item.field(name), "");
        }
    }
    if item.field("path").text().is_some_and(|text| text.starts_with('/')) {
        errors.invalid(&item.field("path"), "must be a relative path");
    }
    mode(&item.field("mode"), errors);
}

fn mode(at: &Field<'_>, errors: &mut FieldErrors) {
    if at.int().is_some_and(|mode| !(0..=0o777).contains(&mode)) {
        errors.invalid(at, MODE);
    }
}
