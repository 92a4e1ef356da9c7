//! Named formats: names of Kubernetes, URIs, dates.

use std::sync::LazyLock;

use ::regex::Regex;

use crate::value::{Inner, Opaque, Value};

use super::{Failure, Function, optional, time, url};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("format.named", |call| {
        let [Value::String(name)] = call.arguments else { return Err(Failure::NoOverload) };
        Ok(optional::of(FORMATS.iter().find(|format| *format.function == **name).map(value)))
    }),
    ("format.dns1123Label", |_| Ok(value(&FORMATS[0]))),
    ("format.dns1123Subdomain", |_| Ok(value(&FORMATS[1]))),
    ("format.dns1035Label", |_| Ok(value(&FORMATS[2]))),
    ("format.qualifiedName", |_| Ok(value(&FORMATS[3]))),
    ("format.dns1123LabelPrefix", |_| Ok(value(&FORMATS[4]))),
    ("format.dns1123SubdomainPrefix", |_| Ok(value(&FORMATS[5]))),
    ("format.dns1035LabelPrefix", |_| Ok(value(&FORMATS[6]))),
    ("format.labelValue", |_| Ok(value(&FORMATS[7]))),
    ("format.uri", |_| Ok(value(&FORMATS[8]))),
    ("format.uuid", |_| Ok(value(&FORMATS[9]))),
    ("format.byte", |_| Ok(value(&FORMATS[10]))),
    ("format.date", |_| Ok(value(&FORMATS[11]))),
    ("format.datetime", |_| Ok(value(&FORMATS[12]))),
    ("validate", |call| {
        let [Value::Opaque(Opaque(Inner::Format(format))), Value::String(text)] = call.arguments
        else {
            return Err(Failure::NoOverload);
        };
        let errors = (format.errors)(text);
        let errors = (!errors.is_empty()).then(|| Value::list(errors.into_iter().map(Value::from)));
        Ok(optional::of(errors))
    }),
];

/// A format that a text may have.
#[derive(Debug)]
pub(crate) struct NamedFormat {
    /// The name that two equal formats share.
    pub(crate) name: &'static str,
    function: &'static str,
    /// The bytes that the cost of a check counts as its pattern.
    pub(crate) size: u64,
    errors: fn(&str) -> Vec<String>,
}

const FORMATS: &[NamedFormat] = &[
    NamedFormat { name: "DNS1123Label", size: 30, function: "dns1123Label", errors: label },
    NamedFormat {
        name: "DNS1123Subdomain",
        size: 60,
        function: "dns1123Subdomain",
        errors: subdomain,
    },
    NamedFormat { name: "DNS1035Label", size: 30, function: "dns1035Label", errors: old_label },
    NamedFormat {
        name: "QualifiedName",
        size: 60,
        function: "qualifiedName",
        errors: qualified_name,
    },
    NamedFormat {
        name: "DNS1123LabelPrefix",
        size: 30,
        function: "dns1123LabelPrefix",
        errors: |text| label(&masked(text)),
    },
    NamedFormat {
        name: "DNS1123SubdomainPrefix",
        size: 60,
        function: "dns1123SubdomainPrefix",
        errors: |text| subdomain(&masked(text)),
    },
    NamedFormat {
        name: "DNS1035LabelPrefix",
        size: 30,
        function: "dns1035LabelPrefix",
        errors: |text| old_label(&masked(text)),
    },
    NamedFormat { name: "LabelValue", size: 40, function: "labelValue", errors: label_value },
    NamedFormat {
        name: "URI",
        size: 1103,
        function: "uri",
        errors: |text| url::error(text).into_iter().collect(),
    },
    NamedFormat {
        name: "uuid",
        size: 70,
        function: "uuid",
        errors: |text| unless(UUID.is_match(text), "does not match the UUID format"),
    },
    NamedFormat {
        name: "byte",
        size: 84,
        function: "byte",
        errors: |text| unless(BASE64.is_match(text), "invalid base64"),
    },
    NamedFormat {
        name: "date",
        size: 71,
        function: "date",
        errors: |text| unless(is_date(text), "invalid date"),
    },
    NamedFormat {
        name: "datetime",
        size: 71,
        function: "datetime",
        errors: |text| unless(time::timestamp(text).is_some(), "invalid datetime"),
    },
];

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("a valid expression"));
    };
}

pattern!(LABEL, "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$");
pattern!(SUBDOMAIN, r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$");
pattern!(OLD_LABEL, "^[a-z]([-a-z0-9]*[a-z0-9])?$");
pattern!(NAME, "^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$");
pattern!(UUID, "^(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
pattern!(BASE64, "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$");

const LABEL_ERROR: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
    start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const SUBDOMAIN_ERROR: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
    and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const OLD_LABEL_ERROR: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation \
    is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const NAME_ERROR: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
    alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
    '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const VALUE_ERROR: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
    must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
    validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

fn value(format: &'static NamedFormat) -> Value {
    Value::Opaque(Opaque(Inner::Format(format)))
}

fn unless(valid: bool, error: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![error.to_owned()] }
}

/// Adds an error if the text is too long. Newer validations of Kubernetes count bytes, older ones say characters.
fn too_long(text: &str, most: usize, unit: &str, errors: &mut Vec<String>) {
    if text.len() > most {
        errors.push(format!("must be no more than {most} {unit}"));
    }
}

fn label(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    too_long(text, 63, "characters", &mut errors);
    if !LABEL.is_match(text) {
        errors.push(
            if SUBDOMAIN.is_match(text) { "must not contain dots" } else { LABEL_ERROR }.to_owned(),
        );
    }
    errors
}

fn subdomain(text: &str) -> Vec<String> {
    subdomain_in(text, "characters")
}

fn subdomain_in(text: &str, unit: &str) -> Vec<String> {
    let mut errors = Vec::new();
    too_long(text, 253, unit, &mut errors);
    errors.extend(unless(SUBDOMAIN.is_match(text), SUBDOMAIN_ERROR));
    errors
}

fn old_label(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    too_long(text, 63, "characters", &mut errors);
    errors.extend(unless(OLD_LABEL.is_match(text), OLD_LABEL_ERROR));
    errors
}

fn qualified_name(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let name = match text.split('/').collect::<Vec<_>>()[..] {
        [name] => name,
        ["", name] => {
            errors.push("prefix part must be non-empty".to_owned());
            name
        }
        [prefix, name] => {
            errors.extend(
                subdomain_in(prefix, "bytes")
                    .into_iter()
                    .map(|error| format!("prefix part {error}")),
            );
            name
        }
        _ => {
            let hint = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {NAME_ERROR}{hint}")];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    }
    let mut long = Vec::new();
    too_long(name, 63, "bytes", &mut long);
    errors.extend(long.into_iter().map(|error| format!("name part {error}")));
    errors.extend(unless(NAME.is_match(name), &format!("name part {NAME_ERROR}")));
    errors
}

fn label_value(text: &str) -> Vec<String> {
    let mut errors = Vec::new();
    too_long(text, 63, "bytes", &mut errors);
    errors.extend(unless(text.is_empty() || NAME.is_match(text), VALUE_ERROR));
    errors
}

/// The prefix of a generated name, with a letter for the dash at its end. Kubernetes drops the character before, too.
fn masked(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(before) if !before.is_empty() => {
            let mut characters = before.chars();
            characters.next_back();
            format!("{}a", characters.as_str())
        }
        _ => text.to_owned(),
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && time::timestamp(&format!("{text}T00:00:00Z")).is_some()
}
