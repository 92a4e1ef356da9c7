//! Renders that take templates from another render of the chart.

use std::sync::Arc;

use go_template::{Budget, Limits, provenance::Step};
use helm_render::{Chart, HelmVersion, Override, RenderOptions, Rendered, render, values::Tree};

/// A chart whose values are these, with a template for each text.
fn chart(values: &str, templates: &[&str]) -> Arc<Chart> {
    let chart = "apiVersion: v2\nname: app\nversion: 0.1.0\n";
    let mut files = vec![("Chart.yaml".to_owned(), chart), ("values.yaml".to_owned(), values)];
    let template = |(at, text)| (format!("templates/{at}.yaml"), text);
    files.extend(templates.iter().copied().enumerate().map(template));
    let bytes = |(name, text): (String, &str)| (name, text.as_bytes().to_vec());
    Chart::from_files(files.into_iter().map(bytes), "app", HelmVersion::V4).unwrap()
}

/// A render with one value, and the steps that it took.
fn with(
    chart: &Arc<Chart>,
    known: Option<&Arc<Rendered>>,
    (path, value): (&str, Tree),
) -> (Rendered, u64) {
    let path = path.split('.').map(|key| Step::Key(key.into())).collect();
    let options = RenderOptions {
        known: known.cloned(),
        overrides: vec![Override { path, value }],
        budget: Budget::new(Limits::default()),
        ..RenderOptions::default()
    };
    let rendered = render(chart, &options).unwrap();
    (rendered, options.budget.spent().0)
}

fn texts(rendered: &Rendered) -> Vec<&str> {
    rendered.files.iter().map(|file| &*file.text).collect()
}

const COUNTS: &str = "{{ .Values.a }}: {{ range until 1000 }}{{ . }}{{ end }}\n";

#[test]
fn templates_that_read_nothing_new_are_not_executed() {
    let chart = chart("a: 1\nb: 1\n", &[COUNTS, "b: {{ .Values.b }}\n"]);
    let known = Arc::new(render(&chart, &RenderOptions::default()).unwrap());
    for (path, is_taken) in [("b", true), ("c", true), ("a", false)] {
        let value = Tree::Str("other".into());
        let (anew, steps) = with(&chart, None, (path, value.clone()));
        let (of_known, fewer) = with(&chart, Some(&known), (path, value));
        assert_eq!(texts(&anew), texts(&of_known), "{path}");
        assert_eq!(fewer < steps / 2, is_taken, "{path}: {fewer} of {steps}");
    }
}

#[test]
fn what_decides_that_nothing_is_printed_is_read_too() {
    let template =
        "{{ if .Values.flags.it }}on: it{{ end }}{{ range .Values.list }}{{ . }}: 1{{ end }}";
    let chart = chart("flags: {}\nlist: []\n", &[template]);
    let known = Arc::new(render(&chart, &RenderOptions::default()).unwrap());
    let (switched, _) = with(&chart, Some(&known), ("flags.it", Tree::Bool(true)));
    assert_eq!(texts(&switched), ["on: it"]);
    let item = helm_render::values::Setting::new(Tree::Str("x".into()), None);
    let (longer, _) = with(&chart, Some(&known), ("list", Tree::List(vec![item])));
    assert_eq!(texts(&longer), ["x: 1"]);
}

#[test]
fn what_templates_write_for_others_is_written_again() {
    // Templates of a chart are executed in the reverse order of their names.
    let reads = "c: {{ .Values.c }}\n";
    let writes = "{{ if .Values.b }}{{ $_ := set .Values \"c\" .Values.a }}{{ end }}";
    let chart = chart("a: 1\nb: true\nc: 0\n", &[reads, writes]);
    let written = Arc::new(render(&chart, &RenderOptions::default()).unwrap());
    assert_eq!(texts(&written), ["c: 1\n"]);
    let (other, _) = with(&chart, Some(&written), ("a", Tree::Int(2)));
    assert_eq!(texts(&other), ["c: 2\n"]);
    let (unwritten, _) = with(&chart, Some(&written), ("b", Tree::Bool(false)));
    assert_eq!(texts(&unwritten), ["c: 0\n"]);
    // The known render has not written anything, and the reader does not read what decides.
    let (again, _) = with(&chart, Some(&Arc::new(unwritten)), ("b", Tree::Bool(true)));
    assert_eq!(texts(&again), ["c: 1\n"]);
}

