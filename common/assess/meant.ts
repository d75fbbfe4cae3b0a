import { analysisWithDefaults } from '../api/analysis/defaults.ts'
import { warning } from '../api/conditions.ts'
import { withDefaults } from '../api/defaults.ts'
import type { ExperimentDeployment, ExperimentDeploymentSpec, Warning } from '../api/types.ts'
import { pauseSeconds } from '../strategy/pause.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { duration } from '../text/duration.ts'
import { clauses } from '../text/fitted.ts'

/** Finds what is accepted in the `spec` of an experiment and rarely is meant: the field, what it does, the remedy. */
type Finding = (spec: ExperimentDeploymentSpec) => readonly string[]

const STEPS = 'spec.strategy.canary.steps'

const expiresInPauses: Finding = ({ strategy, ttlSeconds }) => {
  const pauses = (strategy?.canary?.steps ?? []).map(({ pause }) => pauseSeconds(pause?.duration ?? 0) ?? 0)
  const paused = pauses.reduce((sum, seconds) => sum + seconds, 0)
  if (ttlSeconds === undefined || paused < ttlSeconds) return []
  const [ttl, all] = [duration(ttlSeconds), duration(paused)]
  return [`spec.ttlSeconds: the experiment expires after ${ttl}, and the pauses of its steps take ${all}; raise it`]
}

/** Where the spec says nothing of a promotion: who writes one knows what follows the steps. */
const doublesSource: Finding = ({ strategy, promotion }) => {
  const { steps = [], scaleDownSource } = strategy?.canary ?? {}
  if (steps.at(-1)?.setWeight !== 100 || promotion || scaleDownSource) return []
  const what = 'the fork gets as many pods as the source, which keeps its own, so about half of the requests'
  return [`${STEPS}[${steps.length - 1}].setWeight: ${what}; leave it out, and give the command promote instead`]
}

const replicasDoNothing: Finding = (spec) => {
  const run = strategyRunSpec(spec)
  if (!run?.isCanary || run.isGated || withDefaults(spec).replicas === 1) return []
  return ['spec.replicas: has no effect, because the steps say how many pods the fork has; remove it, and do not scale']
}

/** A Threshold is about the fork alone, so its query should say which pods are those. */
const thresholdOfAll: Finding = ({ analysis }) =>
  (analysis ? analysisWithDefaults(analysis).metrics : []).flatMap(({ kind, prometheus }, index) => {
    const { query } = prometheus ?? {}
    if (kind !== 'Threshold' || query === undefined || /\{\{(?:pods|arm)\}\}/.test(query)) return []
    const field = `spec.analysis.metrics[${index}].prometheus.query`
    return [`${field}: it does not say {{pods}}, so its value is not that of the fork alone; select by pod=~"{{pods}}"`]
  })

const FINDINGS: readonly Finding[] = [expiresInPauses, doublesSource, replicasDoNothing, thresholdOfAll]

/** Warnings about what an experiment asks for and its author rarely means. */
export const meantWarnings = ({ spec }: ExperimentDeployment): readonly Warning[] =>
  FINDINGS.flatMap((find) => find(spec)).map((message) => warning('LikelyMistake', ...clauses(message)))
