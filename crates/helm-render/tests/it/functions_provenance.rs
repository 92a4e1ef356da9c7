//! Provenance through functions, tested by perturbation: a changed range must name the input that
//! changed it, and an input that only controls must not be named as data.

use std::{fmt::Write as _, ops::Range};

use go_template::{
    Executor, MissingKey, Options, TemplateSet, Value,
    provenance::{FileId, Input, Provenance, Span, SpanMap},
};
use helm_render::{
    HelmVersion,
    functions::{Host, functions},
};
use serde_json::{Value as Json, json};

fn data() -> Json {
    json!({
        "name": "alpha", "tag": "v1.2", "flag": true, "off": false, "empty": "", "none": null,
        "count": 3, "key": "one", "text": "one two\n three\n", "dashes": "--a-b--",
        "list": ["one", "two", "three"], "numbers": [3, 1, 2],
        "map": {"one": "1st", "two": "2nd", "deep": {"leaf": "leaf", "none": null}},
        "other": {"two": "second", "three": "3rd", "deep": {"leaf": "", "more": [1, 2]}},
        "long": "a line of words that is long enough to be folded by the printer of YAML, twice: really",
        "yaml": "a: b\nc: [d, 2]\n", "json": "{\"a\": \"b\", \"c\": [1]}"
    })
}

const TEMPLATES: &[&str] = &[
    "{{ .text | indent 2 }}|{{ .text | nindent (int .count) }}",
    "{{ .name | quote }} {{ .count | squote }} {{ quote .name .none .tag }} {{ cat .name .none .tag }}",
    "{{ printf \"%s-%s\" .name .tag | trunc 7 | trimSuffix \"-\" }}",
    "{{ trimAll \"-\" .dashes }} {{ trimPrefix .empty .name }} {{ trim .text }} {{ nospace .text }}",
    "{{ .text | replace \"two\" .name | replace .key \"X\" }} {{ upper .name }} {{ title .text }}",
    "{{ join \",\" .list }} {{ join .key .numbers }} {{ join \"-\" .map.deep.leaf }}",
    "{{ (split \"-\" .dashes)._2 }} {{ splitList \" \" .text }} {{ index (splitList .key .text) 0 }}",
    "{{ .name | repeat (int .count) }} {{ substr 1 (int .count) .name }} {{ abbrev 8 .text }}",
    "{{ wrap 5 .text }} {{ wrapWith 4 .key .text }} {{ plural .name .tag (int .count) }}",
    "{{ default .name .empty }} {{ .none | default .tag }} {{ coalesce .none .empty .key .name }}",
    "{{ ternary .name .tag .flag }} {{ ternary .name .tag .off }} {{ empty .empty }} {{ any .off .name }}",
    "{{ toYaml .map }}\n{{ toYaml .list | nindent 2 }}\n{{ toYaml .long }}\n{{ .text | toYaml }}",
    "{{ toJson .map }} {{ toPrettyJson .other }} {{ toRawJson .text }} {{ toToml .map }}",
    "{{ toYamlPretty .other }} {{ toYaml (dict \"a\" .name \"b\" (list .tag .none)) }}",
    "{{ (fromYaml .yaml).a }} {{ (fromYaml .yaml).c }} {{ (fromJson .json).a }} {{ fromYaml (toYaml .map) }}",
    "{{ fromYamlArray (toYaml .list) }} {{ fromJsonArray (toJson .numbers) }}",
    "{{ sha256sum .name }} {{ b64enc .tag }} {{ b64enc .name | b64dec }} {{ adler32sum .key }}",
    "{{ regexReplaceAll \"t(w)o\" .text \"<$1>\" }} {{ regexFind \"[a-z]+\" .name }} {{ regexSplit \" \" .text -1 }}",
    "{{ get .map .key }} {{ get .map \"gone\" }} {{ hasKey .map .key }} {{ dig \"deep\" \"leaf\" \"x\" .map }} {{ dig \"deep\" \"gone\" \"x\" .map }}",
    "{{ pick .map \"one\" .key }} {{ omit .map .key }} {{ keys .map | sortAlpha | join \",\" }} {{ values .map.deep }}",
    "{{ pluck .key .map .other }} {{ pluck \"two\" .map .other | first }}",
    "{{ merge (dict) .map .other }}",
    "{{ mergeOverwrite (dict) .map .other | toYaml }}",
    "{{ $m := deepCopy .map }}{{ $_ := set $m .key .name }}{{ $m | toJson }}",
    "{{ $m := deepCopy .map }}{{ if .off }}{{ $_ := unset $m \"one\" }}{{ end }}{{ $m.one }}",
    "{{ first .list }} {{ last .list }} {{ rest .list }} {{ initial .list }} {{ reverse .list }} {{ has .key .list }}",
    "{{ append .list .name }} {{ prepend .list .tag }} {{ concat .list .numbers }} {{ uniq (append .list .key) }} {{ without .list .key }}",
    "{{ compact (list .empty .name .none) }} {{ slice .list 1 }} {{ chunk 2 .list }} {{ sortAlpha .list }} {{ until (int .count) }}",
    "{{ add .count 1 }} {{ max .count 2 }} {{ divf .count 2 }} {{ round .count 1 }} {{ int .count | toString }}",
    "{{ typeOf .name }} {{ kindIs \"map\" .map }} {{ deepEqual .list .numbers }} {{ semverCompare \">=1.1\" .tag }}",
    "{{ tpl \"{{ .name }}{{ .gone }}\" . }} {{ tpl .name . }} {{ required \"x\" .name }}",
    "{{ define \"h\" }}{{ .name }}: {{ .text }}{{ end }}{{ include \"h\" . | indent 4 | trimPrefix \" \" | quote }}",
    "{{ snakecase .name }} {{ camelcase .text }} {{ base .name }} {{ urlParse .name }} {{ urlquery .text }}",
    "{{ if .flag }}{{ $_ := merge .map .other }}{{ end }}{{ .map.three }} {{ .map.deep.more }}",
];

