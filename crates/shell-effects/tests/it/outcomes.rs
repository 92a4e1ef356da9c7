//! What remains of a failure: places and facts that the labels of scripts do not tell.

use shell_effects::{
    Analysis, Catalogue, Container, ElementSpan, HiddenBy, analyse, failure_hidden,
};

fn analysed(argv: &[&str]) -> Analysis {
    analyse(Catalogue::built_in(), argv, &Container::default())
}

fn texts<'a>(argv: &[&'a str], places: Vec<ElementSpan>) -> Vec<&'a str> {
    places.into_iter().map(|place| &argv[place.element][place.span.range()]).collect()
}

#[test]
fn a_plain_shell_may_not_know_pipefail() {
    for (shell, script, found) in [
        ("sh", "set -euo pipefail\nmigrate | tee log", &["set -euo pipefail"][..]),
        ("/bin/dash", "# First.\nA=1\nset -e\nset -o pipefail; migrate", &["set -o pipefail"]),
        ("bash", "set -o pipefail; migrate", &[]),
        ("sh", "set -eu pipefail; migrate", &[]),
        ("sh", "if [ -n \"$BASH\" ]; then set -o pipefail; fi; migrate", &[]),
        ("sh", "(set -o pipefail) 2>/dev/null && set -o pipefail; migrate", &[]),
        ("sh", "exec bash -c 'set -o pipefail; migrate'", &[]),
    ] {
        let argv = [shell, "-c", script];
        assert_eq!(texts(&argv, analysed(&argv).pipefails), found, "{script}");
    }
}

#[test]
fn what_a_failure_skips_does_not_follow_it() {
    let is_last = |script: &str| {
        let hidden = failure_hidden(&analysed(&["sh", "-c", script]));
        let own = hidden.iter().find(|one| one.by == HiddenBy::Branch);
        own.map(|one| one.is_last)
    };
    let apply = "kubectl apply -f a";
    for (script, wanted) in [
        (format!("{apply}\nif [ $? -gt 0 ]; then echo no; else kubectl apply -f b; fi"), true),
        (format!("{apply}\nif [ $? -eq 0 ]; then kubectl apply -f b; else echo no; fi"), true),
        (format!("if {apply}; then kubectl apply -f b; else echo no; fi"), true),
        (format!("if {apply}; then echo yes; else echo no; fi\nkubectl apply -f b"), false),
    ] {
        assert_eq!(is_last(&script), Some(wanted), "{script}");
    }
}

#[test]
fn the_call_that_hides_a_failure_is_known() {
    let script =
        "f() {\n  kubectl apply -f a\n}\nset -e\nf one || true\nkubectl apply -f b || true";
    let argv = ["sh", "-c", script];
    let hidden = failure_hidden(&analysed(&argv));
    let calls: Vec<_> =
        hidden.iter().map(|one| one.call.map(|call| texts(&argv, vec![call])[0])).collect();
    assert_eq!(calls, [Some("f one || true"), None]);
}
