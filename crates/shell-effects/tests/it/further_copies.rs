//! Copies that somebody can do without.

use shell_effects::{Catalogue, Container, analyse, failure_hidden};

#[test]
fn a_further_copy_of_what_is_kept_may_fail() {
    let mounts = ["/backup", "/data"].map(str::to_owned).to_vec();
    let container = Container { persistent_mounts: mounts, ..Container::default() };
    for (script, hidden) in [
        ("set -e; tar -cf /backup/a -C /data .; cp /backup/a /backup/b || true", 0),
        ("set -e; cp /data/db /backup/db; cp /data/db-wal /backup/wal 2>/dev/null || true", 0),
        ("tar -cf /backup/a -C /data . || true; cp /backup/a /backup/b || true", 1),
        ("set -e; mkdir -p /backup/x; cp /data/db /backup/x/db || true", 1),
        ("set -e; cp /data/db /backup/db; cp /etc/app/key /backup/key || true", 1),
        ("set -e; cp /data/db /backup/db || true; cp /data/db-wal /backup/wal || true", 2),
    ] {
        let analysis = analyse(Catalogue::built_in(), &["sh", "-c", script], &container);
        assert_eq!(failure_hidden(&analysis).len(), hidden, "{script}");
    }
}
