import { expect } from 'chai'
import type { AnalysisSpec } from '../../../common/api/analysis/analysis.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { known } from '../../../common/api/known.ts'
import type { Strategy } from '../../../common/api/strategy.ts'
import type { AnalysisFacts } from '../../../common/facts/facts.ts'
import { aDeployment, anExperiment, installing } from '../../builders.ts'
import { ANALYSIS, DECIDED } from '../plan/an-analysis.ts'
import { someFacts } from '../plan/some-facts.ts'
import { describedFacts } from './described.ts'

const NONE = known(new Map())
const INSTALLED: AnalysisFacts = { templates: NONE, clusterTemplates: NONE, providers: NONE, namespace: undefined }
const LATENCY: Metric = { name: 'latency', kind: 'Latency', provider: 'plugin', plugin: {} }
/** At 20 requests per second, of which the fork has 8 %, +27 % can be detected in ten minutes. */
const COMPARED: AnalysisSpec = { metrics: [LATENCY], intervalSeconds: 30, maxSeconds: 600, warmUpSeconds: 0 }
const FEW =
  '[Plan] analysis: a Pass of latency needs 50 requests of the fork, which gets about 0 within 10m; give it more pods, or the analysis more time'
const TRAFFIC = { requestsPerSecond: 20, spread: 1 }

interface Given {
  readonly analysis?: AnalysisSpec
  readonly facts?: AnalysisFacts | undefined
  readonly replicas?: number
  readonly source?: number
  readonly strategy?: Strategy
}

const lines = (given: Given = {}) => {
  const { analysis = COMPARED, replicas = 2, source = 23, strategy } = given
  const experiment = anExperiment({ ...(strategy ? { strategy } : { replicas }), analysis })
  const read = 'facts' in given ? given.facts : { ...INSTALLED, traffic: TRAFFIC }
  const installed = installing('promotion', ...(read ? (['analysis'] as const) : []))
  const facts = someFacts({ experiment, source: aDeployment({ spec: { replicas: source } }), installed })
  return describedFacts({ ...facts, ...(read ? { analysis: read } : {}) }).filter((line) => /twin|analysis/.test(line))
}

describe('the description of a twin', () => {
  const twin = (control: 'Source' | 'Twin', facts?: AnalysisFacts) =>
    lines({ analysis: { ...ANALYSIS, control }, facts })

  it('says how many pods the twin has', () =>
    expect(twin('Twin', INSTALLED)).to.deep.equal([
      '[Plan] a twin without the override gets as many requests while the analysis goes on: 2 pods',
    ]))

  it('is without a line if the source is the control, or if nobody analyses', () =>
    expect([...twin('Source', INSTALLED), ...twin('Twin')]).to.deep.equal([]))
})

describe('the description of what an analysis can show', () => {
  it('is by the requests that the last run about the source has seen', () =>
    expect(lines()).to.deep.equal([
      '[Plan] analysis: at 20 requests/s, of which the fork gets 8%, it can detect slowdowns of +34% or more within 10m',
    ]))

  it('is by the pods that the source keeps at the step', () => {
    const share = (scaleDownSource: boolean) =>
      lines({ strategy: { canary: { scaleDownSource, steps: [{ setWeight: 40 }] } }, source: 5 })[0]?.match(/\d+%/)?.[0]
    // 3 pods beside 5, or 2 and 3
    expect([share(false), share(true)]).to.deep.equal(['38%', '40%'])
  })

  it('has the defaults of the analysis: an hour without maxSeconds', () => {
    const { maxSeconds: _max, ...endless } = COMPARED
    expect(lines({ analysis: endless })[0]).to.match(/it can detect slowdowns of \+\d\d% or more within 1h$/)
  })

  it('knows no spread until one was seen', () =>
    expect(lines({ facts: { ...INSTALLED, traffic: { requestsPerSecond: 20 } } })).to.deep.equal(lines()))

  it('says what to do where no slowdown would show', () => {
    const facts = { ...INSTALLED, traffic: { requestsPerSecond: 0.01 } }
    expect(lines({ facts })).to.deep.equal([
      '[Plan] analysis: at 0.01 requests/s, of which the fork gets 8%, it cannot detect any slowdown within 10m; give the fork more pods, or the analysis more time',
      FEW,
    ])
  })

  it('N14: says which metrics do not get the requests that a Pass needs, before maxSeconds are over', () => {
    const facts = { ...INSTALLED, traffic: { requestsPerSecond: 0.01 } }
    const errors = { name: 'latency', kind: 'ErrorRate', provider: 'prometheus', prometheus: {} } as const
    expect(lines({ facts, analysis: { ...COMPARED, metrics: [errors] } })).to.deep.equal([FEW])
    expect(lines({ facts, analysis: { ...COMPARED, metrics: [errors], minSamples: 1, maxSeconds: 6_000 } }))
      .to.deep //
      .equal([])
    const { maxSeconds: _end, ...endless } = COMPARED
    expect(lines({ facts, analysis: { ...endless, metrics: [errors] } })).to.deep.equal([])
    expect(lines({ facts, analysis: { ...COMPARED, metrics: [{ ...errors, dryRun: true }, DECIDED] } }))
      .to.deep //
      .equal([])
  })

  it('compares the fork with the twin, which takes as many requests', () => {
    const [, line] = lines({ analysis: { ...COMPARED, control: 'Twin' } })
    // 2 of 27 pods
    expect(line).to.match(
      /^\[Plan\] analysis: at 20 requests\/s, of which the fork gets 7%, it can detect slowdowns of \+[3-5]\d% or more/,
    )
  })

  it('is by the pods of a canary that get requests now', () => {
    const canary = { canary: { steps: [{ setWeight: 10 }, { analysis: {} }, { setWeight: 50 }, { pause: {} }] } }
    expect(lines({ strategy: canary as Strategy }).at(-1)).to.match(
      /of which the fork gets \d+%, it can detect slowdowns of/,
    )
  })

  it('is not there where nobody has seen requests, nothing is timed, or nothing is compared', () => {
    expect(lines({ facts: INSTALLED })).to.deep.equal([])
    expect(lines({ analysis: ANALYSIS })).to.deep.equal([])
    expect(
      lines({ analysis: { ...COMPARED, metrics: [{ ...LATENCY, dryRun: true }, ...(ANALYSIS.metrics ?? [])] } }),
    ).to.deep.equal([])
    expect(lines({ replicas: 0 })).to.deep.equal([])
    expect(lines({ source: 0 })).to.deep.equal([])
  })

  it('counts at most as many pods as a provider is asked about', () =>
    expect(lines({ source: 5_000 })[0]).to.contain('of which the fork gets 3%'))
})
