import { sourceNamespaceOf } from '../api/defaults.ts'
import { type Known, knownValue } from '../api/known.ts'
import { API_VERSION } from '../api/names.ts'
import type { ObjectMeta } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { isGatedFork } from '../fork/gated-spec.ts'
import { viewActions } from './actions.ts'
import { viewAnalysis } from './analysis.ts'
import { found, reasonOf, remedyOf } from './because.ts'
import { viewChanges } from './changes.ts'
import { deadlinesOf } from './deadlines.ts'
import { viewEvents } from './events.ts'
import type { ExperimentView, Unread, ViewFacts } from './experiment-view.ts'
import { countAt, textAt, textIn, timeAt, timeIn } from './members.ts'
import { hasReadyContainers, viewPods } from './pods.ts'
import { viewServices } from './row.ts'
import { runSituation } from './run-situation.ts'
import { standingOf } from './standing.ts'
import { conditionOf, stateOf } from './state.ts'
import { viewSteps } from './steps.ts'
import { text } from './text.ts'
import { timelineOf } from './timeline.ts'

interface ViewOptions {
  /** whether changes show values that may be secret; default: false */
  readonly showValues?: boolean
}

const MAX_WARNINGS = 100

/**
 * The view of an experiment, for people and programs. Equal facts give an equal view. Never throws, whatever others
 * have stored: what cannot be shown is in `unread`.
 */
export function viewOf(facts: ViewFacts, { showValues = false }: ViewOptions = {}): ExperimentView {
  const { experiment } = facts
  const { metadata, status = {} } = experiment
  const [fork, pods] = [knownValue(facts.fork), knownValue(facts.pods)?.slice(0, MAX_PODS) ?? []]
  const [events, run] = [viewEvents(knownValue(facts.events) ?? []), knownValue(facts.run)]
  const [because, situation] = [reasonOf(experiment), runSituation(facts)]
  const changes = part('the changes', () => viewChanges(facts, { showValues }))
  const steps = part('the steps', () => viewSteps(situation))
  const actions = part('the commands', () => viewActions(situation))
  const evidence = { pods, events, fork: textAt(fork, 'metadata', 'uid'), experiment: text(metadata.uid) }
  const analysis = viewAnalysis(experiment, run)
  const policy = conditionOf(experiment, 'PolicyCompliant')
  const warnings = (status.warnings ?? [])
    .slice(0, MAX_WARNINGS)
    .map(({ reason, message }) => ({ reason: text(reason), message: text(message), remedy: remedyOf(reason) }))
  return {
    apiVersion: `view.${API_VERSION}`,
    kind: 'ExperimentView',
    metadata: {
      namespace: text(metadata.namespace),
      name: text(metadata.name),
      uid: text(metadata.uid),
      generation: metadata.generation,
      resourceVersion: text(metadata.resourceVersion ?? ''),
      ...createdAt(metadata),
    },
    state: stateOf(experiment),
    ...standingOf(experiment),
    because: {
      ...because,
      found: found({ ...evidence, told: [because.message, ...warnings.map(({ message }) => message)] }),
    },
    deadlines: deadlinesOf(experiment, { fork, run }),
    source: sourceOf(facts),
    ...forkOf(facts),
    services: viewServices(experiment),
    changes: changes.items,
    steps: steps.items,
    ...commandOf(experiment),
    ...promotionOf(experiment),
    ...(analysis ? { analysis } : {}),
    pods: viewPods(pods),
    timeline: timelineOf(experiment, events),
    policy: {
      status: text(policy?.status ?? 'Unknown'),
      reason: text(policy?.reason ?? 'Pending'),
      message: text(policy?.message ?? ''),
    },
    warnings,
    unread: unreadIn(facts, [changes, steps, actions]),
    actions: actions.items,
  }
}

const MAX_PODS = 100

const createdAt = (metadata: ObjectMeta): { readonly createdAt?: string } => {
  const at = timeAt(metadata, 'creationTimestamp')
  return at === undefined ? {} : { createdAt: at }
}

