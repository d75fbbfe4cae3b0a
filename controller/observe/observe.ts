import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import { ABSENT, type Known, known, knownObject, knownOrAbsent, knownValue, unknown } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { POLICIES_NOT_READ } from '../../common/assess/checks.ts'
import { type Facts, type PolicyFacts, policyFacts } from '../../common/facts/facts.ts'
import {
  type ForkFacts,
  forkFacts,
  mayHaveRevision,
  NO_REVISION,
  type RevisionFacts,
  revisionFacts,
} from '../../common/facts/own-objects.ts'
import { mayBeRefusedPods } from '../../common/fork/health.ts'
import { mayHaveTrouble, podTroubleIn } from '../../common/fork/pod-trouble.ts'
import { isTransient, KubeError } from '../../common/kube/client/errors.ts'
import { unlessUnread } from '../../common/kube/reads/object.ts'
import { countScopeOf } from '../../common/policy/policy.ts'
import { writeInDoubt } from '../../common/situation/write-in-doubt.ts'
import { primaryOf, referrerOf } from '../../common/surroundings/hazards.ts'
import type { Neighbours } from '../../common/surroundings/neighbours.ts'
import type { TrafficView } from '../../common/surroundings/traffic.ts'
import {
  controllerOf,
  forkName,
  hasForkFinalizer,
  hasForkLabel,
  hasOwnerReference,
  isBeingDeleted,
  isCrossNamespace,
  isOwnedByLabels,
} from '../../common/workload/identity.ts'
import type { Source, WorkloadKind } from '../../common/workload/kind.ts'
import { workloadKind } from '../../common/workload/registry.ts'
import { replicasOf } from '../../common/workload/status.ts'
import type { Key } from '../runtime/queue.ts'
import { analysisFacts, twinFacts } from './analysis-facts.ts'
import type { Ports } from './ports.ts'
import { cutOverFacts, gateFacts, mustReadLive, placeOfFork, promotionFacts, promotionRecord } from './run-facts.ts'
import { type Sized, scalingFacts, sizedKind } from './scaling-facts.ts'

/**
 * All facts for one pass; undefined if the experiment is gone. @throws KubeError when a fact that decides cannot be
 * read
 */
export async function observe(ports: Ports, key: Key, now: Date): Promise<Facts | undefined> {
  const experiment = await readExperiment(ports, key)
  if (!experiment) return undefined
  const adapter = workloadKind(experiment.spec.sourceRef.kind)
  const read = isBeingDeleted(experiment)
    ? { ...NOT_READ, ...(await factsOfDeletion({ ports, key, experiment, adapter, now })) }
    : await allFacts({ ports, key, experiment, adapter, now })
  const leavingMs = ports.steps.leavingMs(key, knownValue(read.fork)?.metadata.uid)
  return withDryRun(ports, key, { ...read, ...experimentFacts(ports, key, experiment), leavingMs, now })
}

/** `facts` with what a dry run says about the write of the source that the schema leaves in doubt, if there is one. */
async function withDryRun(ports: Ports, key: Key, facts: Facts): Promise<Facts> {
  const [kind, write] = [knownValue(facts.kind), writeInDoubt(facts)]
  return kind && write ? { ...facts, dryRun: await ports.dryRun(key, kind, write) } : facts
}

const BEING_DELETED = unknown('the experiment is being deleted')
const NOT_READ_REVISION: RevisionFacts = { revision: BEING_DELETED, revisionHolder: undefined }
const NOT_READ = {
  schema: BEING_DELETED,
  source: BEING_DELETED,
  policies: BEING_DELETED,
  podRefusal: BEING_DELETED,
  podTrouble: BEING_DELETED,
  surroundings: {
    traffic: BEING_DELETED,
    neighbours: BEING_DELETED,
    primary: BEING_DELETED,
    referrer: BEING_DELETED,
  },
}

