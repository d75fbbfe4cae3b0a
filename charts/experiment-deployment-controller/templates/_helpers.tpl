{{- /* Generated from manifests/ by `npm run generate`. Do not edit. */ -}}
{{- define "experiment.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}
