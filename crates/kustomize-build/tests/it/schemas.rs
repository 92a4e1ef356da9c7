//! Schemas of `openapi.path` that kustomize does not survive: it panics, or does not end.

use std::path::Path;

use kustomize_build::{Built, Error, Memory, Options, Reason};

const SHOP: &str =
    "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: shop}\nspec: {steps: [{name: a}]}\n";

fn build(schema: &str) -> Result<Built, Error> {
    let kustomization =
        "openapi: {path: schema.json}\nresources: [shop.yaml]\npatches: [{path: patch.yaml}]\n";
    let patch = SHOP.replace("name: a", "name: b");
    let files: Memory = [
        ("kustomization.yaml", kustomization),
        ("schema.json", schema),
        ("shop.yaml", SHOP),
        ("patch.yaml", &patch),
    ]
    .into_iter()
    .collect();
    Built::from_files(&files, Path::new("."), &Options::default())
}

#[test]
fn a_schema_that_cannot_be_read_is_an_error_at_its_path() {
    for schema in [
        "",
        "{",
        "a: [",
        "[]",
        "text",
        "{\"definitions\": []}",
        "{\"definitions\": {\"a\": {\"x-kubernetes-group-version-kind\": [{\"kind\": \"Shop\"}]}}}",
        "{\"paths\": {\"/a\": {\"get\": {\"x-kubernetes-group-version-kind\": {\"version\": \"v1\"}}}}}",
        &"[".repeat(100_000),
        &format!("{{\"definitions\": {}", "[".repeat(100_000)),
    ] {
        let error = build(schema).unwrap_err();
        assert_eq!(error.reason, Reason::File, "{schema:.80}: {error}");
        assert!(error.message.contains("invalid schema file: "), "{error}");
        let at = error.at.unwrap();
        assert_eq!(at.source.slice(at.span), "schema.json");
    }
}

#[test]
fn references_in_a_circle_lead_nowhere() {
    let built = build(
        "{\"definitions\": {
            \"shop\": {
                \"x-kubernetes-group-version-kind\": [{\"group\": \"example.com\", \"version\": \"v1\", \"kind\": \"Shop\"}],
                \"properties\": {\"spec\": {\"$ref\": \"#/definitions/a\"}}
            },
            \"a\": {\"$ref\": \"#/definitions/b\"},
            \"b\": {\"$ref\": \"#/definitions/a\"}
        }}",
    )
    .unwrap();
    assert!(built.print().ends_with("  steps:\n  - name: b\n"), "{}", built.print());
}
