//! Every case of `testdata/cases.jsonl`, with the results of Go.

mod go_data;
mod limits;
mod origins;
mod wanted;

use std::fmt::Write as _;

use serde_json::Value as Json;

use self::go_data::{build, functions};
use crate::provenance::{FileId, Provenance};
use crate::{ExecError, Executor, Functions, MissingKey, Options, TemplateSet, Text};

/// The output of a template, or the text of the error.
fn run(template: &str, data: &Json, options: Options) -> Result<Vec<u8>, String> {
    let functions = functions();
    let mut set = TemplateSet::new("case");
    set.parse("case", template.as_bytes(), FileId(0), &functions).map_err(|e| e.to_string())?;
    let provenance = options.provenance;
    let mut executor = Executor::new(&set, &functions, options, Provenance::default(), ());
    let text = executor.execute("case", &build(data)).map_err(|e| e.to_string())?;
    let (bytes, spans) = text.into_parts();
    if provenance {
        assert_eq!(spans.len(), bytes.len(), "every byte has an origin: {template}");
    }
    Ok(bytes)
}

fn options(missing_key: &str) -> Options {
    let missing_key = match missing_key {
        "zero" => MissingKey::Zero,
        "error" => MissingKey::Error,
        _ => MissingKey::Invalid,
    };
    Options { missing_key, ..Options::default() }
}

#[test]
fn prints_and_fails_as_go_does() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/cases.jsonl");
    let cases = std::fs::read_to_string(path).unwrap();
    let mut failures = String::new();
    let mut count = 0;
    for line in cases.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let template = case["template"].as_str().unwrap();
        let want = match &case["error"] {
            Json::String(error) => Err(error.clone()),
            _ => Ok(case["output"].as_str().unwrap().to_owned()),
        };
        for provenance in [true, false] {
            let options = options(case["missingkey"].as_str().unwrap_or_default());
            let got = run(template, &case["data"], Options { provenance, ..options });
            // JSON cannot hold invalid UTF-8; Go wrote U+FFFD for it.
            let got = got.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            if got != want {
                writeln!(failures, "{template}\n  want {want:?}\n  got  {got:?}").unwrap();
            }
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(count > 1400, "cases are missing: {count}");
}

/// Threads share parsed sources and exchange the results of renders.
#[test]
fn parsed_sources_and_results_are_send_and_sync() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<TemplateSet>();
    is_shared::<Functions>();
    is_shared::<Text>();
    is_shared::<Provenance>();
    is_shared::<ExecError>();
}
