import { knownValue } from '../api/known.ts'
import { EXPERIMENT_ID, FORK_FINALIZER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { forkAndSource, type SpecFacts } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { returnCommand } from '../scaling/record.ts'
import { sizeDeclaredBy } from '../strategy/declared.ts'
import { readyEndpoints } from '../surroundings/endpoints.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { concernsSource } from '../surroundings/shares.ts'
import { listed } from '../text/list.ts'
import { shortNameOf } from '../text/short-name.ts'
import { experimentId } from '../workload/identity.ts'
import { autoscaled, leavingServices } from './leaving-services.ts'
import { scaledByOther } from './scaling.ts'
import type { Scaling, SpecSituation } from './situation.ts'

/** Services, autoscalers and declarers are looked at again after this time, if no event tells of them. */
const RECHECK_MS = 10_000

/** The rollout of a source is looked at again after this time. */
const SETTLING_MS = 2_000

/** A Service of the source that sends only to the fork of another experiment, with the id of that; or undefined. */
export function takenService(facts: SpecFacts, fork: KubeObject | undefined) {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return undefined
  const own = experimentId(facts.experiment.metadata.uid)
  const pods = trafficInput(pair)
  const taken = traffic.services.find((service) => {
    const id = service.selector[EXPERIMENT_ID]
    return id !== undefined && id !== own && concernsSource(service, pods)
  })
  return taken && { name: taken.name, id: taken.selector[EXPERIMENT_ID] ?? '' }
}

/**
 * Whether the source must get its pods back: a Service that the fork is not behind has fewer of them than the bounds
 * promise. It was made after the source had got smaller.
 */
export function mustReturn({ facts }: SpecSituation, { isServing, bounds }: Scaling): boolean {
  const traffic = knownValue(facts.surroundings.traffic)
  if (!isServing || !traffic) return false
  const services = leavingServices(facts, knownValue(facts.fork)) ?? []
  return services.some(({ service }) => service && readyEndpoints(traffic.slices, service).listedPods < bounds.least)
}

/**
 * Whether an autoscaler that is there now decides the size of the source, which is smaller. Nobody has set its size
 * yet: then the run is held for that, and the source keeps the number.
 */
export const isTakenByAutoscaler = ({ facts }: SpecSituation, { isServing, stored, source }: Scaling): boolean =>
  isServing && stored?.changedFrom === undefined && autoscaled(facts, source)?.isUnknown === false

/** Why the source may not get smaller now; undefined if it may. Policies are not asked. */
export function shrinkObstacle(situation: SpecSituation, scaling: Scaling): Decision | undefined {
  const { facts, installed } = situation
  const { source } = scaling
  const name = shortNameOf(source)
  if (!installed.promotion) return withoutComponent(scaling)
  if (facts.isExcluded)
    return stalled('NamespaceExcluded', `nobody checks permissions in this namespace, so ${name} keeps its size`)
  return (
    busy(facts, scaling) ??
    leavesService(facts, source) ??
    isAutoscaled(facts, source) ??
    declared(source) ??
    unsettled(facts, source) ??
    unowned(facts)
  )
}

/** Without the component nobody may write the source, so a person has to give the source its pods back. */
export function withoutComponent({ source, isServing, size }: Scaling): Decision {
  const message = `this installation has no component "promotion", so ${shortNameOf(source)} keeps its size`
  return stalled(
    'NotInstalled',
    isServing ? `${message}; the fork stays; give the pods back: ${returnCommand(source, size)}` : message,
  )
}

function busy(facts: SpecFacts, { onSource, source }: Scaling): Decision | undefined {
  const name = shortNameOf(source)
  if (onSource.is === 'foreign') return scaledByOther(facts, source)
  const taken = takenService(facts, knownValue(facts.fork))
  const sends = taken && `service/${taken.name} sends only to the experiment with the id ${taken.id}`
  return taken && waiting('SourceIsBusy', `${sends}, so ${name} keeps its size`, RECHECK_MS)
}

function leavesService(facts: SpecFacts, source: KubeObject): Decision | undefined {
  const found = leavingServices(facts, knownValue(facts.fork))
  const name = shortNameOf(source)
  if (!found) return waiting('LeavesService', `the Services could not be read, so ${name} keeps its size`, RECHECK_MS)
  if (found.length === 0) return undefined
  const names = listed(found.map((each) => each.name))
  return waiting('LeavesService', `the fork gets no requests from ${names}, so ${name} keeps its size`, RECHECK_MS)
}

/** An autoscaler would set another size again. */
function isAutoscaled(facts: SpecFacts, source: KubeObject): Decision | undefined {
  const found = autoscaled(facts, source)
  const until = found?.isUnknown ? '' : ' until the autoscaler is removed'
  return found && waiting('SourceIsAutoscaled', `${found.message}; the run waits${until}`, RECHECK_MS)
}

function declared(source: KubeObject): Decision | undefined {
  const declarer = sizeDeclaredBy(source)
  const message = (by: string) => `${by} declares spec.replicas of ${shortNameOf(source)}; hand the field over first`
  return declarer === undefined ? undefined : waiting('SourceIsDeclared', message(declarer), RECHECK_MS)
}

function unsettled({ kind, now }: SpecFacts, source: KubeObject): Decision | undefined {
  const adapter = knownValue(kind)
  const health = adapter && forkHealth(adapter, source, now)
  if (!health || health.is === 'ready') return undefined
  return waiting('SourceNotSettled', `${shortNameOf(source)} is not settled: ${health.message}`, SETTLING_MS)
}

/** Nothing may take the fork away behind our back while the source depends on it. */
const unowned = ({ experiment: { metadata } }: SpecFacts): Decision | undefined =>
  metadata.finalizers?.includes(FORK_FINALIZER)
    ? undefined
    : waiting('Updating', `expd/${metadata.name} gets its finalizer first`, 0)
