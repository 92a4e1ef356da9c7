//! Jobs that the values of a chart disable, and charts that do not render with them.

use super::*;

#[test]
fn a_disabled_job_is_checked_with_the_values_that_enable_it() {
    let job = format!(
        "{{{{- if and .Values.migrate.enabled (eq .Values.db \"mysql\") }}}}\n{POLICY}{{{{- end }}}}\n"
    );
    let values = "policy: Always\ndb: postgres\nmigrate: {enabled: false}\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    let with = " (with db=mysql, migrate.enabled=true)";
    assert!(lines[0].starts_with("shop/templates/job.yaml:10:25: error[restart-policy-always]"));
    assert!(lines[0].contains(with), "{}", lines[0]);
}

#[test]
fn templates_of_a_broken_chart_that_render_are_checked() {
    let files = [
        ("shop/templates/a.yaml", "a: {{ .Values.absent.deep }}\n"),
        ("shop/templates/job.yaml", POLICY),
        ("shop/values.yaml", "policy: Always\n"),
    ];
    let folder = chart(&files);
    let (text, code) = check(folder.path(), &["shop"], "concise");
    assert_eq!(code, 1, "the Job was rendered: {text}");
    let rules: Vec<_> =
        text.lines().map(|line| line.split(['[', ']']).nth(1).unwrap_or_default()).collect();
    assert_eq!(rules, ["restart-policy-always"], "{text}");
    // The missing dependency may define what the template needs.
    let dependency =
        "dependencies: [{name: db, version: 1.0.0, repository: https://x.example.com}]\n";
    fs::write(folder.path().join(CHART.0), format!("{}{dependency}", CHART.1)).unwrap();
    let (text, code) = check(folder.path(), &["shop"], "concise");
    assert_eq!(code, 1, "{text}");
    assert!(!text.contains("unrenderable"), "{text}");
}

/// Helm drops a dependency whose condition is false, so what it would render misses nothing.
#[test]
fn a_missing_dependency_counts_if_the_values_enable_it() {
    let dependencies = "dependencies:\n- {name: db, version: 1.0.0, repository: https://x.example.com, condition: db.enabled}\n\
                        - {name: db, alias: cache, version: 1.0.0, repository: https://x.example.com, condition: cache.enabled}\n";
    let chart_yaml = format!("{}{dependencies}", CHART.1);
    for (values, count) in [
        ("policy: Never\ndb: {enabled: false}\ncache: {enabled: false}\n", 0),
        ("policy: Never\ndb: {enabled: false}\ncache: {enabled: true}\n", 1),
        ("policy: Never\n", 1),
    ] {
        let folder = chart(&[
            (CHART.0, &chart_yaml),
            ("shop/templates/job.yaml", POLICY),
            ("shop/values.yaml", values),
        ]);
        let (text, _) = check(folder.path(), &["shop", "--select", "not-rendered"], "concise");
        assert_eq!(text.matches("not-rendered").count(), count, "{values}: {text}");
    }
}

#[test]
fn the_only_value_set_that_renders_is_named() {
    let job = format!("{{{{ required \"say which\" .Values.need }}}}\n---\n{POLICY}");
    let ci = "need: '# here'\npolicy: Always\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/ci/test-values.yaml", ci)]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains(" (with ci/test-values.yaml)"), "{lines:?}");
}

#[test]
fn a_job_that_cannot_be_enabled_does_not_hide_another() {
    let list = format!(
        "{{{{- range .Values.users }}}}\n{}{{{{- end }}}}\n",
        POLICY.replace(".Release", "$.Release").replace(".Values.policy", ".policy.name")
    );
    let flag = format!("{{{{- if .Values.migrate.enabled }}}}\n{POLICY}{{{{- end }}}}\n");
    let (none, ci) = ("users: []\nmigrate: {enabled: false}\npolicy: Always\n", "zone: a\n");
    let folder = chart(&[
        ("shop/templates/a.yaml", &list),
        ("shop/templates/b.yaml", &list),
        ("shop/templates/c.yaml", &list),
        ("shop/templates/d.yaml", &list),
        ("shop/templates/e.yaml", &list),
        ("shop/templates/f.yaml", &list),
        ("shop/templates/job.yaml", &flag),
        ("shop/values.yaml", none),
        ("shop/ci/test-values.yaml", ci),
    ]);
    let lines = concise(folder.path(), &["shop", "--select", "not-rendered,restart-policy-always"]);
    let note = "shop/templates/a.yaml:3:7: info[not-rendered] no values file renders this Job or 5 other Jobs \
                (with `users=…` its template fails: `.policy.name`: can't evaluate field policy in type \
                interface {})";
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0], note, "of no set of values in particular");
    assert!(lines[1].contains("job.yaml:10:25: error[restart-policy-always]"), "{lines:?}");
}

