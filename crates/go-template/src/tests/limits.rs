//! Hostile templates end in errors: no panic, no stack overflow, no endless loop.

use serde_json::json;

use super::run;
use crate::{Budget, Limits, Options};

fn limited(steps: u64, bytes_at_once: u64) -> Budget {
    Budget::new(Limits { steps, bytes_at_once, ..Limits::default() })
}

fn fails(template: &str, options: Options) -> String {
    run(template, &json!({"a": "x", "l": [1, 2, 3]}), options).unwrap_err()
}

#[track_caller]
fn assert_fails(template: &str, want: &str) {
    let budget = limited(200_000, 4 << 20);
    let options = Options { budget, ..Options::default() };
    let error = fails(template, options);
    assert!(error.contains(want), "{:.200}", error);
}

#[test]
fn deep_nesting_is_an_error() {
    let n = 100_000;
    let parentheses = format!("{{{{{}1{}}}}}", "(".repeat(n), ")".repeat(n));
    assert_fails(&parentheses, "max expression depth exceeded");
    let blocks = format!("{}{}", "{{if 1}}".repeat(n), "{{end}}".repeat(n));
    assert_fails(&blocks, "max nesting depth exceeded");
    let chain = format!("{{{{if 0}}}}{}{{{{end}}}}", "{{else if 0}}".repeat(n));
    assert_fails(&chain, "max nesting depth exceeded");
    let definitions = "{{block \"a\" .}}".repeat(n);
    assert_fails(&definitions, "max nesting depth exceeded");
}

#[test]
fn nesting_that_parses_can_be_executed_and_printed() {
    for n in [20, 50, 100] {
        let parentheses = format!("{{{{{}.a{}.x}}}}", "(".repeat(n), ")".repeat(n));
        assert_fails(&parentheses, "can't evaluate field x in type string");
        let blocks = format!("{}{{{{.a.x}}}}{}", "{{if 1}}".repeat(n), "{{end}}".repeat(n));
        assert_fails(&blocks, "can't evaluate field x in type interface {}");
    }
}

#[test]
fn endless_recursion_is_an_error() {
    let depth = "exceeded maximum template depth (100000)";
    assert_fails("{{define \"r\"}}{{template \"r\" .}}{{end}}{{template \"r\" .}}", depth);
    assert_fails("{{define \"r\"}}{{include \"r\" .}}{{end}}{{include \"r\" .}}", depth);
    assert_fails(
        "{{define \"r\"}}{{if 1}}{{range $.l}}{{include \"r\" $}}{{end}}{{end}}{{end}}{{include \"r\" .}}",
        depth,
    );
    assert_fails(
        "{{define \"r\"}}{{tpl \"{{include `r` .}}\" .}}{{end}}{{include \"r\" .}}",
        "depth",
    );
    let options = Options { max_depth: 10, ..Options::default() };
    let error = fails("{{define \"r\"}}{{template \"r\" .}}{{end}}{{template \"r\" .}}", options);
    assert!(
        error.ends_with("<{{template \"r\" .}}>: exceeded maximum template depth (10)"),
        "{error}"
    );
}

#[test]
fn endless_work_is_an_error() {
    // The position of each text is kept.
    assert_fails("{{range 9223372036854775807}}x{{end}}", "makes more than 4 MiB of text");
    assert_fails("{{range 9223372036854775807}}{{end}}", "needs more than 200000 template steps");
    let nested = format!("{}{}", "{{range 1000}}".repeat(10), "{{end}}".repeat(10));
    assert_fails(&nested, "needs more than 200000 template steps");
    let doubling = "{{$x := \"x\"}}{{range 60}}{{$x = print $x $x}}{{end}}";
    assert_fails(doubling, "makes more than 4 MiB of text in one render");
    assert_fails(
        &format!("{{{{printf \"{}\" 1}}}}", "%999999[1]d".repeat(1000)),
        "exceeded maximum size",
    );
    assert_fails("{{range 1000000}}{{printf \"%999999d\" 1}}{{end}}", "makes more than 4 MiB");
}

#[test]
fn deeply_nested_values_can_be_dropped_but_not_printed() {
    let chain = "{{$l := list}}{{range 50000}}{{$l = list $l}}{{end}}done";
    let options = Options::default();
    assert_eq!(run(chain, &json!({}), options.clone()).unwrap(), b"done");
    let chain = "{{$d := dict}}{{$c := $d}}{{range 50000}}{{$n := dict}}\
                 {{$_ := set $c \"n\" $n}}{{$c = $n}}{{end}}done";
    assert_eq!(run(chain, &json!({}), options.clone()).unwrap(), b"done");
    assert_fails("{{$l := list}}{{range 2000}}{{$l = list $l}}{{end}}{{$l}}", "too deeply");
    assert_fails("{{$d := dict}}{{$_ := set $d \"d\" $d}}{{$d}}", "too deeply");
    let compared = "{{$d := dict}}{{$_ := set $d \"d\" $d}}{{eq $d nil}}";
    assert_eq!(run(compared, &json!({}), options).unwrap(), b"false");
}

#[test]
fn large_templates_are_fine() {
    let text = "some text\n".repeat(100_000);
    assert_eq!(run(&text, &json!({}), Options::default()).unwrap(), text.as_bytes());
    let actions = "{{.a}} ".repeat(100_000);
    assert_eq!(run(&actions, &json!({"a": "x"}), Options::default()).unwrap().len(), 200_000);
    let variables = "{{$x := 1}}".repeat(20_000) + "{{$x}}";
    assert_eq!(run(&variables, &json!({}), Options::default()).unwrap(), b"1");
    assert_fails(&"{{".repeat(500_000), "unexpected");
    assert_fails(&"{{\"".repeat(300_000), "unexpected");
}

/// Templates cut, doubled and swapped at pseudo-random points parse or fail.
#[test]
fn mutilated_templates_do_not_panic() {
    let seeds = [
        "{{- if and .a (or .l 1) -}} {{ range $i, $v := .l }}{{ $i }}={{ $v | printf \"%05.2f|%q\" }}{{ else }}{{ break }}{{ end }}{{ end }}",
        "{{ define \"x\" }}{{ with $y := .a }}{{ $y.b.c }}{{ else with 0x1p-2 }}{{ 'c' }}{{ end }}{{ end }}{{ template \"x\" (dict \"a\" `r`) }}",
        "{{/* c */ -}} \u{e9}{{ index .l 1 | print .a \"\\u00e9\" }}{{ block \"b\" . }}{{ tpl \"{{ .a }}\" . }}{{ end }}",
    ];
    let mut state = 1u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % n.max(1)
    };
    for round in 0..6000 {
        let mut bytes = seeds[round % seeds.len()].as_bytes().to_vec();
        for _ in 0..=random(4) {
            let (at, len) = (random(bytes.len()), random(12));
            let piece: Vec<u8> = bytes[at..(at + len).min(bytes.len())].to_vec();
            let to = random(bytes.len());
            match random(3) {
                0 => drop(bytes.drain(at..(at + len).min(bytes.len()))),
                1 => drop(bytes.splice(to..to, piece)),
                _ => bytes.insert(to, random(256) as u8),
            }
        }
        let template = String::from_utf8_lossy(&bytes);
        let budget = limited(10_000, 4 << 20);
        let options = Options { budget, ..Options::default() };
        let _ = run(&template, &json!({"a": "x", "l": [1, 2.5, "s"]}), options);
    }
}
