//! Functions are told which fields alone are read of their result.

use serde_json::json;

use super::run;
use crate::Options;

#[test]
fn only_the_result_of_the_last_command_has_wanted_fields() {
    for (template, printed) in [
        ("{{ (wanted).a.b }}", ".a.b"),
        ("{{ (1 | wanted).a.b }}", ".a.b"),
        ("{{ ((wanted)).a.b }}", ".a.b"),
        ("{{ with (wanted).a }}{{ .b }}{{ end }}", ".a"),
        ("{{ wanted.a.b }}", "all"),
        ("{{ $all := wanted }}{{ $all.a.b }}", "all"),
        ("{{ (wanted | default wanted).a.b }}", "all"),
        ("{{ (default (wanted) nothing).a.b }}", "all"),
        ("{{ (default (wanted).a nothing).b }}", ".a"),
        ("{{ (default nothing wanted).a.b }}", "all"),
        (
            "{{ define \"w\" }}{{ $all := wanted }}{{ $all.a.b }}{{ end }}{{ (dict \"a\" (include \"w\" .)).a }}",
            "all",
        ),
    ] {
        let text = run(template, &json!({}), Options::default());
        assert_eq!(text.as_deref(), Ok(printed.as_bytes()), "{template}");
    }
}
