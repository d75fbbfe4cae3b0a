import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { PROVIDER_DEFAULTS } from '../../common/analysis/kinds/provider.ts'
import type { MetricResult } from '../../common/analysis/metrics/metric-engine.ts'
import { engineOf } from '../../common/analysis/metrics/registry.ts'
import { ANALYSIS_DEFAULTS, metricWithDefaults } from '../../common/api/analysis/defaults.ts'
import { FIELDS, METRIC_KINDS, type Metric } from '../../common/api/analysis/metric.ts'

const FILE = 'docs/analysis.md'
const PAGE = readFileSync(FILE, 'utf8')
const SECONDS = ANALYSIS_DEFAULTS.intervalSeconds
/** Of a pod in a window. */
const REQUESTS = 10 * SECONDS

/** The rows of the table with this header, cell by cell. */
const rowsOf = (header: string): readonly (readonly string[])[] =>
  (PAGE.split(`| ${header} |\n`)[1]?.split('\n\n')[0] ?? '')
    .split('\n')
    .slice(1)
    .map((row) => row.slice(2, -2).split(' | '))

/** Asserts that the page has a table; with WRITE_PAGES=1 writes it instead. */
function expectTable(header: string, rows: readonly (readonly (string | number)[])[]): void {
  const shown = rows.map((cells) => cells.map(String))
  if (process.env.WRITE_PAGES !== '1') {
    expect(rowsOf(header)).to.deep.equal(shown)
    return
  }
  const table = shown.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  const [before = '', after = ''] = readFileSync(FILE, 'utf8').split(`| ${header} |\n`)
  const [line = ''] = after.split('\n')
  const rest = after.slice(after.indexOf('\n\n') + 1)
  writeFileSync(FILE, `${before}| ${header} |\n${line}\n${table}${rest}`)
}

/** Errors of a pod, window after window. */
type Errors = readonly number[]
const SOURCE: readonly Errors[] = [
  [3, 2, 4],
  [2, 3, 3],
  [4, 3, 2],
  [3, 4, 3],
]
const BAD: readonly Errors[] = [
  [12, 15, 9, 13, 11, 14, 10],
  [11, 13, 12, 10, 14, 9, 15],
]
const GOOD: readonly Errors[] = [
  [3, 2, 4, 1],
  [2, 4, 3, 3],
]
const ONE_BAD_POD: readonly Errors[] = [
  [24, 28, 20, 26],
  [3, 2, 4, 3],
]

const METRIC: Metric = metricWithDefaults({ name: 'errors', kind: 'ErrorRate', provider: 'prometheus' })

const arm = (word: string, pods: readonly Errors[], window: number) =>
  pods.map((errors, pod) => ({
    pod: `${word}-${pod}`,
    events: errors[window % errors.length] ?? 0,
    exposure: REQUESTS,
  }))

/** What the engine says at each look, until there is a verdict. */
function looksAt(fork: readonly Errors[], most: number) {
  const { fold, judge } = engineOf(METRIC)
  const looks: { readonly result: MetricResult; readonly errors: readonly [number, number] }[] = []
  let state: readonly number[] = []
  let errors: readonly [number, number] = [0, 0]
  for (let window = 0; window < most && (looks.at(-1)?.result.verdict ?? 'Wait') === 'Wait'; window += 1) {
    const [treatment, control] = [arm('fork', fork, window), arm('source', SOURCE, window)]
    const sum = (counts: typeof treatment) => counts.reduce((all, { events }) => all + events, 0)
    errors = [errors[0] + sum(treatment), errors[1] + sum(control)]
    state = fold(state, { is: 'events', treatment, control }, METRIC) ?? []
    const { alpha, beta, minSamples } = ANALYSIS_DEFAULTS
    looks.push({ result: judge(state, METRIC, { alpha, beta, minSamples, metrics: 1 }), errors })
  }
  return looks
}

