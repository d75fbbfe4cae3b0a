import { type Document, isMap, isSeq, parseAllDocuments, type YAMLMap, type YAMLSeq } from 'yaml'
import { attributesOf, REASONS, type Reason, SUBJECTS } from '../common/api/reasons.ts'
import { REMEDIES } from '../common/view/remedies.ts'
import { WORKLOAD_KINDS } from '../common/workload/registry.ts'
import { providerCrd } from './analysis/provider.ts'
import { runCrd } from './analysis/run.ts'
import { clusterTemplateCrd, templateCrd } from './analysis/template.ts'
import { experimentCrd } from './experiments/experiment.ts'
import { policyCrd } from './experiments/policy.ts'
import { alertManifest } from './monitoring/alerts.ts'
import { dashboardManifest } from './monitoring/dashboard.ts'
import { metricsPage } from './monitoring/page.ts'
import { namespacedRoles } from './namespaced.ts'
import { YAML_STYLE } from './schema/yaml.ts'

/** A file and the text that it should hold. */
export interface Generated {
  readonly file: string
  readonly text: string
}

/** Reads a file by its path from the root of the repository. The text is empty if there is no such file. */
type Read = (file: string) => string

/** Every file that follows from the code, as it should be. What does not follow from the code stays as it is. */
export function generated(read: Read): readonly Generated[] {
  const controllerRole = yaml(read, 'manifests/base/controller-role.yaml', keepRole)
  const webhookRole = yaml(read, 'manifests/base/webhook-role.yaml', keepRole)
  const roles = { 'experiment-controller': controllerRole.text, 'experiment-webhook': webhookRole.text }
  return [
    { file: 'crds/experimentdeployments.yaml', text: experimentCrd() },
    { file: 'crds/experimentpolicies.yaml', text: policyCrd() },
    { file: 'crds/experimentanalysisruns.yaml', text: runCrd() },
    { file: 'crds/experimentanalysistemplates.yaml', text: templateCrd() },
    { file: 'crds/clusterexperimentanalysistemplates.yaml', text: clusterTemplateCrd() },
    { file: 'crds/experimentanalysisproviders.yaml', text: providerCrd() },
    controllerRole,
    webhookRole,
    { file: 'manifests/namespaced/roles.yaml', text: namespacedRoles(roles) },
    { file: 'docs/reasons.md', text: reasonsPage() },
    { file: 'docs/metrics.md', text: metricsPage() },
    { file: 'manifests/monitoring/alerts.yaml', text: alertManifest() },
    { file: 'manifests/monitoring/dashboard.yaml', text: dashboardManifest() },
    ...Object.entries(VERSIONED).map(([file, before]) => versioned(read, file, before)),
  ]
}

/** The kustomizations whose objects say of which version they are. Components of these only change objects. */
const LABELLED = [
  'crds',
  ...['base', 'cert-manager', 'namespaced', 'monitoring', 'pack'].map((name) => `manifests/${name}`),
  ...['lease-priority', 'policies', 'analysis-templates'].map((name) => `manifests/${name}`),
].map((folder) => `${folder}/kustomization.yaml`)

/** The files that tell the version, and what stands before it in each. */
const VERSIONED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(LABELLED.map((file) => [file, 'app.kubernetes.io/version: '])),
  'manifests/base/controller.yaml': 'image: experiment-deployment-controller:',
  'manifests/base/webhook.yaml': 'image: experiment-deployment-controller:',
  Dockerfile: 'org.opencontainers.image.version=',
}

/** The file with the version of package.json after `before`. @throws Error if the file does not have that text */
function versioned(read: Read, file: string, before: string): Generated {
  const text = read(file)
  const place = new RegExp(`(${RegExp.escape(before)}"?)[\\w.-]+`)
  if (!place.test(text)) throw new Error(`${file} has lost its version, after ${before}`)
  return { file, text: text.replace(place, `$1${versionIn(read)}`) }
}

/** The version of the product, which is written in package.json alone. */
export function versionIn(read: Read): string {
  const { version }: { readonly version: string } = JSON.parse(read('package.json'))
  return version
}

function yaml(read: Read, file: string, keep: (document: Document) => void): Generated {
  const documents = parseAllDocuments(read(file))
  for (const document of documents) {
    if (document.errors[0]) throw new Error(`${file} is not YAML`, { cause: document.errors[0] })
    keep(document)
  }
  // the style of the files, so that only the generated parts differ
  const texts = documents.map((document) => document.toString(YAML_STYLE))
  return { file, text: texts.map((text) => text.replace(/^---\n/, '')).join('---\n') }
}

/** Writes the list in one line, as the files do. */
function set(document: Document, path: readonly (string | number)[], values: readonly string[]): void {
  const node = document.createNode(values)
  node.flow = true
  document.setIn(path, node)
}

const MARK = 'Kept by `npm run generate`'

/** Finds the rule about workloads by its comment. The file says which verbs it grants, the code on which kinds. */
function keepRole(document: Document): void {
  const rules = document.get('rules')
  if (!isSeq(rules)) return
  const comments = rules.items.map((rule, index) =>
    isMap(rule) ? commentOn(rule, index === 0 ? rules : undefined) : '',
  )
  const index = comments.findIndex((comment) => comment.includes(MARK))
  if (index < 0) throw new Error(`a ClusterRole has lost its rule with the comment "${MARK}"`)
  const kinds = Object.values(WORKLOAD_KINDS)
  const groups = new Set(kinds.map(({ apiVersion }) => apiVersion.split('/')[0] ?? ''))
  set(document, ['rules', index, 'apiGroups'], [...groups])
  set(
    document,
    ['rules', index, 'resources'],
    kinds.map(({ plural }) => plural),
  )
}

/** The parser gives a comment before the first item of a list to the list. */
const commentOn = (rule: YAMLMap, list: YAMLSeq | undefined): string =>
  `${list?.commentBefore ?? ''}${rule.commentBefore ?? ''}`

const INTRODUCTION = `# Reasons

<!-- Generated from common/api/reasons.ts by \`npm run generate\`. Do not edit. -->

Every condition, every Event and every warning of an experiment has a *reason*: one word that says why. This page says
what to do about each reason. \`kubectl describe expd NAME\` shows the reasons of conditions and Events.
\`kubectl apply\` prints the reason of a warning in brackets, for example \`[Plan]\`.
`

/** The page of all reasons with their remedies: one section for each subject. */
export function reasonsPage(): string {
  const sections = Object.entries(SUBJECTS).map(([subject, title]) => {
    const rows = (Object.keys(REASONS) as Reason[])
      .filter((reason) => attributesOf(reason).about === subject)
      .map((reason) => `| \`${reason}\` | ${REMEDIES[reason]} |`)
    return ['', `## ${title}`, '', '| Reason | What to do |', '| --- | --- |', ...rows, ''].join('\n')
  })
  return [INTRODUCTION, ...sections].join('')
}
