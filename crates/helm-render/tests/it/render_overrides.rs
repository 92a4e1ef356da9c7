//! Renders with overridden inputs: values, versions, time, seed and the selection of templates.

use std::sync::Arc;

use go_template::provenance::{FileId, Step};
use helm_render::{
    Chart, HelmVersion, Override, RenderOptions, Rendered, render,
    values::{Setting, Table, Tree},
};

const CHART: &str = "apiVersion: v2\nname: app\nversion: 0.1.0\nappVersion: '1.0'\n\
    dependencies: [{name: sub, version: 0.2.0, condition: sub.enabled}]\n";
const SUB: &str = "apiVersion: v2\nname: sub\nversion: 0.2.0\nappVersion: '2.0'\n";
const VALUES: &str =
    "a: {b: 1, c: x}\nl: [{i: 0}, {i: 1}]\nglobal: {g: 1}\nsub: {enabled: true, s: 1}\n";

fn chart(template: &str) -> Arc<Chart> {
    let files = [
        ("Chart.yaml", CHART),
        ("values.yaml", VALUES),
        ("templates/a.yaml", template),
        ("charts/sub/Chart.yaml", SUB),
        ("charts/sub/values.yaml", "own: 5\n"),
        ("charts/sub/templates/s.yaml", "s: {{ .Values | toJson }}\nv: {{ .Chart.Version }}\n"),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    Chart::from_files(files, "app", HelmVersion::V4).unwrap()
}

fn text(rendered: &Rendered, name: &str) -> String {
    let name = |file: &&helm_render::RenderedFile| {
        rendered.templates[file.template.0 as usize].name.ends_with(name)
    };
    rendered.files.iter().find(name).map_or(String::new(), |file| file.text.clone())
}

fn path(path: &str) -> Vec<Step> {
    let step = |part: &str| match part.parse() {
        Ok(index) => Step::Index(index),
        Err(_) => Step::Key(part.into()),
    };
    path.split('.').map(step).collect()
}

fn with(overrides: &[(&str, Tree)]) -> RenderOptions {
    let overrides =
        overrides.iter().map(|(at, value)| Override { path: path(at), value: value.clone() });
    RenderOptions { overrides: overrides.collect(), ..RenderOptions::default() }
}

fn values(overrides: &[(&str, Tree)]) -> String {
    let chart = chart("v: {{ .Values | toJson }}\n");
    let rendered = render(&chart, &with(overrides)).unwrap();
    text(&rendered, "app/templates/a.yaml").trim().trim_start_matches("v: ").to_owned()
}

const UNTOUCHED: &str = r#"{"a":{"b":1,"c":"x"},"global":{"g":1},"l":[{"i":0},{"i":1}],"sub":{"enabled":true,"global":{"g":1},"own":5,"s":1}}"#;

#[test]
fn a_value_is_replaced_and_nothing_else() {
    assert_eq!(values(&[]), UNTOUCHED);
    for (at, value, old, new) in [
        ("a.b", Tree::Float(2.0), r#""b":1"#, r#""b":2"#),
        ("a.c", Tree::Str("y".into()), r#""c":"x""#, r#""c":"y""#),
        ("a.c", Tree::Null, r#","c":"x""#, ""),
        ("l.1.i", Tree::Bool(true), r#""i":1"#, r#""i":true"#),
        ("l.0", Tree::Str("z".into()), r#"{"i":0}"#, r#""z""#),
        ("sub.own", Tree::Float(6.0), r#""own":5"#, r#""own":6"#),
        ("sub.s", Tree::Float(6.0), r#""s":1"#, r#""s":6"#),
        ("new.deep", Tree::Bool(true), r#","sub""#, r#","new":{"deep":true},"sub""#),
    ] {
        assert_eq!(values(&[(at, value)]), UNTOUCHED.replacen(old, new, 1), "{at}");
    }
    // Every chart sees a global value.
    let global = UNTOUCHED.replace(r#""g":1"#, r#""g":7"#);
    assert_eq!(values(&[("global.g", Tree::Float(7.0))]), global);
}

#[test]
fn a_replaced_value_wins_over_what_the_user_sets() {
    let chart = chart("v: {{ .Values.a.b }}\n");
    let user = Table::from([("b".into(), Setting::new(Tree::Float(8.0), None))]);
    let user = Table::from([("a".into(), Setting::table(user))]);
    let options = RenderOptions { values: user, ..RenderOptions::default() };
    assert_eq!(text(&render(&chart, &options).unwrap(), "a.yaml"), "v: 8\n");
    let overrides = with(&[("a.b", Tree::Float(9.0))]).overrides;
    let options = RenderOptions { overrides, ..options };
    assert_eq!(text(&render(&chart, &options).unwrap(), "a.yaml"), "v: 9\n");
}

#[test]
fn conditions_follow_replaced_values() {
    let chart = chart("a: 1\n");
    let rendered = render(&chart, &with(&[("sub.enabled", Tree::Bool(false))])).unwrap();
    assert_eq!(text(&rendered, "s.yaml"), "");
    assert_eq!(rendered.documents.len(), 1);
}

#[test]
fn versions_are_those_of_the_root_chart_alone() {
    let chart = chart("v: {{ .Chart.Version }} {{ .Chart.AppVersion }}\n");
    let options = RenderOptions {
        chart_version: Some("9.9.9".into()),
        app_version: Some("8.8".into()),
        ..RenderOptions::default()
    };
    let rendered = render(&chart, &options).unwrap();
    assert_eq!(text(&rendered, "a.yaml"), "v: 9.9.9 8.8\n");
    assert!(text(&rendered, "s.yaml").ends_with("0.2.0\n"));
}

#[test]
fn seed_and_time_change_what_depends_on_them() {
    let chart = chart("r: {{ randAlphaNum 12 }}\nt: {{ now | unixEpoch }}\n");
    let lines = |seed, now| {
        let options = RenderOptions { seed, now, ..RenderOptions::default() };
        let text = text(&render(&chart, &options).unwrap(), "a.yaml");
        let (random, time) = text.split_once('\n').unwrap();
        (random.to_owned(), time.to_owned())
    };
    let day = 86_400_000_000_000;
    assert_eq!(lines(1, day), lines(1, day));
    assert_ne!(lines(1, day).0, lines(2, day).0);
    assert_eq!(lines(1, day).1, "t: 86400\n");
    assert_eq!((lines(1, day).0, "t: 172800\n".to_owned()), lines(1, 2 * day));
}

#[test]
fn only_the_wanted_templates_are_executed() {
    let chart = chart("a: {{ fail \"not wanted\" }}\n");
    let only = Some(["app/charts/sub/templates/s.yaml".into()].into());
    let rendered = render(&chart, &RenderOptions { only, ..RenderOptions::default() }).unwrap();
    assert_eq!(rendered.files.len(), 1);
    assert!(text(&rendered, "s.yaml").ends_with("v: 0.2.0\n"));
}

#[test]
fn templates_that_change_what_others_see_are_named() {
    for (template, writes) in [
        ("{{ $_ := set .Values \"a\" 1 }}", true),
        ("{{ $_ := set $ \"a\" 1 }}", true),
        ("{{ $_ := unset .Values.a \"b\" }}", true),
        ("{{ $_ := mergeOverwrite .Values.a (dict \"c\" 1) }}", true),
        ("{{ $_ := merge (dict \"a\" .Values.a) (dict \"a\" (dict \"z\" 1)) }}", true),
        ("{{ $_ := set (dict) \"a\" 1 }}", false),
        ("{{ $_ := mergeOverwrite (deepCopy .Values.a) (dict \"c\" 1) }}", false),
        ("{{ $_ := set (.Values.a | toYaml | fromYaml) \"b\" 2 }}", false),
        ("# {{ .Values.a.b }}", false),
    ] {
        let chart = chart(&format!("v: 1 {template}\n"));
        let rendered = render(&chart, &RenderOptions::default()).unwrap();
        let name = |file: &FileId| rendered.templates[file.0 as usize].name.to_string();
        let writers: Vec<_> = rendered.writers.iter().map(name).collect();
        let expected: &[&str] = if writes { &["app/templates/a.yaml"] } else { &[] };
        assert_eq!(writers, expected, "{template}");
    }
}

#[test]
fn a_chart_is_freed_after_its_renders() {
    let chart = chart("a: {{ include \"no\" . | default 1 }}{{ define \"no\" }}{{ end }}\n");
    drop(render(&chart, &RenderOptions::default()).unwrap());
    drop(render(&chart, &RenderOptions::default()).unwrap());
    let last = Arc::downgrade(&chart);
    drop(chart);
    assert!(last.upgrade().is_none());
}