const evidence = (logE = 0): string => Math.exp(logE).toFixed(1)
const number = (value: number): string => value.toLocaleString('en-US')
const shown = ({ atLeast, atMost }: NonNullable<MetricResult['effect']>): string =>
  [
    ...(atLeast === undefined ? [] : [`at least ${atLeast > 0 ? '+' : ''}${atLeast} %`]),
    ...(atMost === undefined ? [] : [`at most +${atMost} %`]),
  ].join(', ') || 'nothing'
const minutes = (looks: number): string =>
  `${Math.floor((looks * SECONDS) / 60)}:${`${(looks * SECONDS) % 60}`.padStart(2, '0')}`

describe('the page on analyses', () => {
  it('shows a worked analysis with the numbers of the engine, look by look', () => {
    const rows = looksAt(BAD, 40).map(({ result, errors: [own, others] }, index) => [
      index + 1,
      minutes(index + 1),
      `${number(own)} of ${number(result.samples.treatment)}`,
      `${number(others)} of ${number(result.samples.control)}`,
      evidence(result.harm?.logE),
      evidence(result.safe[0]?.logE),
      shown(result.effect ?? { of: '' }),
      `\`${result.verdict}\``,
    ])
    expect(rows.length).to.equal(10) // as the text says
    expect(rows.at(-1)?.slice(-2)).to.deep.equal(['at least +25 %', '`Fail`'])
    expectTable(
      'look | after | errors of the fork | errors of the source | harm | safety | more errors, shown so far | verdict',
      rows,
    )
  })

  it('shows how two other forks end', () => {
    const rows = [
      { fork: 'both pods as good as the source', errors: GOOD, most: 40 },
      { fork: 'one pod with 8 % of errors, and a good pod', errors: ONE_BAD_POD, most: 20 },
    ].map(({ fork, errors, most }) => {
      const looks = looksAt(errors, most)
      const first = looks.findIndex(({ result }) => result.verdict !== 'Wait' || result.doPodsDiffer)
      const {
        result,
        errors: [own, others],
      } = looks[first] ?? expect.fail('it ends')
      return [
        fork,
        first + 1,
        `${number(own)} of ${number(result.samples.treatment)}`,
        `${number(others)} of ${number(result.samples.control)}`,
        evidence(result.harm?.logE),
        evidence(result.safe[0]?.logE),
        result.doPodsDiffer
          ? '`Wait`, with `PodsDiffer`: harm is not shown without the bad pod'
          : `\`${result.verdict}\``,
      ]
    })
    expectTable('fork | look | errors of the fork | errors of the source | harm | safety | verdict', rows)
  })

  it('lists every default of an analysis', () => {
    const listed = rowsOf('field of `spec.analysis` | default | meaning').map(([field, value]) => [field, value])
    const { maxSeconds, ...defaults } = { maxSeconds: undefined, ...ANALYSIS_DEFAULTS }
    expect(Object.fromEntries(listed)).to.deep.equal({
      ...Object.fromEntries(Object.entries(defaults).map(([field, value]) => [`\`${field}\``, `\`${value}\``])),
      '`maxSeconds`': 'none',
    })
  })

  it('lists every default of a metric, for each kind', () => {
    const listed = rowsOf('field of a metric | kinds | default | meaning').flatMap(([field, kinds = '', value]) =>
      (kinds === 'all' ? METRIC_KINDS : [...kinds.matchAll(/\w+/g)].map(([kind]) => kind)).map(
        (kind) => `${kind} ${field} ${value}`,
      ),
    )
    const fields = ['dryRun', ...Object.keys(FIELDS)] as const
    const had = METRIC_KINDS.flatMap((kind) => {
      const metric: Readonly<Record<string, unknown>> = { ...metricWithDefaults({ name: 'x', kind, provider: 'x' }) }
      return fields.filter((field) => field in metric).map((field) => `${kind} \`${field}\` \`${metric[field]}\``)
    })
    expect(listed).to.have.members(had)
  })

  it('says the defaults of a provider on the page for admins', () => {
    const page = readFileSync('docs/operate.md', 'utf8')
    expect(page).to.contain(`\`maxConcurrent\` (${PROVIDER_DEFAULTS.maxConcurrent})`)
  })
})