#[test]
fn a_failing_template_is_reported_once() {
    let job = format!("a: {{{{ index .Values.absent 0 }}}}\n---\n{POLICY}");
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/templates/z.yaml", &job)]);
    let flags = ["shop", "--select", "unrenderable"];
    let (text, _) = check(folder.path(), &flags, "json");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let [found] = &json["findings"].as_array().unwrap()[..] else { panic!("{text}") };
    assert_eq!(
        (&found["rule"], &found["path"]),
        (&"unrenderable".into(), &"shop/templates/z.yaml".into())
    );
    let labels = found["labels"].as_array().unwrap().iter();
    let places: Vec<_> = labels.map(|label| (&label["path"], label["line"].as_u64())).collect();
    let job = (&"shop/templates/job.yaml".into(), Some(4));
    assert!(
        places.contains(&job)
            && text.contains("its template fails: `index .Values.absent 0`: error calling index"),
        "{text}"
    );
}

/// Whoever enables the Job sets the other values too, so values we made up must not cause findings.
#[test]
fn values_left_empty_by_placeholders_are_not_reported() {
    let job = POLICY.replace("{{ .Values.policy }}", "Never").replace(
        "        - {name: migrate, image: 'app:1.4.2'}",
        "        - name: {{ .Values.geo.name }}
          image: 'app:1.4.2'
          env: {{ toYaml .Values.geo.env }}
          volumeMounts:
            - name: {{ .Values.geo.volume | quote }}
              mountPath: {{ .Values.geo.path }}
            - {name: '', mountPath: /b}
      volumes:
        {{- range .Values.geo.volumes }}
        - {{ toYaml . }}
        {{- end }}
        - name: {{ .Values.geo.account }}_x",
    );
    let job = format!("{{{{- if .Values.geo.account }}}}\n{job}\n{{{{- end }}}}\n");
    let values = "geo: {account: '', name: , volume: '', path: '', env: [], volumes: []}\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    let lines = concise(folder.path(), &["shop", "--select", "invalid-job"]);
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].contains("job.yaml:18:") && lines[0].contains("is missing"), "{lines:?}");
    // The same values on the command line are checked.
    let lines =
        concise(folder.path(), &["shop", "--select", "invalid-job", "--set", "geo.account=a"]);
    assert!(lines.len() > 3, "{lines:#?}");
}

/// A pipeline adds to the values of an environment, which are all that the chart has.
#[test]
fn what_the_values_of_an_environment_leave_empty_is_not_reported() {
    let found = |image: &str| {
        let job =
            POLICY.replace("{{ .Values.policy }}", "Never").replace("image: 'app:1.4.2'", image);
        let folder =
            chart(&[("shop/templates/job.yaml", &job), ("shop/values-dev.yaml", "image:\n")]);
        std::fs::remove_file(folder.path().join("shop/values.yaml")).unwrap_or_default();
        concise(folder.path(), &["shop", "--select", "invalid-job"]).len()
    };
    assert_eq!([found("image: {{ .Values.image }}"), found("tty: true")], [0, 1]);
}

