//! Jobs behind conditions that are not around them: in helpers that templates share, and before `fail` and `required`.

use super::{POLICY, chart, check, concise};

/// A helper that prints a Job which the API server refuses, under a name that the caller gives.
const HELPER: &str = "{{- define \"job\" -}}
apiVersion: batch/v1
kind: Job
metadata: {name: {{ .name }}}
spec:
  ttlSecondsAfterFinished: 600
  template:
    spec:
      restartPolicy: Always
      containers: [{name: a, image: 'a:1'}]
{{- end }}
";

#[test]
fn a_disabled_job_is_checked_although_another_template_prints_its_helper() {
    let folder = chart(&[
        ("shop/values.yaml", "extra: false\n"),
        ("shop/templates/_job.tpl", HELPER),
        ("shop/templates/one.yaml", "{{ include \"job\" (dict \"name\" \"one\") }}\n"),
        (
            "shop/templates/two.yaml",
            "{{ if .Values.extra }}{{ include \"job\" (dict \"name\" \"two\") }}{{ end }}\n",
        ),
    ]);
    let lines = concise(folder.path(), &["--select", "restart-policy-always"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("Job `one`") && lines[0].contains("and 1 more Job"), "{lines:?}");
}

#[test]
fn values_that_fail_demands_are_made_up() {
    let demands = "{{- if not .Values.secret }}{{ fail \"set secret\" }}{{ end }}
{{- if empty .Values.domain }}{{ printf \"set %s\" \"domain\" | fail }}{{ end }}
";
    let job = format!(
        "{{{{- if .Values.enabled }}}}\n{demands}{}{{{{ end }}}}\n",
        POLICY.replace("{{ .Values.policy }}", "Always")
    );
    let folder = chart(&[
        ("shop/values.yaml", "enabled: false\nsecret: ''\ndomain: ''\n"),
        ("shop/templates/job.yaml", &job),
    ]);
    let lines = concise(folder.path(), &[]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("restart-policy-always"), "{lines:?}");
    // With `enabled` alone the chart refuses to render.
    assert!(lines[0].contains("(with domain=…, enabled=true, secret=…)"), "{lines:?}");
}

/// A hook that comes before the Secret `login`.
const NEEDS_LOGIN: &str = "apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: pre-install}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: a, image: 'a:1', envFrom: [{secretRef: {name: login}}]}
";

/// The template itself asks for the one, and whoever installs the chart overrides the other.
#[test]
fn a_secret_of_values_to_be_changed_is_real() {
    let is_reported = |password: &str| {
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\nstringData: {{password: {password}}}\n"
        );
        let folder = chart(&[
            ("shop/values.yaml", "password: CHANGEME\n"),
            ("shop/templates/secret.yaml", &secret),
            ("shop/templates/job.yaml", NEEDS_LOGIN),
        ]);
        check(folder.path(), &[], "concise").0.contains("hook-needs-later-object")
    };
    assert!(!is_reported("CHANGEME"));
    assert!(is_reported("{{ .Values.password }}"));
}

#[test]
fn required_values_get_placeholders_beside_those_of_the_command_line() {
    let secret = "apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: {{ required \"set password\" .Values.password | quote }}}
";
    let folder =
        chart(&[("shop/templates/secret.yaml", secret), ("shop/templates/job.yaml", NEEDS_LOGIN)]);
    for arguments in [&[][..], &["--set", "other=1"]] {
        let (text, code) = check(folder.path(), arguments, "concise");
        assert!(text.contains("hook-needs-later-object"), "{arguments:?}: {text}");
        assert_eq!(code, 1);
    }
}
