import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject, listOr, objectOr } from '../../common/json/json.ts'
import { COMPONENTS } from '../components.ts'
import { defaultObjects, templatesOf, wholeObjects } from './chart.ts'
import { defaultAt, linesOf, nameOf } from './placed.ts'
import type { Kustomize } from './render.ts'
import { type ChartValue, deploymentOf, PROGRAMS, VALUES } from './values.ts'

/** The name of the chart. */
export const CHART = 'experiment-deployment-controller'
const FOLDER = `charts/${CHART}`
const GENERATED = 'Generated from manifests/ by `npm run generate`. Do not edit.'

/** A value of the chart with its default. */
type Defaulted = ChartValue & { readonly default: unknown }

/** All files of the chart, of `version`. @throws Error that names two components which depend on each other */
export async function chartFiles(
  kustomize: Kustomize,
  version: string,
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const values = withDefaults(await defaultObjects(kustomize))
  const templates = await templatesOf(kustomize)
  return [
    { file: 'Chart.yaml', text: chartOf(version) },
    { file: 'values.yaml', text: valuesOf(values) },
    { file: 'values.schema.json', text: `${JSON.stringify(schemaOf(values), null, 2)}\n` },
    { file: 'README.md', text: readmeOf(values) },
    { file: 'templates/_helpers.tpl', text: HELPERS },
    { file: 'templates/checks.yaml', text: checksOf(await wholeObjects(kustomize)) },
    { file: 'templates/NOTES.txt', text: NOTES },
    ...[...templates].map(([file, text]) => ({ file: `templates/${file}`, text })),
  ].map(({ file, text }) => ({ file: `${FOLDER}/${file}`, text }))
}

const withDefaults = (objects: readonly KubeObject[]): readonly Defaulted[] =>
  VALUES.map((value) => ({ ...value, default: value.default ?? defaultAt(objects, value.value) }))

const chartOf = (version: string): string =>
  `# ${GENERATED}
apiVersion: v2
name: ${CHART}
description: Test a change with real traffic, in an extra pod of a running workload behind the same Service
type: application
version: ${version}
appVersion: "${version}"
kubeVersion: ">=1.33.0-0"
`

/** The values by the word of their names at `depth`: one value whose name ends there, or several below it. */
const groupsAt = (values: readonly Defaulted[], depth: number) =>
  Map.groupBy(values, ({ value }) => value.split('.')[depth] ?? '')

const isLeaf = ({ value }: Defaulted, depth: number): boolean => value.split('.').length === depth + 1

/** values.yaml: each value below a comment that says what it is. */
const valuesOf = (values: readonly Defaulted[]): string => `# ${GENERATED}\n${valueLines(values, 0).join('\n')}\n`

function valueLines(values: readonly Defaulted[], depth: number): readonly string[] {
  const lines = [...groupsAt(values, depth)].flatMap(([key, within]) => {
    const [first] = within
    if (first === undefined || !isLeaf(first, depth)) return [`${key}:`, ...valueLines(within, depth + 1)]
    return [`# ${first.about}`, ...linesOf({ [key]: first.default })]
  })
  return depth === 0 ? lines : lines.map((line) => `  ${line}`)
}

/** The schema by which Helm refuses a misspelt value, and null for a group of values. */
const schemaOf = (values: readonly Defaulted[]): JsonObject => {
  const { properties, ...closed } = schemaAt(values, 0)
  // Helm passes `global` on to subcharts
  const all = { ...properties, global: { type: 'object' } }
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...closed, properties: all }
}

function schemaAt(values: readonly Defaulted[], depth: number) {
  const groups = [...groupsAt(values, depth)]
  const properties: Readonly<Record<string, JsonObject>> = Object.fromEntries(
    groups.map(([key, within]) => {
      const [first] = within
      const isValue = first !== undefined && isLeaf(first, depth)
      return [key, isValue ? { ...first.type, description: first.about } : schemaAt(within, depth + 1)]
    }),
  )
  const required = groups.flatMap(([key, within]) => (within.some((value) => isLeaf(value, depth)) ? [] : [key]))
  return { type: 'object', additionalProperties: false, ...(required.length > 0 ? { required } : {}), properties }
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 60 ? 'as in the manifests' : `\`${text}\``
}

