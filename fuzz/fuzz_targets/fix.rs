//! Applies the fixes of a fuzzed manifest, each alone: what was valid YAML stays so, no key appears twice that did
//! not before, and the documents keep their number and kinds.

#![no_main]

use joblint::{
    check::check_unit,
    settings::Settings,
    unit::{Boundary, File, Unit, UnitKind},
};
use yaml_spans::{self as yaml, Edit, Node};

/// How many keys of a text appear twice in their mapping.
fn doubled(text: &str) -> usize {
    fn of(node: &Node) -> usize {
        let own = node.as_map().map_or(0, |map| map.overridden.len());
        let inside = node.entries().iter().map(|entry| of(&entry.value)).sum::<usize>();
        own + inside + node.items().iter().map(of).sum::<usize>()
    }
    yaml::parse(text).iter().flatten().map(|document| of(&document.root)).sum()
}

/// The kinds of the valid documents of a text.
fn kinds(text: &str) -> Vec<Option<String>> {
    let documents = yaml::parse(text);
    let kind = |document: &yaml::Document| {
        document.root.get("kind").and_then(Node::as_str).map(str::to_owned)
    };
    documents.iter().flatten().map(kind).collect()
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    let file = File {
        path: "fuzzed.yaml".into(),
        shown: "fuzzed.yaml".into(),
        named: true,
        text: Some(text.as_bytes().to_vec()),
    };
    let unit = Unit::new(UnitKind::Plain, vec![file], Boundary::everywhere());
    let broken = |text: &str| yaml::parse(text).iter().filter(|document| document.is_err()).count();
    let report = check_unit(&unit, &Settings { pedantic: true, ..Settings::default() });
    for fix in report.findings.iter().flat_map(|finding| &finding.fixes) {
        let fixed = Edit::apply(&fix.source.text, &fix.edits).expect("a fix can be applied");
        let text = &fix.source.text;
        assert!(broken(&fixed) <= broken(text), "{}", fix.title);
        assert!(doubled(&fixed) <= doubled(text), "{}: a key appears twice", fix.title);
        assert_eq!(kinds(&fixed), kinds(text), "{}", fix.title);
    }
});
