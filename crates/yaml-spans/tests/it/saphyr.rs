//! Compares the structure of every manifest with what `saphyr`, an independent YAML 1.2 parser, reads.

use saphyr::{LoadableYamlNode, Scalar, Yaml};
use yaml_spans::{self as yaml, Node, Style, Value};

/// The manifests that the two read differently, by reason. `kubectl.json` says which reading is right.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "kubectl rejects what Kubernetes cannot hold: non-string keys and non-finite numbers",
        &[
            "complex-key-block",
            "complex-key-list",
            "complex-key-map",
            "flow-as-key",
            "flow-missing-key",
            "flow-template",
            "infinity",
            "infinity-in-an-anchor",
            "infinity-negative",
            "json-too-large",
            "key-empty-explicit",
            "key-missing",
            "key-null",
            "key-null-word",
            "key-uint",
            "not-a-number",
            "tag-float-infinity",
        ],
    ),
    (
        "kubectl rejects these characters in a document, saphyr accepts them",
        &[
            "control-bell",
            "control-c1",
            "control-comment",
            "control-delete",
            "control-nul",
            "json-control",
            "non-characters",
        ],
    ),
    (
        "U+0085, U+2028 and U+2029 end a line in YAML 1.1, not in 1.2",
        &["line-separator-in-quotes", "line-separator-plain", "next-line-in-quotes"],
    ),
    (
        "kubectl rejects these tabs, saphyr accepts them",
        &[
            "literal-tab-first",
            "tab-after-dash",
            "tab-after-dash-map",
            "tab-after-literal",
            "tab-after-spaces",
            "tab-at-the-end",
            "tab-before-comment",
            "tab-only-line",
            "tab-only-line-after-plain",
        ],
    ),
    (
        "kubectl splits at `---` before parsing, and reads one document per part",
        &[
            "directive-unknown",
            "directive-yaml",
            "documents-dots-then-content",
            "documents-dots-then-document",
            "documents-marker-comment-glued",
            "documents-marker-glued",
            "documents-marker-scalar",
            "tag-directive",
        ],
    ),
    ("go-yaml allows only ASCII letters in anchor names", &["anchor-dot", "anchor-unicode"]),
    (
        "an alias inside its own anchor has no value in saphyr",
        &["anchor-itself", "anchor-itself-map", "anchor-redefined-inside", "merge-itself"],
    ),
    ("an anchor alone is null to go-yaml and an empty string to saphyr", &["anchor-null"]),
    (
        "merge keys belong to YAML 1.1",
        &[
            "anchor-base",
            "anchor-base-unused",
            "job",
            "merge",
            "merge-after",
            "merge-alias-of-list",
            "merge-between",
            "merge-block-list",
            "merge-empty-list",
            "merge-empty-map",
            "merge-flow",
            "merge-inline",
            "merge-inline-list",
            "merge-list",
            "merge-list-of-lists",
            "merge-list-of-scalars",
            "merge-list-reversed",
            "merge-nested",
            "merge-null",
            "merge-overrides-merge",
            "merge-scalar",
            "merge-tagged",
            "merge-twice",
        ],
    ),
    (
        "keys are typed in saphyr and strings in Kubernetes: `yes` and `true` are one key, `1e6` is `1e+06`",
        &[
            "duplicates-by-value",
            "key-binary",
            "key-floats",
            "key-infinity",
            "key-types",
            "y-and-n-keys",
        ],
    ),
    (
        "saphyr accepts values that do not fit their tag, or has no value for them",
        &[
            "tag-binary",
            "tag-binary-invalid",
            "tag-binary-not-text",
            "tag-binary-spaces",
            "tag-binary-unpadded",
            "tag-bool",
            "tag-bool-number",
            "tag-bool-text",
            "tag-float",
            "tag-float-text",
            "tag-float-uint",
            "tag-int",
            "tag-int-empty",
            "tag-int-float",
            "tag-int-leading-zero",
            "tag-int-text",
            "tag-merge-text",
            "tag-null",
            "tag-null-text",
            "tag-timestamp",
            "tag-timestamp-number",
            "tag-timestamp-text",
            "tag-timestamp-zone",
            "tag-unknown-core",
            "tag-verbatim",
            "tag-wrong-kind",
        ],
    ),
    ("saphyr has no integers beyond signed 64 bits", &["int-limits", "uint-limits"]),
    (
        "saphyr rejects continuation lines of a quoted scalar, and closing brackets, at the column of the key",
        &[
            "cron-job",
            "double-quoted-outdented",
            "double-quoted-outdented-twice",
            "double-quoted-tab-indented",
            "flow-closing-at-key",
        ],
    ),
    (
        "saphyr rejects a block scalar whose header stands below its key, at the same column",
        &["folded-below-key", "literal-below-key", "literal-below-key-in-list"],
    ),
    (
        "saphyr requires a space before a comment and after `:`, and accepts no tab instead",
        &[
            "flow-glued-comment",
            "literal-header-comment-glued",
            "plain-tab-separated",
            "quoted-then-comment-glued",
        ],
    ),
    (
        "the escape `\\'` is go-yaml's own, `\\/` is in YAML 1.2 only",
        &["double-quoted-apostrophe-escape", "double-quoted-slash-escape"],
    ),
    (
        "saphyr reads JSON as YAML: no surrogate pairs, one document only",
        &["json", "json-concatenated", "json-half-surrogate"],
    ),
    (
        "between brackets go-yaml reads a lone `-` as a string, but accepts no `?`, leading `:` or multi-line key",
        &[
            "flow-plain-dash",
            "flow-leading-colon",
            "flow-question-mark",
            "flow-key-two-lines",
            "flow-key-two-lines-plain",
        ],
    ),
    ("saphyr gives an empty block scalar a line break", &["literal-empty"]),
    ("saphyr keeps the byte order mark of a later document", &["bom-on-later-document"]),
];

