import { expect } from 'chai'
import type { CanaryStrategy } from '../../../common/api/strategy.ts'
import { type StrategyRunSpec, strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { anExperiment } from '../../builders.ts'

type SpecOf = Parameters<typeof anExperiment>[0]
const runSpec = (of: SpecOf) => strategyRunSpec(anExperiment(of).spec)

const DEFAULTS: StrategyRunSpec = {
  steps: [],
  isCanary: true,
  maxSurge: '100%',
  maxUnavailable: 0,
  isInsideSource: false,
  isGated: false,
  isAnalyzed: false,
  scaleDownDelaySeconds: 30,
  abortScaleDownDelaySeconds: 30,
  progressDeadlineAbort: false,
  mode: 'Manual',
  force: false,
  skipSteps: false,
}

describe('the specification of a run', () => {
  it('is none without strategy and promotion', () => expect(runSpec({})).to.equal(undefined))

  it('has the documented defaults for an empty canary', () =>
    expect(runSpec({ strategy: { canary: {} } })).to.deep.equal(DEFAULTS))

  it('is no canary with a promotion alone', () =>
    expect(runSpec({ promotion: {} })).to.deep.equal({ ...DEFAULTS, isCanary: false }))

  it('has what the user says instead of the defaults', () => {
    const canary = {
      steps: [{ setWeight: 5 }, { pause: { duration: '2h' } }],
      maxSurge: '25%',
      maxUnavailable: 1,
      scaleDownDelaySeconds: 0,
      abortScaleDownDelaySeconds: 0,
      progressDeadlineAbort: true,
    }
    const promotion = { mode: 'Export', force: true, skipSteps: true, approvedRevision: '1f2e3d4c5b' } as const
    expect(runSpec({ strategy: { canary }, promotion, traffic: { mode: 'Gated' } })).to.deep.equal({
      ...{ isCanary: true, isInsideSource: false, isGated: true, isAnalyzed: false },
      ...canary,
      ...promotion,
    })
  })

  it('of a canary inside its source has the surge of a Deployment, unless the user says another', () => {
    const inside = (canary: CanaryStrategy) => runSpec({ strategy: { canary: { ...canary, scaleDownSource: true } } })
    expect(inside({})).to.deep.equal({ ...DEFAULTS, isInsideSource: true, maxSurge: '25%' })
    expect(inside({ maxSurge: 0, maxUnavailable: 1 })).to.include({ maxSurge: 0, maxUnavailable: 1 })
  })

  it('of a canary beside its source has the surge of one, also where the user says so', () =>
    expect(runSpec({ strategy: { canary: { scaleDownSource: false } } })).to.deep.equal(DEFAULTS))

  it('of a blue-green has its documented defaults, and is gated', () =>
    expect(runSpec({ strategy: { blueGreen: { activeService: 'cart' } } })).to.deep.equal({
      ...DEFAULTS,
      isCanary: false,
      isGated: true,
      blueGreen: { activeService: 'cart', autoPromotionEnabled: true, autoPromotionSeconds: 0, maxUnavailable: 0 },
    }))

  it('of a blue-green with a preview waits for a command', () => {
    const blueGreen = { activeService: 'cart', previewService: 'cart-preview' }
    expect(runSpec({ strategy: { blueGreen } })?.blueGreen).to.deep.equal({
      ...blueGreen,
      autoPromotionEnabled: false,
      autoPromotionSeconds: 0,
      maxUnavailable: 0,
    })
  })

  it('of a blue-green has what the user says instead of the defaults', () => {
    const delays = { scaleDownDelaySeconds: 5, abortScaleDownDelaySeconds: 6, progressDeadlineAbort: true }
    const blueGreen = {
      activeService: 'cart',
      previewService: 'cart-preview',
      previewReplicaCount: 2,
      autoPromotionEnabled: true,
      autoPromotionSeconds: 60,
      maxUnavailable: '25%',
    }
    expect(runSpec({ strategy: { blueGreen: { ...blueGreen, ...delays } } })).to.deep.equal({
      ...DEFAULTS,
      ...delays,
      isCanary: false,
      isGated: true,
      blueGreen,
    })
  })

  it('knows of an analysis, in whatever it follows', () => {
    const strategies = [{ canary: {} }, { blueGreen: { activeService: 'cart' } }, undefined]
    const isAnalyzed = (of: SpecOf) =>
      strategies.map((strategy) => runSpec({ promotion: {}, ...(strategy ? { strategy } : {}), ...of })?.isAnalyzed)
    expect(isAnalyzed({ analysis: {} })).to.deep.equal([true, true, true])
    expect(isAnalyzed({})).to.deep.equal([false, false, false])
  })

  it('is none with an analysis alone', () => expect(runSpec({ analysis: {} })).to.equal(undefined))

  it('of a promotion alone is not gated', () =>
    expect(runSpec({ promotion: {}, traffic: { mode: 'Gated' } })?.isGated).to.equal(false))
})
