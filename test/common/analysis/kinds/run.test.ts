import { expect } from 'chai'
import {
  type AnalysisRun,
  type AnalysisRunStatus,
  decodeRun,
  RUN_MEMORY,
  type RunMetric,
} from '../../../../common/analysis/kinds/run.ts'
import { malformed } from '../../../../common/api/analysis/decode.ts'
import { ANALYSIS_RUN } from '../../../../common/api/names.ts'

const AT = '2026-11-21T14:05:00Z'

const SPEC: AnalysisRun['spec'] = {
  experiment: { name: 'faster-cart', uid: 'u', generation: 3 },
  subject: '0123456789',
  ...{ attempt: 1, control: 'Source', alpha: 0.025, beta: 0.05, minSamples: 50 },
  metrics: [{ name: 'health', kind: 'Health', provider: 'kubernetes', dryRun: false }],
}

const METRIC: RunMetric = {
  ...{ name: 'health', verdict: 'Wait', reason: 'NoTraffic', since: AT, windowEnd: AT },
  samples: { control: 80, treatment: 20 },
  harm: { logE: -0.5, needs: 3.7 },
  safe: [{ part: 'body', logE: 1, needs: 3 }],
  effect: { estimate: 22, atLeast: 5, of: 'median' },
  pods: { groups: 10, outer: 0 },
  state: [0.1, 5e-324, 1.7976931348623157e308, -3],
  trace: [{ at: AT, estimate: 22, harm: 1, safe: -2 }],
}

const STATUS: AnalysisRunStatus = {
  ...{ verdict: 'Wait', reason: 'NoTraffic', message: 'm', startedAt: AT, since: AT, nextLookAt: AT },
  ...{ looks: 2, requests: 20, power: { percent: 27, withinSeconds: 600 }, action: 'RollBack' },
  windows: { counted: 1, empty: 1, unusable: 0, skipped: 0 },
  metrics: [METRIC],
}

const stored = (spec: object, status?: object | null) => ({
  ...ANALYSIS_RUN,
  metadata: { name: 'r', namespace: 'shop', uid: 'x', resourceVersion: '7', generation: 1 },
  spec,
  ...(status === undefined ? {} : { status }),
})
const metadata = { name: 'r', namespace: 'shop', uid: 'x', resourceVersion: '7' }

describe('a stored analysis run', () => {
  it('is read with the members that we use', () =>
    expect(decodeRun(stored({ ...SPEC, more: 1 }, { ...STATUS, more: 1 }))).to.deep.equal({
      is: 'run',
      run: { metadata, spec: SPEC, status: STATUS },
    }))

  it('has no status before it begins', () => {
    for (const none of [undefined, null])
      expect(decodeRun(stored(SPEC, none))).to.deep.equal({ is: 'run', run: { metadata, spec: SPEC } })
  })

  it('keeps labels and the time of its creation', () => {
    const more = { labels: { a: 'b' }, creationTimestamp: AT }
    const object = stored(SPEC)
    expect(decodeRun({ ...object, metadata: { ...object.metadata, ...more } })).to.deep.include({
      run: { metadata: { ...metadata, ...more }, spec: SPEC },
    })
  })

  const fields = (spec: object, status?: object) => {
    const { errors } = { errors: [], ...decodeRun(stored(spec, status)) }
    return errors.map(({ field }) => field)
  }

  it('that is malformed says where', () => {
    expect(fields({ ...SPEC, control: 'Other', metrics: [] })).to.deep.equal(['spec.control', 'spec.metrics'])
    expect(fields(SPEC, {})).to.deep.equal([
      'status.verdict',
      'status.reason',
      'status.message',
      'status.since',
      'status.looks',
      'status.requests',
      'status.windows',
    ])
  })

  it('does not begin anew where a number of its evidence is none', () => {
    const state = [1, Number.NaN]
    expect(fields(SPEC, { ...STATUS, metrics: [{ ...METRIC, state }] })).to.deep.equal(['status.metrics[0].state[1]'])
    const many = Array.from({ length: 1_001 }, () => 0)
    expect(fields(SPEC, { ...STATUS, metrics: [{ ...METRIC, state: many }] })).to.deep.equal([
      'status.metrics[0].state',
    ])
  })
})

const wrong = (memory: object) => malformed(memory, RUN_MEMORY, 'memory').map(({ field }) => field)

describe('what a metric of an analysis run remembers', () => {
  it('is a version with at most 2,000 numbers, and since when they count', () => {
    const numbers = Array.from({ length: 2_000 }, (_, index) => index / 3)
    expect(wrong({ version: 2, numbers, since: '2026-11-23T12:00:00.000Z' })).to.deep.equal([])
    expect(wrong({ version: 2, numbers: [...numbers, 1] })).to.deep.equal(['memory.numbers'])
    expect(wrong({ numbers: [] })).to.deep.equal(['memory.version'])
  })
})
