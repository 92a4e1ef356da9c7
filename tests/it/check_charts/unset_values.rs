//! What the values of a chart leave empty.

use super::*;

/// A chart whose dependency is not there, with a template that needs it.
const LACKING: [(&str, &str); 2] = [
    (
        "shop/Chart.yaml",
        "apiVersion: v2\nname: shop\nversion: 0.1.0\nappVersion: '2.0'\n\
         dependencies: [{name: common, version: 1.0.0, repository: 'https://x.example.com'}]\n",
    ),
    ("shop/templates/config.yaml", "data: {{ include \"common.data\" . }}\n"),
];

/// Only what the missing helper prints is unknown: the next release changes the rest of the line too.
#[test]
fn an_image_behind_an_empty_registry_is_followed() {
    let image = "{{ .Values.global.registry }}shop/app:{{ .Chart.AppVersion }}";
    let job = POLICY.replace("{{ .Values.policy }}", "Never").replace("app:1.4.2", image);
    let job = job.replace("  ttlSecondsAfterFinished: 600\n", "");
    let files =
        [("shop/templates/job.yaml", &*job), ("shop/values.yaml", "global: {registry: ''}\n")];
    for folder in [chart(&files), chart(&[&files[..], &LACKING].concat())] {
        let lines = concise(folder.path(), &["shop"]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("[template-changes-under-fixed-name]"), "{lines:?}");
    }
}

/// A function prints its text in several runs, some of them empty.
#[test]
fn what_a_quoted_value_prints_is_not_empty() {
    let container = "- name: migrate
          image: app:1.4.2
          resources:
            limits:
              cpu: {{ .Values.cpu | quote }}
              cpu: '2'";
    let job = POLICY.replace("{{ .Values.policy }}", "Never");
    let job = job.replace("- {name: migrate, image: 'app:1.4.2'}", container);
    let job = format!("{{{{- if .Values.on }}}}\n{job}{{{{- end }}}}\n");
    let values = "on: false\ncpu: 100m\n";
    let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", values)]);
    for arguments in [&["shop", "--set", "on=true"][..], &["shop"]] {
        let lines = concise(folder.path(), arguments);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("[duplicate-key]"), "{lines:?}");
    }
}

/// The Job of a chart whose templates print empty values at wrong places: the node selector one level too far out.
const OUTSIDE: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: load}
spec:
  ttlSecondsAfterFinished: 600
  {{- with .Values.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  template:
    spec:
      restartPolicy: Never
      {{- with .Values.tolerations }}
      tolerations: {{ toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: load
          image: app:1.4.2
          {{- toYaml .Values.container | nindent 10 }}
          {{- range $key, $value := .Values.env }}
          {{ $key }}: {{ $value }}
          {{- end }}
";
const UNSET: &str = "{nodeSelector: {}, tolerations: [], container: {tty: true}, env: {}}\n";

#[test]
fn an_empty_map_that_is_printed_at_a_wrong_place_is_named() {
    let files = [("shop/templates/job.yaml", OUTSIDE), ("shop/values.yaml", UNSET)];
    let lines = concise(chart(&files).path(), &["shop"]);
    assert_eq!(
        lines,
        [
            "shop/templates/job.yaml:7:3: warning[misplaced-field] once `nodeSelector` is set, `nodeSelector` of \
          Job `load` is in the wrong place: it belongs to `spec.template.spec`"
        ]
    );
    // Values that set it are reported as they are.
    let set = ("shop/ci/set-values.yaml", "nodeSelector: {disk: ssd}\n");
    let lines = concise(chart(&[files[0], files[1], set]).path(), &["shop"]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(!lines[0].contains("once"), "{lines:?}");
}

/// A chart that refuses the value is never deployed with it.
#[test]
fn values_that_a_chart_refuses_are_not_filled_in() {
    let files = [("shop/templates/job.yaml", OUTSIDE), ("shop/values.yaml", UNSET)];
    let refusing = "{{ if .Values.nodeSelector }}{{ fail \"no\" }}{{ end }}\n";
    let schema = "{\"properties\": {\"nodeSelector\": {\"maxProperties\": 0}}}";
    for refusal in [("shop/templates/check.yaml", refusing), ("shop/values.schema.json", schema)] {
        let folder = chart(&[files[0], files[1], refusal]);
        assert_eq!(concise(folder.path(), &["shop"]), [""; 0], "{refusal:?}");
    }
    let demanding = "{{ if .Values.tolerations }}{{ fail \"no\" }}{{ end }}\n";
    let folder = chart(&[files[0], files[1], ("shop/templates/check.yaml", demanding)]);
    assert_eq!(concise(folder.path(), &["shop"]).len(), 1, "the other value is no matter");
}

/// The value prints an empty mapping where one with keys belongs: each user has to state it. What is written so is wrong.
#[test]
fn a_mapping_that_each_user_states_is_no_mistake_of_the_template() {
    let job = |volume: &str| {
        POLICY.replace("{{ .Values.policy }}", "Never").replace(
            "      containers:",
            &format!("      volumes:\n        - name: data\n          {volume}\n      containers:"),
        )
    };
    let check_with = |volume: &str| {
        let folder = chart(&[
            ("shop/templates/job.yaml", &job(volume)),
            ("shop/values.yaml", "volume: {}\n# volume: {emptyDir: {}}\n"),
        ]);
        check(folder.path(), &["shop"], "concise")
    };
    let (text, code) = check_with("{{ toYaml .Values.volume | nindent 10 }}");
    assert_eq!((&*text, code), ("", 2), "a Job was missed");
    let (text, code) = check_with("{}");
    assert!(text.contains("error[unrenderable]"), "{text}");
    assert_eq!(code, 2);
}

/// A blank in front of the colon changes nothing.
#[test]
fn a_name_that_each_user_states_may_be_empty_in_each_spelling() {
    let container = |key: &str| {
        format!(
            "- name: migrate\n          image: app:1.4.2\n          envFrom:\n            - secretRef:\n                {key}: {{{{ .Values.secret }}}}"
        )
    };
    for key in ["name", "name "] {
        let job = POLICY
            .replace("{{ .Values.policy }}", "Never")
            .replace("- {name: migrate, image: 'app:1.4.2'}", &container(key));
        let folder = chart(&[("shop/templates/job.yaml", &job), ("shop/values.yaml", "secret:\n")]);
        assert_eq!(concise(folder.path(), &["shop"]), [""; 0], "{key:?}");
    }
}
