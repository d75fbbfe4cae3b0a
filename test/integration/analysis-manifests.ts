/** Analyses as users write them, for tests of the CRDs. */
export type Metric = Readonly<Record<string, unknown>>

export const analysis = (of: object = {}) => ({ analysis: of })
export const metrics = (...list: readonly Metric[]) => analysis({ metrics: list })
export const latency = (of: Metric = {}): Metric => ({
  name: 'latency',
  kind: 'Latency',
  provider: 'prometheus',
  prometheus: { histogram: 'http_request_duration_seconds' },
  ...of,
})
export const asked = (kind: string, block: object, of: Metric = {}): Metric => ({
  name: 'asked',
  kind,
  provider: 'other',
  ...block,
  ...of,
})
export const prometheus = (kind: string, of: object, more: Metric = {}) => asked(kind, { prometheus: of }, more)
export const newRelic = (kind: string, of: object) => asked(kind, { newRelic: of })
export const web = (kind: string, pointers: object, of: object = {}) =>
  asked(kind, { web: { path: '/stats/{{pods}}', pointers, ...of } })
export const ERRORS = { events: 'http_requests_total', eventMatchers: ['code=~"5.."'], total: 'http_requests_total' }
export const HEALTH = { name: 'health', kind: 'Health', provider: 'kubernetes' }
export const times = <T>(count: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** What the API server says of a wrong value, and of a member that must not be there. */
export const invalid = (field: string, words: string) => [`${field}: Invalid value: `, words]
export const forbidden = (field: string, words: string) => [`${field}: Forbidden: ${words}`]
