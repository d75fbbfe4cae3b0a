import { warning, warningsAbout } from '../api/conditions.ts'
import { CR_NAME, EXPERIMENT_DEPLOYMENT, OWNER_NAMESPACE } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import { isGatedFork } from '../fork/gated-spec.ts'
import { at } from '../json/json.ts'
import { optionalClause } from '../text/fitted.ts'
import { countingAutoscaler } from './counting.ts'
import type { AutoscalerView } from './neighbours.ts'
import { type ForkAndSource, scales, sourcePod } from './pod-labels.ts'
import { lackingRequests } from './requests.ts'

/**
 * The warnings about `all` autoscalers of the namespace: about that of the source, or about those that scale the fork.
 */
export function autoscalers(pair: ForkAndSource, all: readonly AutoscalerView[]): readonly Warning[] {
  const counting = countingAutoscaler(pair, all)
  if (!counting) return scaled(pair, all)
  const stops = [...ambiguous(pair, counting, all), ...broken(pair, counting)]
  return stops.length > 0 ? stops : counted(pair, counting)
}

/** Kubernetes stops an autoscaler while another one selects one of its pods. */
function ambiguous(pair: ForkAndSource, { name }: AutoscalerView, all: readonly AutoscalerView[]): readonly Warning[] {
  const others = namesOf(all.filter(scalesPodsOf(pair)))
  return warningsAbout('AmbiguousHPA', others, (names) => [
    `hpa/${name} stops scaling the source while `,
    names,
    others.length > 1 ? ' select pods of the fork, too' : ' selects pods of the fork, too',
    optionalClause(`; keep only hpa/${name}, and use kubectl scale`),
  ])
}

/**
 * A single pod without what a metric needs ends the computation of that metric. What pods of the source lack as well,
 * they get otherwise, for example from a LimitRange. With a metric left, an autoscaler still scales up.
 */
function broken(pair: ForkAndSource, { name, needs = [], hasOtherMetrics }: AutoscalerView): readonly Warning[] {
  const ofSource = sourcePod(pair)?.spec
  const lacks = needs
    .filter((need) => lackingRequests(ofSource, need).length === 0)
    .map((need) => lackingRequests(at(pair.fork, 'spec', 'template', 'spec'), need))
    .filter((fields) => fields.length > 0)
  const isLeft = hasOtherMetrics || lacks.length < needs.length
  return warningsAbout('BreaksHPA', [...new Set(lacks.flat())], (fields) => [
    `hpa/${name} ${isLeft ? 'does not scale the source down' : 'stops scaling the source'}: the fork lacks `,
    fields,
    optionalClause('; add it to the override'),
  ])
}

/** Whether an autoscaler scales the fork, its twin or its experiment: it selects pods of the fork or of the twin. */
const scalesPodsOf = ({ fork, twinName }: ForkAndSource) => {
  const targets = [
    `${fork.kind}/${fork.metadata.name}`,
    `${fork.kind}/${twinName}`,
    ...(isElsewhere(fork) ? [] : [`${EXPERIMENT_DEPLOYMENT.kind}/${fork.metadata.labels?.[CR_NAME]}`]),
  ]
  return ({ target }: AutoscalerView): boolean => targets.includes(`${target.kind}/${target.name}`)
}

/** Whether the experiment of `fork` is in another namespace. */
const isElsewhere = ({ metadata: { namespace, labels } }: KubeObject): boolean =>
  (labels?.[OWNER_NAMESPACE] ?? namespace) !== namespace

/**
 * An autoscaler on CPU takes a pod that is not ready for idle when it scales up. The pods of a gated fork are not ready
 * while they are shut.
 */
function counted({ fork }: ForkAndSource, { name, isOnCpu }: AutoscalerView): readonly Warning[] {
  const isHeldBack = isGatedFork(fork) && isOnCpu
  return [
    isHeldBack
      ? warning(
          'HeldBackHPA',
          `hpa/${name} takes pods that are shut for idle ones, so it scales the source up too late`,
          optionalClause('; keep the fork small until its pods are opened'),
        )
      : warning(
          'CountedByHPA',
          `hpa/${name} includes the fork's pods in its average`,
          optionalClause(' when it scales the source'),
        ),
  ]
}

/** An autoscaler finds pods only in its own namespace. */
function scaled({ fork }: ForkAndSource, all: readonly AutoscalerView[]): readonly Warning[] {
  const instead = isElsewhere(fork) ? 'use kubectl scale' : `target expd/${fork.metadata.labels?.[CR_NAME]}`
  return warningsAbout('ScaledByHPA', namesOf(all.filter(scales(fork))), (names) => [
    names,
    ' scales the fork, but the controller resets it',
    optionalClause(`; ${instead} instead`),
  ])
}

const namesOf = (autoscalers: readonly AutoscalerView[]): readonly string[] =>
  autoscalers.map(({ name }) => `hpa/${name}`).sort()
