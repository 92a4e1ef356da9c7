use super::*;

/// Blanked lines of a text, with `*` runs shortened to one.
fn blanked(text: &str) -> String {
    let secrets = Secrets::find(text);
    let blank = secrets.blank(text);
    assert_eq!(blank.len(), text.len());
    assert_eq!(blank.chars().count(), text.chars().count());
    assert_eq!(blank.lines().count(), text.lines().count());
    let mut out = String::new();
    for c in blank.chars() {
        if c != '*' || !out.ends_with('*') {
            out.push(c);
        }
    }
    out
}

#[test]
fn secrets_of_kind_secret() {
    assert_eq!(
        blanked(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  annotations:\n    \
             kubectl.kubernetes.io/last-applied-configuration: '{\"data\":{\"a\":\"eA==\"}}'\n\
             data:\n  user: cm9vdA==\nstringData:\n  number: 5\n  key.pem: |\n    one\n    two\n"
        ),
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  annotations:\n    \
         kubectl.kubernetes.io/last-applied-configuration: '*'\n\
         data:\n  user: *\nstringData:\n  number: *\n  key.pem: |\n    *\n    *\n"
    );
}

#[test]
fn secrets_by_name() {
    let same = "- name: imagePullSecrets\n- secretName: database\n- tokenExpirationSeconds: \"36\"\n\
                - secretKeyRef: {name: database, key: password}\n- passwordKey: database\n\
                - {name: DB_PASSWORD, value: $(OTHER)}\n- password: true\n- token.claim: \"true\"\n- tokens: 40\n\
                - image: ghcr.io/external-secrets/external-secrets:v1\n- token: '{{ .Values.a }}'\n\
                - secret: {secretName: a, items: [{key: password, path: x}], optional: \"no\"}\n\
                - serviceAccountToken: {audience: vault, path: token}\n- kind: Secret\n";
    assert_eq!(blanked(same), same);
    assert_eq!(blanked("auth: {password: a b, user: c}"), "auth: {password: *, user: c}");
    assert_eq!(
        blanked("- name: DB_PASSWORD\n  value: \"a b\"\n"),
        "- name: DB_PASSWORD\n  value: \"*\"\n"
    );
    assert_eq!(blanked("password: 12345678\n"), "password: *\n");
    assert_eq!(blanked("credentials:\n  a: b\n  path: c\n"), "credentials:\n  a: *\n  path: c\n");
    assert_eq!(blanked("tokens: [abc, \"d e\"]"), "tokens: [*, \"*\"]");
    assert_eq!(blanked("x: &pw hunter\npassword: *pw\n"), "x: &pw *\npassword: *pw\n");
    assert_eq!(blanked("password: ä€🔒b\n"), "password: ·•🔒*\n");
    assert_eq!(
        blanked("secretGenerator:\n- name: a\n  literals: [b=c d, \"e=f\"]\n"),
        "secretGenerator:\n- name: a\n  literals: [b=*, \"e=*\"]\n"
    );
}

#[test]
fn secrets_in_commands() {
    for (text, expected) in [
        ("args: [--password, hunter, --user, root]", "args: [--password, *, --user, root]"),
        ("args: [\"--password=a b\"]", "args: [\"--password=*\"]"),
        ("command: [mysql]\nargs: [-uroot, -phunter]", "command: [mysql]\nargs: [-uroot, -p*]"),
        ("[sh, -ec, PGPASSWORD=hunter psql -h db]", "[sh, -ec, PGPASSWORD=* psql -h db]"),
        ("- PGPASSWORD=a b", "- PGPASSWORD=*"),
        ("- export API_KEY='a b'; run", "- export API_KEY='*'; run"),
        ("- psql postgres://root:hunter@db/x", "- psql postgres://root:*@db/x"),
        ("- psql postgres://root:$PASS@db/x", "- psql postgres://root:$PASS@db/x"),
        ("- vault login --token hunter -x", "- vault login --token * -x"),
        ("- mysql -h db -u root -phunter app", "- mysql -h db -u root -p* app"),
        ("- curl -s -u root:hunter https://a", "- curl -s -u * https://a"),
        ("- curl -H 'Authorization: Bearer abc.def' x", "- curl -H 'Authorization: Bearer *' x"),
        ("- echo ${DB_PASSWORD:-hunter}", "- echo ${DB_PASSWORD:-*}"),
        ("- a --client-key=$USER.key --token $x", "- a --client-key=$USER.key --token $x"),
        ("password: $ecret", "password: *"),
        ("- echo $DB_PASSWORD", "- echo $DB_PASSWORD"),
        ("- test \"$PASSWORD\" = x", "- test \"$PASSWORD\" = x"),
        ("- --password-file=/run/x", "- --password-file=/run/x"),
        ("- helm upgrade --set db.password=hunter,a=b", "- helm upgrade --set db.password=*,a=b"),
        (
            "- kubectl create secret generic a --from-literal=b=c",
            "- kubectl create secret generic a --from-literal=b=*",
        ),
        ("# old password: hunter two", "# old password: *"),
        ("a: '{\"password\":\"hun\\ter\",\"b\":1}'", "a: '{\"password\":\"*\",\"b\":1}'"),
        ("a: \"{\\\"token\\\":\\\"hunter\\\"}\"", "a: \"{\\\"token\\\":\\\"*\\\"}\""),
        (
            "- {{ .Values.password | default \"hunter\" }}",
            "- {{ .Values.password | default \"hunter\" }}",
        ),
        (
            "  password: {{ .Values.x | default \"hunter\" }}",
            "  password: {{ .Values.x | default \"*\" }}",
        ),
    ] {
        assert_eq!(blanked(text), expected);
    }
}

