import type { KubeObject } from '../../common/api/object.ts'
import { COMPONENTS } from '../components.ts'
import { either, type Line, linesWhere, merged } from './lines.ts'
import { markedLines, nameOf, templateLines } from './placed.ts'
import { installationOf, type Kustomize, type Scope, SYSTEM_NAMESPACE, type Variant, WATCHED } from './render.ts'

/** What stands for each namespace in the chart. */
const NAMESPACES = { [SYSTEM_NAMESPACE]: '.Release.Namespace', [WATCHED]: '.Values.watchNamespace' }

/** The conditions of lines, as expressions of Helm. */
const CONDITIONS: Readonly<Record<string, string>> = {
  namespace: '.Values.watchNamespace',
  script: 'eq .Values.certificates.mode "script"',
  issuer: '.Values.certificates.issuerRef',
  pack: '.Values.pack.enabled',
  monitoring: '.Values.monitoring.enabled',
  crds: '.Values.crds.install',
  ...Object.fromEntries(COMPONENTS.map(({ folder, value }) => [folder, `.Values.${value}`])),
}

/** What can be chosen beside the scope. Each changes an installation by itself. */
const CHOICES: readonly string[] = ['script', ...COMPONENTS.map(({ folder }) => folder)]

const variantOf = (scope: Scope, chosen: readonly string[]): Variant => ({
  scope,
  certificates: chosen.includes('script') ? 'script' : 'certManager',
  components: chosen.filter((each) => each !== 'script'),
})

/** The objects of one variant, by their names: the lines of each. Helm makes the namespace. */
type Texts = ReadonlyMap<string, readonly string[]>

const textsOf = (objects: readonly KubeObject[]): Texts =>
  new Map(objects.filter(({ kind }) => kind !== 'Namespace').map((object) => [nameOf(object), markedLines(object)]))

/** The text of every object in one scope, with the conditions of its lines. */
async function objectsIn(kustomize: Kustomize, scope: Scope): Promise<ReadonlyMap<string, readonly Line[]>> {
  const render = async (chosen: readonly string[]) => textsOf(await installationOf(kustomize, variantOf(scope, chosen)))
  const pairs = CHOICES.flatMap((first, index) =>
    CHOICES.slice(index + 1).map((second): readonly [string, string] => [first, second]),
  )
  const [base, ones, twos] = await Promise.all([
    render([]),
    Promise.all(CHOICES.map((choice) => render([choice]))),
    Promise.all(pairs.map(async (pair) => ({ pair, texts: await render(pair) }))),
  ])
  const alone = new Map(CHOICES.map((choice, index) => [choice, ones[index]]))
  const names = new Set([base, ...ones].flatMap((texts) => [...texts.keys()]))
  const linesOfName = (name: string): readonly Line[] =>
    merged(
      base.get(name) ?? [],
      CHOICES.map((when) => ({ when, lines: alone.get(when)?.get(name) ?? [] })),
    )
  const all = new Map([...names].map((name) => [name, linesOfName(name)]))
  for (const { pair, texts } of twos) mustBeIndependent(all, pair, texts)
  return all
}

/** @throws Error if two choices together change what neither changes alone: a chart could not say it line by line */
function mustBeIndependent(
  all: ReadonlyMap<string, readonly Line[]>,
  chosen: readonly [string, string],
  texts: Texts,
): void {
  const differing = [...all].filter(
    ([name, lines]) => linesWhere(lines, new Set(chosen)).join('\n') !== (texts.get(name) ?? []).join('\n'),
  )
  const added = [...texts.keys()].filter((name) => !all.has(name))
  const [wrong] = [...differing.map(([name]) => name), ...added]
  if (wrong !== undefined)
    throw new Error(`${chosen[0]} and ${chosen[1]} together change ${wrong}, which neither changes so alone`)
}

/** `lines` where `condition` holds, too. */
const onlyWhen = (condition: string, lines: readonly Line[]): readonly Line[] =>
  lines.map(({ text, when }) => ({ text, when: [condition, ...when] }))

/** The objects of a folder that is chosen as a whole. */
async function extras(kustomize: Kustomize, folder: string): Promise<readonly (readonly [string, readonly Line[]])[]> {
  const texts = textsOf(await kustomize({ resources: [folder], components: [] }))
  return [...texts].map(([name, lines]) => [
    name,
    onlyWhen(
      folder,
      lines.map((text) => ({ text, when: [] })),
    ),
  ])
}

/** With an Issuer of the cluster, there is no authority of our own. */
const OWN_AUTHORITY: readonly string[] = [
  'Issuer/experiment-webhook-bootstrap',
  'Issuer/experiment-webhook-ca',
  'Certificate/experiment-webhook-ca',
]

function conditioned(name: string, lines: readonly Line[]): readonly Line[] {
  if (name.startsWith('CustomResourceDefinition/')) return onlyWhen('crds', lines)
  return OWN_AUTHORITY.includes(name) ? onlyWhen('!issuer', lines) : lines
}

/** `{{- if and .Values.pack.enabled (not .Values.watchNamespace) }}` */
function ifOf(when: readonly string[]): string {
  const terms = when.map((each) => {
    const term = CONDITIONS[each.replace('!', '')]
    if (term === undefined) throw new Error(`no condition is called ${each}`)
    if (each.startsWith('!')) return `(not ${term.includes(' ') ? `(${term})` : term})`
    return term.includes(' ') ? `(${term})` : term
  })
  const [first = '', ...others] = terms
  return `{{- if ${others.length > 0 ? `and ${terms.join(' ')}` : first.replace(/^\((.*)\)$/, '$1')} }}`
}

/** The text of a template. Lines in a row with the same conditions are in one block. */
function templateOf(lines: readonly Line[]): string {
  const rows: string[] = []
  let open = ''
  for (const { text, when } of lines) {
    const condition = when.length > 0 ? ifOf(when) : ''
    if (condition !== open) {
      if (open !== '') rows.push('{{- end }}')
      if (condition !== '') rows.push(condition)
      open = condition
    }
    rows.push(...templateLines(text, NAMESPACES))
  }
  if (open !== '') rows.push('{{- end }}')
  return `${rows.join('\n')}\n`
}

/** `deployment-experiment-controller.yaml` */
const fileOf = (name: string): string => `${name.toLowerCase().replaceAll(/[/.]/g, '-')}.yaml`

/**
 * The templates of the chart by their file names, made from what kustomize builds of the folders of manifests/.
 * @throws Error that names two components which depend on each other
 */
export async function templatesOf(kustomize: Kustomize): Promise<ReadonlyMap<string, string>> {
  const [cluster, namespace] = await Promise.all([objectsIn(kustomize, 'cluster'), objectsIn(kustomize, 'namespace')])
  const names = [...new Set([...cluster.keys(), ...namespace.keys()])]
  const both = names.map((name) => {
    const lines = either('namespace', cluster.get(name) ?? [], namespace.get(name) ?? [])
    return [name, conditioned(name, lines)] as const
  })
  const more = [...(await extras(kustomize, 'pack')), ...(await extras(kustomize, 'monitoring'))]
  return new Map([...both, ...more].map(([name, lines]) => [fileOf(name), templateOf(lines)]))
}

/** For the defaults of values: an installation for a cluster as manifests/default has it. */
export const defaultObjects = (kustomize: Kustomize) => installationOf(kustomize, variantOf('cluster', []))

/** An installation with everything that can be chosen, for what values must not say again. */
export const wholeObjects = (kustomize: Kustomize) => installationOf(kustomize, variantOf('namespace', CHOICES))
