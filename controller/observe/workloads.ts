import type { KubeObject } from '../../common/api/object.ts'
import { watchedPart, withWatchedPart } from '../../common/fork/watched.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { orUndefined } from '../../common/kube/reads/object.ts'
import { fetchSource } from '../../common/kube/reads/source.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import { unlessAborted } from '../../common/program/deadline.ts'
import type { Source, WorkloadKind } from '../../common/workload/kind.ts'
import { workloadKind } from '../../common/workload/registry.ts'
import type { Referrers } from '../indexes/referrers.ts'
import { RecentSources } from '../memory/recent-sources.ts'
import type { WorkloadsPort } from './ports.ts'

/** The two caches of one kind of workload. */
export interface WorkloadReflectors {
  readonly kind: WorkloadKind
  /** whole objects that have the label of forks */
  readonly forks: Pick<Reflector<KubeObject>, 'get'>
  /** the watched part of every other object of the kind */
  readonly others: Pick<Reflector<KubeObject>, 'get' | 'isAbsent'>
}

interface WorkloadCaches {
  readonly workloads: readonly WorkloadReflectors[]
  readonly referrers: Pick<Referrers, 'of'>
}

/**
 * Reads workloads from caches, and whole sources with `client`. `port` is that of one pass, whose requests end with
 * the signal of the pass.
 */
export function workloadReads(client: KubeClient, { workloads, referrers }: WorkloadCaches) {
  const reflectorsOf = (kind: string) => workloads.find((reflectors) => reflectors.kind.kind === kind)
  /** A source may have the label of forks too: any client can write labels. */
  const watchedOf = (kind: string, key: string): KubeObject | undefined => {
    const reflectors = reflectorsOf(kind)
    if (!reflectors) return undefined
    const labelled = reflectors.forks.get(key)
    return reflectors.others.get(key) ?? (labelled && watchedPart(reflectors.kind, labelled))
  }
  /** The watched objects that the template of a watched source may be in. */
  const watchedReferents = (kind: WorkloadKind, source: KubeObject) =>
    kind
      .references(source)
      .flatMap(({ resource, name }) => watchedOf(resource.kind, `${source.metadata.namespace}/${name}`) ?? [])
  const sources = new RecentSources({
    fingerprint: fingerprintOf,
    fetch: (kind, { metadata: { namespace = '', name } }) => fetchSource(client, kind, { namespace, name }),
    isComplete: (kind, { object, referents }) =>
      kind.template(object, referents).is === 'found' && kind.isRevisionKnown(object),
  })
  /** A watch may be silent for minutes. An apply with the uid of an earlier object would be refused all this time. */
  const doubted = new WeakSet<KubeObject>()
  const cachedOf = (kind: string, key: string) => {
    const reflectors = reflectorsOf(kind)
    return reflectors?.forks.get(key) ?? reflectors?.others.get(key)
  }
  /**
   * Call this when the API server says that the fork is gone or has changed. It is read live until the cache has it.
   */
  const doubt = ({ kind }: Pick<WorkloadKind, 'kind'>, { metadata }: Pick<KubeObject, 'metadata'>): void => {
    const cached = cachedOf(kind, `${metadata.namespace}/${metadata.name}`)
    if (cached) doubted.add(cached)
  }
  const port = (signal: AbortSignal): WorkloadsPort => ({
    live: livesOnce(client, signal),

    isAbsent: ({ kind }) => reflectorsOf(kind)?.others.isAbsent ?? true,

    referrers: ({ kind }, namespace, name) => referrers.of(`${kind}/${namespace}/${name}`),

    async source(kind, namespace, name, isLive) {
      const cached = watchedOf(kind.kind, `${namespace}/${name}`)
      if (!cached) return undefined
      const watched = { object: cached, referents: watchedReferents(kind, cached) }
      const reading = isLive ? sources.read(kind, cached) : sources.get(kind, watched)
      // Passes of other experiments may share a read, so the signal ends only the waiting of this pass.
      const source = await unlessAborted(reading, signal)
      const isSame =
        source?.object.metadata.uid === cached.metadata.uid &&
        source?.object.metadata.generation === cached.metadata.generation
      // Labels, owners and annotations change without a new generation. The watch has the present ones.
      return source && isSame ? { ...source, object: withWatchedPart(kind, source.object, cached) } : source
    },

    cached: ({ kind }, namespace, name) => cachedOf(kind, `${namespace}/${name}`),

    isDoubted({ kind }, namespace, name) {
      const cached = cachedOf(kind, `${namespace}/${name}`)
      return cached !== undefined && doubted.has(cached)
    },
  })
  return { port, doubt }
}

/** Reads each workload once in a pass: facts that need the same object must not tell of two versions of it. */
function livesOnce(client: KubeClient, signal: AbortSignal): WorkloadsPort['live'] {
  const readings = new Map<string, Promise<KubeObject | undefined>>()
  const read = (path: string) =>
    orUndefined(client.request({ verb: 'get', path, signal, isNameEnough: true }), ['notFound', 'kindAbsent'])
  return (kind, namespace, name) => {
    const path = resourcePath(kind, { namespace, name })
    const reading = readings.get(path) ?? read(path)
    readings.set(path, reading)
    return reading
  }
}

/**
 * Changes whenever the base may change: with the source, and with the Deployment that it refers to. Other objects that
 * it may refer to are not watched.
 */
const fingerprintOf = (kind: WorkloadKind, { object, referents }: Source): string =>
  [
    kind.baseFingerprint(object),
    ...referents
      .filter((referent) => workloadKind(referent.kind) !== undefined)
      .map(({ metadata: { uid, generation } }) => `${uid}/${generation}`),
  ].join(' ')