#[test]
fn reads_what_saphyr_reads() {
    let mut failures = Vec::new();
    for (name, text) in super::manifests() {
        if name == "excessive-aliases" {
            // saphyr would copy 9⁹ nodes.
            continue;
        }
        let known = KNOWN.iter().find(|(_, names)| names.contains(&&*name));
        match (compare(&text), known) {
            (Err(difference), None) => failures.push(format!("{name}: {difference}")),
            (Ok(()), Some((why, _))) => failures.push(format!("{name} no longer differs: {why}")),
            _ => {}
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

fn compare(text: &str) -> Result<(), String> {
    let ours = yaml::parse(text);
    let rejected = ours.iter().find_map(|document| document.as_ref().err());
    let theirs = match (Yaml::load_from_str(text.trim_start_matches('\u{FEFF}')), rejected) {
        (Err(_), Some(_)) => return Ok(()),
        (Ok(_), Some(error)) => return Err(format!("only we reject it: {}", error.reason)),
        (Err(error), None) => return Err(format!("only saphyr rejects it: {error}")),
        (Ok(theirs), None) => theirs,
    };
    let theirs: Vec<_> =
        theirs.iter().filter(|root| !root.is_badvalue() && !root.is_null()).collect();
    if ours.len() != theirs.len() {
        return Err(format!("{} documents, not {}", ours.len(), theirs.len()));
    }
    ours.iter().flatten().zip(theirs).try_for_each(|(a, b)| same(text, &a.root, b))
}

fn same(text: &str, ours: &Node, theirs: &Yaml<'_>) -> Result<(), String> {
    let differ = || Err(format!("{ours:?} is {theirs:?}"));
    match (&ours.value, theirs) {
        (_, Yaml::Tagged(_, inner)) => same(text, ours, inner),
        (Value::Seq(a), Yaml::Sequence(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| same(text, a, b))
        }
        (Value::Map(a), Yaml::Mapping(b)) if a.entries.len() == b.len() => {
            a.entries.iter().try_for_each(|entry| {
                let key = Value::Str(entry.key.clone());
                let key = Node { span: entry.key_span, value: key, style: Style::Plain };
                let found = b.iter().find(|(theirs, _)| same(text, &key, theirs).is_ok());
                found.map_or_else(differ, |(_, value)| same(text, &entry.value, value))
            })
        }
        (_, Yaml::Value(scalar)) if same_scalar(text, ours, scalar) => Ok(()),
        _ => differ(),
    }
}

/// Whether two scalars are equal, or differ only because YAML 1.1 and 1.2 resolve the same text differently: one is a
/// string where the other is typed, or the number is octal.
fn same_scalar(text: &str, ours: &Node, theirs: &Scalar<'_>) -> bool {
    let written = &text[ours.span.range()];
    let number = |number: &str| number.replace('_', "").parse::<f64>().ok();
    match (&ours.value, theirs) {
        (Value::Null, Scalar::Null) => true,
        (Value::Bool(a), Scalar::Boolean(b)) => a == b,
        (Value::Int(a), Scalar::Integer(b)) => a == b || number(written) == Some(*b as f64),
        (Value::Int(a), Scalar::FloatingPoint(b)) => *a as f64 == b.into_inner(),
        (Value::Float(a), Scalar::FloatingPoint(b)) => *a == b.into_inner(),
        (Value::Str(a), Scalar::String(b)) if **a == **b => true,
        (Value::Str(_), Scalar::String(b)) => **b == *written,
        (_, Scalar::String(b)) => ours.style == Style::Plain && **b == *written,
        (Value::Str(a), Scalar::Boolean(b)) => **a == *b.to_string() || **a == *written,
        (Value::Str(a), _) => **a == *written || number(a) == number(written),
        _ => false,
    }
}
