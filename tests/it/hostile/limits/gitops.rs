//! GitOps objects and settings.

use super::{HEALTHY_FINDING, Run, assert_limited, beside_healthy, run};
use crate::support::write;

const REMOTE: &str = "https://example.com/shop.git";

/// An ApplicationSet with this generator, in a repository that contains what it deploys.
#[track_caller]
fn assert_generator_limited(head: &str, generator: &str, name: &str, limit: &str) {
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata:\n  name: hostile\nspec:\n{head}  \
         generators:\n{generator}  template:\n    metadata:\n      name: {name}\n    spec:\n      project: default\n      \
         source:\n        repoURL: {REMOTE}\n        path: apps/one\n      destination:\n        namespace: shop\n"
    );
    assert_object_limited(&text, limit);
}

#[track_caller]
fn assert_object_limited(text: &str, limit: &str) {
    let config = format!("[remote \"origin\"]\n\turl = {REMOTE}\n");
    let folder = beside_healthy(&[
        (".git/config", &config),
        ("argocd/hostile.yaml", text),
        ("apps/one/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"),
    ]);
    assert_limited(folder.path(), limit);
}

/// A list generator as an item of a flow sequence.
fn list(key: &str, count: usize) -> String {
    let elements: Vec<_> = (0..count).map(|number| format!("{{{key}: v{number}}}")).collect();
    format!("{{list: {{elements: [{}]}}}}", elements.join(", "))
}

fn matrix(first: &str, second: &str) -> String {
    format!("{{matrix: {{generators: [{first}, {second}]}}}}")
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn matrix_generator() {
    let generator = format!("    - {}\n", matrix(&list("a", 300), &list("b", 300)));
    let limit = "makes more than 10000 parameter sets";
    assert_generator_limited("", &generator, "'{{a}}-{{b}}'", limit);
}

/// No combination is made: the last list is empty.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn matrix_generators_without_a_result() {
    let inner = matrix(&list("b", 200), &list("c", 0));
    let generator = format!("    - {}\n", matrix(&list("a", 200), &inner));
    let limit = "makes more than 10000 parameter sets";
    assert_generator_limited("", &generator, "'{{a}}'", limit);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn go_templates_of_an_application_set() {
    let template = "'{{ range 9223372036854775807 }}{{ end }}'";
    let generator = format!("    - {}\n", list("a", 3));
    assert_generator_limited(
        "  goTemplate: true\n",
        &generator,
        template,
        "million template steps",
    );
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn large_names_of_an_application_set() {
    let generator = format!("    - {}\n", list("a", 3000));
    let name = format!("'{{{{a}}}}{}'", "x".repeat(30_000));
    assert_generator_limited("", &generator, &name, "makes more than 64 MiB of text");
}

fn braces(depth: usize) -> String {
    format!("{}a{}", "{".repeat(depth), "}".repeat(depth))
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn braces_in_the_pattern_of_a_generator() {
    for (depth, limit) in [(5000, "longer than 1024 bytes"), (400, "nests more than 10 braces")] {
        let glob = braces(depth);
        let generator = format!(
            "    - git:\n        repoURL: {REMOTE}\n        directories:\n          - path: '{glob}'\n"
        );
        assert_generator_limited("", &generator, "'{{path.basename}}'", limit);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn braces_in_a_glob_of_an_application() {
    let glob = braces(5000);
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: hostile\nspec:\n  project: default\n  \
         source:\n    repoURL: {REMOTE}\n    path: apps/one\n    directory:\n      include: '{glob}'\n  destination:\n    \
         namespace: shop\n"
    );
    assert_object_limited(&text, "longer than 1024 bytes");
}

/// Settings that cannot be read stop the run, as other mistakes in them do.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn braces_in_a_glob_of_the_settings() {
    for (depth, limit) in [(5000, "longer than 1024 bytes"), (400, "nests more than 10 braces")] {
        let folder = beside_healthy(&[]);
        let glob = braces(depth);
        let settings =
            format!("ignore:\n  - rule: missing-ttl\n    path: '{glob}'\n    reason: tested\n");
        write(folder.path(), &[(".joblint.yaml", &settings)]);
        let Run { code, stdout, stderr } = run(folder.path(), &["check", "."]);
        assert_eq!(code, 2, "{stdout}\n{stderr}");
        assert!(stderr.contains(limit) && !stderr.contains("panicked"), "{stdout}\n{stderr}");
    }
}

/// Each of them patches all others.
#[test]
#[cfg_attr(debug_assertions, ignore = "needs an optimised build: .ci/run, CONTRIBUTING.md")]
fn kustomizations_that_patch_each_other() {
    let one = |number: usize| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a{number}}}\nspec:\n  path: ./\n  \
             patches: [{{patch: '[{{op: add, path: /spec/force, value: true}}]', target: {{kind: Kustomization}}}}]\n"
        )
    };
    let all: Vec<_> = (0..4000).map(one).collect();
    let folder = beside_healthy(&[("flux/all.yaml", &all.join("---\n"))]);
    let Run { code, stdout, stderr } = run(folder.path(), &["check", "--output", "concise", "."]);
    assert_eq!(code, 1, "{:.3000}\n{:.3000}", stdout, stderr);
    assert!(stdout.contains(HEALTHY_FINDING), "{stdout:.3000}");
}
