import type { AnalysisRun } from '../../common/analysis/kinds/run.ts'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID, SERVICE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { asObject, orUndefined } from '../../common/kube/reads/object.ts'
import { listAll, type View } from '../../common/kube/watch/view.ts'
import { isKeptByFinalizers } from '../../common/run/leaving.ts'
import { idInName, isNamedFork } from '../../common/workload/any-fork.ts'
import { experimentId } from '../../common/workload/identity.ts'
import { OrphanedRuns, type OrphanedRunsOptions } from './orphaned-analysis-runs.ts'
import { Orphans, type OrphansOptions } from './orphaned-forks.ts'
import { type LiveReads, OrphanedServices } from './orphaned-services.ts'

interface SweepersOptions extends Omit<OrphansOptions, 'client' | 'workloads'> {
  readonly client: KubeClient
  readonly caches: {
    readonly workloads: OrphansOptions['workloads']
    readonly analysis?: { readonly runs: { list(): readonly AnalysisRun[] } } | undefined
  }
  readonly experiment: OrphanedRunsOptions['experiment']
  readonly services: ConstructorParameters<typeof OrphanedServices>[0]['services']
  /** whether the webhooks exclude a namespace: nothing is written there */
  readonly isExcluded: (namespace: string) => boolean
  /** the one namespace that this installation serves; undefined: all */
  readonly onlyNamespace?: string | undefined
}

/** The sweepers of forks and Services, and of analysis runs if the component is installed, without experiments. */
export function sweepersOf({ caches, isExcluded, ...options }: SweepersOptions) {
  const { client } = options
  const { workloads } = caches
  const forks = new Orphans({ ...options, workloads })
  const isServed = (namespace: string) => options.isServed(namespace) && !isExcluded(namespace)
  const reads = liveReads(options, workloads)
  const services = new OrphanedServices({ ...options, isServed, workloads, live: reads })
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
    /** How many forks and twins are being deleted, and a finalizer of others keeps them. */
    get held(): number {
      return workloads.reduce((sum, kind) => sum + kind.forks.list().filter(isKeptByFinalizers).length, 0)
    },
    start(): void {
      forks.start()
      services.start()
      runs?.start()
    },
    stop: () => Promise.all([forks.stop(), services.stop(), runs?.stop()]),
  }
}

/** Reads whole forks, because only their selectors prove what they are, and the metadata of experiments. */
function liveReads(
  { client, onlyNamespace }: Pick<SweepersOptions, 'client' | 'onlyNamespace'>,
  workloads: OrphansOptions['workloads'],
): LiveReads {
  const idsOf = async (
    of: Omit<View, 'managedFields'>,
    idOf: (object: KubeObject) => string | undefined,
    signal: AbortSignal,
  ) =>
    (await listAll(client, { ...of, managedFields: 'none', project: idOf }, signal)).arrivals.flatMap(
      ({ value }) => value ?? [],
    )
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
    async experimentIds(signal) {
      const idOf = ({ metadata: { uid } }: KubeObject) => experimentId(uid ?? '')
      const where = onlyNamespace === undefined ? {} : { namespace: onlyNamespace }
      return new Set(await idsOf({ ...where, resource: EXPERIMENT_DEPLOYMENT, metadataOnly: true }, idOf, signal))
    },
  }
}