#[test]
fn other_surroundings_take_nothing() {
    let template =
        "v: {{ .Capabilities.KubeVersion.Version }} {{ .Release.Name }} {{ .Release.IsUpgrade }}\n";
    let chart = chart("{}\n", &[template]);
    let known = Some(Arc::new(render(&chart, &RenderOptions::default()).unwrap()));
    let mut options = RenderOptions { known, ..RenderOptions::default() };
    options.release.is_upgrade = true;
    assert_eq!(texts(&render(&chart, &options).unwrap()), ["v: v1.37.0 release-name true\n"]);
    options.release.name = "other".into();
    assert_eq!(texts(&render(&chart, &options).unwrap()), ["v: v1.37.0 other true\n"]);
}

#[test]
fn a_version_with_other_texts_executes_what_reads_them() {
    let name = "{{ define \"name\" }}one{{ end }}";
    let uses = "{{ .Values.a }}: {{ include \"name\" . }}\n";
    let files = |texts: &[&str]| chart("a: 1\n", texts);
    let before = files(&[COUNTS, uses, name]);
    let known = Some(Arc::new(render(&before, &RenderOptions::default()).unwrap()));
    for (texts, printed, is_taken) in [
        ([COUNTS, uses, "{{ define \"name\" }}two{{ end }}"], "1: two\n", true),
        ([COUNTS, "b: {{ .Values.a }}\n", name], "b: 1\n", true),
        // Another template may be the one that others include.
        (
            [COUNTS, uses, "{{ define \"name\" }}two{{ end }}{{ define \"new\" }}{{ end }}"],
            "1: two\n",
            false,
        ),
        (
            ["{{ .Values.a }}: {{ range until 999 }}{{ . }}{{ end }}\n", uses, name],
            "1: one\n",
            false,
        ),
    ] {
        let chart = files(&texts);
        chart.reuse(before.cache());
        let steps = |known| {
            let budget = Budget::new(Limits::default());
            let options = RenderOptions { known, budget, ..RenderOptions::default() };
            let rendered = render(&chart, &options).unwrap();
            assert_eq!(rendered.files[1].text, printed);
            options.budget.spent().0
        };
        let (anew, of_known) = (steps(None), steps(known.clone()));
        assert_eq!(of_known < anew / 2, is_taken, "{printed}: {of_known} of {anew}");
    }
}

#[test]
fn what_a_branch_that_is_not_taken_would_write_is_marked_again() {
    let reads = "c: {{ .Values.c }}\n";
    let writes = "{{ if .Values.b }}{{ $_ := set .Values \"c\" 1 }}{{ end }}";
    let chart = chart("a: 1\nb: false\nc: 0\n", &[reads, writes]);
    let known = Arc::new(render(&chart, &RenderOptions::default()).unwrap());
    let (other, _) = with(&chart, Some(&known), ("c", Tree::Int(2)));
    let span = &other.files[0].spans.trace(&other.provenance, 3..4)[0];
    let inputs = &other.provenance.inputs;
    let names = inputs.members(span.control).into_iter().map(|input| inputs.path(input));
    assert_eq!(names.collect::<Vec<_>>(), ["Values.b"]);
}

#[test]
fn what_renders_leave_for_each_other_does_not_grow_without_end() {
    let chart = chart("a: 1\n", &["a: {{ .Values.a | quote }}\n", "b: {{ .Values.a }}\n"]);
    let first = Arc::new(render(&chart, &RenderOptions::default()).unwrap());
    let mut known = first.clone();
    let mut largest = 0;
    for turn in 0..100 {
        let (next, _) = with(&chart, Some(&known), ("a", Tree::Int(turn)));
        largest = largest.max(next.provenance.size());
        known = Arc::new(next);
    }
    assert!(largest > first.provenance.size(), "nothing was taken from the render before");
    assert!(largest < 4 * first.provenance.size(), "{largest} of {}", first.provenance.size());
}

#[test]
fn an_error_names_the_template_that_fails_whatever_others_write() {
    let fails = "{{ .Values.a.b.c }}";
    let writes = "{{ $_ := set .Values \"a\" 1 }}";
    let name = |templates: &[&str]| {
        let error = render(&chart("a: {}\n", templates), &RenderOptions::default()).unwrap_err();
        error.template.as_deref().map(str::to_owned)
    };
    // Templates of a chart are executed in the reverse order of their names.
    assert_eq!(name(&[writes, fails]).as_deref(), Some("app/templates/1.yaml"));
    assert_eq!(name(&[fails, writes]), None);
    let unparsed = "kind: [";
    assert_eq!(name(&["", unparsed]).as_deref(), Some("app/templates/1.yaml"));
    assert_eq!(name(&[unparsed, writes]), None);
}
