//! The objects that a script makes and removes by name.

use shell_effects::{Analysis, Catalogue, Container, analyse, changed_objects, not_idempotent};

fn analysed(argv: &[&str]) -> Analysis {
    analyse(Catalogue::built_in(), argv, &Container::default())
}

#[test]
fn a_pipeline_may_name_an_object() {
    let changed = |script: &str| {
        let analysis = analysed(&["sh", "-c", script]);
        let all = changed_objects(&analysis).into_iter();
        all.map(|one| (one.name, one.is_removed)).collect::<Vec<_>>()
    };
    let named = |name: &str, removed| vec![(name.to_owned(), removed)];
    assert_eq!(changed("kubectl create configmap a --from-file=b"), named("a", false));
    assert_eq!(changed("kubectl -n x delete cm a"), named("a", true));
    assert_eq!(
        changed("kubectl get cm a -o yaml | yq '.metadata.name = \"b\"' | kubectl create -f -"),
        named("b", false)
    );
    assert_eq!(
        changed(
            "kubectl get cm a -o json | jq '.metadata.name |= \"b\"' | sed s/x/y/ | oc apply -f -"
        ),
        named("b", false)
    );
    assert!(changed("kubectl get cm a -o yaml | sed s/a/b/ | kubectl create -f -").is_empty());
}

#[test]
fn what_the_script_removes_again_only_a_failed_run_leaves_behind() {
    let copy = "kubectl get cm a -o yaml | yq '.metadata.name = \"b\"' | kubectl create -f -";
    let after_failure = |script: &str| {
        let found = not_idempotent(&analysed(&["sh", "-ec", script]));
        found.iter().map(|one| one.after_failure).collect::<Vec<_>>()
    };
    assert_eq!(after_failure(&format!("{copy}\nkubectl delete cm b")), [true]);
    assert_eq!(after_failure(&format!("{copy}\nkubectl delete cm c --ignore-not-found")), [false]);
    assert_eq!(after_failure(copy), [false]);
}
