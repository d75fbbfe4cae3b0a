import fc from 'fast-check'
import type { WindowQuery } from '../../../../common/analysis/query/window-query.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'

/** What is asked in a test of hostile answers, and an answer that would be sound. */
export interface HostileCase {
  readonly type: 'NewRelic' | 'Web' | 'Plugin'
  readonly metric: Partial<Metric>
  readonly query?: Partial<WindowQuery>
  readonly sound: unknown
}

const COARSE = { boundaries: [0.1, 1], exceeding: [2, 1], total: 5 }
const SAMPLES = { samples: [0.1, 0.2] }
const RATE = { events: 1, total: 9 }
const VALUE = { value: 0.5 }

const web = (kind: Metric['kind'], members: object): HostileCase => ({
  type: 'Web',
  metric: {
    kind,
    web: { path: '/', pointers: Object.fromEntries(Object.keys(members).map((name) => [name, `/data/0/${name}`])) },
  },
  sound: { data: [members] },
})
const plugin = (kind: Metric['kind'], members: object): HostileCase => ({
  type: 'Plugin',
  metric: { kind, plugin: {} },
  sound: { treatment: members, control: members },
})
/** Both arms have the same pod, so that one answer is sound for both. */
const ONE_POD = { workload: 'cart', pods: ['cart-0'] }
const newRelic = (kind: Metric['kind'], row: object, of: Partial<WindowQuery> = {}): HostileCase => ({
  type: 'NewRelic',
  metric: { kind, newRelic: { appName: 'cart', errors: 'error is true', nrql: 'SELECT 1' } },
  query: { arms: { treatment: ONE_POD, control: ONE_POD }, ...of },
  sound: { data: { actor: { account: { nrql: { results: [row] } } } }, errors: [] },
})
const COUNTS = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`b${at}`, 12 - at]))

/** Every kind of metric that each type can be asked about. */
export const HOSTILE_CASES: readonly HostileCase[] = [
  ...[web, plugin].flatMap((of) => [
    of('Latency', SAMPLES),
    of('Latency', COARSE),
    of('MannWhitney', SAMPLES),
    of('ErrorRate', RATE),
    of('Ratio', RATE),
    of('Value', VALUE),
    of('Threshold', VALUE),
  ]),
  { type: 'Plugin', metric: { kind: 'Decision', plugin: {} }, sound: { decision: 'Pass', message: 'well' } },
  newRelic('Latency', { facet: 'cart-0', count: 30, 'percentile.duration': { 50: 0.1 }, ...COUNTS }),
  newRelic('Latency', { facet: 'cart-0', count: 3, b0: 2, b1: 2 }, { boundaries: [0.1, 0.2] }),
  newRelic('ErrorRate', { facet: ['cart-0'], count: 3, events: 1 }),
  newRelic('MannWhitney', { host: 'cart-0', duration: 0.1 }),
  newRelic('Value', { 'average.duration': 0.1 }),
  newRelic('Threshold', { 'percentile.duration': { 95: 0.2 } }),
]

/** A word that only answers have: it must not come out again. */
export const SECRET = 'password'

const nested = (open: string, close: string): unknown => JSON.parse(open.repeat(10_000) + close.repeat(10_000))

/** Values that break careless code. JSON has them all: `1e999` is read as Infinity. */
export const HOSTILE_VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['nothing', null],
  ['a text', SECRET],
  ['a list', []],
  ['an object', {}],
  ['a truth', true],
  ['minus zero', -0],
  ['a negative number', -1],
  ['half', 0.5],
  ['a large number', 1.7e308],
  ['infinity', JSON.parse('1e999')],
  ['members of prototypes', JSON.parse('{"__proto__": {"value": 1, "length": 1}, "constructor": 1, "toString": 1}')],
  ['what looks like a list', { length: 4_294_967_295, 0: 1 }],
  ['deep lists', nested('[', ']')],
  ['deep objects', JSON.parse(`${'{"data":'.repeat(10_000)}1${'}'.repeat(10_000)}`)],
  ['a million numbers', Array(1_000_000).fill(1)],
  ['a million ascending numbers', Array.from({ length: 1_000_000 }, (_, at) => at + 1)],
  ['a million objects', Array(1_000_000).fill({ facet: 'cart-0', host: 'cart-0', count: 1, duration: 1 })],
  ['a long text', SECRET.repeat(500_000)],
  ['invisible characters', `${'\u202e\n\ud800'.repeat(100)}${SECRET}`],
]

/** Any JSON; its texts and its keys are secret. */
export const anyJson: fc.Arbitrary<unknown> = fc
  .json({ maxDepth: 4, stringUnit: 'binary' })
  .map((text) => JSON.parse(text, (_, value) => (typeof value === 'string' ? `${SECRET}${value}` : value)))

/** How many values there are in `json`, itself included. */
export const countIn = (json: unknown): number =>
  typeof json === 'object' && json !== null
    ? 1 + Object.values(json).reduce((sum: number, held) => sum + countIn(held), 0)
    : 1

/** `json` with its value number `index` replaced, counted from outside to inside. */
export function replacedAt(json: unknown, index: number, value: unknown): unknown {
  if (index === 0) return value
  if (typeof json !== 'object' || json === null) return json
  let rest = index - 1
  const changed = Object.entries(json).map(([key, held]) => {
    const before = rest
    rest -= countIn(held)
    return [key, before >= 0 && rest < 0 ? replacedAt(held, before, value) : held] as const
  })
  return Array.isArray(json) ? changed.map(([, held]) => held) : Object.fromEntries(changed)
}
