//! Changes one input at a time, executes again, and compares the outputs.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::Rendered;

fn data() -> Json {
    json!({
        "name": "alpha", "tag": "v1", "flag": true, "off": false, "empty": "", "none": null,
        "count": 3, "key": "one", "index": 1,
        "list": ["one", "two", "three"],
        "map": {"one": "1st", "two": "2nd"},
        "deep": {"inner": {"leaf": "leaf"}, "other": "other"},
        "items": [{"name": "n0", "on": true}, {"name": "n1", "on": false}],
        "source": "<{{ .name }}:{{ if .flag }}{{ .tag }}{{ end }}>"
    })
}

const TEMPLATES: &[&str] = &[
    "a {{ .name }} b {{ .tag }} c",
    "{{ if .flag }}yes {{ .name }}{{ else }}no{{ end }} after",
    "{{ if .off }}shown{{ end }} after {{ .name }}",
    "{{ if and .flag .name }}A{{ end }}{{ if or .off .empty .tag }}B{{ end }}",
    "{{ or .empty .name }}|{{ and .flag .tag }}|{{ .empty | default .name }}|{{ default .tag .none }}",
    "{{ with .deep }}{{ .other }}{{ with .inner }}{{ .leaf }}{{ end }}{{ end }}",
    "{{ with .empty }}x{{ else }}{{ .name }}{{ end }}",
    "{{ range .list }}[{{ . }}]{{ end }}",
    "{{ range $i, $v := .list }}{{ $i }}={{ $v }};{{ else }}none{{ end }}",
    "{{ range $k, $v := .map }}{{ $k }}={{ $v }};{{ end }}",
    "{{ range .items }}{{ if .on }}{{ .name }}{{ end }},{{ end }}",
    "{{ range .items }}{{ if not .on }}{{ break }}{{ end }}{{ .name }} {{ end }}tail",
    "{{ range .items }}{{ if .on }}{{ continue }}{{ end }}{{ .name }} {{ end }}tail",
    "{{ $x := \"a\" }}{{ if .flag }}{{ $x = \"b\" }}{{ end }}[{{ $x }}]",
    "{{ $x := \"a\" }}{{ if .off }}{{ $x = \"b\" }}{{ end }}[{{ $x }}]",
    "{{ $x := \"a\" }}{{ range .items }}{{ if .on }}{{ $x = .name }}{{ end }}{{ end }}[{{ $x }}]",
    "{{ $x := .name }}{{ with .empty }}{{ $x = . }}{{ end }}{{ printf \"%s!\" $x }}",
    "{{ $d := dict \"k\" \"v\" }}{{ if .off }}{{ $_ := set $d \"k\" .name }}{{ end }}[{{ $d.k }}]",
    "{{ $d := dict \"k\" \"v\" }}{{ if .flag }}{{ $_ := set $d \"k\" \"w\" }}{{ end }}[{{ $d.k }}]",
    "{{ $d := dict }}{{ if .off }}{{ $_ := set $d \"k\" .name }}{{ end }}[{{ $d.k }}]",
    "{{ $d := dict \"a\" .name \"b\" (dict \"c\" .tag) }}{{ $d.a }}{{ $d.b.c }}{{ $d }}",
    "{{ include \"h\" . }}{{ define \"h\" }}({{ .name }}{{ if .flag }}+{{ end }}){{ end }}",
    "{{ $h := include \"h\" . }}{{ if $h }}<{{ $h }}>{{ end }}{{ define \"h\" }}{{ .tag }}{{ end }}",
    "{{ if include \"h\" . }}x{{ end }}{{ define \"h\" }}{{ if .off }}on{{ end }}{{ end }}",
    "{{ template \"t\" .deep }}{{ define \"t\" }}{{ .other }}{{ .inner.leaf }}{{ end }}",
    "{{ block \"b\" .deep }}{{ .other }}{{ end }}",
    "{{ include \"h\" (dict \"x\" .name \"y\" \"lit\") }}{{ define \"h\" }}{{ .x }}-{{ .y }}{{ end }}",
    "{{ tpl .source . }}|{{ tpl \"{{ .tag }}\" . }}",
    "{{ printf \"%s-%v-%q-%5s\" .name .count .tag .key }}|{{ print .name .count 1 }}",
    "{{ printf \"%d %v %v\" (len .list) .map .items }}",
    "{{ len .list }} {{ len .name }} {{ len .map }}",
    "{{ index .map .key }} {{ index .list 1 }} {{ index .items 0 \"name\" }} {{ index .map \"gone\" }}",
    "{{ eq .name \"alpha\" }} {{ ne .tag .key }} {{ lt .count 5.0 }} {{ not .flag }}",
    "{{ html .name \"<\" }} {{ js .tag }} {{ urlquery .key \"a b\" }} {{ slice .name 1 3 }}",
    "{{ .missing }}{{ .deep.missing }}{{ if .deep.inner.gone }}x{{ end }}{{ .none }}",
    "{{ if .missing }}x{{ end }}{{ with .deep.gone }}y{{ end }}{{ range .nolist }}z{{ end }}end",
    "{{ if eq .key \"one\" }}{{ if .flag }}{{ .name }}{{ end }}{{ end }}",
    "{{ if .off }}1{{ else if .empty }}2{{ else if .flag }}3{{ else }}4{{ end }}",
    "{{ range list .name .tag }}{{ . }} {{ end }}{{ range .count | printf \"%v\" | list }}{{ . }}{{ end }}",
    "{{ (index .items 1).name }} {{ (dict \"q\" .key).q }} {{ (or .deep .map).other }}",
    "{{ $v := or .empty .deep }}{{ $v.other }} {{ with $v.inner }}{{ .leaf }}{{ end }}",
    "{{ dict .name 1 .tag .key }} {{ range $k, $v := dict .key 2 }}{{ $k }}{{ end }}",
    "{{ printf \"\" .count }} {{ printf \"%d %s\" .name }}",
    "{{ .list }} {{ .deep }} {{ println .name .count }}",
    "{{ if true }}{{ if .off }}{{ $_ := set .deep \"other\" \"x\" }}{{ end }}{{ end }}{{ .deep.other }}",
];