struct Rendered {
    bytes: Vec<u8>,
    spans: SpanMap,
    provenance: Provenance,
}

fn build(json: &Json) -> Value {
    match json {
        Json::Null => Value::NIL,
        Json::Bool(flag) => Value::from(*flag),
        Json::Number(number) => Value::from(number.as_f64().unwrap()),
        Json::String(text) => Value::from(&**text),
        Json::Array(items) => Value::from(items.iter().map(build).collect::<Vec<_>>()),
        Json::Object(entries) => {
            entries.iter().map(|(key, value)| (key.as_str().into(), build(value))).collect()
        }
    }
}

impl Rendered {
    fn new(template: &str, data: &Json, host: Host) -> Option<Self> {
        let functions = functions(HelmVersion::V4);
        let mut set = TemplateSet::new("gotpl");
        set.parse("case", template.as_bytes(), FileId(0), functions).unwrap();
        let mut provenance = Provenance::default();
        let root = provenance.inputs.root("D");
        let data = build(data).label(&mut provenance.inputs, root);
        let options = Options { missing_key: MissingKey::Zero, ..Options::default() };
        let mut executor = Executor::new(&set, functions, options, provenance, host);
        let text = executor.execute("case", &data).ok()?;
        let (bytes, spans) = text.into_parts();
        Some(Self { bytes, spans, provenance: executor.into_provenance() })
    }

    fn input(&mut self, pointer: &str) -> Input {
        let inputs = &mut self.provenance.inputs;
        let root = inputs.root("D");
        pointer.split('/').skip(1).fold(root, |parent, step| match step.parse() {
            Ok(index) => inputs.item(parent, index),
            Err(_) => inputs.child(parent, step),
        })
    }

    fn spans(&self, range: Range<usize>) -> Vec<Span> {
        self.spans.trace(&self.provenance, range)
    }

    /// Whether the start of a changed range names the input: in the byte there or in an empty span.
    fn announces(&mut self, range: Range<usize>, pointer: &str) -> bool {
        let input = self.input(pointer);
        let first = range.start..(range.start + 1).min(range.end);
        let inputs = &self.provenance.inputs;
        self.spans(first)
            .iter()
            .any(|span| inputs.covers(span.data, input) || inputs.covers(span.control, input))
    }
}

fn pointers(json: &Json, prefix: &str, out: &mut Vec<String>) {
    let mut visit = |key: &str, value: &Json| {
        let pointer = format!("{prefix}/{key}");
        pointers(value, &pointer, out);
        out.push(pointer);
    };
    match json {
        Json::Object(map) => map.iter().for_each(|(key, value)| visit(key, value)),
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(i, value)| visit(&i.to_string(), value));
        }
        _ => {}
    }
}

/// The whole data with other values at `pointer`.
fn variants(data: &Json, pointer: &str) -> Vec<Json> {
    let old = data.pointer(pointer).unwrap();
    let values =
        [json!("CHANGED"), json!(""), json!(null), json!(true), json!(7), json!("two\nlines here")];
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
        // Removing any other item would move, and so change, those after it.
        Json::Array(items) if key == (items.len() - 1).to_string() => drop(items.pop()),
        _ => {}
    }
    variants.push(without);
    variants
}

