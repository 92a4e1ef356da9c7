//! All template functions against Helm's engine: the cases of `testdata/functions/cases.jsonl`.

use std::{collections::BTreeMap, fmt::Write as _};

use go_template::{
    Data, Executor, Functions, IntType, List, Map, MissingKey, Options, TemplateSet, Text, Type,
    UintType, Value,
    provenance::{FileId, Provenance},
};
use helm_render::{
    HelmVersion,
    functions::{Host, functions},
};
use serde_json::Value as Json;

static VALUES: Type = Type::map("main.Values", &Type::INTERFACE).named(&Type::MAP);

fn read(name: &str) -> String {
    let path = format!("{}/testdata/functions/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn floats(numbers: &[f64]) -> Value {
    Value::from(numbers.iter().map(|&number| Value::from(number)).collect::<Vec<_>>())
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().map(|(key, value)| (key.into(), value)).collect()
}

fn strings(items: &[&str]) -> Value {
    let items = items.iter().map(|&item| Value::from(item)).collect();
    Value::from(List::of(&Type::STRINGS, items))
}

fn typed(go_type: &'static Type, entries: &[(&str, &str)]) -> Value {
    let entries = entries.iter().map(|(key, value)| ((*key).into(), Value::from(*value)));
    Value::from(Map::of(go_type, entries.collect::<BTreeMap<_, _>>()))
}

/// The data of the templates; `testdata/functions/main.go` has the same.
fn data() -> Value {
    let ints = [3, 1, 2].map(Value::int).to_vec();
    let list = vec![
        Value::from("b"),
        Value::from("a"),
        Value::from(3.0),
        Value::NIL,
        Value::from(true),
        Value::from("a"),
    ];
    let nested =
        map([("d", Value::NIL), ("e", Value::from(vec![Value::from(1.0), Value::from("x")]))]);
    let dict =
        map([("a", Value::from(1.0)), ("b", Value::from("two")), ("c", nested), ("n", Value::NIL)]);
    map([
        ("nil", Value::NIL),
        ("yes", Value::from(true)),
        ("no", Value::from(false)),
        ("int", Value::int(7)),
        ("zero", Value::int(0)),
        ("neg", Value::int64(-3)),
        ("big", Value::int64(1 << 62)),
        ("float", Value::from(2.5)),
        ("whole", Value::from(3.0)),
        ("million", Value::from(1e6)),
        ("tiny", Value::from(1e-7)),
        ("huge", Value::from(1e21)),
        ("negf", Value::from(-2.5)),
        ("str", Value::from("Hello World")),
        ("empty", Value::from("")),
        ("num", Value::from("42")),
        ("multi", Value::from("a: 1\nb: |\n  x\n\nc: 2\n")),
        ("uni", Value::from("héllo wörld 日本")),
        ("bytes", Value::from(Data::Bytes(Text::new(&b"abc\xff"[..])))),
        ("u8", Value::from(Data::Uint(UintType::Uint8, 200))),
        ("u64", Value::from(Data::Uint(UintType::Uint64, (1 << 63) + 1))),
        ("i32", Value::from(Data::Int(IntType::Int32, -5))),
        ("list", Value::from(list)),
        ("none", Value::from(Vec::<Value>::new())),
        ("nums", floats(&[3.0, 1.0, 2.0])),
        ("strs", strings(&["x", "y", "x"])),
        ("ints", Value::from(List::of(&Type::INTS, ints))),
        ("lists", Value::from(vec![floats(&[1.0]), floats(&[]), floats(&[1.0])])),
        ("map", dict),
        ("void", map([])),
        ("labels", typed(&Type::STRING_MAP, &[("app", "x"), ("a/b", "y")])),
        ("bad", Value::from(b"a\xffb".to_vec())),
        ("ctl", Value::from("a\x01\x7fb")),
        ("values", typed(&VALUES, &[("k", "v")])),
    ])
}

/// The output of a template, or its error.
fn run(template: &str, functions: &Functions, provenance: bool) -> Result<String, String> {
    let mut set = TemplateSet::new("gotpl");
    set.parse("case", template.as_bytes(), FileId(0), functions).map_err(|e| e.to_string())?;
    let options = Options {
        missing_key: MissingKey::Zero,
        provenance,
        max_stack: MAX_STACK,
        ..Options::default()
    };
    let tables = Provenance::default();
    let mut executor = Executor::new(&set, functions, options, tables, Host::default());
    let text = executor.execute("case", &data()).map_err(|error| error.to_string())?;
    let (bytes, spans) = text.into_parts();
    if provenance {
        assert_eq!(spans.len(), bytes.len(), "every byte has an origin: {template}");
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Cases that differ on purpose: a part of the template, and the reason.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("1e999", "a number too large leaves the rest of the object beside the error"),
    (r"~: 4", "the key of an entry that cannot be is not told with its value"),
    (r#"printf "%d" (toDate"#, "integers with names of their own are objects here"),
];

/// Cuts the result of a failing `fromToml` after the line of its error. The message after it is
/// that of BurntSushi/toml, and our parser (the `toml` crate) words its errors differently.
fn without_toml_message(result: Result<String, String>) -> Result<String, String> {
    const ERROR: &str = "map[Error:toml: line ";
    result.map(|text| match text.split_once(ERROR) {
        Some((before, after)) => {
            let line: String = after.chars().take_while(char::is_ascii_digit).collect();
            format!("{before}{ERROR}{line}")
        }
        None => text,
    })
}

fn compare(cases: &str, version: HelmVersion) -> (usize, String) {
    let functions = functions(version);
    let (mut count, mut failures) = (0, String::new());
    for line in cases.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let template = case["t"].as_str().unwrap();
        count += 1;
        if EXCEPTIONS.iter().any(|(part, _)| template.contains(part)) {
            continue;
        }
        let want = match case["e"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(case["o"].as_str().unwrap().to_owned()),
        };
        let want = without_toml_message(want);
        let got = without_toml_message(run(template, functions, count % 2 == 0));
        if got != want {
            writeln!(failures, "{template}\n  want {want:?}\n  got  {got:?}").unwrap();
        }
    }
    (count, failures)
}

/// Enough for a thousand nested calls of an unoptimised build.
const MAX_STACK: usize = 64 << 20;

fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 * MAX_STACK);
        thread.spawn_scoped(scope, run).unwrap().join().unwrap()
    })
}

