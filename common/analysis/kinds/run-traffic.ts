import { at, listOr } from '../../json/json.ts'
import { anyNumber, object, optional } from '../../json/structure.ts'

/** The requests that can be compared, by the first Latency metric that counts. */
export interface RunTraffic {
  /** of source and fork together, and of the twin */
  readonly requestsPerSecond: number
  /** the standard deviation of the logarithm of the times; absent: not known */
  readonly spread?: number
}

/** `status.traffic` of an analysis run. */
export const RUN_TRAFFIC = object<RunTraffic>({ requestsPerSecond: anyNumber, spread: optional(anyNumber) })

const [RATE, SPREAD, STARTED] = ['Rate', 'Spread', 'Started'] as const

/** Columns of `kubectl get -o wide`. By them the traffic of runs is read without their evidence. */
export const TRAFFIC_COLUMNS = [
  {
    name: RATE,
    type: 'number',
    description: 'Requests per second of source and fork together, and of the twin.',
    jsonPath: '.status.traffic.requestsPerSecond',
  },
  {
    name: SPREAD,
    type: 'number',
    description: 'The standard deviation of the logarithm of the times.',
    jsonPath: '.status.traffic.spread',
  },
  // a date would be printed as an age
  { name: STARTED, type: 'string', description: 'When the first window began.', jsonPath: '.status.startedAt' },
] as const

/** The traffic of the run that started last, in a table of the API server. Undefined if no run knows its traffic. */
export function newestTraffic(table: unknown): RunTraffic | undefined {
  const names = listOr(at(table, 'columnDefinitions')).map((column) => at(column, 'name'))
  const found = listOr(at(table, 'rows')).flatMap((row) => {
    const cell = (name: string): unknown => listOr(at(row, 'cells'))[names.indexOf(name)]
    const [requestsPerSecond, spread, startedAt] = [cell(RATE), cell(SPREAD), cell(STARTED)]
    if (!isAmount(requestsPerSecond) || typeof startedAt !== 'string') return []
    return [{ startedAt, traffic: { requestsPerSecond, ...(isAmount(spread) ? { spread } : {}) } }]
  })
  return found.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))[0]?.traffic
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0
