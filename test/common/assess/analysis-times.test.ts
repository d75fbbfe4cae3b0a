import { expect } from 'chai'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import { analysisWithDefaults, metricWithDefaults } from '../../../common/api/analysis/defaults.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { known } from '../../../common/api/known.ts'
import { timeErrors } from '../../../common/assess/analysis-times.ts'
import type { AnalysisFacts } from '../../../common/facts/facts.ts'
import { anExperiment } from '../../builders.ts'

type Of = Parameters<typeof anExperiment>[0]

const NOW = new Date('2026-11-21T10:00:00.500Z')
const asked = (kind: Metric['kind'], of: Partial<Metric> = {}): Metric => ({
  ...{ name: kind.toLowerCase(), kind, provider: 'prometheus', prometheus: { query: 'q' } },
  ...of,
})
const VALUE = asked('Value')
const LATENCY = asked('Latency')
const LIMIT = asked('Threshold', { max: 1 })
const provider = (lagSeconds: number) =>
  known({
    metadata: { name: 'prometheus' },
    spec: { type: 'Prometheus', address: 'https://a', namespaceSelector: {}, lagSeconds },
  } as const)
const facts = (lagSeconds: number): AnalysisFacts => ({
  ...{ templates: known(new Map()), clusterTemplates: known(new Map()), namespace: undefined },
  providers: known(new Map([['prometheus', provider(lagSeconds)]])),
})

interface Given {
  readonly of?: Of
  readonly before?: Of
  readonly lagSeconds?: number
}

/** The mistakes of an experiment that is `seconds` old, or new. */
function errorsOf(analysis: AnalysisSpec, { of = {}, before, lagSeconds = 0 }: Given = {}, seconds = 0) {
  const metadata = { creationTimestamp: new Date(NOW.getTime() - 1_000 * seconds).toISOString() }
  const experiment = anExperiment({ ...of, metadata, analysis })
  const metrics = analysisWithDefaults(analysis).metrics.map(metricWithDefaults)
  const previous = before && anExperiment({ metadata, ...before })
  return timeErrors({ experiment, analysis: facts(lagSeconds), now: NOW, metrics }, previous).map(
    ({ field, message }) => `${field}: ${message}`,
  )
}

const TOO_SHORT =
  'spec.analysis.maxSeconds: health takes 300s without a restart, so it can never pass within maxSeconds (240); set maxSeconds to 300 or more, or onTimeout to Keep'