/** The facts that need no read of other objects. */
function experimentFacts(ports: Ports, key: Key, experiment: ExperimentDeployment) {
  const { policies, drift, installed, steps, unreported, refused, workloads } = ports
  const { kind } = experiment.spec.sourceRef
  const adapter = workloadKind(kind)
  const served = adapter && !workloads.isAbsent(adapter) ? adapter : undefined
  return {
    experiment,
    installed,
    kind: adapter ? knownOrAbsent(served) : unknown(`this version cannot fork a ${kind}`),
    isExcluded: policies.isExcluded(experiment.metadata.namespace),
    driftBackoffMs: drift.waitMs(key),
    contestedMs: drift.contestedMs(key),
    unreported: unreported.get(key)?.fork,
    refused: refused.get(key),
    stepElapsedMs: steps.elapsedMs(key, experiment.status?.strategy),
  }
}

interface Observed {
  readonly ports: Ports
  readonly key: Key
  readonly experiment: ExperimentDeployment
  readonly adapter: WorkloadKind | undefined
  readonly now: Date
}

/**
 * The fork, and when it is gone what garbage collection does not delete in another namespace; in the middle of a
 * promotion, and while its size is changed, also its source. Another read that fails must not block the deletion. But
 * the Services of a blue-green must not be left to a fork that is gone, so the pass fails, and is repeated, if the API
 * server does not answer for them.
 * @throws KubeError
 */
async function factsOfDeletion({ ports, key, experiment, adapter }: Observed) {
  const hadConsent = experiment.status?.strategy !== undefined || !isCrossNamespace(experiment)
  const [forks, twin, cutOver, analysis] = await Promise.all([
    forkAndSizes(ports, key, { experiment, adapter, mayRead: hadConsent }),
    twinFacts(ports, key, experiment, adapter),
    orAbsent(cutOverFacts(ports, key, experiment, adapter), isTransient),
    orAbsent(analysisFacts(ports, key, experiment, undefined)),
  ])
  const needsServices = forks.scaling !== undefined || experiment.spec.strategy?.blueGreen !== undefined
  const facts = { ...forks, ...(needsServices ? servicesOf(ports, key, experiment) : {}), twin, analysis }
  const isLeft = isOwnedByLabels(experiment) && facts.fork.is === 'absent'
  const gate = gateFacts(ports, experiment)
  if (!isLeft) {
    const promotion = await orAbsent(promotionFacts(ports, experiment, adapter))
    return { ...facts, ...NOT_READ_REVISION, gate, cutOver, promotion }
  }
  const [base, record] = await Promise.all([readRevision(ports, experiment), promotionRecord(ports, experiment)])
  return {
    ...facts,
    ...base,
    gate,
    cutOver,
    promotion: { source: ABSENT, record },
  }
}

/** The Services beside the fork, as the caches have them: also where they may not be written. */
function servicesOf({ surroundings }: Ports, key: Key, experiment: ExperimentDeployment) {
  const traffic = known(surroundings.traffic(key, sourceNamespaceOf(experiment)))
  return { surroundings: { ...NOT_READ.surroundings, traffic } }
}

/** What was read; undefined if it cannot be read, unless that failure `isDecisive`. @throws KubeError */
async function orAbsent<T>(read: Promise<T>, isDecisive: (error: KubeError) => boolean = () => false) {
  try {
    return await read
  } catch (error) {
    if (!(error instanceof KubeError) || isDecisive(error)) throw error
    return undefined
  }
}

async function allFacts({ ports, key, experiment, adapter, now }: Observed) {
  const [{ name }, { workloads }] = [experiment.spec.sourceRef, ports]
  const namespace = sourceNamespaceOf(experiment)
  const consent = await consentTo(ports, experiment)
  // Without consent, do not read the source: its existence must not leak. Exception: a run that has begun had consent,
  // so its Services and its source are still read to return them. The status shows only what the caches show.
  const mayRead = consent.is === 'known' ? consent.value.isShared : !isCrossNamespace(experiment)
  const [source, neighbours, forks, twin, revisions, promotion, cutOver, analysis] = await Promise.all([
    mayRead && adapter ? unlessUnread(workloads.source(adapter, namespace, name, mustReadLive(experiment))) : ABSENT,
    neighboursFor(ports, key, { experiment, adapter }),
    forkAndSizes(ports, key, { experiment, adapter, mayRead }),
    twinFacts(ports, key, experiment, adapter),
    readRevision(ports, experiment),
    promotionFacts(ports, experiment, mayRead ? adapter : undefined),
    cutOverFacts(ports, key, experiment, mayRead || experiment.status?.strategy ? adapter : undefined),
    analysisFacts(ports, key, experiment, mayRead ? adapter : undefined),
  ])
  const fork = knownValue(forks.fork)
  const gate = gateFacts(ports, experiment)
  const traffic = ports.surroundings.traffic(key, namespace)
  return {
    ...forks,
    ...revisions,
    twin,
    ...(adapter && fork ? await eventFacts(ports, adapter, fork, { now, gate, traffic }) : NO_EVENTS),
    promotion,
    gate,
    cutOver,
    analysis,
    schema: knownOrAbsent(adapter && ports.schemaOf(adapter)),
    source: mayRead ? source : unknown('its namespace does not share it'),
    surroundings: {
      traffic: known(traffic),
      neighbours: neighbours ? known(neighbours) : unknown('autoscalers, budgets and network policies'),
      ...relatedWorkloads(ports, adapter, knownValue(source)),
    },
    // Last, because the count of other experiments is the first to be outdated.
    policies: withOthers(ports, experiment, consent),
  }
}

