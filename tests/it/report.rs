//! The whole output of every format for a small report, and properties that hold for every report.

mod sample;

use joblint::{
    report::{self, Format, Options, RedactedReport, Style},
    results::Report,
};
use serde_json::Value;
use yaml_spans::Source;

use super::support::assert_golden;

pub const FORMATS: [Format; 8] = [
    Format::Full,
    Format::Concise,
    Format::Json,
    Format::Sarif,
    Format::Github,
    Format::Gitlab,
    Format::Junit,
    Format::Markdown,
];

fn printed(report: Report, format: Format) -> String {
    let options = Options { exit_code: 1, ..Options::default() };
    report::print(&RedactedReport::new(report), format, &options)
}

fn assert_expected(name: &str, actual: &str) {
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    let actual = actual.replace(&version, "\"VERSION\"");
    assert_golden(&format!("testdata/report/expected/{name}"), &actual);
}

#[test]
fn outputs() {
    for (name, format) in [
        ("full.txt", Format::Full),
        ("concise.txt", Format::Concise),
        ("output.json", Format::Json),
        ("output.sarif", Format::Sarif),
        ("github.txt", Format::Github),
        ("gitlab.json", Format::Gitlab),
        ("junit.xml", Format::Junit),
        ("markdown.md", Format::Markdown),
    ] {
        assert_expected(name, &printed(sample::report(), format));
    }
}

#[test]
fn full_in_every_style() {
    let full = |style: Style| {
        report::print(
            &RedactedReport::new(sample::report()),
            Format::Full,
            &Options { style, exit_code: 1, ..Options::default() },
        )
    };
    let plain = Style::default();
    assert_expected("full-ascii.txt", &full(Style { unicode: false, ..plain }));
    assert_expected("full-narrow.txt", &full(Style { columns: Some(60), ..plain }));
    let rich = Style { color: true, links: true, ..plain };
    // Links hold absolute paths.
    let here = std::env::current_dir().expect("a working directory");
    let here = here.to_string_lossy().replace('\\', "/");
    let text = full(rich).replace(&format!("file://{here}"), "file://HERE");
    assert_expected("full-rich.txt", &text.replace('\x1b', "␛"));
}

#[test]
fn summaries() {
    let style = Style::default();
    assert_eq!(
        report::summary(&sample::report(), &style),
        "Found 6 problems (4 errors, 1 warning, 1 info) in 17 files; 2 fixable with --fix, 1 more \
         with --unsafe-fixes; 1 place could not be checked; 2 ignored"
    );
    let mut clean = Report::default();
    clean.counts.objects = 42;
    assert_eq!(report::summary(&clean, &style), "42 objects, no Jobs");
    clean.counts.workloads = 1;
    clean.counts.files = 3;
    assert_eq!(report::summary(&clean, &style), "No problems in 1 workload (42 objects, 3 files)");
    let report = RedactedReport::new(sample::report());
    let table = report::statistics(&report, Format::Full, &style);
    assert_eq!(
        table,
        "5  error    restart-policy-always  the API server rejects `restartPolicy: Always` in a Job [2 fixable]\n\
         1  error    unreadable             a file cannot be read\n"
    );
}