describe('the time of an analysis that has to pass', () => {
  it('N14: is refused if Health takes more, with the number that would do', () => {
    expect(errorsOf({ maxSeconds: 240 })).to.deep.equal([TOO_SHORT])
    expect(errorsOf({ maxSeconds: 299 })).to.have.lengthOf(1)
    expect(errorsOf({ maxSeconds: 300 })).to.deep.equal([])
    expect(errorsOf({})).to.deep.equal([])
  })

  it('N14: is refused if a Value or a Threshold takes more windows', () => {
    const short = (metric: Metric, maxSeconds: number, of: AnalysisSpec = {}) =>
      errorsOf({ metrics: [metric], maxSeconds, ...of }).map((line) => line.replace(/, or onTimeout.*$/, ''))
    expect(short(VALUE, 209)).to.deep.equal([
      'spec.analysis.maxSeconds: value takes 7 windows, of 30s each, so it can never pass within maxSeconds (209); set maxSeconds to 210 or more',
    ])
    expect(short(VALUE, 210)).to.deep.equal([])
    expect(short(VALUE, 70, { intervalSeconds: 10 })).to.deep.equal([])
    expect(short(LIMIT, 149)).to.deep.equal([
      'spec.analysis.maxSeconds: threshold takes 5 windows inside of its bounds, of 30s each, so it can never pass within maxSeconds (149); set maxSeconds to 150 or more',
    ])
    expect(short(LIMIT, 150)).to.deep.equal([])
    expect(short({ ...LIMIT, successCount: 1 }, 30)).to.deep.equal([])
  })

  it('N14: has one number that does for all metrics', () => {
    const metrics = [asked('Health', { provider: 'kubernetes' }), { ...VALUE, name: 'other' }, LIMIT]
    const errors = errorsOf({ metrics, maxSeconds: 30 })
    expect(errors).to.have.lengthOf(3)
    for (const error of errors) expect(error).to.contain('set maxSeconds to 300 or more')
    expect(errorsOf({ metrics, maxSeconds: 300 })).to.deep.equal([])
  })

  it('N14: is not refused for what depends on requests, is decided by a plugin, or does not count', () => {
    const health = asked('Health', { provider: 'kubernetes', dryRun: true })
    for (const metric of [LATENCY, asked('ErrorRate'), asked('Ratio'), asked('MannWhitney'), asked('Decision'), health])
      expect(errorsOf({ metrics: [metric], maxSeconds: 30 }), metric.kind).to.deep.equal([])
  })

  it('N14: is not refused where the last look is late enough, because pods are Ready until then', () => {
    const metrics = [asked('Health', { provider: 'kubernetes' }), LATENCY]
    expect(errorsOf({ metrics, maxSeconds: 240 }, { lagSeconds: 59 })).to.have.lengthOf(1)
    expect(errorsOf({ metrics, maxSeconds: 240 }, { lagSeconds: 60 })).to.deep.equal([])
    expect(errorsOf({ metrics: [VALUE], maxSeconds: 209 }, { lagSeconds: 60 })).to.have.lengthOf(1)
  })

  it('N14: is refused if the experiment expires before', () => {
    expect(errorsOf({}, { of: { ttlSeconds: 359 } })).to.deep.equal([
      'spec.ttlSeconds: health takes 300s without a restart after warmUpSeconds (60), so it can never pass before the experiment expires; set ttlSeconds to 420 or more, or onTimeout to Keep',
    ])
    expect(errorsOf({}, { of: { ttlSeconds: 360 } })).to.deep.equal([])
    expect(errorsOf({ warmUpSeconds: 0 }, { of: { ttlSeconds: 300 } })).to.deep.equal([])
  })

  it('N14: is what an older experiment has left, for another question', () => {
    const [of, before] = [{ ttlSeconds: 1_000 }, { analysis: {} }]
    expect(errorsOf({}, { of, before }, 900)).to.deep.equal([])
    expect(errorsOf({ attempt: 2 }, { of, before }, 900).join()).to.contain('set ttlSeconds to 1320 or more')
    expect(errorsOf({ attempt: 2 }, { of, before }, 640)).to.deep.equal([])
    expect(errorsOf({}, { of, before: {} }, 900)).to.have.lengthOf(1)
  })

  it('N14: is not refused where it ends the experiment', () => {
    const before = { analysis: {}, ttlSeconds: 3_600 }
    expect(errorsOf({}, { of: { ttlSeconds: 60 }, before }, 30)).to.have.lengthOf(1)
    expect(errorsOf({}, { of: { ttlSeconds: 60 }, before }, 90)).to.deep.equal([])
  })

  it('N14: is not refused of a question that has passed', () => {
    const passed = {
      verdict: 'Pass',
      reason: 'Passed',
      message: 'm',
      since: '2026-11-21T10:00:00Z',
      attempt: 1,
    } as const
    const of = { status: { analysis: passed } }
    expect(errorsOf({ maxSeconds: 240 }, { of, before: { analysis: {} } })).to.deep.equal([])
    expect(errorsOf({ maxSeconds: 240, attempt: 2 }, { of, before: { analysis: {} } })).to.have.lengthOf(1)
  })

  describe('N14: is judged only where the author needs a Pass:', () => {
    const steps = { canary: { steps: [{ setWeight: 10 }, { analysis: {} }] } }
    const plain = { canary: { steps: [{ setWeight: 10 }] } }
    const automatic = { strategy: plain, promotion: { mode: 'Automatic' } } as const
    const rows: Readonly<Record<string, readonly [AnalysisSpec['onTimeout'], Of, boolean]>> = {
      'by default': [undefined, {}, true],
      'without a strategy, and pods are kept': ['Keep', {}, false],
      'without a strategy, and time is no matter': ['Promote', {}, false],
      'at a step that waits for it': ['Keep', { strategy: steps }, true],
      'at a step that goes on without it': ['Promote', { strategy: steps }, false],
      'before an automatic promotion': ['Keep', automatic, true],
      'not before one by hand': ['Keep', { strategy: plain }, false],
    }
    for (const [title, [onTimeout, of, isNeeded]] of Object.entries(rows))
      it(title, () => {
        const errors = errorsOf({ maxSeconds: 240, ...(onTimeout ? { onTimeout } : {}) }, { of })
        expect(errors).to.have.lengthOf(isNeeded ? 1 : 0)
        const isByStep = isNeeded && onTimeout === 'Keep'
        if (isByStep) expect(errors[0]).to.match(/set maxSeconds to 300 or more$/)
      })
  })
})
