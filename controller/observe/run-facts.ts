import { sinceOf } from '../../common/api/conditions.ts'
import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import { ABSENT, known, knownObject, unknown } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { CutOverFacts } from '../../common/facts/facts.ts'
import { needsBase } from '../../common/fork/pinned.ts'
import { at } from '../../common/json/json.ts'
import { mustSeeSource } from '../../common/situation/seen-now.ts'
import { isAnswered } from '../../common/strategy/command.ts'
import { commandIn } from '../../common/strategy/command-text.ts'
import { concernedPods } from '../../common/strategy/gate.ts'
import { writesSource } from '../../common/strategy/run.ts'
import { strategyRunSpec } from '../../common/strategy/run-spec.ts'
import { readyEndpoints } from '../../common/surroundings/endpoints.ts'
import { serviceView } from '../../common/surroundings/traffic.ts'
import { forkName, promotionRecordName } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { keyOfPin } from '../memory/drift-backoff.ts'
import type { Key } from '../runtime/queue.ts'
import type { Ports } from './ports.ts'

/** The pods of a gated fork; undefined where pods may not be read. */
export function gateFacts({ installed, pods }: Ports, experiment: ExperimentDeployment) {
  if (!installed.gate) return undefined
  const isGated = strategyRunSpec(experiment.spec)?.isGated === true
  return { pods: known(concernedPods(pods(...placeOfFork(experiment)), isGated)) }
}

/** The Services of a blue-green, and its source, as they are now; undefined where Services may not be written. */
export async function cutOverFacts(
  { installed, service, workloads, surroundings, pins, steps }: Ports,
  key: Key,
  experiment: ExperimentDeployment,
  adapter: WorkloadKind | undefined,
): Promise<CutOverFacts | undefined> {
  const { blueGreen } = experiment.spec.strategy ?? {}
  if (!installed.cutOver) return undefined
  if (!blueGreen || !adapter) return { services: unknown('it has no blue-green') }
  const namespace = sourceNamespaceOf(experiment)
  const { activeService, previewService } = blueGreen
  const [active, preview, source] = await Promise.all([
    service(namespace, activeService),
    previewService === undefined ? undefined : service(namespace, previewService),
    workloads.live(adapter, namespace, experiment.spec.sourceRef.name),
  ])
  const { slices } = surroundings.traffic(key, namespace)
  const pin = keyOfPin(key, activeService)
  const fork = forkName(experiment.spec.sourceRef.name, experiment.metadata.uid)
  const listed = (name: string, found: KubeObject | undefined) => {
    const { all, ofFork } = readyEndpoints(slices, (found && serviceView(found)) ?? { name }, fork)
    return JSON.stringify([found?.metadata.uid, ofFork > 0, all > ofFork])
  }
  const state = {
    repairInMs: pins.waitMs(pin),
    previewRepairInMs: previewService === undefined ? 0 : pins.waitMs(keyOfPin(key, previewService)),
    isContested: pins.contestedMs(pin) > 0,
    unchangedMs: steps.unchangedMs(key, 'selector', returnStateOf(experiment, active)),
    listedMs: steps.unchangedMs(key, 'active', listed(activeService, active)),
    previewListedMs:
      previewService === undefined ? 0 : steps.unchangedMs(key, 'preview', listed(previewService, preview)),
    shortMs: steps.shortMs(key, sinceOf(experiment.status, 'TooFewPods')),
  }
  const seen = { active: knownObject(active), preview: knownObject(preview), source: knownObject(source) }
  return { services: known({ ...seen, slices, ...state }) }
}

/** What a way back waits for: its time begins again when the Service is another one, or selects other pods. */
const returnStateOf = ({ metadata: { uid, deletionTimestamp } }: ExperimentDeployment, service?: KubeObject): string =>
  JSON.stringify([uid, deletionTimestamp, service?.metadata.uid, at(service, 'spec', 'selector')])

/** A base is kept for good, and so is what a run saw: a cache that is late must not decide which one. */
export const mustReadLive = (experiment: ExperimentDeployment): boolean =>
  needsBase(experiment) || mustSeeSource(experiment)

/**
 * At the step of a run that writes the source, and to answer an `undo`: the source and the record of its former values,
 * as they are now. Else only a record of which an earlier version stored no whole hash.
 */
export async function promotionFacts(
  ports: Ports,
  experiment: ExperimentDeployment,
  adapter: WorkloadKind | undefined,
) {
  if (!adapter) return undefined
  const { strategy, promotion } = experiment.status ?? {}
  const command = commandIn(experiment.metadata.annotations)
  const isUndo = command?.verb === 'undo' && !isAnswered(command, strategy?.command)
  if (!writesSource(strategy) && !isUndo)
    return promotion?.record && promotion.record.wholeHash === undefined
      ? { source: unknown('not at this step'), record: await promotionRecord(ports, experiment) }
      : undefined
  const { name } = experiment.spec.sourceRef
  const namespace = sourceNamespaceOf(experiment)
  const [source, record] = await Promise.all([
    ports.workloads.live(adapter, namespace, name),
    promotionRecord(ports, experiment),
  ])
  return { source: knownObject(source), record }
}

/** The promotion record. Only an experiment with a run has one. */
export const promotionRecord = async ({ revision }: Ports, experiment: ExperimentDeployment) =>
  strategyRunSpec(experiment.spec)
    ? knownObject(await revision(sourceNamespaceOf(experiment), promotionRecordName(experiment)))
    : ABSENT

/** The namespace and the name of the fork of an experiment. */
export const placeOfFork = (experiment: ExperimentDeployment) =>
  [sourceNamespaceOf(experiment), forkName(experiment.spec.sourceRef.name, experiment.metadata.uid)] as const
