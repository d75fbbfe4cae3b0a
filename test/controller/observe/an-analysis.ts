import type { AnalysisRun } from '../../../common/analysis/kinds/run.ts'
import type { Poll } from '../../../common/analysis/run/poll.ts'
import { known } from '../../../common/api/known.ts'
import type { AnalysisPort } from '../../../controller/observe/ports.ts'
import { UID } from '../../builders.ts'
import { ERRORS } from '../analysis/a-run.ts'
import { KEY } from './observing.ts'

/** What was found out for the run with that uid. */
export const aPoll = (run: string): Poll => ({
  run,
  atMs: 0,
  looks: 0,
  arms: { treatment: [], control: [] },
  windows: [],
})

interface AnalysisOf {
  readonly runs?: readonly AnalysisRun[]
  readonly polls?: readonly Poll[]
}

/** A template `errors` in the namespace `shop`, one `errors-everywhere` for all, and a provider `prom`. */
export function anAnalysisPort({ runs = [], polls = [] }: AnalysisOf = {}): AnalysisPort {
  const template = (name: string) => known({ metadata: { name }, spec: { metrics: [ERRORS] } })
  const templates = new Map([
    ['shop/errors', template('errors')],
    ['errors-everywhere', template('errors-everywhere')],
  ])
  const provider = { metadata: { name: 'prom' }, spec: { type: 'Prometheus' as const, namespaceSelector: {} } }
  return {
    template: (namespace, name) => templates.get(namespace === undefined ? name : `${namespace}/${name}`),
    providers: () => new Map([['prom', known(provider)]]),
    runs: (key, uid) => (key === KEY && uid === UID ? runs : []),
    poll: (run) => polls.find((poll) => poll.run === run),
    follow: () => undefined,
  }
}
