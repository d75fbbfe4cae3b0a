import type { Account, Expected, ExpectedRule, Granted, Place } from '../cli/doctor/expected.ts'
import { SPEC_HASH } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import { at, isObject, listOr, objectOr, textOr } from '../common/json/json.ts'
import { installationOf, type Kustomize, type Scope, SYSTEM_NAMESPACE, WATCHED } from './chart/render.ts'
import { COMPONENTS } from './components.ts'

/** The file with what `doctor` expects. */
export const EXPECTED_FILE = 'cli/doctor/expected.json'

/** What `doctor` expects, of what kustomize builds of the manifests. @throws Error with what kustomize says */
export async function expected(kustomize: Kustomize): Promise<Expected> {
  const objects = (scope: Scope, components: readonly string[]) =>
    installationOf(kustomize, { scope, certificates: 'certManager', components })
  const ofScope = async (scope: Scope) => {
    const always = rightsIn(await objects(scope, []))
    const known = new Set(always.map(idOfRight))
    const components = await Promise.all(
      COMPONENTS.flatMap(({ folder, variable }) => (variable === undefined ? [] : [{ folder, variable }])).map(
        async ({ folder, variable }) => {
          const all = rightsIn(await objects(scope, [folder]))
          return [variable, granted(all.filter((right) => !known.has(idOfRight(right))))] as const
        },
      ),
    )
    return { always: granted(always), components: Object.fromEntries(components) }
  }
  const base = await objects('cluster', [])
  const [cluster, namespace] = await Promise.all([ofScope('cluster'), ofScope('namespace')])
  return { crds: hashesIn(base), webhooks: webhooksIn(base), rights: { cluster, namespace } }
}

const hashesIn = (objects: readonly KubeObject[]) =>
  Object.fromEntries(
    objects
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ metadata }) => [metadata.name, textOr(metadata.annotations?.[SPEC_HASH], '')]),
  )

function webhooksIn(objects: readonly KubeObject[]): Expected['webhooks'] {
  const of = (wanted: string) =>
    listOr(objects.find(({ kind }) => kind === wanted)?.webhooks).map((webhook) => {
      const { name, failurePolicy, rules } = objectOr(webhook)
      return { name: `${name}`, failurePolicy: `${failurePolicy}`, rules: listOr(rules) }
    })
  return {
    MutatingWebhookConfiguration: of('MutatingWebhookConfiguration'),
    ValidatingWebhookConfiguration: of('ValidatingWebhookConfiguration'),
  }
}

/** One verb of one rule. */
interface Right extends Omit<ExpectedRule, 'verbs'> {
  readonly account: Account
  readonly place: Place
  readonly verb: string
}

const idOfRight = (right: Right): string => JSON.stringify(right)

/** Every right that a binding gives to one of our accounts. */
function rightsIn(objects: readonly KubeObject[]): readonly Right[] {
  const roles = new Map(objects.filter(({ kind }) => /^(Cluster)?Role$/.test(kind)).map((role) => [idOf(role), role]))
  const all = objects
    .filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind))
    .flatMap((binding) => {
      const { namespace } = binding.metadata
      const [kind, name] = [textOr(at(binding, 'roleRef', 'kind'), ''), textOr(at(binding, 'roleRef', 'name'), '')]
      const role = roles.get([kind, kind === 'Role' ? namespace : undefined, name].join())
      const accounts = listOr(binding.subjects).flatMap((subject) => accountOf(at(subject, 'name')) ?? [])
      return accounts.flatMap((account) =>
        listOr(role?.rules).flatMap((rule) => rightsOf(rule, { account, place: placeOf(namespace) })),
      )
    })
  return [...new Map(all.map((right) => [idOfRight(right), right])).values()]
}

const idOf = ({ kind, metadata: { namespace, name } }: KubeObject): string => [kind, namespace, name].join()

const accountOf = (subject: unknown): Account | undefined =>
  subject === 'experiment-controller' ? 'controller' : subject === 'experiment-webhook' ? 'webhook' : undefined

/** @throws Error for a namespace of which `doctor` would not know what it is called elsewhere */
function placeOf(namespace: string | undefined): Place {
  if (namespace === undefined) return 'cluster'
  if (namespace === SYSTEM_NAMESPACE) return 'system'
  if (namespace === WATCHED) return 'served'
  throw new Error(`unexpected namespace ${namespace}`)
}

/** The group in which a resource exists, where a rule names several. */
const GROUPS: ReadonlyMap<string, string> = new Map([
  ['deployments', 'apps'],
  ['statefulsets', 'apps'],
  ['rollouts', 'argoproj.io'],
])

function rightsOf(rule: unknown, of: Pick<Right, 'account' | 'place'>): readonly Right[] {
  if (!isObject(rule)) return []
  const texts = (member: string) => listOr(rule[member]).map(String)
  const names = texts('resourceNames')
  return texts('resources').flatMap((resource) => {
    const own = GROUPS.get(resource.replace(/\/.*/, ''))
    const groups = texts('apiGroups').filter((group) => own === undefined || own === group)
    return groups.flatMap((group) =>
      (names.length === 0 ? [{}] : names.map((name) => ({ name }))).flatMap((named) =>
        texts('verbs').map((verb): Right => ({ ...of, group, resource, ...named, verb })),
      ),
    )
  })
}

const ACCOUNTS: readonly Account[] = ['controller', 'webhook']
const PLACES: readonly Place[] = ['cluster', 'served', 'system']

/** `rights`, by account and place, with all verbs of a resource together. */
const granted = (rights: readonly Right[]): Granted =>
  withoutEmpty(ACCOUNTS, (account) => {
    const own = rights.filter((right) => right.account === account)
    const places = withoutEmpty(PLACES, (place) => rulesOf(own.filter((right) => right.place === place)))
    return own.length === 0 ? undefined : places
  })

const withoutEmpty = <K extends string, V>(keys: readonly K[], of: (key: K) => V | undefined) => {
  const found: { [Key in K]?: V } = {}
  for (const key of keys) {
    const value = of(key)
    if (value !== undefined) found[key] = value
  }
  return found
}

function rulesOf(rights: readonly Right[]): readonly ExpectedRule[] | undefined {
  const byResource = Map.groupBy(rights, ({ group, resource, name = '' }) => `${group}/${resource} ${name}`)
  const rules = [...byResource].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, same]) => ruleOf(same) ?? [])
  return rules.length === 0 ? undefined : rules
}

function ruleOf(same: readonly Right[]): ExpectedRule | undefined {
  const [first] = same
  if (!first) return undefined
  const { group, resource, name } = first
  const verbs = [...new Set(same.map(({ verb }) => verb))].sort().join(' ')
  return { group, resource, ...(name === undefined ? {} : { name }), verbs }
}