/// Whoever deploys the chart sets the value, and text that comes of a placeholder is not reported.
#[test]
fn a_value_that_a_function_cannot_do_without_is_made_up() {
    let job = "{{- $is_semver := regexMatch \"^[0-9.]+\" .Values.image.tag }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-{{ .Values.image.tag }}
  annotations:
    helm.sh/hook: post-install
    helm.sh/hook-delete-policy: hook-succeeded
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: wait, image: 'app:{{ if $is_semver }}v{{ end }}{{ .Values.image.tag }}'}
";
    let folder = chart(&[("shop/templates/job.yaml", job), ("shop/values.yaml", "image: {}\n")]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("shop/templates/job.yaml:8:33: warning[stale-hook-blocks]"));
    assert!(!lines[0].to_lowercase().contains("placeholder"), "{lines:?}");
    // With a value that no placeholder replaces, the template and not the caller is at fault.
    let broken = job.replace("regexMatch \"^[0-9.]+\" .Values.image.tag", "regexMatch \"a\" 1");
    let folder = chart(&[("shop/templates/job.yaml", &broken)]);
    let (text, code) = check(folder.path(), &["shop"], "concise");
    assert!(text.contains("error[unrenderable]") && code == 2, "{text}");
}

/// What the chart itself sets beside a value that it lacks is known, and so is what a command does with it.
#[test]
fn a_value_beside_an_unset_one_keeps_what_the_chart_sets() {
    let work = "restic backup /data; restic forget --keep-within {{ .Values.backup.keep }} --prune";
    let job = POLICY.replace("{{ .Values.policy }}", "Never").replace(
        "{name: migrate, image: 'app:1.4.2'}",
        &format!("{{name: b, image: 'restic/restic:0.16.0', command: [sh, -c, '{work}; echo']}}"),
    );
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: backup}\ndata:\n  \
                  p: {{ .Values.backup.password | b64enc }}\n";
    let found = |values: &str| {
        let templates =
            [("shop/templates/job.yaml", &*job), ("shop/templates/secret.yaml", secret)];
        let folder = chart(&[&templates[..], &[("shop/values.yaml", values)]].concat());
        concise(folder.path(), &["shop", "--select", "failure-hidden"]).len()
    };
    assert_eq!(found("backup: {keep: 7d, password: }\n"), 1);
    assert_eq!(found("backup: {keep: '', password: }\n"), 0, "a placeholder is in the command");
}

