import { isObject, listOr, objectOr } from '../json/json.ts'
import { pullPolicy } from '../override/defaulted.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A pod template with the defaults that follow from other fields. If only the API server filled them in, nobody would
 * own them, and server-side apply would leave them there when those other fields change: an untagged image would keep
 * the pull policy of the tagged one before it.
 */
export function withPodDefaults(template: Fields): Fields {
  const pod = objectOr(template.spec)
  const lists = {
    containers: withEach(pod.containers, containerWithPolicy),
    initContainers: withEach(pod.initContainers, containerWithPolicy),
    volumes: withEach(pod.volumes, volumeWithSource),
  }
  const present = Object.entries(lists).filter(([name]) => Array.isArray(pod[name]))
  return present.length === 0 ? template : { ...template, spec: { ...pod, ...Object.fromEntries(present) } }
}

/** The `spec` of a Deployment whose rolling update is written out, because `type: Recreate` forbids it later. */
export function withRollingUpdate(spec: Fields): Fields {
  const strategy = objectOr(spec.strategy)
  const { type = 'RollingUpdate', rollingUpdate } = strategy
  if (type !== 'RollingUpdate' || rollingUpdate !== undefined) return spec
  return { ...spec, strategy: { ...strategy, type, rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } }
}

const withEach = (list: unknown, change: (item: Fields) => Fields) =>
  listOr(list).map((item) => (isObject(item) ? change(item) : item))

const containerWithPolicy = (container: Fields): Fields =>
  typeof container.image === 'string' && container.imagePullPolicy === undefined
    ? { ...container, imagePullPolicy: pullPolicy(container.image) }
    : container

/** A volume with a name alone is an empty directory. */
function volumeWithSource(volume: Fields): Fields {
  const { image } = volume
  if (isObject(image) && typeof image.reference === 'string' && image.pullPolicy === undefined)
    return { ...volume, image: { ...image, pullPolicy: pullPolicy(image.reference) } }
  return Object.keys(volume).join() === 'name' ? { ...volume, emptyDir: {} } : volume
}
