{{- /* Whether a step is rendered: include "step" (dict "root" $ "is" "prerequisites"). Empty: no. */ -}}
{{- define "step" -}}
{{- if has .root.Values.step (list .is "all") }}yes{{ end -}}
{{- end -}}

{{- /* Labels of every object. */ -}}
{{- define "labels" -}}
app.kubernetes.io/part-of: truetally
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- /* A tag has up to 128 characters, a label 63. */}}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | trimAll "-_." | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- with .Values.commit }}
truetally.example/commit: {{ . | quote }}
{{- end }}
{{- end -}}

{{- /* Metadata of a prerequisite: include "prerequisite" (dict "root" $ "name" "gateway"). */ -}}
{{- define "prerequisite" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "labels" .root | nindent 2 }}
annotations: { argocd.argoproj.io/sync-wave: '-20' }
{{- end -}}

{{- /* Services of the catalogue with what values say of them, as YAML: name → entry. */ -}}
{{- define "services" -}}
{{- $values := .Values -}}
{{- $result := dict -}}
{{- range $name, $entry := (.Files.Get "services.yaml" | fromYaml) }}
{{- $said := required (printf "services.%s is not in the values" $name) (get $values.services $name) }}
{{- $defaults := deepCopy $values.serviceDefaults }}
{{- $service := mergeOverwrite $defaults (deepCopy $entry) (deepCopy $said) }}
{{- /* A limit that is null is none. */}}
{{- range $amounts := $service.resources }}
{{- range $what, $amount := deepCopy $amounts }}{{ if kindIs "invalid" $amount }}{{ $_ := unset $amounts $what }}{{ end }}{{ end }}
{{- end }}
{{- $_ := set $result $name $service }}
{{- end }}
{{- range $name, $_ := .Values.services }}
{{- if not (hasKey $result $name) }}{{ fail (printf "services.%s is no service of services.yaml" $name) }}{{ end }}
{{- end }}
{{- toYaml $result -}}
{{- end -}}

{{- /* An image: include "image" (dict "root" $ "name" "gateway" "digest" ""). */ -}}
{{- define "image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end }}{{ .name -}}
{{- if .digest }}@{{ .digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end -}}

{{- /* What every pod of the product has: who it is, where it runs, and what it may not do. */ -}}
{{- define "pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .Values.podSecurityContext }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* Variables by which a process speaks to Kafka: include "kafkaVariables" (dict "root" $ "service" $service). */ -}}
{{- define "kafkaVariables" -}}
{{- $kafka := .root.Values.kafka -}}
{{- if eq $kafka.securityProtocol "SASL_SSL" -}}
- { name: KAFKA_SASL_USERNAME, value: {{ .service.kafkaUsername | default .service.kafkaUser }} }
- { name: KAFKA_SASL_PASSWORD_FILE, value: /run/secrets/kafka-user/password }
{{- with $kafka.caSecret }}
- { name: KAFKA_SSL_CA_FILE, value: /run/secrets/kafka-ca/ca.crt }
{{- end }}
{{- end }}
{{- end -}}

{{- /* A key of a secret as a volume: include "keyVolume" (dict "name" … "secret" … "key" …). */ -}}
{{- define "keyVolume" -}}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
    items: [{ key: {{ .key }}, path: {{ .key }} }]
{{- end -}}

{{- /* Whether a service asks ClickHouse: include "clickhouse" (dict "root" $ "name" $name). Empty: no. */ -}}
{{- define "clickhouse" -}}
{{- if and .root.Values.clickhouse.enabled (eq .name "analytics") }}yes{{ end -}}
{{- end -}}

{{- /* Keys of a service's secret, as YAML: key → { key, property } of the secret store. */ -}}
{{- define "secretKeys" -}}
database-url: { key: truetally/{{ .name }}, property: database-url }
{{- range $_, $key := .service.secrets }}
{{ $key }}: { key: truetally/{{ $.name }}, property: {{ $key }} }
{{- end }}
{{- if has "keyring" (.service.uses | default list) }}
keyring.json: { key: truetally/keyring, property: keyring }
{{- end }}
{{- if include "clickhouse" . }}
clickhouse-url: { key: truetally/clickhouse, property: url }
{{- end }}
{{- if and .root.Values.media.staticCredentials (has "media" (.service.uses | default list)) }}
s3-access-key-id: { key: truetally/media, property: access-key-id }
s3-secret-access-key: { key: truetally/media, property: secret-access-key }
{{- end }}
{{- end -}}

{{- /* Whether there are pages: include "pages" $. Empty: no. They need an issuer to sign in at. */ -}}
{{- define "pages" -}}
{{- if and .Values.dashboard.enabled .Values.oidc.issuer }}yes{{ end -}}
{{- end -}}

{{- /* Whether one host has the API and the pages. */ -}}
{{- define "oneHost" -}}
{{- if or .Values.ingress.enabled .Values.httpRoute.enabled }}yes{{ end -}}
{{- end -}}

{{- /* A variable's value as a text. A number of a values file is a float64, which `quote` alone writes as 1e+06. */ -}}
{{- define "setting" -}}
{{- ternary (toJson .) . (kindIs "float64" .) | quote -}}
{{- end -}}