/// The bytes that differ.
fn difference(a: &[u8], b: &[u8]) -> (Range<usize>, Range<usize>) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().rev().zip(b[start..].iter().rev());
    let end = rest.take_while(|(a, b)| a == b).count();
    (start..a.len() - end, start..b.len() - end)
}

#[test]
fn every_change_is_announced() {
    let data = data();
    let mut all = Vec::new();
    pointers(&data, "", &mut all);
    let (mut silent, mut changes) = (String::new(), 0);
    for template in TEMPLATES {
        let mut before = Rendered::new(template, &data, Host::default()).expect(template);
        for pointer in &all {
            for changed in variants(&data, pointer) {
                let Some(mut after) = Rendered::new(template, &changed, Host::default()) else {
                    continue;
                };
                if before.bytes == after.bytes {
                    continue;
                }
                changes += 1;
                let (old, new) = difference(&before.bytes, &after.bytes);
                let announced = before.announces(old.clone(), pointer)
                    || (old.is_empty() && after.announces(new, pointer));
                if !announced {
                    let was = String::from_utf8_lossy(&before.bytes).into_owned();
                    let is = String::from_utf8_lossy(&after.bytes).into_owned();
                    writeln!(silent, "{template}\n  {pointer}: {was:?}[{old:?}] -> {is:?}")
                        .unwrap();
                }
            }
        }
    }
    assert!(silent.is_empty(), "{silent}");
    assert!(changes > 800, "too little changed: {changes}");
}

/// The paths of the inputs behind the first occurrence of `needle`: data, then control.
fn origins(template: &str, needle: &str) -> (Vec<String>, Vec<String>) {
    let rendered = Rendered::new(template, &data(), Host::default()).unwrap();
    let at = memchr::memmem::find(&rendered.bytes, needle.as_bytes()).unwrap();
    let inputs = &rendered.provenance.inputs;
    let (mut flowed, mut decided) = (Vec::new(), Vec::new());
    for span in rendered.spans(at..at + needle.len()) {
        flowed.extend(inputs.members(span.data).into_iter().map(|input| inputs.path(input)));
        decided.extend(inputs.members(span.control).into_iter().map(|input| inputs.path(input)));
    }
    flowed.sort();
    flowed.dedup();
    decided.sort();
    decided.dedup();
    (flowed, decided)
}

#[test]
fn scalars_keep_their_own_origin() {
    for (template, needle, data) in [
        ("{{ toYaml .map | nindent 4 }}", "2nd", "D.map.two"),
        ("{{ toJson .map | quote }}", "1st", "D.map.one"),
        ("{{ printf \"%s-%s\" .name .tag | trunc 63 | quote }}", "alpha", "D.name"),
        ("{{ .list | join \", \" }}", "three", "D.list[2]"),
        ("{{ list .name .tag | toYaml | indent 2 }}", "v1.2", "D.tag"),
        ("{{ (fromYaml (toYaml .map)).one }}", "1st", "D.map.one"),
        ("{{ merge (dict \"x\" .name) .map | toYaml }}", "alpha", "D.name"),
        ("{{ mergeOverwrite (deepCopy .map) .other | toYaml }}", "3rd", "D.other.three"),
        ("{{ regexReplaceAll \"_\" (cat .name .tag) \"-\" }}", "v1.2", "D.tag"),
        ("{{ .none | default .name | upper | lower }}", "alpha", "D.name"),
    ] {
        assert_eq!(origins(template, needle).0, [data], "{template}");
    }
    let (data, control) = origins("{{ .none | default .name }}", "alpha");
    assert_eq!((data, control), (vec!["D.name".to_owned()], vec!["D.none".to_owned()]));
    let (data, control) = origins("{{ ternary .name .tag .flag }}", "alpha");
    assert_eq!((data, control), (vec!["D.name".to_owned()], vec!["D.flag".to_owned()]));
}

const RANDOM: &str = "{{ randAlphaNum 8 }} {{ randInt 0 1000000 }} {{ uuidv4 }} {{ htpasswd \"u\" \"p\" }} \
    {{ (genCA \"ca\" 3).Cert | sha256sum }} {{ genPrivateKey \"rsa\" | b64enc }} {{ randBytes 9 }}";

