import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID, SCALED, SERVICE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { asObject, orUndefined } from '../../common/kube/reads/object.ts'
import { listAll, type View } from '../../common/kube/watch/view.ts'
import { isKeptByFinalizers } from '../../common/run/leaving.ts'
import { idInName, isNamedFork } from '../../common/workload/any-fork.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { experimentId } from '../../common/workload/identity.ts'
import type { Key } from '../runtime/queue.ts'
import { OrphanedRuns, type OrphanedRunsOptions } from './orphaned-analysis-runs.ts'
import { Orphans, type OrphansOptions } from './orphaned-forks.ts'
import { type LiveReads, OrphanedServices } from './orphaned-services.ts'
import { OrphanedSources, type SourceEnd, type SourceReads } from './orphaned-sources.ts'

interface SweepersOptions extends Omit<OrphansOptions, 'client' | 'workloads' | 'smallSources' | 'hasExperiment'> {
  readonly client: KubeClient
  readonly caches: {
    readonly workloads: OrphansOptions['workloads']
    readonly analysis?: { readonly runs: { list(): readonly AnalysisRun[] } } | undefined
  }
  readonly experiment: OrphanedRunsOptions['experiment']
  readonly services: ConstructorParameters<typeof OrphanedServices>[0]['services']
  /** finds the keys of the experiments of the cache */
  readonly index: {
    readonly hasFork: OrphansOptions['hasExperiment']
    readonly ofUid: (uid: string) => ReadonlySet<Key>
  }
  readonly metrics: { readonly sourceLeftSmall: (of: { readonly outcome: SourceEnd }) => void }
  /** whether the webhooks exclude a namespace: nothing is written there */
  readonly isExcluded: (namespace: string) => boolean
  /** the one namespace that this installation serves; undefined: all */
  readonly onlyNamespace?: string | undefined
}

/** The sweepers of what has lost its experiment; of analysis runs only if the component is installed. */
export function sweepersOf({ caches, isExcluded, index, ...options }: SweepersOptions) {
  const { client } = options
  const { workloads } = caches
  const reads = liveReads(options, workloads)
  const forks = new Orphans({
    ...{ ...options, workloads, smallSources: reads.smallSources },
    hasExperiment: (...of) => index.hasFork(...of),
  })
  const isServed = (namespace: string) => options.isServed(namespace) && !isExcluded(namespace)
  const services = new OrphanedServices({ ...options, isServed, workloads, live: reads })
  const sources = new OrphanedSources({
    ...{ ...options, isServed, workloads, live: reads },
    ofUid: (uid) => index.ofUid(uid).values().map(options.experiment).next().value,
    ended: (outcome) => options.metrics.sourceLeftSmall({ outcome }),
  })
  const live: OrphanedRunsOptions['live'] = (of, signal) =>
    orUndefined(client.request({ verb: 'get', path: resourcePath(EXPERIMENT_DEPLOYMENT, of), signal }))
  const runs = caches.analysis && new OrphanedRuns({ ...options, live, runs: caches.analysis.runs })
  return {
    /** How many forks without an experiment the last sweep found. */
    get count(): number {
      return forks.count
    },
    /** How many Services without their fork the last sweep found. */
    get services(): number {
      return services.count
    },
    /** How many sources without their experiment the last sweep found. */
    get sources(): number {
      return sources.count
    },
    /** How many sources canaries have made smaller. */
    get smaller(): number {
      return sources.smaller
    },
    /** How many forks and twins are being deleted, and a finalizer of others keeps them. */
    get held(): number {
      return workloads.reduce((sum, kind) => sum + kind.forks.list().filter(isKeptByFinalizers).length, 0)
    },
    start(): void {
      forks.start()
      services.start()
      sources.start()
      runs?.start()
    },
    stop: () => Promise.all([forks.stop(), services.stop(), sources.stop(), runs?.stop()]),
  }
}

/** Reads whole forks, because only their selectors prove what they are, and the metadata of experiments. */
function liveReads(
  { client, onlyNamespace }: Pick<SweepersOptions, 'client' | 'onlyNamespace'>,
  workloads: OrphansOptions['workloads'],
): LiveReads & SourceReads & Pick<OrphansOptions, 'smallSources'> {
  const idsOf = async (
    of: Omit<View, 'managedFields'>,
    idOf: (object: KubeObject) => string | undefined,
    signal: AbortSignal,
  ) =>
    (await listAll(client, { ...of, managedFields: 'none', project: idOf }, signal)).arrivals.flatMap(
      ({ value }) => value ?? [],
    )
  const experiments = <T extends string>(idOf: (uid: string) => T, signal: AbortSignal) => {
    const where = onlyNamespace === undefined ? {} : { namespace: onlyNamespace }
    const view = { ...where, resource: EXPERIMENT_DEPLOYMENT, metadataOnly: true }
    return idsOf(view, ({ metadata: { uid } }) => idOf(uid ?? ''), signal)
  }
  return {
    // one that may only list Services cannot get one
    async service({ namespace, name }, signal) {
      const path = resourcePath(SERVICE, { namespace })
      const query = { fieldSelector: `metadata.name=${name}` }
      const [found] = listOr(
        at(await client.request({ verb: 'list', path, query, expects: 'ServiceList', signal }), 'items'),
      )
      const { apiVersion, kind } = SERVICE
      return found === undefined ? undefined : { ...asObject(found), apiVersion, kind }
    },
    async forkIds(namespace, signal) {
      const idOf = (of: KubeObject) => (isNamedFork(of) ? idInName(of.metadata.name) : undefined)
      const served = workloads.filter(({ others }) => !others.isAbsent)
      const found = await Promise.all(
        served.map(({ kind }) => idsOf({ resource: kind, namespace, labelSelector: EXPERIMENT_ID }, idOf, signal)),
      )
      return new Set(found.flat())
    },
    experimentIds: async (signal) => new Set(await experiments(experimentId, signal)),
    experimentUids: async (signal) => new Set(await experiments((uid) => uid, signal)),
    source: (place, signal) =>
      orUndefined(client.request({ verb: 'get', path: resourcePath(deployment, place), signal })),
    async smallSources(namespace, signal) {
      const view = { resource: deployment, namespace, labelSelector: SCALED, metadataOnly: true }
      const project = (of: KubeObject): KubeObject => ({ ...of, kind: deployment.kind })
      const found = await listAll(client, { ...view, managedFields: 'none', project }, signal)
      return found.arrivals.flatMap(({ value }) => value ?? [])
    },
  }
}