/** A part of a view that is made from the objects of others; without items where that failed. */
interface Part<T> {
  readonly items: readonly T[]
  readonly failed?: Unread
}

/** A failure is no mistake of ours: another version, or another client, stored what this version does not expect. */
function part<T>(what: string, make: () => readonly T[]): Part<T> {
  try {
    return { items: make() }
  } catch (error) {
    const because = `an object is not as this version expects: ${error instanceof Error ? error.message : 'unknown'}`
    return { items: [], failed: { what, because } }
  }
}

function sourceOf({ experiment, source }: ViewFacts): ExperimentView['source'] {
  const { kind, name } = experiment.spec.sourceRef
  const object = knownValue(source)?.object
  return {
    kind: text(kind),
    namespace: text(sourceNamespaceOf(experiment)),
    name: text(name),
    ...(object ? { pods: countAt(object, 'spec', 'replicas') ?? 1 } : {}),
  }
}

/** The fork as it was read, or as the status has it. Pods of a gated fork that are shut are as good as ready. */
function forkOf({ experiment: { status = {} }, fork: read, pods }: ViewFacts): Pick<ExperimentView, 'fork'> {
  const [ref, fork] = [status.experimentResourceRef, knownValue(read)]
  if (fork) {
    const isCounted = isGatedFork(fork) && pods.is === 'known'
    const ready = isCounted ? pods.value.filter(hasReadyContainers).length : countAt(fork, 'status', 'readyReplicas')
    return {
      fork: {
        kind: textIn(fork, 'kind'),
        namespace: textIn(fork, 'metadata', 'namespace'),
        name: textIn(fork, 'metadata', 'name'),
        uid: textIn(fork, 'metadata', 'uid'),
        ...createdAt(fork.metadata),
        ready: ready ?? 0,
        wanted: countAt(fork, 'spec', 'replicas') ?? 1,
      },
    }
  }
  if (!ref) return {}
  const { kind, namespace, name, uid } = ref
  const { readyReplicas: ready = 0, replicas: wanted = 0 } = status
  return { fork: { kind: text(kind), namespace: text(namespace), name: text(name), uid: text(uid), ready, wanted } }
}

function commandOf({ status }: ExperimentDeployment): Pick<ExperimentView, 'command'> {
  const { command } = status?.strategy ?? {}
  if (!command) return {}
  const { verb, by, at, answer, message } = command
  const time = timeIn(at)
  return {
    command: {
      verb: text(verb),
      ...(by === undefined ? {} : { by: text(by) }),
      ...(time === undefined ? {} : { at: time }),
      answer: text(answer),
      message: text(message),
    },
  }
}

function promotionOf({ status }: ExperimentDeployment): Pick<ExperimentView, 'promotion'> {
  const { promotion, strategy } = status ?? {}
  if (!promotion) return {}
  const { mode, declaredBy, patch } = promotion
  const revision = strategy?.wholeRevision
  return {
    promotion: {
      mode: text(mode),
      ...(revision === undefined ? {} : { revision: text(revision) }),
      ...(declaredBy === undefined ? {} : { declaredBy: text(declaredBy) }),
      ...(patch === undefined ? {} : { patch: text(patch) }),
    },
  }
}

/** What could not be read, or not be shown. */
function unreadIn(facts: ViewFacts, made: readonly Part<unknown>[]): ExperimentView['unread'] {
  const parts: readonly (readonly [what: string, Known<unknown>])[] = [
    ['the source', facts.source],
    ['the fork', facts.fork],
    ['the pods of the fork', facts.pods],
    ['the Events', facts.events],
    ['the analysis run', facts.run],
  ]
  const unknown = parts.flatMap(([what, part]) => (part.is === 'unknown' ? [{ what, because: part.because }] : []))
  const broken = (facts.experiment.overrideErrors ?? [])
    .slice(0, 1)
    .map(({ field, message }) => ({ what: field, because: message }))
  const failed = made.flatMap((each) => each.failed ?? [])
  return [...unknown, ...broken, ...(facts.unread ?? []), ...failed].map(({ what, because }) => ({
    what: text(what),
    because: text(because),
  }))
}