const readmeOf = (values: readonly Defaulted[]): string => `# The chart of the Experiment Deployment Controller

<!-- ${GENERATED} -->

How to install it: [Installing by Helm](../../docs/helm.md). It makes the same objects as the folders of
[manifests](../../manifests), in any namespace.

| Value | Default | Meaning |
| --- | --- | --- |
${values.map(({ value, about, default: found }) => `| \`${value}\` | ${cell(shown(found))} | ${cell(about)} |`).join('\n')}
`

const HELPERS = `{{- /* ${GENERATED} */ -}}
{{- define "experiment.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}
`

/** `dict "controller" (list "PORT") "webhook" (list "PORT")`: names that each program has already. */
const namesByProgram = (objects: readonly KubeObject[], namesOf: (template: unknown, program: string) => unknown[]) =>
  `dict ${PROGRAMS.map((program) => {
    const deployment = objects.find((each) => nameOf(each) === deploymentOf(program))
    const names = namesOf(at(deployment, 'spec', 'template'), program)
    return `"${program}" (list ${names.map((name) => `"${name}"`).join(' ')})`
  }).join(' ')}`

/** What contradicts each other, or is missing. `objects` have all that components set. */
const checksOf = (objects: readonly KubeObject[]): string => {
  const variables = namesByProgram(objects, (template, program) => [
    ...listOr(at(template, 'spec', 'containers')).flatMap((container) =>
      listOr(at(container, 'env')).map((each) => at(each, 'name')),
    ),
    ...(program === 'webhook' ? ['CLIENT_CA', 'CLIENT_NAMES'] : []),
  ])
  const labels = namesByProgram(objects, (template) => Object.keys(objectOr(at(template, 'metadata', 'labels'))))
  return `{{- /* ${GENERATED} */ -}}
{{- if not .Values.image.repository }}
{{- fail "image.repository is empty; set it to the image in your registry" }}
{{- else if regexMatch "[@[:space:]]|:[^/]*$" .Values.image.repository }}
{{- fail (printf "image.repository is %q; leave its tag to image.tag, and its digest to image.digest" .Values.image.repository) }}
{{- end }}
${COMPONENTS.flatMap(({ value, needs }) => {
  const needed = COMPONENTS.find(({ folder }) => folder === needs)
  if (!needed) return []
  const sentence = `${value} needs ${needed.value}; set both to true`
  return [`{{- if and .Values.${value} (not .Values.${needed.value}) }}`, `{{- fail "${sentence}" }}`, '{{- end }}']
}).join('\n')}
{{- if has .Values.watchNamespace (list "kube-system" .Release.Namespace) }}
{{- fail (printf "watchNamespace is %q, in which no experiment is admitted; name another namespace" .Values.watchNamespace) }}
{{- end }}
{{- with .Values.webhook.callers.clientCA }}
{{- if and .configMap (not .names) }}
{{- fail "webhook.callers.clientCA.names is empty; name the certificates that may call" }}
{{- end }}
{{- if and .names (not .configMap) }}
{{- fail "webhook.callers.clientCA.configMap is empty; name the ConfigMap with the authority of these names" }}
{{- end }}
{{- end }}
{{- if and .Values.certificates.issuerRef (eq .Values.certificates.mode "script") }}
{{- fail "certificates.issuerRef needs certificates.mode=certManager; remove one of both" }}
{{- end }}
{{- range $program, $names := ${variables} }}
{{- range (index $.Values $program).env }}
{{- if has .name $names }}
{{- fail (printf "%s.env has %s, which the chart sets by itself or by another value; remove it" $program .name) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $program, $names := ${labels} }}
{{- range $label := keys (index $.Values $program).podLabels }}
{{- if has $label $names }}
{{- fail (printf "%s.podLabels has %s, which the chart sets; remove it" $program $label) }}
{{- end }}
{{- end }}
{{- end }}
`
}

const NOTES = `The programs run in the namespace {{ .Release.Namespace }}.
{{- if eq .Values.certificates.mode "script" }}

They wait for their certificates. Create these with certs.mjs of this release, and again before 90 days are over:
  node certs.mjs --namespace {{ .Release.Namespace }}
{{- end }}

The programs satisfy the restricted Pod Security Standard. To enforce it in their namespace:
  kubectl label namespace {{ .Release.Namespace }} pod-security.kubernetes.io/enforce=restricted

What is wrong with an installation, and what to do, says the plugin:
  kubectl experiment doctor --namespace={{ .Release.Namespace }}
`
