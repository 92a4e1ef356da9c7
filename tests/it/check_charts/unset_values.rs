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