#[test]
fn results_and_errors_are_those_of_helm_4() {
    let cases = read("cases.jsonl");
    let (count, failures) = with_stack(|| compare(&cases, HelmVersion::V4));
    assert!(failures.is_empty(), "{} of {count}\n{failures}", failures.matches("\n  want").count());
    assert!(count >= 2500, "cases are missing: {count}");
}

#[test]
fn helm_3_differs_only_in_what_it_lacks() {
    let cases = read("cases-v3.jsonl");
    let (count, failures) = with_stack(|| compare(&cases, HelmVersion::V3));
    assert!(failures.is_empty(), "{failures}");
    assert!(count > 50, "cases are missing: {count}");
}

#[test]
fn every_function_is_there_and_no_other() {
    for (version, file) in
        [(HelmVersion::V3, "functions-v3.json"), (HelmVersion::V4, "functions-v4.json")]
    {
        let header: Json = serde_json::from_str(&read(file)).unwrap();
        let registered = functions(version);
        let names: Vec<&str> =
            header["functions"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        let missing: Vec<_> = names.iter().filter(|name| registered.find(name).is_none()).collect();
        assert!(missing.is_empty(), "{version:?} lacks {missing:?}");
    }
    let v3 = functions(HelmVersion::V3);
    assert!(v3.find("mustToYaml").is_none() && v3.find("env").is_none());
}
