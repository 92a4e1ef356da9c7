//! The chain of positions behind a byte, and the split into data and control.

use serde_json::json;

use super::Rendered;
use crate::provenance::{FileId, Position, Span};

/// The source texts of a chain.
fn texts<'t>(template: &'t str, span: &Span) -> Vec<&'t str> {
    let text = |Position { file, start, end }: &Position| {
        assert_eq!(*file, FileId(0));
        &template[*start as usize..*end as usize]
    };
    span.chain.iter().map(text).collect()
}

#[test]
fn literal_text_is_its_own_origin() {
    let template = "one two {{ .a }} three";
    let rendered = Rendered::new(template, &json!({"a": "x"})).unwrap();
    let span = rendered.span_of("two");
    assert_eq!(texts(template, &span), ["two"]);
    assert!(span.data.is_empty() && span.control.is_empty() && !span.approximate);
}

#[test]
fn a_value_names_its_action_and_its_input() {
    let template = "{{ if .on }}image: {{ .image.tag }}{{ end }}";
    let data = json!({"on": true, "image": {"tag": "v1"}});
    let rendered = Rendered::new(template, &data).unwrap();
    let span = rendered.span_of("v1");
    assert_eq!(texts(template, &span), [".image.tag"]);
    assert_eq!(rendered.paths(span.data), ["D.image.tag"]);
    assert_eq!(rendered.paths(span.control), ["D.on"]);
}

#[test]
fn an_included_piece_keeps_its_origin() {
    let template = "{{ define \"h\" }}<{{ .a }}>{{ end }}{{ printf \"%s!\" (include \"h\" .) }}";
    let rendered = Rendered::new(template, &json!({"a": "x"})).unwrap();
    assert_eq!(rendered.text(), "<x>!");
    let call = "printf \"%s!\" (include \"h\" .)";
    assert_eq!(texts(template, &rendered.span_of("<")), ["<", call]);
    assert_eq!(texts(template, &rendered.span_of("x")), [".a", call]);
    assert_eq!(texts(template, &rendered.span_of("!")), ["!", call]);
    assert!(rendered.span_of("<").data.is_empty());
    assert_eq!(rendered.paths(rendered.span_of("x").data), ["D.a"]);
}

#[test]
fn a_chain_lists_all_calls() {
    let template = "{{ define \"a\" }}{{ include \"b\" . }}{{ end }}\
                    {{ define \"b\" }}text{{ end }}{{ template \"a\" . }}";
    let rendered = Rendered::new(template, &json!({})).unwrap();
    let chain = texts(template, &rendered.span_of("text"));
    assert_eq!(chain, ["text", "include \"b\" .", "\"a\" ."]);
}

#[test]
fn a_literal_argument_keeps_its_position_in_the_caller() {
    let template =
        "{{ define \"h\" }}name: {{ .name }}{{ end }}{{ include \"h\" (dict \"name\" \"job\") }}";
    let rendered = Rendered::new(template, &json!({})).unwrap();
    let chain = texts(template, &rendered.span_of("job"));
    assert_eq!(chain, ["job", "include \"h\" (dict \"name\" \"job\")"]);
}

#[test]
fn the_chain_of_a_stored_text_ends_at_the_action_that_prints_it() {
    let template = "{{ define \"h\" }}text{{ end }}{{ $x := include \"h\" . }} {{ $x }}";
    let rendered = Rendered::new(template, &json!({})).unwrap();
    let chain = texts(template, &rendered.span_of("text"));
    assert_eq!(chain, ["text", "$x := include \"h\" .", "$x"]);
}

#[test]
fn a_selected_value_has_the_selector_as_control() {
    let template = "{{ default \"d\" .a }} {{ or .b .c }} {{ index .m .k }}";
    let data = json!({"a": "", "b": "", "c": "see", "m": {"x": "ex"}, "k": "x"});
    let rendered = Rendered::new(template, &data).unwrap();
    let chosen = rendered.span_of("d");
    assert!(chosen.data.is_empty());
    assert_eq!(rendered.paths(chosen.control), ["D.a"]);
    let chosen = rendered.span_of("see");
    assert_eq!(rendered.paths(chosen.data), ["D.c"]);
    assert_eq!(rendered.paths(chosen.control), ["D.b"]);
    let chosen = rendered.span_of("ex");
    assert_eq!(rendered.paths(chosen.data), ["D.m.x"]);
    assert_eq!(rendered.paths(chosen.control), ["D.k"]);
}

#[test]
fn executed_text_depends_on_the_value_it_came_from() {
    let template = "{{ tpl .t . }}";
    let rendered = Rendered::new(template, &json!({"t": "lit {{ .a }}", "a": "x"})).unwrap();
    let span = rendered.span_of("lit");
    assert!(span.chain[0].file.is_dynamic());
    assert_eq!(rendered.paths(span.data), ["D.t"]);
    let (name, text) = rendered.provenance.positions.text(span.chain[0].file).unwrap();
    assert_eq!((name, text), ("tpl", &b"lit {{ .a }}"[..]));
    assert_eq!(rendered.paths(rendered.span_of("x").data), ["D.a", "D.t"]);
}

#[test]
fn a_branch_not_taken_leaves_an_empty_span() {
    let template = "a{{ if .off }}b{{ end }}c";
    let rendered = Rendered::new(template, &json!({"off": false})).unwrap();
    let spans = rendered.trace(0..2);
    let empty: Vec<_> = spans.iter().filter(|span| span.range.is_empty()).collect();
    assert_eq!(empty.len(), 1);
    assert_eq!((empty[0].range.clone(), texts(template, empty[0])), (1..1, vec![".off"]));
    assert_eq!(rendered.paths(empty[0].control), ["D.off"]);
}

#[test]
fn a_loop_depends_on_the_keys_and_not_on_the_items() {
    let template = "{{ range .list }}-{{ .name }}{{ end }}";
    let rendered = Rendered::new(template, &json!({"list": [{"name": "x"}]})).unwrap();
    let mut rendered = rendered;
    let (list, name) = (rendered.input("/list"), rendered.input("/list/0/name"));
    let dash = rendered.span_of("-");
    assert!(rendered.covers(&dash, list) && !rendered.covers(&dash, name));
    assert_eq!(rendered.paths(rendered.span_of("x").data), ["D.list[0].name"]);
}