#[test]
fn a_report_without_findings() {
    for format in FORMATS {
        let text = printed(Report::default(), format);
        match format {
            Format::Full | Format::Concise | Format::Github => assert_eq!(text, ""),
            Format::Gitlab => assert_eq!(text, "[]\n"),
            Format::Markdown => {
                assert_eq!(text, "### joblint\n\nNo problems in 0 workloads (0 files).\n");
            }
            Format::Junit => assert!(text.contains("<testcase name=\"joblint\"")),
            Format::Json | Format::Sarif => _ = parsed(&text),
        }
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("valid JSON")
}

fn schema(name: &str) -> jsonschema::Validator {
    let path = format!("{}/testdata/report/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a schema");
    // As corrected in errata 01 of the standard: the published pattern is not a valid expression.
    let text =
        text.replace("^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
    jsonschema::validator_for(&parsed(&text)).expect("a valid schema")
}

fn assert_valid(schema: &jsonschema::Validator, text: &str) {
    let value = parsed(text);
    let errors: Vec<_> =
        schema.iter_errors(&value).map(|e| format!("{} at {}", e, e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn json_and_sarif_follow_their_schemas() {
    let (sarif, json) = (schema("sarif-schema-2.1.0.json"), schema("json-schema.json"));
    for report in [sample::report, Report::default] {
        assert_valid(&sarif, &printed(report(), Format::Sarif));
        assert_valid(&json, &printed(report(), Format::Json));
    }
    let broken = printed(sample::report(), Format::Sarif).replace("\"artifactLocation\"", "\"at\"");
    assert!(!sarif.is_valid(&parsed(&broken)));
}

/// Line and column by definition: line breaks before, characters since.
fn place(text: &str, offset: usize) -> (u64, u64) {
    let before = &text[..offset];
    let line = before.matches('\n').count() as u64 + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() as u64 + 1)
}

#[test]
fn positions_are_those_of_the_text() {
    let report = sample::report();
    let json = parsed(&printed(sample::report(), Format::Json));
    let sarif = parsed(&printed(sample::report(), Format::Sarif));
    let number = |value: &Value, key: &str| value[key].as_u64().unwrap();
    for (index, finding) in report.findings.iter().enumerate() {
        let (source, span) = (&finding.location.source, finding.location.span);
        let (start, end) =
            (place(&source.text, span.start as usize), place(&source.text, span.end as usize));
        let own = &json["findings"][index];
        assert_eq!((number(own, "line"), number(own, "column")), start);
        assert_eq!((number(own, "endLine"), number(own, "endColumn")), end);
        let location = &sarif["runs"][0]["results"][index]["locations"][0]["physicalLocation"];
        let region = &location["region"];
        assert_eq!((number(region, "startLine"), number(region, "startColumn")), start);
        assert_eq!((number(region, "endLine"), number(region, "endColumn")), end);
    }
}

/// Applies the replacements of a SARIF fix by their lines and columns.
fn replaced(text: &str, replacements: &Value) -> String {
    let offset = |line: &Value, column: &Value| {
        let start: usize = text
            .split_inclusive('\n')
            .take(line.as_u64().expect("as in the schema") as usize - 1)
            .map(str::len)
            .sum();
        let count = column.as_u64().expect("as in the schema") as usize - 1;
        text[start..].char_indices().nth(count).map_or(text.len(), |(at, _)| start + at)
    };
    let mut out = text.to_owned();
    for replacement in replacements.as_array().expect("as in the schema").iter().rev() {
        let region = &replacement["deletedRegion"];
        let start = offset(&region["startLine"], &region["startColumn"]);
        let end = offset(&region["endLine"], &region["endColumn"]);
        let inserted = replacement["insertedContent"]["text"].as_str().unwrap_or_default();
        out.replace_range(start..end, inserted);
    }
    out
}

#[test]
fn sarif_and_json_contain_the_same_fixes() {
    let report = sample::report();
    let json = parsed(&printed(sample::report(), Format::Json));
    let sarif = parsed(&printed(sample::report(), Format::Sarif));
    let mut seen = 0;
    for (index, finding) in report.findings.iter().enumerate() {
        let Some(own) = finding.fixes.first() else { continue };
        let applicability = &json["findings"][index]["fixes"][0]["applicability"];
        if applicability != own.applicability.name() {
            // The fix would write a secret, so its masked text must not be applied.
            assert_eq!(applicability, "display");
            assert!(sarif["runs"][0]["results"][index]["fixes"].is_null());
            continue;
        }
        let fixed = yaml_spans::Edit::apply(&own.source.text, &own.edits).unwrap();
        let mut edited = own.source.text.clone();
        for edit in json["findings"][index]["fixes"][0]["edits"].as_array().unwrap().iter().rev() {
            let at = |key: &str| edit[key].as_u64().unwrap() as usize;
            edited.replace_range(at("start")..at("end"), edit["text"].as_str().unwrap());
        }
        assert_eq!(edited, fixed);
        let fixes = &sarif["runs"][0]["results"][index]["fixes"];
        let replacements = &fixes[0]["artifactChanges"][0]["replacements"];
        assert_eq!(replaced(&own.source.text, replacements), fixed);
        seen += 1;
    }
    assert_eq!(seen, 2);
}

#[test]
fn fingerprints_survive_unrelated_changes() {
    let print = |text: &str, needle: &str| {
        let mut findings: Vec<_> = text
            .match_indices(needle)
            .map(|(at, _)| sample::finding(&Source::new("a.yaml", text).into(), at, needle.len()))
            .collect();
        joblint::fingerprint::fill(
            &mut findings,
            &joblint::discover::Root::default(),
            &mut joblint::redact::Redactor::default(),
        );
        joblint::fingerprint::count(&mut findings);
        findings.into_iter().map(|finding| finding.fingerprint).collect::<Vec<_>>()
    };
    let before = print("a: 1\nrestartPolicy: Always\n", "Always");
    assert_eq!(before, print("a: 1\nb: 2\n\n    restartPolicy:  Always  \r\n", "Always"));
    assert_ne!(before, print("a: 1\nrestartPolicy: Always # why\n", "Always"));
    let twice = print("restartPolicy: Always\nrestartPolicy: Always\n", "Always");
    assert_eq!(before[0], twice[0]);
    assert_ne!(twice[0], twice[1]);
    let secret = |value: &str| print(&format!("password: {value} Always\n"), "password");
    assert_eq!(secret("hunter2"), secret("correct-horse"));
}

#[test]
fn long_lines_and_many_findings_are_printed_in_linear_time() {
    let long = Source::new("long.json", format!("{{\"a\":\"{}\"}}", "ä€".repeat(4_000_000))).into();
    let many = Source::new("many.yaml", "restartPolicy: Always # ä\n".repeat(10_000)).into();
    let mut report = Report::default();
    report.findings.extend((0..1_000).map(|n| sample::finding(&long, 6 + 20_000 * n, 5)));
    report.findings.extend((0..10_000).map(|n| sample::finding(&many, 15 + 27 * n, 6)));
    joblint::fingerprint::fill(
        &mut report.findings,
        &joblint::discover::Root::default(),
        &mut report.redactor,
    );
    let report = RedactedReport::new(report);
    let start = std::time::Instant::now();
    for format in FORMATS {
        assert!(!report::print(&report, format, &Options::default()).is_empty());
    }
    // A hundred times what it takes; scanning the text for each finding would take minutes.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn printing_never_panics_whatever_the_span() {
    let texts = ["", "\n", "a", "a\n", "ä\r\n\r\n\tb: 日本\n", "\u{FEFF}a: b", "a\rb\n\u{1b}[31m"];
    for text in texts {
        let source = Source::new("a.yaml", text).into();
        for start in 0..=text.len() + 2 {
            for length in 0..=text.len() + 2 {
                let mut report = Report::default();
                let mut finding = sample::finding(&source, start, length);
                finding.secondary.push((finding.location.clone(), "again".into()));
                report.findings.push(finding);
                let report = RedactedReport::new(report);
                for format in FORMATS {
                    let printed = report::print(&report, format, &Options::default());
                    assert!(printed.contains("restart-policy-always") || format == Format::Junit);
                }
            }
        }
    }
}
