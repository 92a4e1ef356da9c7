//! Files of this repository that the command writes.

use std::path::Path;

use super::support::{assert_golden, joblint, run};

fn assert_generated(path: &str, arguments: &[&str]) {
    let (code, stdout, stderr) = run(&mut joblint(Path::new("."), arguments));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_golden(path, &stdout);
}

#[test]
fn the_rule_catalogue_is_current() {
    assert_generated("rules/README.md", &["rules", "--output", "markdown"]);
}

#[test]
fn the_settings_schema_is_current() {
    assert_generated("docs/settings.schema.json", &["config", "schema"]);
}
