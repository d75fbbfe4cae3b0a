import { at, isObject, listOr, member } from '../json/json.ts'
import { didYouMean } from '../text/did-you-mean.ts'

/** An object without which a pod is not created or does not start: `configmap/cart`, or one of its keys. */
interface Reference {
  /** `configmap`, `key of configmap/cart` */
  readonly kind: string
  readonly name: string
}

/**
 * A line for each object that the pods need with `override` but not without it. Nothing checks whether it exists, and
 * without it no pod starts. Only an override can add such an object, so `source` is read only if `override` has any.
 */
export function newReferences(override: unknown, source: unknown): readonly string[] {
  const wanted = referencesOf(at(override, 'template', 'spec'))
  if (wanted.length === 0) return []
  const known = referencesOf(at(source, 'template', 'spec'))
  const texts = new Set(known.map(textOf))
  const found = wanted.filter((each) => !texts.has(textOf(each)))
  return [...new Set(found.map((reference) => lineOf(reference, known)))]
}

const textOf = ({ kind, name }: Reference): string => `${kind}/${name}`

function lineOf({ kind, name }: Reference, known: readonly Reference[]): string {
  const meant = didYouMean(
    name,
    known.filter((other) => other.kind === kind).map((other) => other.name),
  )
  const remedy = meant === undefined ? 'no pod starts without it' : `did you mean "${meant}"?`
  const what = kind.startsWith('key of ') ? `key "${name}" of ${kind.slice('key of '.length)}` : `${kind}/${name}`
  return `${what} is not used by the source: ${remedy}`
}

function referencesOf(pod: unknown): readonly Reference[] {
  if (!isObject(pod)) return []
  return [
    ...named('serviceaccount', pod.serviceAccountName ?? pod.serviceAccount),
    ...named('priorityclass', pod.priorityClassName),
    ...named('runtimeclass', pod.runtimeClassName),
    ...listOr(pod.volumes).flatMap(ofVolume),
    ...['containers', 'initContainers'].flatMap((list) => listOr(pod[list]).flatMap(ofContainer)),
  ]
}

function ofVolume(volume: unknown): readonly Reference[] {
  const files = (source: unknown, nameKey: string, kind: string) =>
    isRequired(source) ? named(kind, member(source, nameKey)) : []
  return [
    ...files(member(volume, 'configMap'), 'name', 'configmap'),
    ...files(member(volume, 'secret'), 'secretName', 'secret'),
    ...named('persistentvolumeclaim', at(volume, 'persistentVolumeClaim', 'claimName')),
    ...listOr(at(volume, 'projected', 'sources')).flatMap((source) => [
      ...files(member(source, 'configMap'), 'name', 'configmap'),
      ...files(member(source, 'secret'), 'name', 'secret'),
    ]),
  ]
}

const KEYS = { configMapKeyRef: 'configmap', secretKeyRef: 'secret' } as const
const WHOLE = { configMapRef: 'configmap', secretRef: 'secret' } as const

function ofContainer(container: unknown): readonly Reference[] {
  const variables = listOr(member(container, 'env')).flatMap((variable) => {
    const from = member(variable, 'valueFrom')
    if (!isObject(from)) return NONE // most variables have a value of their own
    return Object.entries(KEYS).flatMap(([field, kind]) => {
      const source = member(from, field)
      const [owner] = isRequired(source) ? named(kind, member(source, 'name')) : []
      return owner ? [owner, ...named(`key of ${textOf(owner)}`, member(source, 'key'))] : []
    })
  })
  const all = listOr(member(container, 'envFrom')).flatMap((from) =>
    Object.entries(WHOLE).flatMap(([field, kind]) => {
      const source = member(from, field)
      return isRequired(source) ? named(kind, member(source, 'name')) : []
    }),
  )
  return [...variables, ...all]
}

const NONE: readonly Reference[] = []

const isRequired = (source: unknown): boolean => isObject(source) && source.optional !== true

const named = (kind: string, name: unknown): readonly Reference[] =>
  typeof name === 'string' && name !== '' ? [{ kind, name }] : []