const NO_EVENTS = { podRefusal: ABSENT, podTrouble: ABSENT }

interface SeenPods {
  readonly now: Date
  readonly gate: ReturnType<typeof gateFacts>
  readonly traffic: TrafficView
}

/** What Events say about a fork that lacks pods, or ready ones. Others are not asked about. */
async function eventFacts(ports: Ports, kind: WorkloadKind, fork: KubeObject, { now, gate, traffic }: SeenPods) {
  const watched = knownValue(gate?.pods ?? ABSENT) ?? []
  const [podRefusal, warnings] = await Promise.all([
    mayBeRefusedPods(kind, fork, now) ? ports.podRefusal(fork) : ABSENT,
    mayHaveTrouble(kind, fork, { now, pods: watched }) ? ports.podWarnings(fork) : ABSENT,
  ])
  if (warnings.is !== 'known') return { podRefusal, podTrouble: warnings }
  const isListed = (name: string) => traffic.slices.some(({ ready }) => ready.some(({ pod }) => pod === name))
  return { podRefusal, podTrouble: knownOrAbsent(podTroubleIn(fork, warnings.value, { watched, isListed })) }
}

/** Other workloads that act on the source: a Flagger primary, and one that takes its template from it. */
function relatedWorkloads({ workloads }: Ports, adapter: WorkloadKind | undefined, source: Source | undefined) {
  if (!adapter || !source) return { primary: ABSENT, referrer: ABSENT }
  const { namespace = '', name } = source.object.metadata
  const primary = primaryOf(source.object)
  const isCached = primary !== undefined && workloads.cached(adapter, namespace, primary) !== undefined
  return {
    primary: isCached ? known(primary) : ABSENT,
    referrer: knownOrAbsent(referrerOf(source.object, workloads.referrers(adapter, namespace, name))),
  }
}

/**
 * The experiment of `key`. It is read from the API server if its fork has lost its owner reference: the orphaning
 * deletion of an experiment takes it away, and the cache may not have the deletion yet.
 */
async function readExperiment({ experiments, workloads }: Ports, key: Key): Promise<ExperimentDeployment | undefined> {
  const cached = await experiments.get(key)
  if (!cached || isBeingDeleted(cached)) return cached
  const adapter = workloadKind(cached.spec.sourceRef.kind)
  const fork = adapter && workloads.cached(adapter, ...placeOfFork(cached))
  if (!fork || controllerOf(fork) || hasOwnerReference(cached, fork)) return cached
  experiments.doubt(cached)
  return experiments.get(key)
}

/** The fork; while the size of its source is changed, both as the API server has them now. @throws KubeError */
async function forkAndSizes(ports: Ports, key: Key, of: Sized): Promise<ForkFacts & Pick<Facts, 'scaling'>> {
  const [{ experiment }, sized] = [of, sizedKind(ports, of)]
  const fork = readFork(ports, of, sized !== undefined)
  if (!sized) return fork
  const [forks, scaling] = await Promise.all([fork, scalingFacts(ports, key, { experiment, adapter: sized, fork })])
  return { ...forks, scaling }
}