#[test]
fn secrets_of_broken_documents() {
    let text =
        "kind: Secret\nstringData:\n  a: [b\n  plain: hunter\n---\nx: [y\npassword: z w\nb: c\n";
    assert_eq!(
        blanked(text),
        "kind: Secret\nstringData:\n  a: *\n  plain: *\n---\nx: [y\npassword: *\nb: c\n"
    );
}

/// Templates are no YAML before they are rendered.
#[test]
fn secrets_of_templates() {
    for (text, expected) in [
        ("- {name: DB_PASSWORD, value: \"a b\"}", "- {name: DB_PASSWORD, value: \"*\"}"),
        ("- name: DB_PASSWORD\n  value: a b", "- name: DB_PASSWORD\n  value: *"),
        ("- value: ab\n  name: TOKEN", "- value: *\n  name: TOKEN"),
        ("- name: TOKEN\n  value: {{ .x }}", "- name: TOKEN\n  value: {{ .x }}"),
        (
            "- name: TOKEN\n  value: a\n- name: b\n  value: c",
            "- name: TOKEN\n  value: *\n- name: b\n  value: c",
        ),
        ("args: [\"--token\", \"ab\"]", "args: [\"--token\", \"*\"]"),
        ("args:\n- --token\n- ab\n- --x", "args:\n- --token\n- *\n- --x"),
        ("- echo \"--token\"\nfoo", "- echo \"--token\"\nfoo"),
        ("auth:\n  apiKey: ab # c", "auth:\n  apiKey: * # c"),
        (
            "kind: Secret\ndata:\n  {{- $x := a }}\n  b: {{ .c | default \"de\" }}\n  f: g",
            "kind: Secret\ndata:\n  {{- $x := a }}\n  b: {{ .c | default \"*\" }}\n  f: *",
        ),
    ] {
        let broken = |text: &str| format!("a: {{{{ .Values.a }}}}\n{text}\n");
        assert!(yaml::parse(&broken(text)).iter().any(Result::is_err), "{text}");
        assert_eq!(blanked(&broken(text)), broken(expected));
    }
}

#[test]
fn secrets_across_lines_and_line_breaks() {
    assert_eq!(
        blanked("password: |\r\n  one two\r\n  three\r\nb: c\r\n"),
        "password: |\r\n  *\r\n  *\r\nb: c\r\n"
    );
    assert_eq!(
        blanked(
            "data:\n  a: |\n    -----BEGIN RSA PRIVATE KEY-----\n    MIIa\n    -----END RSA PRIVATE KEY-----\n"
        ),
        "data:\n  a: |\n    -----BEGIN RSA PRIVATE KEY-----\n    *\n    -----END RSA PRIVATE KEY-----\n"
    );
}

#[test]
fn repeated_secrets_and_common_words() {
    assert_eq!(blanked("password: hunter22\nnote: hunter22\n"), "password: *\nnote: *\n");
    assert_eq!(blanked("password: postgres\nimage: postgres\n"), "password: *\nimage: postgres\n");
}

#[test]
fn hides_whole_values_only() {
    let secrets = Secrets::find("password: hunter\ntoken: \"a \\\"b\\\" c\"\npwd: abc\n");
    let hide = |text: &str| secrets.hide(text, |_| false);
    assert_eq!(hide("is `hunter`").as_deref(), Some("is `***`"));
    assert_eq!(hide("is hunters"), None);
    assert_eq!(hide("is `a \"b\" c`").as_deref(), Some("is `***`"));
    assert_eq!(hide("\"a \\\"b\\\" c\"").as_deref(), Some("\"***\""));
    assert_eq!(hide("abc"), None);
    assert_eq!(secrets.hide("is `hunter`", |value| value == "hunter"), None);
}

#[test]
fn no_text_makes_masking_panic() {
    const PARTS: [&str; 36] = [
        "ä",
        "日本",
        "🔒",
        "\"",
        "'",
        "\\",
        "\n",
        "\r\n",
        "{{ ",
        "}}",
        "- ",
        "--password",
        "=",
        ": ",
        "password",
        "value: ",
        "name: TOKEN",
        "${",
        "://a:",
        "@",
        "\\\"",
        "mysql -p",
        "kind: Secret\n",
        "data:\n  ",
        "-----BEGIN RSA PRIVATE KEY-----",
        "\n---\n",
        "&a ",
        "*a",
        "|\n",
        " #",
        "[",
        "{",
        "default \"",
        "--from-literal=",
        "curl -u ",
        "Bearer x1",
    ];
    // A linear congruential generator, so that a failure comes back.
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..5_000 {
        let text: String = (0..next(30)).map(|_| PARTS[next(PARTS.len())]).collect();
        let secrets = Secrets::find(&text);
        let blank = secrets.blank(&text);
        assert_eq!((blank.len(), blank.lines().count()), (text.len(), text.lines().count()));
        assert_eq!(blank.chars().count(), text.chars().count());
        let _ = secrets.hide(&text, |_| false);
    }
}
