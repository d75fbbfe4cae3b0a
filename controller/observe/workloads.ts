import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { pathOf } from '../../common/kube/client/resources.ts'
import { orUndefined } from '../../common/kube/reads/object.ts'
import { fetchSource } from '../../common/kube/reads/source.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import { unlessAborted } from '../../common/program/deadline.ts'
import { hasForkLabel } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import type { WorkloadsPort } from './ports.ts'
import { RecentSources } from './recent-sources.ts'

/** The two caches of one kind of workload. */
export interface WorkloadReflectors {
  readonly kind: WorkloadKind
  /** whole objects that have the label of forks */
  readonly forks: Pick<Reflector<KubeObject>, 'get'>
  /** every object of the kind, metadata only */
  readonly all: Pick<Reflector<KubeObject>, 'get' | 'list' | 'isAbsent'>
}

/**
 * Reads workloads from the caches `workloads`, and whole sources with `client`. The result makes the port of one pass, whose
 * requests end with the signal of the pass.
 */
export function workloadReads(client: KubeClient, workloads: readonly WorkloadReflectors[]) {
  const reflectorsOf = (kind: string) => workloads.find((reflectors) => reflectors.kind.kind === kind)
  const sources = new Map(
    workloads.map(({ kind }) => [
      kind.kind,
      new RecentSources({
        fingerprint: kind.baseFingerprint,
        fetch: ({ metadata: { namespace = '', name } }) => fetchSource(client, kind, { namespace, name }),
        isComplete: ({ object, referents }) =>
          kind.template(object, referents).is === 'found' && kind.isRevisionKnown(object),
      }),
    ]),
  )
  return (signal: AbortSignal): WorkloadsPort => ({
    isAbsent: ({ kind }) => reflectorsOf(kind)?.all.isAbsent ?? true,

    referring: (namespace) =>
      workloads
        .filter(({ kind }) => kind.refersTo !== undefined)
        .flatMap(({ all }) => all.list())
        .filter(({ metadata }) => metadata.namespace === namespace),

    async source({ kind }, namespace, name) {
      const cached = reflectorsOf(kind)?.all.get(`${namespace}/${name}`)
      const cache = sources.get(kind)
      if (!cached || !cache) return undefined
      // Passes of other experiments may share this read, so the signal ends only the waiting of this pass.
      const source = await unlessAborted(cache.get(cached), signal)
      const isSame =
        source?.object.metadata.uid === cached.metadata.uid &&
        source?.object.metadata.generation === cached.metadata.generation
      // Labels, owners and annotations change without a new generation. The watch has the present ones.
      return source && isSame ? { ...source, object: { ...source.object, metadata: cached.metadata } } : source
    },

    cached({ kind }, namespace, name) {
      const reflectors = reflectorsOf(kind)
      const key = `${namespace}/${name}`
      const other = reflectors?.all.get(key)
      // An object with the label of forks that is only in the other cache will soon be in its own cache, whole.
      return reflectors?.forks.get(key) ?? (other && !hasForkLabel(other) ? other : undefined)
    },

    live: (kind, namespace, name) =>
      orUndefined(client.request({ verb: 'get', path: pathOf(kind, { namespace, name }), signal }), [
        'notFound',
        'kindAbsent',
      ]),
  })
}