/// Copies of the data with other values at `pointer`.
fn variants(data: &Json, pointer: &str) -> Vec<Json> {
    let old = data.pointer(pointer).unwrap();
    let values = [json!("CHANGED"), json!(""), json!(null), json!(true), json!(false), json!(7)];
    let with = |value: &Json| {
        let mut data = data.clone();
        *data.pointer_mut(pointer).unwrap() = value.clone();
        data
    };
    let mut variants: Vec<_> = values.iter().filter(|value| *value != old).map(with).collect();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let mut without = data.clone();
    match without.pointer_mut(parent).unwrap() {
        Json::Object(map) => drop(map.remove(key)),
        // Removing any other item would change the index of those after it.
        Json::Array(items) if key == (items.len() - 1).to_string() => drop(items.pop()),
        _ => {}
    }
    variants.push(without);
    variants
}

fn pointers(json: &Json, prefix: &str, out: &mut Vec<String>) {
    let mut visit = |key: &str, value: &Json| {
        let pointer = format!("{prefix}/{key}");
        pointers(value, &pointer, out);
        out.push(pointer);
    };
    match json {
        Json::Object(map) if !map.keys().any(|key| key.starts_with('$')) => {
            map.iter().for_each(|(key, value)| visit(key, value));
        }
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(i, value)| visit(&i.to_string(), value));
        }
        _ => {}
    }
}

/// Changes every input in turn; describes the changes that no span announced.
fn silent_changes(template: &str, data: &Json) -> String {
    let mut silent = String::new();
    let Ok(mut before) = Rendered::new(template, data) else { return silent };
    let mut all = Vec::new();
    pointers(data, "", &mut all);
    for pointer in all {
        for changed in variants(data, &pointer) {
            let Ok(mut after) = Rendered::new(template, &changed) else { continue };
            if before.bytes == after.bytes {
                continue;
            }
            let (old, new) = difference(&before.bytes, &after.bytes);
            let announced = announces(&mut before, old.clone(), &pointer)
                || (old.is_empty() && announces(&mut after, new, &pointer));
            if !announced {
                let (was, is) = (before.text(), after.text());
                writeln!(silent, "{template}\n  {pointer}: {was:?}[{old:?}] -> {is:?}").unwrap();
            }
        }
    }
    silent
}

/// The ranges between the common start and the common end of both outputs.
fn difference(a: &[u8], b: &[u8]) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().rev().zip(b[start..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    (start..a.len() - end, start..b.len() - end)
}

/// Whether the start of a changed range announces the change: its first byte, or an empty span there.
/// Later bytes of the range may be equal in both outputs and need not announce anything.
fn announces(rendered: &mut Rendered, range: std::ops::Range<usize>, pointer: &str) -> bool {
    let input = rendered.input(pointer);
    let first = range.start..(range.start + 1).min(range.end);
    rendered.trace(first).iter().any(|span| rendered.covers(span, input))
}

#[test]
fn every_change_is_announced() {
    let data = data();
    let silent: String = TEMPLATES.iter().map(|template| silent_changes(template, &data)).collect();
    assert!(silent.is_empty(), "{silent}");
}
