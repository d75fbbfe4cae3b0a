/** Sweeps over forks whose experiments may be gone, without a cluster. */

import { CONTROLLER_REVISION } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Components } from '../../common/facts/facts.ts'
import { objectOr } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { deployment } from '../../common/workload/deployment.ts'
import type { Write } from '../../common/writes/write.ts'
import { ExperimentIndex } from '../../controller/indexes/experiment-index.ts'
import { Orphans } from '../../controller/orphans/orphaned-forks.ts'
import { anExperiment, installing } from '../builders.ts'
import { theFork } from '../common/plan/some-facts.ts'
import { diaryLog, VirtualTime } from '../virtual-time.ts'

/** Its source is in another namespace. */
export const EXPERIMENT = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' } })
/** Its fork, as it was left. */
export const RUNNING = theFork({ experiment: EXPERIMENT })

/** A fork that has lost its pods. */
export const withoutPods = (fork: KubeObject): KubeObject => ({
  ...fork,
  spec: { ...objectOr(fork.spec), replicas: 0 },
  status: { observedGeneration: 99 },
})
export const FORK = withoutPods(RUNNING)
/** When virtual time begins. */
export const START = new Date('2026-11-21T10:00:00Z')
const GONE = new KubeError({ kind: 'notFound', message: 'no such experiment', status: 404 })

/** What a sweep finds. */
export interface Given {
  readonly fork?: KubeObject
  readonly forks?: readonly KubeObject[]
  readonly cached?: ExperimentDeployment
  /** the answer of the API server about the experiment */
  readonly live?: () => Promise<unknown>
  /** forks that have lost their label, as a cache has them */
  readonly others?: readonly KubeObject[]
  /** the answer of the API server about a fork that is being deleted; default: the fork */
  readonly liveFork?: () => KubeObject | undefined
  /** the revision that has the name of the fork */
  readonly revision?: KubeObject
  readonly isServed?: (namespace: string) => boolean
  /** those in the namespace of the fork, before each sweep */
  readonly services?: () => readonly KubeObject[]
  /** the Deployments of a namespace that have the label of a canary */
  readonly smallSources?: (namespace: string) => readonly KubeObject[]
  /** default: the cut-over */
  readonly installed?: Components
  /** what each write does first */
  readonly beforeWrite?: (write: Write) => void | Promise<void>
}

/** The sweeps, and what they do. */
export function world(given: Given = {}) {
  const {
    fork = FORK,
    forks = [fork],
    cached,
    live = () => Promise.reject(GONE),
    others = [],
    liveFork = () => fork,
    revision,
    isServed = () => true,
    services = () => [],
    smallSources = () => [],
    installed = installing('cutOver'),
    beforeWrite = () => undefined,
  } = given
  const diary: string[] = []
  const notes: string[] = []
  const timers = new VirtualTime()
  const log = diaryLog()
  const index = new ExperimentIndex()
  if (cached) index.add('shop/faster-cart', cached)
  const orphans = new Orphans({
    client: {
      request: ({ path }) => {
        if (path.endsWith('/services')) return Promise.resolve({ kind: 'List', metadata: {}, items: services() })
        diary.push(`get ${path.split('/').slice(-3).join('/')}`)
        if (path.includes(`/${deployment.plural}/`))
          return liveFork() ? Promise.resolve(liveFork()) : Promise.reject(GONE)
        if (!path.includes(CONTROLLER_REVISION.plural)) return live()
        return revision ? Promise.resolve(revision) : Promise.reject(GONE)
      },
    },
    hasExperiment: (kind, of) => index.hasFork(kind, of),
    isServed,
    smallSources: async (namespace) => smallSources(namespace),
    installed,
    workloads: [{ kind: deployment, forks: { list: () => forks }, others: { list: () => others, isAbsent: false } }],
    clock: () => new Date(START.getTime() + timers.now()),
    write: async (write) => {
      diary.push(`${write.verb} ${write.role} ${'of' in write ? write.of.metadata.name : ''}`)
      await beforeWrite(write)
    },
    recorder: {
      record: ({ reason, regarding, note }) => {
        notes.push(note)
        diary.push(`event ${reason} ${regarding.kind}`)
      },
    },
    timers,
    log,
  })
  return { orphans, diary, notes, timers, log }
}

/** What one sweep does. */
export async function swept(given?: Given): Promise<readonly string[]> {
  const { orphans, diary } = world(given)
  await orphans.sweep()
  return diary
}

/** A read of the experiment. */
export const LOOKED = 'get shop/experimentdeployments/faster-cart'
