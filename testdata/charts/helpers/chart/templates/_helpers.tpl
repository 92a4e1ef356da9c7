{{- define "app.labels" -}}
release: "{{ .Release.Name | trunc 3 }}"
{{- end }}