#[test]
fn random_functions_repeat_themselves_until_the_seed_changes() {
    let render = |seed| {
        let mut host = Host::default();
        host.seed = seed;
        Rendered::new(RANDOM, &data(), host).unwrap()
    };
    let (a, b, c) = (render(1), render(1), render(2));
    assert_eq!(a.bytes, b.bytes);
    let text = |rendered: &Rendered| String::from_utf8_lossy(&rendered.bytes).into_owned();
    for (mine, other) in text(&a).split(' ').zip(text(&c).split(' ')) {
        assert_ne!(mine, other);
    }
    for span in a.spans(0..a.bytes.len()) {
        let inputs = &a.provenance.inputs;
        let paths: Vec<_> = inputs.members(span.data).iter().map(|i| inputs.path(*i)).collect();
        let is_literal = text(&a)[span.range.clone()].trim().is_empty();
        assert!(is_literal || paths.contains(&"random".to_owned()), "{span:?}");
    }
}

#[test]
fn a_draw_that_appears_elsewhere_changes_no_other() {
    let template = "{{ define \"p\" }}{{ randAlphaNum 8 }}{{ end }}\
        {{ if .flag }}{{ randAlphaNum 8 }}/{{ include \"p\" . }}{{ end }} \
        {{ randAlphaNum 8 }} {{ include \"p\" . }} {{ include \"p\" . }} {{ tpl \"{{ randAlphaNum 8 }}\" . }} \
        {{ range .list }}{{ if eq . \"two\" }}{{ else }}{{ randAlphaNum 8 }}{{ end }} {{ end }}";
    let words = |pointer: &str, value: Json| {
        let mut data = data();
        *data.pointer_mut(pointer).unwrap() = value;
        let rendered = Rendered::new(template, &data, Host::default()).unwrap();
        let text = String::from_utf8(rendered.bytes).unwrap();
        text.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let base = words("/flag", json!(true));
    assert_eq!(words("/flag", json!(false))[1..], base[1..]);
    let more = words("/list/1", json!("other"));
    assert_eq!((&more[..6], &more[7..]), (&base[..6], &base[7..]));
    let mut all: Vec<&str> = more.iter().flat_map(|word| word.split('/')).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(
        all.len(),
        10,
        "each draw yields something else, and there is the empty end: {more:?}"
    );
}

#[test]
fn the_parts_of_an_executed_text_keep_their_own_origin() {
    let template = "{{ tpl (printf \"%s {{ .key }} {{ print \\\"lit\\\" }} %s\" .name .tag) . }}";
    for (needle, data) in [
        ("alpha", vec!["D.name"]),
        ("one", vec!["D.key"]),
        ("lit", vec![]),
        ("v1.2", vec!["D.tag"]),
    ] {
        let (flowed, decided) = origins(template, needle);
        assert_eq!(flowed, data, "{needle}");
        assert_eq!(
            decided,
            ["D.name", "D.tag"],
            "all of the text decides how it is read: {needle}"
        );
    }
}

#[test]
fn space_that_a_trim_kept_names_what_stands_around_it() {
    let template = "{{ define \"p\" }}{{ if .flag }}\n- a{{ end }}{{ if .name }}\n- b\n{{ end }}\
        {{ if .tag }}- c{{ end }}{{ end }}{{ include \"p\" . | trim | nindent 2 }}";
    let mut rendered = Rendered::new(template, &data(), Host::default()).unwrap();
    assert_eq!(String::from_utf8_lossy(&rendered.bytes), "\n  - a\n  - b\n  - c");
    for (gap, named) in [(6..9, "/flag"), (6..9, "/name"), (12..15, "/name"), (12..15, "/tag")] {
        for at in gap {
            assert!(rendered.announces(at..at + 1, named), "{named} at {at}");
        }
    }
    assert!(
        !rendered.announces(12..13, "/flag"),
        "without the first, the second still stands there"
    );
}

#[test]
fn nothing_flows_into_a_key_that_a_template_wrote() {
    let template = "{{ $_ := set .map \"new\" .name }}{{ toYaml (deepCopy .map) }}";
    assert_eq!(origins(template, "new").0, Vec::<String>::new());
    assert_eq!(origins(template, "new").1, ["D.map"]);
    assert_eq!(origins(template, "two").0, ["D.map"]);
}

#[test]
fn the_time_is_that_of_the_host() {
    let template = "{{ now | date \"2006\" }} {{ htmlDate .none }} {{ now | unixEpoch }}";
    let mut host = Host::default();
    host.now = 0;
    let a = Rendered::new(template, &data(), host).unwrap();
    assert_eq!(String::from_utf8_lossy(&a.bytes), "1970 1970-01-01 0");
    let inputs = &a.provenance.inputs;
    let spans = a.spans(0..a.bytes.len());
    let timed = spans
        .iter()
        .filter(|span| inputs.members(span.data).iter().any(|input| inputs.path(*input) == "time"));
    assert_eq!(timed.count(), 3);
}
