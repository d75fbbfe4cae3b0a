import { EXPERIMENT_ID, SCALE_MANAGER } from '../api/names.ts'
import type { KubeObject, ManagedFieldsEntry } from '../api/object.ts'
import { at, isEmpty, isObject, type JsonObject } from '../json/json.ts'
import { shortName } from '../text/short-name.ts'

/** Labels and annotations by which tools mark what they declare: exact keys, or prefixes that end in `/`. */
const MARKS: readonly (readonly [tool: string, key: string])[] = [
  ['Argo CD', 'argocd.argoproj.io/'],
  ['Flux', 'kustomize.toolkit.fluxcd.io/'],
  ['Flux', 'helm.toolkit.fluxcd.io/'],
  ['Helm', 'meta.helm.sh/'],
  ['kapp', 'kapp.k14s.io/'],
  ['Config Sync', 'configsync.gke.io/'],
  ['Config Sync', 'configmanagement.gke.io/'],
  ['Fleet', 'fleet.cattle.io/'],
  ['Fleet', 'objectset.rio.cattle.io/'],
]

/** Field managers of the same tools. */
const MANAGERS: readonly (readonly [tool: string, manager: RegExp])[] = [
  ['Argo CD', /^argocd(-|$)/],
  ['Flux', /^(kustomize|helm)-controller$/],
  ['Helm', /^helm$/],
  ['kapp', /^kapp(-|$)/],
  ['Config Sync', /^configsync/],
  ['Fleet', /^fleet(-|$)/],
]

/**
 * Who declares `source`, so that a write of ours would be changed back or would conflict with its next release: a tool
 * by its marks, a controller, or whoever owns an overridden field by server-side apply. Undefined if nobody does.
 */
export function declaredBy(source: KubeObject, patch: JsonObject): string | undefined {
  const { labels = {}, annotations = {}, ownerReferences = [], managedFields = [] } = source.metadata
  const keys = [...Object.keys(labels), ...Object.keys(annotations)]
  const isManagedByHelm = labels['app.kubernetes.io/managed-by'] === 'Helm'
  const mark = MARKS.find(([, key]) => keys.some((each) => each.startsWith(key)))
  if (mark || isManagedByHelm) return mark?.[0] ?? 'Helm'
  const tool = MANAGERS.find(([, manager]) => managedFields.some((entry) => manager.test(entry.manager ?? '')))
  if (tool) return tool[0]
  const owner = ownerReferences.find(({ controller }) => controller === true)
  if (owner) return shortName(owner)
  const applier = managedFields.find((entry) => isApply(entry) && overlaps(entry.fieldsV1?.['f:spec'], patch))
  return applier && `a server-side apply of ${JSON.stringify(applier.manager ?? '')}`
}

/** Who declares the selector of `service`, and may remove the label by which a blue-green limits it to a fork. */
export const selectorDeclaredBy = (service: KubeObject): string | undefined =>
  declaredBy(service, { selector: { [EXPERIMENT_ID]: '' } })

/** Tools that change back what others change, not only with a next release. */
const REVERTING: readonly string[] = ['Argo CD', 'Flux', 'Config Sync', 'Fleet']

/** Tools that set the size with a next release, if their manifest has one. */
const RELEASING: readonly string[] = ['Helm', 'kapp']

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Who keeps writing `spec.replicas` of `source`, so that no canary may change it: whoever owns the field by server-side
 * apply, or a tool that reverts what others change. Undefined if nobody does. Under the name of our field manager, a
 * person gives the field to us.
 */
export function sizeDeclaredBy(source: KubeObject): string | undefined {
  const { managedFields = [] } = source.metadata
  const applier = managedFields.find(
    (entry) => entry.operation === 'Apply' && entry.manager !== SCALE_MANAGER && hasSize(entry),
  )
  if (applier) return `a server-side apply of ${JSON.stringify(applier.manager ?? '')}`
  return REVERTING.filter((tool) => isMarkedBy(tool, source)).find(
    (tool) =>
      lastAppliedSize(source) !== undefined || managedFields.some((entry) => isOf(tool, entry) && hasSize(entry)),
  )
}

/** What sets the size of `source` again later, although nobody keeps writing it; undefined: nothing is known to. */
export function sizeSetLaterBy(source: KubeObject): string | undefined {
  const size = lastAppliedSize(source)
  if (size !== undefined) return `the next kubectl apply sets spec.replicas ${size} again`
  const tool = RELEASING.find((each) => isMarkedBy(each, source))
  return tool && `the next release of ${tool} may set spec.replicas again`
}

function isMarkedBy(tool: string, { metadata }: KubeObject): boolean {
  const { labels = {}, annotations = {}, managedFields = [] } = metadata
  const keys = [...Object.keys(labels), ...Object.keys(annotations)]
  return (
    MARKS.some(([each, key]) => each === tool && keys.some((found) => found.startsWith(key))) ||
    (tool === 'Helm' && labels['app.kubernetes.io/managed-by'] === 'Helm') ||
    managedFields.some((entry) => isOf(tool, entry))
  )
}

const isOf = (tool: string, { manager = '' }: ManagedFieldsEntry): boolean =>
  MANAGERS.some(([each, pattern]) => each === tool && pattern.test(manager))

const hasSize = ({ fieldsV1 }: ManagedFieldsEntry): boolean => at(fieldsV1, 'f:spec', 'f:replicas') !== undefined

/** The size in what a client-side apply wrote last; undefined if it said none, or if nobody can read it. */
function lastAppliedSize({ metadata: { annotations } }: KubeObject): number | undefined {
  try {
    const size = at(JSON.parse(annotations?.[LAST_APPLIED] ?? ''), 'spec', 'replicas')
    return typeof size === 'number' ? size : undefined
  } catch {
    return undefined
  }
}

const isApply = ({ operation, subresource }: ManagedFieldsEntry): boolean => operation === 'Apply' && !subresource

/**
 * Whether a set of fields, in the format of `fieldsV1`, has one that `patch` changes. Lists are changed whole. Goes
 * through `fields`: thousands of managers may have one each, and `patch` thousands.
 */
function overlaps(fields: unknown, patch: unknown): boolean {
  if (!isObject(fields)) return false
  if (!isObject(patch) || isEmpty(fields)) return true
  for (const key in fields) {
    const name = key.slice(2)
    if (key.startsWith('f:') && Object.hasOwn(patch, name) && overlaps(fields[key], patch[name])) return true
  }
  return false
}
