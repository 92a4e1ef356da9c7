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
fn secrets_of_statements() {
    for (text, expected) in [
        ("psql -c \"ALTER USER a PASSWORD 'Zx81pwd77'\"", "psql -c \"ALTER USER a PASSWORD '*'\""),
        ("create user a identified by \\\"Zx82pwd\\\";", "create user a identified by \\\"*\\\";"),
        ("ALTER USER a PASSWORD '$PW'", "ALTER USER a PASSWORD '$PW'"),
        ("ALTER USER a PASSWORD '{{ .Values.a }}'", "ALTER USER a PASSWORD '{{ .Values.a }}'"),
        ("ALTER USER a PASSWORD NULL; SELECT 'b'", "ALTER USER a PASSWORD NULL; SELECT 'b'"),
    ] {
        assert_eq!(blanked(text), expected);
    }
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
        ("- curl -H 'Authorization: abc.def' https://x", "- curl -H 'Authorization: *' https://x"),
        (
            "- curl -H \"Authorization: $TOKEN\" https://x",
            "- curl -H \"Authorization: $TOKEN\" https://x",
        ),
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
        (
            "- kubectl create secret generic a --from-literal=\"b=c d\" --from-literal 'e=f'",
            "- kubectl create secret generic a --from-literal=\"b=*\" --from-literal 'e=*'",
        ),
        (
            "- kubectl create secret generic a --from-literal=b='c d'",
            "- kubectl create secret generic a --from-literal=b='*'",
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

#[test]
fn names_of_mappings_in_broken_configurations_are_no_values() {
    for (line, below, is_value) in [
        ("http:", "      port: 1\n", false),
        ("http:", "    port: 1\n", true),
        ("hunter2:", "      port: 1\n", true),
        ("hunter", "      port: 1\n", true),
    ] {
        let text = format!("kind: Secret\nstringData:\n  a: |\n    {line}\n{below}  b: [\n");
        let secrets = Secrets::find(&text);
        assert!(!secrets.blank(&text).contains(line), "{text}");
        let hidden = secrets.hide(&format!("bad `{line}`"), |_| false);
        assert_eq!(hidden.is_some(), is_value, "{text}");
    }
}

#[test]
fn secrets_of_broken_json_flow_style_and_tagged_kinds() {
    for (text, expected) in [
        (
            "{\"kind\": \"Secret\", \"stringData\": {\"a\": \"b c\", \"d\": \"e,f\"}, \"x\": [}",
            "{\"kind\": \"Secret\", \"stringData\": {\"a\": \"*\", \"d\": \"*\"}, \"x\": [}",
        ),
        (
            "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": \"b\",\n    \"c\": \"d\n  },\n  \"e\": 1\n",
            "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": \"*\",\n    \"c\": \"*\n  },\n  \"e\": 1\n",
        ),
        (
            "{kind: Secret, data: {a: b:c, d: [e, {f: g}]",
            "{kind: Secret, data: {a: *, d: [*, {f: *}]",
        ),
        ("kind: !!str Secret\nstringData: {a: b\n", "kind: !!str Secret\nstringData: {a: *\n"),
        ("kind: &k 'Secret' # c\ndata:\n  a: [b\n", "kind: &k 'Secret' # c\ndata:\n  a: *\n"),
        (
            "kind: Secret\ndata:\n  a: |\n    b: c\n  d: [\n",
            "kind: Secret\ndata:\n  a: *\n    *\n  d: *\n",
        ),
        ("kind: ExternalSecret\ndata: [{a: b}\n", "kind: ExternalSecret\ndata: [{a: b}\n"),
    ] {
        assert!(yaml::parse(text).iter().any(Result::is_err), "{text}");
        assert_eq!(blanked(text), expected);
    }
}

#[test]
fn secrets_of_typed_lists() {
    assert_eq!(
        blanked("kind: SecretList\nitems:\n- data: {a: b}\n- stringData: {c: d}\n"),
        "kind: SecretList\nitems:\n- data: {a: *}\n- stringData: {c: *}\n"
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

/// A configuration file in a Secret is masked in its place. Elsewhere only its secrets are.
#[test]
fn most_words_of_a_file_are_no_secrets() {
    let text = "kind: Secret\nstringData:\n  config: |\n    image: app\n    set -e\n    password: hunter\n    \
                id: a1b2c3d4e5\n";
    assert_eq!(
        blanked(text),
        "kind: Secret\nstringData:\n  config: |\n    *\n    *\n    *\n    *\n"
    );
    let mut values = SecretValues::default();
    values.add_all(&Secrets::find(text));
    let mask = Mask::new(&values, "");
    assert_eq!(mask.hide("image: app, set -e, hunter, a1b2c3d4e5"), "image: app, set -e, ***, ***");
    let encoded = data_encoding::BASE64.encode(b"image: app\nset -euo\npassword: hunter\n");
    let mut values = SecretValues::default();
    values.add(&encoded);
    let mask = Mask::new(&values, "");
    assert_eq!(mask.hide("image: app, set -euo, hunter"), "image: app, set -euo, ***");
}

/// The first line of a private key in a comment does not make the rest of the file one.
#[test]
fn a_private_key_without_an_end_is_as_long_as_its_lines_are_base64() {
    assert_eq!(
        blanked("# key: \"-----BEGIN RSA PRIVATE KEY-----\\nMIIEpA\"\nfoo:\n  image: app\n"),
        "# key: \"-----BEGIN RSA PRIVATE KEY-----*\nfoo:\n  image: app\n"
    );
    assert_eq!(
        blanked(
            "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234\nMIIEpAIBAAKCAQEA5678\nfoo: bar\n"
        ),
        "-----BEGIN PRIVATE KEY-----\n*\n*\nfoo: bar\n"
    );
}

#[test]
fn no_text_makes_masking_panic() {
    const PARTS: [&str; 39] = [
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
        "{\"kind\": \"Secret\", \"data\": {",
        "]",
        "}",
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

fn mask(values: &[&str]) -> Mask {
    let mut all = SecretValues::default();
    values.iter().for_each(|value| all.add(value));
    Mask::new(&all, "charts/airflow/values.yaml\nai-shop-orders-migrate")
}

#[test]
fn values_are_masked_wherever_they_reappear() {
    let base64 = data_encoding::BASE64.encode(b"user:OldSecretPass:x");
    for (value, text, expected) in [
        ("OldSecretPass", "job-0.1.0-OldSecretPass", "job-0.1.0-***"),
        ("OldSecretPass", "job-0.1.0oldsecretpassX", "job-0.1.0***X"),
        ("OldSecretPass", "T2xkU2VjcmV0UGFzcw==", "***"),
        ("T2xkU2VjcmV0UGFzcw==", "is OldSecretPass", "is ***"),
        ("sesame", "open-sesame, SESAME, sesames", "open-***, ***, sesames"),
        ("c2VzYW1l", "open-sesame", "open-***"),
        ("a\"b\\c d1", r#"{"x":"a\"b\\c d1"}"#, r#"{"x":"***"}"#),
        ("one line 1\nsecond 22", "has second 22 and one line 1", "has *** and ***"),
        ("0123456789abcdefghijklmnop", "cut: 0123456789abcdefghij…", "cut: ***…"),
        ("0123456789abcdefghijklmnop", "0123456789abcdef, 0123456789abcde", "***, 0123456789abcde"),
        ("äöüäöüäöü1", "x ÄÖÜ äöüäöüäöü1", "x ÄÖÜ ***"),
        ("OldSecretPass", "was `x-OldSe…`, OldSe", "was `x-***…`, OldSe"),
        ("12345678", "pin 12345678, 123456789", "pin ***, 123456789"),
        ("settings__database_key", "settings__database_url", "settings__database_url"),
        ("settings__database_key", "x-settings__database_keys", "x-***s"),
        ("grafana-exporter-keystone-user", "grafana-exporter-ks-user", "grafana-exporter-ks-user"),
        ("correcthorsebatterystaple", "correcthorsebatter-x", "***-x"),
    ] {
        assert_eq!(mask(&[value]).hide(text), expected, "{value}");
    }
    assert!(!mask(&["OldSecretPass"]).hide(&base64).contains(&base64[8..20]));
}

/// Masking them would garble the output and protect nothing.
#[test]
fn short_and_common_values_are_masked_in_place_only() {
    for value in [
        "true",
        "1",
        "abc1",
        "root",
        "5432",
        "10.0",
        "changeme",
        "exit 0",
        "Cassandra",
        "Postgres",
        "$(OTHER_VALUE)",
        "/v1/secret",
        "******",
    ] {
        let text = format!("is {value}, {value}");
        assert_eq!(mask(&[value]).hide(&text), text);
    }
}

/// What a message says itself is shown, a value that it quotes is not.
#[test]
fn words_of_a_message_are_not_masked() {
    let secrets = Secrets::find("password: postgres\ntoken: name\napiKey: hunter\n");
    for (text, expected) in [
        ("`spec.volumeMounts[0].name` of the database postgres", None),
        ("it becomes `postgres`", Some("it becomes `***`")),
        ("user=postgres, name", Some("user=***, name")),
        ("hunter in `spec.hunter.name`", Some("*** in `spec.hunter.name`")),
    ] {
        assert_eq!(secrets.hide(text, |_| false).as_deref(), expected, "{text}");
    }
}

/// A chart's own name is the default of many of its passwords.
#[test]
fn words_of_shown_paths_and_names_are_masked_only_if_they_are_distinct() {
    let hidden = mask(&["airflow", "Airflow-values.yaml9", "hunter"]);
    assert_eq!(hidden.hide("airflow hunter airflow-values.yaml9"), "airflow *** ***");
    let hidden = mask(&["ai-shop-orders", "ai-shop-users", "Migrate-1x9"]);
    let text = "ai-shop-orders-migrate of ai-shop-users, ai-shop-orders-migrate-1x9";
    assert_eq!(hidden.hide(text), "ai-shop-orders-migrate of ***, ai-shop-orders-***");
}

/// A host in a Secret begins with the name of the release, which is that of a Job too.
#[test]
fn a_name_that_the_output_shows_stays_where_a_value_only_begins_like_it() {
    let mut values = SecretValues::default();
    values.add("shop-of-the-world-mysql.default.svc.cluster.local");
    let hidden = Mask::new(&values, "charts/shop\nshop-of-the-world");
    assert_eq!(hidden.hide("Job `shop-of-the-world` runs"), "Job `shop-of-the-world` runs");
    assert_eq!(hidden.hide("shop-of-the-world-mysql.default"), "***");
    let unknown = Mask::new(&values, "charts/shop");
    assert_eq!(unknown.hide("Job `shop-of-the-world` runs"), "Job `***` runs");
}

/// The time to mask does not depend on the number of values, and no value makes a match expensive.
#[test]
fn many_and_hostile_values_are_masked_in_linear_time() {
    let values: Vec<String> = (0..20_000).map(|number| format!("value-{number:07x}")).collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let many = mask(&values);
    let text = "a value-0000fff b ".repeat(20_000);
    assert_eq!(many.hide(&text), "a *** b ".repeat(20_000));
    let repeated = mask(&[&"a1".repeat(100_000)]);
    assert_eq!(repeated.hide(&"a1".repeat(100_000)), "***");
}

#[test]
fn the_working_folder_is_no_secret() {
    let mut secrets = SecretValues::default();
    for name in ["PWD", "OLDPWD", "DB_PWD"] {
        secrets.add_variable(name, &format!("/builds/Shop1/{name}"));
    }
    assert_eq!(secrets.iter().collect::<Vec<_>>(), ["/builds/Shop1/DB_PWD"]);
}
