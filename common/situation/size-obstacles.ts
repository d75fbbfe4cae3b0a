import { knownValue } from '../api/known.ts'
import { EXPERIMENT_ID, FORK_FINALIZER, SCALED, SCALED_BY } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { type Decision, stalled, waiting } from '../facts/decision.ts'
import { forkAndSource, type SpecFacts } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { sizeDeclaredBy } from '../strategy/declared.ts'
import { readyEndpoints } from '../surroundings/endpoints.ts'
import { scales, trafficInput } from '../surroundings/pod-labels.ts'
import { concernsSource, selectsTemplate } from '../surroundings/shares.ts'
import type { ServiceView } from '../surroundings/traffic.ts'
import { shortNameOf } from '../text/short-name.ts'
import { experimentId } from '../workload/identity.ts'
import type { Scaling, SpecSituation } from './situation.ts'

/** Services, autoscalers and declarers are looked at again after this time, if no event tells of them. */
const RECHECK_MS = 10_000

/** The rollout of a source is looked at again after this time. */
const SETTLING_MS = 2_000

/** The Services that select pods of the source, possibly those of one revision, and not those of `fork`. */
function otherServices(facts: SpecFacts, fork: KubeObject | undefined): readonly ServiceView[] {
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return []
  const pods = trafficInput(pair)
  return traffic.services.filter((service) => concernsSource(service, pods) && !selectsTemplate(service, pods))
}

/** The Services of the source that `fork` is not behind: their requests need all pods of the source. */
export const leavingServices = (facts: SpecFacts, fork: KubeObject | undefined): readonly ServiceView[] =>
  otherServices(facts, fork).filter(({ selector }) => selector[EXPERIMENT_ID] === undefined)

/** A Service of the source that sends only to the fork of another experiment, with the id of that; or undefined. */
export function takenService(facts: SpecFacts, fork: KubeObject | undefined) {
  const own = experimentId(facts.experiment.metadata.uid)
  const taken = otherServices(facts, fork).find(
    ({ selector: { [EXPERIMENT_ID]: id } }) => id !== undefined && id !== own,
  )
  return taken && { name: taken.name, id: taken.selector[EXPERIMENT_ID] ?? '' }
}

/**
 * Whether the source must get its pods back: a Service that the fork is not behind has fewer of them than the bounds
 * promise. It was made after the source had got smaller.
 */
export function mustReturn({ facts }: SpecSituation, { isServing, bounds }: Scaling): boolean {
  const traffic = knownValue(facts.surroundings.traffic)
  if (!isServing || !traffic) return false
  const services = leavingServices(facts, knownValue(facts.fork))
  return services.some((service) => readyEndpoints(traffic.slices, service).listedPods < bounds.least)
}

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
    autoscaled(facts, source) ??
    declared(source) ??
    unsettled(facts, source) ??
    unowned(facts)
  )
}

/** Without the component nobody may write the source, so a person has to give the source its pods back. */
export function withoutComponent({ source, isServing, size }: Scaling): Decision {
  const { name, namespace } = source.metadata
  const patch = {
    metadata: { labels: { [SCALED]: null }, annotations: { [SCALED_BY]: null } },
    spec: { replicas: size },
  }
  const command = `kubectl patch deployment/${name} --namespace=${namespace} --type=merge --patch='${JSON.stringify(patch)}'`
  const message = `this installation has no component "promotion", so ${shortNameOf(source)} keeps its size`
  return stalled('NotInstalled', isServing ? `${message}; the fork stays; give the pods back: ${command}` : message)
}

function busy(facts: SpecFacts, { onSource, source }: Scaling): Decision | undefined {
  const name = shortNameOf(source)
  if (onSource.is === 'foreign')
    return waiting(
      'SourceIsBusy',
      `another experiment scales ${name}: the one with the uid ${onSource.experiment}`,
      RECHECK_MS,
    )
  const taken = takenService(facts, knownValue(facts.fork))
  const sends = taken && `service/${taken.name} sends only to the experiment with the id ${taken.id}`
  return taken && waiting('SourceIsBusy', `${sends}, so ${name} keeps its size`, RECHECK_MS)
}

function leavesService(facts: SpecFacts, source: KubeObject): Decision | undefined {
  const [service] = leavingServices(facts, knownValue(facts.fork))
  const message = (of: string) =>
    `service/${of} selects pods of ${shortNameOf(source)} and not of the fork, so the source keeps its size`
  return service && waiting('LeavesService', message(service.name), RECHECK_MS)
}

/** An autoscaler would set another size again. */
function autoscaled(facts: SpecFacts, source: KubeObject): Decision | undefined {
  const { neighbours } = facts.surroundings
  const name = shortNameOf(source)
  if (neighbours.is !== 'known')
    return waiting('SourceIsAutoscaled', `the autoscalers could not be read, so ${name} keeps its size`, RECHECK_MS)
  const found = neighbours.value.autoscalers.find(scales(source))
  const message = (hpa: string) => `hpa/${hpa} scales ${name}; the run waits until the autoscaler is removed`
  return found && waiting('SourceIsAutoscaled', message(found.name), RECHECK_MS)
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
