/** An experiment whose analysis a plugin decides, pass by pass. */
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import { GATED_DEPLOY_STATUS } from '../../../common/api/names.ts'
import type { Write } from '../../../common/writes/write.ts'
import { SimulatedAnalyses } from './simulated-analyses.ts'
import { aRun, aRunExperiment, type RunOf } from './some-run.ts'
import type { World } from './some-world.ts'

export const DECIDED = { name: 'decided', kind: 'Decision', provider: 'plugin', plugin: {} } as const
export const ANALYSIS: AnalysisSpec = { metrics: [DECIDED], warmUpSeconds: 0 }
/** `patch run` */
export const told = (writes: readonly Write[]) => writes.map(({ verb, role }) => `${verb} ${role}`)

interface AnalysisWorld extends Partial<Pick<World, 'services' | 'source' | 'isHealthy'>> {
  /** whether the component "analysis" is installed; default: true */
  readonly isInstalled?: boolean
}

/** An experiment without a strategy whose analysis a plugin decides. Its analysis run is there. */
export function anAnalysis(of: RunOf = {}, { isInstalled = true, ...world }: AnalysisWorld = {}) {
  const analyses = new SimulatedAnalyses()
  const experiment = aRunExperiment({ strategy: undefined, analysis: ANALYSIS, ...of })
  const run = aRun(experiment, isInstalled ? { ...world, analyses } : world)
  const writes = told(run.rest())
  return {
    ...run,
    analyses,
    writes,
    status: () => run.world.experiment.status?.analysis,
    conditions: () =>
      (run.world.experiment.status?.conditions ?? [])
        .filter(({ type }) => type.startsWith('Analysis'))
        .map(({ type, status, reason }) => `${type} ${status} ${reason}`),
    verdict: () => run.world.fork?.metadata.annotations?.[GATED_DEPLOY_STATUS],
    /** One look later, with this decision of the plugin; then all passes that follow. */
    decides(decision: 'Wait' | 'Pass' | 'Fail') {
      run.wait(60)
      analyses.decided(run.world.now, decision)
      const written = told(run.rest())
      analyses.poll = undefined
      return written
    },
  }
}
