//! What ends a script at a failure but `set -e` at its start.

use shell_effects::{Catalogue, Container, analyse, failure_hidden};

/// In bash, a trap of `ERR` runs where `set -e` would end the script.
#[test]
fn a_trap_of_errors_that_exits_ends_the_script() {
    for (trap, hidden) in [
        ("trap 'echo failed; exit 1' ERR", 0),
        ("bad() { echo failed; exit 1; }; trap bad ERR", 0),
        ("trap 'echo failed' ERR", 1),
        ("trap 'exit 1' EXIT", 1),
    ] {
        let script = format!("{trap}; pg_dump -f /b/x app; date");
        let analysis =
            analyse(Catalogue::built_in(), &["bash", "-c", &script], &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}

/// What fails between `set +e` and `set -e` may fail.
#[test]
fn an_exception_from_errexit_is_meant() {
    for (script, hidden) in [
        ("set +e; kubectl apply -f a; set -e; kubectl apply -f b", 0),
        ("set +e; kubectl apply -f a; date", 1),
    ] {
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", script], &Container::default());
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}