async function readFork(
  { workloads }: Ports,
  { experiment, adapter }: Pick<Sized, 'experiment' | 'adapter'>,
  isLive: boolean,
): Promise<ForkFacts> {
  const name = placeOfFork(experiment)
  const cached = adapter && workloads.cached(adapter, ...name)
  // Only a live read proves that the fork is gone and the finalizer can be removed.
  const isLeaving = isBeingDeleted(experiment) && hasForkFinalizer(experiment)
  // Without our label the fork is only in the cache of other objects, without its selector, or on its way there.
  const isKnown = !isBeingDeleted(experiment) && experiment.status?.experimentResourceRef !== undefined
  const isUncertain = cached ? !hasForkLabel(cached) : isKnown
  const found =
    adapter && (isLive || isLeaving || isUncertain || workloads.isDoubted(adapter, ...name))
      ? await workloads.live(adapter, ...name)
      : cached
  return forkFacts(experiment, knownObject(found))
}

/** The revision with the pinned base. */
async function readRevision({ revision }: Ports, experiment: ExperimentDeployment): Promise<RevisionFacts> {
  if (!mayHaveRevision(experiment)) return NO_REVISION
  const { metadata, spec } = experiment
  const found = await revision(sourceNamespaceOf(experiment), forkName(spec.sourceRef.name, metadata.uid))
  return revisionFacts(experiment, knownObject(found))
}

/** Which policies apply and whether the namespace of the source shares it. @throws KubeError */
async function consentTo({ policies }: Ports, experiment: ExperimentDeployment): Promise<Known<PolicyFacts>> {
  const all = policies.list()
  // Without policies no label matters, so no namespace is read.
  const view = async (name: string) => (all.length === 0 ? { name, labels: {} } : policies.namespace(name))
  const [namespace, sourceNamespace] = await Promise.all([
    view(experiment.metadata.namespace),
    view(sourceNamespaceOf(experiment)),
  ])
  if (!namespace || !sourceNamespace) return unknown(POLICIES_NOT_READ)
  const isExcluded = (name: string) => policies.isExcluded(name)
  return known(policyFacts(all, { namespace, sourceNamespace, isExcluded, onlyNamespace: policies.onlyNamespace }))
}

/** Adds the other experiments that a limit counts. Without such a limit they are not read. */
function withOthers({ policies }: Ports, experiment: ExperimentDeployment, of: Known<PolicyFacts>): Known<PolicyFacts> {
  if (of.is !== 'known') return of
  const scope = countScopeOf(of.value.policies)
  if (!scope.source && !scope.namespace) return of
  const { others, asOf } = policies.others(experiment, scope)
  return known({ ...of.value, others, othersAsOf: asOf })
}

/** Not even a move of pods needs fresher ones for longer than that. */
const NEIGHBOURS_MS = 60_000

/**
 * The neighbours of the fork of `experiment`. Where a blue-green is about to get pods, they are as they are now: an
 * autoscaler decides how many, and may be as new as the experiment. The plan was told by those of that moment, too.
 * While a canary may make its source smaller, they were listed after its present step began, or less than a minute ago:
 * an autoscaler of the source would set its size again.
 */
export function neighboursFor(
  { surroundings, workloads, steps }: Pick<Ports, 'surroundings' | 'workloads' | 'steps'>,
  key: Key,
  { experiment, adapter }: Pick<Sized, 'experiment' | 'adapter'>,
): Promise<Neighbours | undefined> {
  const { metadata, spec, status } = experiment
  const namespace = sourceNamespaceOf(experiment)
  if (mayShrinkSource(experiment))
    return surroundings.neighbours(namespace, Math.min(NEIGHBOURS_MS, steps.elapsedMs(key, status?.strategy) ?? 0))
  const fork = adapter && workloads.cached(adapter, ...placeOfFork(experiment))
  const isNew = !fork || replicasOf(fork) === 0 || status?.observedGeneration !== metadata.generation
  return spec.strategy?.blueGreen !== undefined && isNew
    ? surroundings.neighbours(namespace, 0)
    : surroundings.neighbours(namespace)
}

/** Whether a run may still make the source smaller: its way back and its end only make it larger. */
function mayShrinkSource({ spec, status }: ExperimentDeployment): boolean {
  const { path = 'Forward', phase = 'Progressing' } = status?.strategy ?? {}
  return spec.strategy?.canary?.scaleDownSource === true && path === 'Forward' && phase !== 'Promoted'
}