#[test]
fn a_condition_of_a_helper_is_met() {
    let helper = "{{- define \"db.type\" -}}
{{- default \"dummy\" .Values.db.type | lower -}}
{{- end }}
{{- define \"is-on\" }}{{ if and .Values.hooks.on .Values.hooks.name }}true{{ end }}{{ end }}
";
    let job = format!(
        "{{{{- if eq (include \"db.type\" .) \"postgres\" }}}}
{{{{- if eq (include \"is-on\" .) \"true\" }}}}
{POLICY}
{{{{- end }}}}
{{{{- end }}}}
"
    );
    let folder = chart(&[
        ("shop/templates/_helpers.tpl", helper),
        ("shop/templates/job.yaml", &job),
        ("shop/values.yaml", "policy: Always\nhooks: {on: false, name: ''}\ndb: {type: ''}\n"),
    ]);
    let lines = concise(folder.path(), &["shop", "--select", "restart-policy-always"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("db.type=postgres, hooks.name=…, hooks.on=true"), "{lines:?}");
}

#[test]
fn each_disabled_job_names_only_the_values_it_needs() {
    let guarded = |flag: &str| format!("{{{{- if .Values.{flag} }}}}\n{POLICY}{{{{- end }}}}\n");
    let folder = chart(&[
        ("shop/templates/a.yaml", &guarded("a.enabled")),
        ("shop/templates/b.yaml", &guarded("b.enabled")),
        ("shop/values.yaml", "policy: Always\na: {enabled: false}\nb: {enabled: false}\n"),
    ]);
    let lines = concise(folder.path(), &["shop", "--select", "restart-policy-always"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("a.yaml") && lines[0].contains("(with a.enabled=true)"), "{lines:?}");
    assert!(lines[1].contains("b.yaml") && lines[1].contains("(with b.enabled=true)"), "{lines:?}");
}

#[test]
fn a_job_for_upgrades_is_checked_as_an_upgrade() {
    let job =
        format!("{{{{- if and .Release.IsUpgrade .Values.migrate }}}}\n{POLICY}{{{{- end }}}}\n");
    let values = ("shop/values.yaml", "policy: Always\nmigrate: true\n");
    let folder = chart(&[("shop/templates/job.yaml", &job), values]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("(with Release.IsUpgrade=true)"), "{lines:?}");
    // Argo CD always renders an install, so it never deploys this Job.
    assert_eq!(concise(folder.path(), &["shop", "--deployer", "argocd"]), [""; 0]);
    let lines = concise(folder.path(), &["shop", "--deployer", "argocd", "--deployer", "helm4"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
}

/// No values enable two of these Jobs at once, so each needs a render of its own.
#[test]
fn each_of_many_alternatives_is_checked() {
    let job = |number: usize| {
        format!("{{{{- if eq .Values.kind \"k{number}\" }}}}\n{POLICY}{{{{- end }}}}\n")
    };
    let files: Vec<_> = (10..20)
        .map(|number| (format!("shop/templates/job{number}.yaml"), job(number)))
        .chain([("shop/values.yaml".to_owned(), "policy: Always\nkind: none\n".to_owned())])
        .collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let folder = chart(&files);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 10, "{lines:?}");
    for (line, number) in lines.iter().zip(10..) {
        assert!(line.contains("[restart-policy-always]"), "{line}");
        assert!(line.contains(&format!("(with kind=k{number})")), "{line}");
    }
}

#[test]
fn values_that_the_chart_refuses_enable_nothing() {
    let job = format!("{{{{- if .Values.migrate.enabled }}}}\n{POLICY}{{{{- end }}}}\n");
    let validation = "{{- if and .Values.migrate.enabled (not .Values.url) }}\n\
                      {{- fail \"migrate.enabled needs url\" }}\n{{- end }}\n";
    let files = [
        ("shop/templates/job.yaml", &*job),
        ("shop/templates/validate.yaml", validation),
        ("shop/values.yaml", "policy: Always\nmigrate: {enabled: false}\nurl: ''\n"),
    ];
    let folder = chart(&files);
    assert!(concise(folder.path(), &["shop"]).is_empty(), "it is no finding by default");
    let lines = concise(folder.path(), &["shop", "--select", "not-rendered"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("info[not-rendered]"), "{lines:?}");
    assert!(lines[0].contains("with `migrate.enabled=true` the chart fails"), "{lines:?}");
    let with_url = "policy: Always\nmigrate: {enabled: false}\nurl: postgres://db\n";
    fs::write(folder.path().join("shop/values.yaml"), with_url).unwrap();
    let lines = concise(folder.path(), &["shop"]);
    assert!(lines[0].contains("error[restart-policy-always]"), "{lines:?}");
}

#[test]
fn a_placeholder_is_not_shown() {
    let job = POLICY.replace("{{ .Release.Name }}", "{{ .Values.name }}-{{ .Values.kind }}");
    let job =
        format!("{{{{- if and .Values.name (ne .Values.kind \"-\") }}}}\n{job}{{{{- end }}}}\n");
    let values = "policy: Always\nname: ''\nkind: '-'\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("(with kind=…, name=…)"), "{lines:?}");
    assert!(!lines[0].contains("placeholder") && !lines[0].contains("not-"), "{lines:?}");
}

/// joblint makes the value `true`, because the condition asks for any; whoever sets it says where.
#[test]
fn a_value_that_is_switched_on_has_no_type() {
    let job = POLICY.replace("{{ .Values.policy }}", "Never");
    let variable = "app:1.4.2', env: [{name: HOST, value: {{ .Values.host }}}]}";
    let job = job.replace("app:1.4.2'}", variable);
    assert!(job.contains("HOST"), "{job}");
    let files = |job: &str| {
        let job = format!("{{{{- if .Values.host }}}}\n{job}{{{{- end }}}}\n");
        chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", "host:\n")])
    };
    let select = ["shop", "--select", "wrong-type"];
    assert!(concise(files(&job).path(), &select).is_empty());
    let wrong = job.replace("{{ .Values.host }}", "true");
    assert_eq!(concise(files(&wrong).path(), &select).len(), 1, "what the template states has one");
}

#[test]
fn values_that_test_the_chart_enable_jobs() {
    let job = format!("{{{{- if .Values.users }}}}\n{POLICY}{{{{- end }}}}\n");
    for name in [".fixtures/users.yaml", "test-values/a.yml", "tests/values.yaml"] {
        let folder = chart(&[
            ("shop/templates/job.yaml", &job),
            ("shop/values.yaml", "policy: Always\nusers: []\n"),
            (&format!("shop/{name}"), "users: [{name: a}]\n"),
        ]);
        let lines = concise(folder.path(), &["shop"]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains(&format!("(with {name})")), "{lines:?}");
    }
    // A test of helm-unittest is no set of values.
    let folder = chart(&[
        ("shop/templates/job.yaml", &job),
        ("shop/values.yaml", "policy: Never\nusers: []\n"),
        ("shop/tests/job_test.yaml", "suite: job\nusers: [{name: a}]\npolicy: Always\n"),
    ]);
    assert!(!concise(folder.path(), &["shop"]).join("").contains("restart-policy-always"));
}

#[test]
fn a_chart_without_jobs_that_does_not_render_is_no_error() {
    let folder = chart(&[("shop/templates/a.yaml", "a: {{ .Values.absent.deep }}\n")]);
    let (text, code) = check(folder.path(), &["shop"], "concise");
    assert_eq!((&*text, code), ("", 0));
    let flags = ["shop", "--set", "absent=1"];
    assert_eq!(check(folder.path(), &flags, "concise").1, 0, "no Job is missed");
}

#[test]
fn a_dependency_in_a_folder_of_the_tree_needs_no_vendoring() {
    let dependency = |repository: &str| {
        let rest = "dependencies: [{name: common, version: 1.x.x, repository: ";
        format!("{}{rest}'{repository}'}}]\n", CHART.1)
    };
    let local = dependency("file://../common");
    let helper = "{{- define \"common.policy\" }}Always{{ end }}";
    let folder = chart(&[
        (CHART.0, &local),
        ("common/Chart.yaml", "apiVersion: v2\nname: common\nversion: 1.2.0\ntype: library\n"),
        ("common/templates/_policy.tpl", helper),
        (
            "shop/templates/job.yaml",
            &POLICY.replace(".Values.policy", "include \"common.policy\" ."),
        ),
    ]);
    let lines = concise(folder.path(), &["."]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("error[restart-policy-always]"), "{lines:?}");
    let remote = dependency("https://charts.example.com");
    fs::write(folder.path().join(CHART.0), remote).unwrap();
    assert!(concise(folder.path(), &[".", "--pedantic"]).join("").contains("not-rendered"));
}

#[test]
fn jobs_of_unpacked_sub_charts_are_enabled_too() {
    let job = format!("{{{{- if .Values.migrate }}}}\n{POLICY}{{{{- end }}}}\n");
    let folder = chart(&[
        ("shop/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("shop/charts/db/values.yaml", "policy: Always\nmigrate: false\n"),
        ("shop/charts/db/templates/job.yaml", &job),
    ]);
    let lines = concise(folder.path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("charts/db/templates/job.yaml"), "{lines:?}");
    assert!(lines[0].contains("(with db.migrate=true)"), "{lines:?}");
}

/// Without the value the chart does not render, so the API server never sees what is left of the name.
#[test]
fn a_name_that_the_chart_requires_is_not_called_invalid() {
    let job = POLICY.replace("{{ .Release.Name }}", "a-{{ required `id` .Values.id }}");
    let guarded = format!("{{{{- if .Values.on }}}}\n{job}{{{{- end }}}}\n");
    for template in [&job, &guarded] {
        let files = [
            ("shop/templates/job.yaml", template.as_str()),
            ("shop/values.yaml", "policy: Never\nid: ''\non: false\n"),
        ];
        let lines = concise(chart(&files).path(), &["shop", "--select", "invalid-name"]);
        assert!(lines.is_empty(), "{lines:?}");
    }
}

#[test]
fn a_condition_on_a_variable_is_met() {
    let job =
        format!("{{{{- $skip := .Values.skip }}}}{{{{ if not $skip }}}}\n{POLICY}{{{{- end }}}}\n");
    let values = "policy: Always\nskip: 1\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    let lines = concise(folder.path(), &["shop", "--select", "restart-policy-always"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("(with skip=0)"), "{lines:?}");
}

/// Whoever runs the Job again sets another value; a name that other objects share is one of the release.
#[test]
fn a_job_whose_name_is_a_key_of_the_run_needs_pedantic() {
    let job = "{{- if .Values.fill }}{{ if not .Values.run }}{{ fail `run` }}{{ end }}
apiVersion: batch/v1
kind: Job
metadata: {name: 'fill-{{ .Values.run }}'}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: fill, image: 'app:{{ .Chart.Version }}'}]
{{- end }}
";
    let other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 'c-{{ .Values.run }}'}\n";
    let values = ("shop/values.yaml", "fill: false\nrun: ''\n");
    let found = |files: &[(&str, &str)], flags: &[&str]| {
        let folder = chart(files);
        let mut lines = concise(folder.path(), &[&["shop"], flags].concat());
        lines.retain(|line| line.contains("[template-changes-under-fixed-name]"));
        lines.join("\n")
    };
    let alone = [("shop/templates/job.yaml", job), values];
    assert_eq!(found(&alone, &[]), "");
    let shown = found(&alone, &["--pedantic"]);
    assert!(shown.contains("pod template of `fill-…` changes"), "{shown}");
    let shared = [alone[0], values, ("shop/templates/other.yaml", other)];
    assert!(found(&shared, &[]).contains("pod template of `fill-…` changes"));
}

/// The build writes the file, and what needs no file is checked.
#[test]
fn a_file_that_is_not_in_the_chart_is_no_error() {
    let job = "{{- $made := fromYaml (.Files.Get \"made.yml\") }}
apiVersion: batch/v1
kind: Job
metadata: {name: 'a-{{ len $made.stacks }}'}
";
    let folder = chart(&[
        ("shop/templates/job.yaml", job),
        ("shop/templates/other.yaml", POLICY),
        ("shop/values.yaml", "policy: Always\n"),
    ]);
    let (text, _) = check(folder.path(), &["shop"], "concise");
    assert!(text.contains("error[restart-policy-always]"), "{text}");
    assert!(!text.contains("unrenderable"), "{text}");
}

#[test]
fn a_value_that_the_schema_requires_is_made_up() {
    let schema = r#"{"required": ["key"]}"#;
    let hook = "apiVersion: v1
kind: Secret
metadata:
  name: key
  annotations: {helm.sh/hook: pre-install}
data: {key: '{{ .Values.key | b64enc }}'}
";
    let folder = chart(&[
        ("shop/templates/secret.yaml", hook),
        ("shop/templates/job.yaml", POLICY),
        ("shop/values.yaml", "policy: Always\n"),
        ("shop/values.schema.json", schema),
    ]);
    let (text, _) = check(folder.path(), &["shop"], "concise");
    assert!(text.contains("error[restart-policy-always]"), "{text}");
    assert!(!text.contains("unrenderable"), "{text}");
}

#[test]
fn a_sub_chart_that_the_values_disable_is_checked() {
    let job = POLICY.replace("{{ .Values.policy }}", "Always");
    let folder = chart(&[
        (
            "shop/Chart.yaml",
            "apiVersion: v2
name: shop
version: 0.1.0
dependencies:
- {name: import, version: 0.1.0, condition: import.enabled}
- {name: report, version: 0.1.0, condition: 'report.enabled,global.report'}
- {name: vendored, version: 0.1.0, repository: 'https://charts.example', condition: vendored.enabled}
",
        ),
        (
            "shop/values.yaml",
            "import: {enabled: false}\nreport: {enabled: true}\nvendored: {enabled: false}\n",
        ),
        ("shop/charts/import/Chart.yaml", "apiVersion: v2\nname: import\nversion: 0.1.0\n"),
        ("shop/charts/import/templates/job.yaml", &job),
        ("shop/charts/report/Chart.yaml", "apiVersion: v2\nname: report\nversion: 0.1.0\n"),
        ("shop/charts/report/templates/job.yaml", &job.replace("}}\nspec", "}}-report\nspec")),
        ("shop/charts/vendored/Chart.yaml", "apiVersion: v2\nname: vendored\nversion: 0.1.0\n"),
        ("shop/charts/vendored/templates/job.yaml", &job),
    ]);
    let lines = concise(folder.path(), &["--select", "restart-policy-always"]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("shop/charts/import/templates/job.yaml:9:"), "{lines:?}");
    assert!(lines[0].ends_with("(with import.enabled=true)"), "{lines:?}");
    assert!(lines[1].starts_with("shop/charts/report/templates/job.yaml:9:"), "{lines:?}");
}

/// No value adds to a list of volumes that is written out.
#[test]
fn a_volume_that_is_missing_is_reported_where_no_value_adds_it() {
    let job = |volumes: &str| {
        format!(
            "{{{{- if .Values.migrate.enabled }}}}\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: migrate}}\n\
             spec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n      - name: a\n        image: a:1\n        \
             volumeMounts: [{{name: config, mountPath: /c}}]\n{volumes}{{{{- end }}}}\n"
        )
    };
    let own = "      volumes:\n      - {name: data, emptyDir: {}}\n";
    let with =
        "      {{- with .Values.volumes }}\n      {{- toYaml . | nindent 6 }}\n      {{- end }}\n";
    for (volumes, count) in [(own.to_owned(), 1), (format!("{own}{with}"), 0), (String::new(), 0)] {
        let values = "migrate: {enabled: false}\nvolumes: []\n";
        let folder =
            chart(&[("shop/templates/job.yaml", &job(&volumes)), ("shop/values.yaml", values)]);
        let (text, _) = check(folder.path(), &["shop", "--select", "invalid-job"], "concise");
        assert_eq!(text.matches("volumeMounts").count(), count, "{volumes}: {text}");
    }
}

const OF_ENTRIES: &str = "{{- range $name, $job := .Values.jobs }}
---
apiVersion: batch/v1beta1
kind: CronJob
metadata: {name: {{ $name }}}
spec:
  schedule: {{ $job.schedule | quote }}
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: {{ $job.restartPolicy }}
          containers: [{name: main, image: \"app:{{ $job.image.tag }}\"}]
{{- end }}
";

/// What the template says is wrong for each Job that users add; what they say themselves is their business.
#[test]
fn the_jobs_of_an_empty_map_are_checked_as_far_as_the_template_says_what_they_are() {
    let shown = "#  report:\n#    schedule: '* * * * *'\n#    restartPolicy: Always\n#    image: {tag: 1.4.2}\n";
    let found = |template: &str, values: &str| {
        let folder = chart(&[("shop/templates/jobs.yaml", template), ("shop/values.yaml", values)]);
        concise(folder.path(), &["shop"])
    };
    let by_comment = found(OF_ENTRIES, &format!("jobs: {{}}\n{shown}"));
    assert_eq!(by_comment.len(), 1, "{by_comment:?}");
    assert!(
        by_comment[0].contains("warning[removed-api-version] CronJob `report`"),
        "{by_comment:?}"
    );
    assert!(by_comment[0].contains("(with jobs=…)"), "{by_comment:?}");
    // Without the comment nobody knows that there is an image.
    assert_eq!(found(OF_ENTRIES, "jobs: {}\n"), [""; 0]);
    let plain = OF_ENTRIES.replace("{{ $job.image.tag }}", "{{ $job.tag }}");
    for values in ["jobs: {}\n", "jobs: []\n", "a: b\n"] {
        assert_eq!(found(&plain, values).len(), 1, "{values}");
    }
    let current = plain.replace("v1beta1", "v1");
    assert_eq!(found(&current, "jobs: {}\n"), [""; 0]);
}

/// Two switches that joblint turns on for two Jobs may exclude each other.
#[test]
fn what_the_switch_of_another_job_prints_is_not_reported() {
    let job = |name: &str, switch: &str, line: &str| {
        let job = POLICY.replace("{{ .Release.Name }}", name).replace("{{ .Values.policy }}", line);
        format!("{{{{- if {switch} }}}}\n{job}{{{{- end }}}}\n")
    };
    let either = "{{ if .Values.b }}Always{{ else }}Never{{ end }}";
    let found = |first: &str| {
        let folder = chart(&[
            ("shop/templates/a.yaml", &job("a", first, either)),
            ("shop/templates/b.yaml", &job("b", ".Values.b", "Never")),
            ("shop/values.yaml", "a: false\nb: false\n"),
        ]);
        concise(folder.path(), &["shop", "--select", "restart-policy-always"])
    };
    assert_eq!(found(".Values.a"), [""; 0]);
    assert_eq!(found(".Values.b").len(), 1);
}
