use crate::settings::{Settings, file::NAME};

/// The settings with these requirements, or the text, the reason and the help of each problem.
fn read(text: &str) -> Result<Settings, Vec<[String; 3]>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(NAME);
    std::fs::write(&path, format!("require: {text}\n")).unwrap();
    Settings::read(&path).map_err(|error| {
        let shown = error.problems.into_iter().map(|problem| {
            let at = problem.location.source.slice(problem.location.span).to_owned();
            [at, problem.reason, problem.help.unwrap_or_default()]
        });
        shown.collect()
    })
}

/// An entry with the refused part in `«»`, the reason, and a part of the help.
#[test]
fn what_is_not_understood_is_refused_where_it_stands() {
    const CASES: [(&str, &str, &str); 31] = [
        ("«5»", "a requirement is a name, or a name with its bounds", "expected one of ttl"),
        ("«ttl:x»", "`ttl` takes no key", "write `ttl`"),
        ("«image»", "`image` needs a glob", "registry.example.com/**"),
        ("«'label:a b'»", "`a b` is not a valid label key", "name part must consist of"),
        ("«'label:team=x.y'»", "`team=x.y` is not a valid label key", r"pattern: '^x\.y$'}`"),
        ("{label: «team=x»}", "`team=x` is not a valid label key", "pattern: '^x$'}`"),
        ("{label: «»}", "`label` names no key", "write it as `{label: team}`"),
        ("{«tll»: {max: 1d}}", "unknown requirement `tll`", "did you mean `ttl`?"),
        (
            "«{severity: info}»",
            "this requirement names nothing that is required",
            "expected one of",
        ),
        ("{ttl: «1d»}", "`ttl` takes bounds", "did you mean `{ttl: {max: 1d}}`?"),
        ("{ttl: «{}»}", "`ttl` takes bounds", "write `ttl`, or `{ttl: {max: 1d}}`"),
        ("{ttl: {max: «1w»}}", "this is not a duration", "write it as `1d`, `2h`"),
        ("{ttl: {max: «-1»}}", "this is not a duration", "in seconds"),
        (
            "{ttl: «{min: 2h, max: 90m}»}",
            "no number is at least 2h (7200) and at most 90m (5400)",
            "swap",
        ),
        ("{backoff-limit: {max: «1d»}}", "this is not a number of retries", "write it as `3`"),
        (
            "{ttl: {max: 1d}, «deadline»: {max: 1d}}",
            "`ttl` and `deadline` are two requirements",
            "each",
        ),
        (
            "{ttl: {max: 1d}, «pattern»: a}",
            "`pattern` does not go with `ttl`",
            "expected one of severity",
        ),
        ("{label: a, «patern»: a}", "`patern` does not go with `label`", "did you mean `pattern`?"),
        (
            "{label: a, pattern: «'(a'»}",
            "the pattern is not a valid regular expression",
            "unclosed group",
        ),
        ("{label: a, pattern: «5»}", "a pattern is a text", "quotes"),
        (r"{label: a, pattern: «'\w{1,200}'»}", "the pattern is too large", "[a-z0-9]"),
        ("{image: «5»}", "`image` needs a glob", "registry.example.com/**"),
        (
            "{image: [«'a['»]}",
            "`a[` is not a valid glob: unclosed character class; missing ']'",
            "write it as",
        ),
        ("{ttl: {max: 1d}, severity: «eror»}", "this is not a severity", "did you mean `error`?"),
        (
            "{ttl: {max: 1d}, severity: «5»}",
            "this is not a severity",
            "expected one of info, warning, error",
        ),
        ("{ttl: {max: 1d}, message: «''»}", "a message is a text", "one sentence"),
        (r#"{ttl: {max: 1d}, message: «"a\nb"»}"#, "a message is one line", "one sentence"),
        ("{hook: «true»}", "`hook` takes no bounds", "`{any: [hook], severity: warning}`"),
        (
            "[{ttl: {max: 1d}, «severity»: info}]",
            "`severity` does not go with `ttl`",
            "stands beside `any`",
        ),
        ("{any: [ttl], «hook»: 1}", "`hook` does not go with `any`", "into the list"),
        ("{any: «[]»}", "this names nothing to choose from", "write `[ttl, hook]`"),
    ];
    for (marked, reason, help) in CASES {
        let (before, rest) = marked.split_once('«').unwrap();
        let (at, after) = rest.split_once('»').unwrap();
        let problems = read(&format!("[{before}{at}{after}]")).unwrap_err();
        let [own_at, own_reason, own_help] = &problems[0];
        assert_eq!((&**own_at, &**own_reason, problems.len()), (at, reason, 1), "{marked}");
        assert!(own_help.contains(help), "{marked}: {own_help}");
    }
}

#[test]
fn patterns_and_entries_are_limited() {
    let long = format!("[{{label: a, pattern: '{}'}}]", "a".repeat(257));
    assert_eq!(read(&long).unwrap_err()[0][1], "the pattern is longer than 256 bytes");
    let deep = format!("[{{label: a, pattern: '{}{}'}}]", "(".repeat(100), ")".repeat(100));
    assert_eq!(read(&deep).unwrap_err()[0][1], "the pattern is not a valid regular expression");
    let message = format!("[{{any: [ttl], message: {}}}]", "a".repeat(201));
    assert_eq!(read(&message).unwrap_err()[0][1], "a message has at most 200 characters");
    assert!(read(&format!("[{}]", "ttl,".repeat(50))).is_ok());
    let many = read(&format!("[{}]", "ttl,".repeat(100_000))).unwrap_err();
    assert_eq!((many.len(), &*many[0][1]), (1, "more than 50 requirements"));
}

/// The settings that `config show` prints are read as the same settings.
#[test]
fn shown_requirements_are_read_again() {
    let text = "[ttl, [hook, {ttl: {min: 1h, max: 1d}}], {label: team, pattern: '^[a-z]+$'}, \
                {any: [generate-name, 'annotation:example.com/Owner'], severity: info, message: m}, \
                {image: ['a/**', b], severity: error}, {backoff-limit: {max: 0}}]";
    let first = read(text).unwrap();
    let shown = first.show();
    let again = read(shown.split_once("require:").unwrap().1.split("\nfail-on").next().unwrap());
    let (first, again) = (first.require, again.unwrap().require);
    assert_eq!(format!("{first:?}"), format!("{again:?}"));
    assert_eq!(first.len(), 6);
}
