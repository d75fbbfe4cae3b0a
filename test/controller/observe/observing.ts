import { known } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { PodWarning } from '../../../common/fork/pod-trouble.ts'
import type { ExperimentPolicy } from '../../../common/policy/policy.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { observe } from '../../../controller/observe/observe.ts'
import type { AnalysisPort, Ports } from '../../../controller/observe/ports.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, FORK, installing } from '../../builders.ts'

/** The experiment that is observed. */
export const KEY = 'shop/faster-cart'
/** The time of the pass. */
export const NOW = new Date('2026-11-21T10:00:00Z')

interface Given {
  readonly experiment?: ExperimentDeployment | undefined
  readonly source?: KubeObject | undefined
  readonly cached?: KubeObject
  readonly live?: KubeObject
  readonly revision?: KubeObject
  readonly policies?: readonly ExperimentPolicy[]
  readonly isUnreadable?: boolean
  readonly isAbsent?: boolean
  readonly isDoubted?: boolean
  readonly referring?: readonly KubeObject[]
  readonly analysis?: AnalysisPort
  readonly podWarnings?: readonly PodWarning[]
}

/** Ports that keep a diary of the reads that a failing API server could block. */
export function observing(given: Given = {}) {
  const diary: string[] = []
  const { experiment, source } = { experiment: anExperiment(), source: aDeployment(), ...given }
  const { cached, live, revision, policies = [], referring = [] } = given
  const ports: Ports = {
    steps: {
      elapsedMs: () => undefined,
      shortMs: () => undefined,
      unchangedMs: () => 0,
      leavingMs: () => undefined,
      noteLeaving: () => undefined,
    },
    installed: installing(...(given.analysis ? (['analysis'] as const) : [])),
    pods: () => [],
    service: async () => undefined,
    dryRun: async (_key, _kind, { of }) => {
      diary.push('dry run')
      return { of, changesNothing: known(true) }
    },
    experiments: {
      get: async (key) => (key === KEY ? experiment : undefined),
      doubt: () => diary.push('doubt the cache'),
    },
    workloads: {
      source: async (_kind, namespace, name, isLive) => {
        diary.push(`${isLive ? 'present source' : 'source'} ${namespace}/${name}`)
        return source && { object: source, referents: [] }
      },
      isAbsent: () => given.isAbsent ?? false,
      isDoubted: () => given.isDoubted ?? false,
      cached: (_kind, _namespace, name) => (name === FORK ? cached : undefined),
      live: async (_kind, namespace, name) => {
        diary.push(`live ${namespace}/${name}`)
        return live
      },
      referrers: () => referring,
    },
    revision: async (namespace, name) => {
      diary.push(`revision ${namespace}/${name}`)
      return revision
    },
    podRefusal: async ({ metadata: { namespace, name } }) => {
      diary.push(`Events of ${namespace}/${name}`)
      return known('exceeded quota')
    },
    podWarnings: async ({ metadata: { namespace, name } }) => {
      diary.push(`Warnings about the pods of ${namespace}/${name}`)
      return known(given.podWarnings ?? [])
    },
    schemaOf: () => ANY_SCHEMA,
    policies: {
      list: () => policies,
      namespace: async (name) => {
        diary.push(`namespace ${name}`)
        return given.isUnreadable ? undefined : { name, labels: {} }
      },
      isExcluded: (namespace) => namespace === 'kube-system',
      others: (_of, { source: ofSource, namespace }) => {
        diary.push(`others of ${[ofSource && 'source', namespace && 'namespace'].filter(Boolean).join(', ')}`)
        return { others: [], asOf: 7 }
      },
    },
    surroundings: {
      traffic: () => ({ services: [], slices: [] }),
      follow: () => undefined,
      neighbours: async (namespace) => {
        diary.push(`neighbours ${namespace}`)
        return NO_NEIGHBOURS
      },
    },
    drift: { waitMs: () => 250, contestedMs: () => 60_000 },
    pins: { waitMs: () => 0, contestedMs: () => 0 },
    unreported: new Map(),
    refused: new Map(),
    analysis: given.analysis,
  }
  const facts = async () => {
    const found = await observe(ports, KEY, NOW)
    if (!found) throw new Error('there is nothing to do')
    return found
  }
  return { ports, diary, facts }
}
