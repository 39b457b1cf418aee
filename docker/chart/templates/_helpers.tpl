{{- define "switchyard.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "switchyard.labels" -}}
app.kubernetes.io/name: switchyard
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "switchyard.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The settings of every process. Values of secrets are only referred to. */}}
{{- define "switchyard.env" -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ required "database.secret names the Secret with the address of PostgreSQL" .Values.database.secret }}, key: url } }
{{- with .Values.redis.secret }}
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ . }}, key: url } }
{{- end }}
{{- if .Values.keys.kms.keyId }}
- name: SWITCHYARD_KMS_KEY_ID
  value: {{ .Values.keys.kms.keyId | quote }}
- name: AWS_REGION
  value: {{ required "keys.kms.region is the region of the key" .Values.keys.kms.region | quote }}
{{- else }}
- name: SWITCHYARD_KEYRING_FILE
  value: /run/switchyard/keyring.json
{{- end }}
- name: SWITCHYARD_PROFILE
  value: production
- name: SWITCHYARD_HOST
  value: 0.0.0.0
- name: SWITCHYARD_PUBLIC_URL
  value: {{ required "publicUrl is the address that people and sellers use" .Values.publicUrl | quote }}
- name: SWITCHYARD_TRUSTED_PROXIES
  value: {{ required "trustedProxies are the addresses of the ingress controller" (join "," .Values.trustedProxies) | quote }}
- name: SWITCHYARD_MANAGEMENT_PORT
  value: "7421"
- name: SWITCHYARD_MANAGEMENT_HOST
  value: 0.0.0.0
- name: SWITCHYARD_STOP_SECONDS
  value: "75"
- name: SWITCHYARD_ORGANIZATION_NAME
  value: {{ required "organization.name is the name of the first organization" .Values.organization.name | quote }}
- name: SWITCHYARD_ORGANIZATION_DOMAIN
  value: {{ required "organization.domain is its domain" .Values.organization.domain | quote }}
- name: SWITCHYARD_ORGANIZATION_TIME_ZONE
  value: {{ .Values.organization.timeZone | quote }}
- name: SWITCHYARD_ORGANIZATION_CURRENCY
  value: {{ .Values.organization.currency | quote }}
{{- if .Values.oidc.issuer }}
- name: SWITCHYARD_OIDC_ISSUER
  value: {{ .Values.oidc.issuer | quote }}
- name: SWITCHYARD_OIDC_CLIENT_ID
  value: {{ required "oidc.clientId is our name at the provider" .Values.oidc.clientId | quote }}
{{- with .Values.oidc.secret }}
- name: SWITCHYARD_OIDC_CLIENT_SECRET
  valueFrom: { secretKeyRef: { name: {{ . }}, key: clientSecret } }
{{- end }}
{{- end }}
{{- if .Values.files.claim }}
- name: SWITCHYARD_CREATIVE_FOLDER
  value: /var/lib/switchyard-files/creatives
- name: SWITCHYARD_ARCHIVE_FOLDER
  value: /var/lib/switchyard-files/archive
{{- else if not (hasKey .Values.settings "SWITCHYARD_CREATIVE_FOLDER") }}
# A pod's own folder ends with it, so nothing is uploaded into it.
- name: SWITCHYARD_CREATIVE_FILES
  value: "0"
{{- end }}
{{- with .Values.reports.to }}
- name: SWITCHYARD_REPORTS_TO
  value: {{ . | quote }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/*
A pod of one command: `root` is the top of the values, `args` what the program is told, `owns` whether it may change tables:
what migrates or archives, and nothing that answers requests.
*/}}
{{- define "switchyard.pod" -}}
{{- $values := .root.Values -}}
serviceAccountName: {{ include "switchyard.name" .root }}{{ .account }}
automountServiceAccountToken: false
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
terminationGracePeriodSeconds: 90
securityContext:
  runAsNonRoot: true
  runAsUser: 7420
  runAsGroup: 7420
  fsGroup: 7420
  seccompProfile: { type: RuntimeDefault }
{{- if not $values.keys.kms.keyId }}
# A mounted Secret can be read by its group, and the program takes no keyring that others can read.
initContainers:
  - name: keyring
    image: {{ include "switchyard.image" .root }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    command:
      - node
      - -e
      - >-
        const { copyFileSync, chmodSync } = require('fs');
        copyFileSync('/etc/switchyard/keyring/keyring.json', '/run/switchyard/keyring.json');
        chmodSync('/run/switchyard/keyring.json', 0o600);
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    volumeMounts:
      - { name: keyring, mountPath: /etc/switchyard/keyring, readOnly: true }
      - { name: keys, mountPath: /run/switchyard }
{{- end }}
containers:
  - name: switchyard
    image: {{ include "switchyard.image" .root }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: {{ toYaml .args | nindent 6 }}
    env: {{ include "switchyard.env" .root | nindent 6 }}
      {{- if and .owns $values.database.ownerSecret }}
      - name: DATABASE_OWNER_URL
        valueFrom: { secretKeyRef: { name: {{ $values.database.ownerSecret }}, key: url } }
      {{- end }}
    {{- with $values.settingsFrom }}
    envFrom:
      {{- range . }}
      - secretRef: { name: {{ . }} }
      {{- end }}
    {{- end }}
    {{- with .resources }}
    resources: {{ toYaml . | nindent 6 }}
    {{- end }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    {{- if .serves }}
    ports:
      - { name: http, containerPort: 7420 }
      - { name: management, containerPort: 7421 }
    startupProbe:
      httpGet: { path: /livez, port: management }
      periodSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /livez, port: management }
      periodSeconds: 10
      timeoutSeconds: 3
    readinessProbe:
      httpGet: { path: /readyz, port: management }
      periodSeconds: 5
      timeoutSeconds: 3
    {{- end }}
    volumeMounts:
      - { name: data, mountPath: /var/lib/switchyard }
      - { name: tmp, mountPath: /tmp }
      {{- if $values.files.claim }}
      - { name: files, mountPath: /var/lib/switchyard-files }
      {{- end }}
      {{- if not $values.keys.kms.keyId }}
      - { name: keys, mountPath: /run/switchyard }
      {{- end }}
volumes:
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
  {{- with $values.files.claim }}
  - name: files
    persistentVolumeClaim: { claimName: {{ . }} }
  {{- end }}
  {{- if not $values.keys.kms.keyId }}
  - name: keyring
    secret: { secretName: {{ required "give keys.kms.keyId or keys.keyringSecret" $values.keys.keyringSecret }} }
  - name: keys
    emptyDir: { medium: Memory, sizeLimit: 1Mi }
  {{- end }}
{{- end -}}
