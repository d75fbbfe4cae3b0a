import type { AnalysisRuntimeOptions } from '../../../controller/analysis/analysis-runtime.ts'

/** How providers are reached by a controller that has none. */
export const NO_PROVIDERS: AnalysisRuntimeOptions['http'] = {
  apiServers: () => [],
  loopback: 'refuse',
  credential: async () => ({ is: 'failed', message: 'there are no credentials' }),
  userAgent: 'test',
}
