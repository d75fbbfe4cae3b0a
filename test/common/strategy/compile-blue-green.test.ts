import { expect } from 'chai'
import type { BlueGreenStrategy, PromotionMode, RunPath } from '../../../common/api/strategy.ts'
import { compileSteps, nameOfStep, type RunStep } from '../../../common/strategy/compile.ts'
import { demands, forecast, forecastTexts, stepTexts } from '../../../common/strategy/forecast.ts'
import { next } from '../../../common/strategy/next.ts'
import { phaseOf } from '../../../common/strategy/run.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { type PodTarget, podTargetAt, type Sizes } from '../../../common/strategy/target.ts'
import { anExperiment } from '../../builders.ts'

const TEN: Sizes = { source: 10, preview: 10, replicas: 1, maxSurge: '100%', reserve: 0, isGated: true }

interface Of extends Partial<BlueGreenStrategy> {
  readonly mode?: PromotionMode
}

/** The steps of a blue-green of the Service `cart`. */
function stepsOf({ mode = 'Manual', ...of }: Of = {}, path: RunPath = 'Forward'): readonly RunStep[] {
  const strategy = { blueGreen: { activeService: 'cart', ...of } }
  const spec = strategyRunSpec(anExperiment({ strategy, promotion: { mode } }).spec)
  if (!spec) throw new Error('nothing to compile')
  return compileSteps(spec, path)
}
const namesOf = (of: Of = {}, path?: RunPath) => stepsOf(of, path).map(nameOfStep)

const PREVIEWED: Of = { previewService: 'cart-preview', previewReplicaCount: 2 }

describe('a blue-green compiles to', () => {
  it('blueGreen: size (shut), preview, pause, size S (shut), cutOver, pause, await, promote, return, drain', () =>
    expect(namesOf(PREVIEWED)).to.deep.equal([
      'size 2',
      'preview',
      'pause',
      'size',
      'cutOver',
      'pause 30s',
      'await',
      'promote',
      'return',
      'drain 30s',
    ]))

  it('await: in Manual only', () => {
    expect(namesOf({ ...PREVIEWED, mode: 'Automatic' })).not.to.contain('await')
    expect(namesOf({ ...PREVIEWED, mode: 'Export' })).not.to.contain('await')
  })

  it('neither a preview nor a pause before the cut-over without a previewService', () =>
    expect(namesOf().slice(0, 3)).to.deep.equal(['size', 'size', 'cutOver']))

  it('a pause until resumed, where autoPromotionEnabled is false', () => {
    expect(stepsOf({ autoPromotionEnabled: false })[1]).to.deep.equal({ is: 'pause' })
    expect(stepsOf({ autoPromotionEnabled: false, autoPromotionSeconds: 60 })[1]).to.deep.equal({ is: 'pause' })
  })

  it('a pause of autoPromotionSeconds after the preview, where it is enabled', () => {
    const of = { ...PREVIEWED, autoPromotionEnabled: true }
    expect(namesOf({ ...of, autoPromotionSeconds: 90 }).slice(0, 4)).to.deep.equal([
      'size 2',
      'preview',
      'pause 1m30s',
      'size',
    ])
    expect(namesOf(of).slice(0, 3)).to.deep.equal(['size 2', 'preview', 'size'])
  })

  it('no pause after the cut-over, where scaleDownDelaySeconds is 0', () =>
    expect(namesOf({ scaleDownDelaySeconds: 0 }).slice(2)).to.deep.equal([
      'cutOver',
      'await',
      'promote',
      'return',
      'drain 0s',
    ]))

  it('steps that name their Service, and where the user asks for pods', () =>
    expect(stepsOf(PREVIEWED).slice(0, 5)).to.deep.equal([
      { is: 'size', pods: 2, field: 'spec.strategy.blueGreen.previewReplicaCount' },
      { is: 'preview', service: 'cart-preview' },
      { is: 'pause' },
      { is: 'size', field: 'spec.strategy.blueGreen' },
      { is: 'cutOver', service: 'cart' },
    ]))

  it('abort: return, shut, pause, size 0', () => {
    expect(namesOf({}, 'Abort')).to.deep.equal(['return', 'shut', 'pause 30s', 'remove'])
    expect(namesOf({ abortScaleDownDelaySeconds: 0 }, 'Abort')).to.deep.equal(['return', 'shut', 'pause', 'remove'])
  })

  it('undo: restore, return, size 0', () => expect(namesOf({}, 'Undo')).to.deep.equal(['restore', 'return', 'remove']))
})

describe('the pods at each step of a blue-green', () => {
  const targets = (of: Of, sizes: Partial<Sizes> = {}): readonly (readonly [string, PodTarget])[] => {
    const steps = stepsOf(of)
    return steps.map((step, index) => [nameOfStep(step), podTargetAt(steps, index, { ...TEN, ...sizes })])
  }

  it('are those of the preview, then those of the source, and are open only from the cut-over to the return', () =>
    expect(targets(PREVIEWED)).to.deep.equal([
      ['size 2', { pods: 2, open: 0 }],
      ['preview', { pods: 2, open: 0 }],
      ['pause', { pods: 2, open: 0 }],
      ['size', { pods: 10, open: 0 }],
      ['cutOver', { pods: 10, open: 10 }],
      ['pause 30s', { pods: 10, open: 10 }],
      ['await', { pods: 10, open: 10 }],
      ['promote', { pods: 10, open: 10 }],
      ['return', { pods: 10, open: 10 }],
      ['drain 30s', { pods: 10, open: 0 }],
    ]))

  it('are as many as the source has, whatever spec.replicas says, without previewReplicaCount', () => {
    const pods = targets({}, { replicas: 40, source: 3, preview: 3 }).map(([, target]) => target.pods)
    expect(new Set(pods)).to.deep.equal(new Set([3]))
  })

  it('are those of a preview before the cut-over, without previewReplicaCount', () =>
    expect(targets({ previewService: 'cart-preview' }, { preview: 1 }).slice(0, 5)).to.deep.equal([
      ['size', { pods: 1, open: 0 }],
      ['preview', { pods: 1, open: 0 }],
      ['pause', { pods: 1, open: 0 }],
      ['size', { pods: 10, open: 0 }],
      ['cutOver', { pods: 10, open: 10 }],
    ]))

  it('follow the source', () =>
    expect([1, 4, 7].map((source) => targets(PREVIEWED, { source })[4]?.[1])).to.deep.equal([
      { pods: 1, open: 1 },
      { pods: 4, open: 4 },
      { pods: 7, open: 7 },
    ]))

  it('are all open for the promotion, also where that takes down all pods of the source', () =>
    expect(targets(PREVIEWED, { reserve: 10 })[7]?.[1]).to.deep.equal({ pods: 10, open: 10 }))
})

describe('the forecast of a blue-green', () => {
  it('says what becomes of the Services, and that both versions answer at the cut-over', () =>
    expect(forecastTexts(stepsOf(PREVIEWED), TEN)).to.deep.equal([
      '2 pods without requests',
      'service/cart-preview sends to them',
      'pause until resumed',
      '10 pods',
      'service/cart sends only to them (for about 2s both versions answer)',
      'pause 30s',
      'wait until promoted',
      'promote',
      'both Services send to the source again',
      'delete the fork after 30s',
    ]))

  it('says a number of pods once, and the name of a single Service', () =>
    expect(forecastTexts(stepsOf(), TEN)).to.deep.equal([
      '10 pods without requests',
      'service/cart sends only to them (for about 2s both versions answer)',
      'pause 30s',
      'wait until promoted',
      'promote',
      'service/cart sends to the source again',
      'delete the fork after 30s',
    ]))

  it('has each step with its place, also one that an earlier text has said', () => {
    const steps = stepsOf({ ...PREVIEWED, previewReplicaCount: 10 })
    const found = stepTexts(steps, TEN, 1)
    expect(found.map(({ index }) => index)).to.deep.equal(steps.slice(1).map((_, index) => index + 1))
    expect(stepTexts(steps, TEN).filter(({ isSaid }) => isSaid)).to.deep.equal([
      { index: 3, text: '10 pods', pods: 10, isSaid: true },
    ])
  })

  it('says of the steps that are left that the pods are without requests, if the first ones are gone', () => {
    const texts = (start: number) => forecastTexts(stepsOf({ ...PREVIEWED, previewReplicaCount: 10 }), TEN, start)
    expect(texts(0).slice(0, 4)).to.deep.equal([
      '10 pods without requests',
      'service/cart-preview sends to them',
      'pause until resumed',
      'service/cart sends only to them (for about 2s both versions answer)',
    ])
    expect(texts(3)[0]).to.equal('10 pods without requests')
  })

  it('demands the pods of the preview, and as many as the source has', () => {
    const field = 'spec.strategy.blueGreen'
    expect(demands(stepsOf(PREVIEWED), TEN)).to.deep.include.members([
      { field: `${field}.previewReplicaCount`, pods: 2, open: 0 },
      { field, pods: 10, open: 0 },
      { field, pods: 10, open: 10, onlyOf: 'cart' },
    ])
  })

  it('says the pods', () =>
    expect(forecast(stepsOf(PREVIEWED), TEN).map(({ pods }) => pods)).to.deep.equal([
      ...[2, 2, 2],
      ...[10, 10, 10, 10, 10, 10, 10],
    ]))
})

describe('a run of a blue-green', () => {
  const now = new Date('2026-11-21T14:05:03.120Z')
  const facts = { now, elapsedMs: 1e12, isReached: false, isFailed: false, isApproved: true, hasPassed: false }
  const [RETURN]: readonly RunStep[] = stepsOf({}, 'Abort')
  const at = (path: RunPath, steps: readonly RunStep[], stepIndex: number, of: Partial<typeof facts> = {}) =>
    next({ run: 'a', revision: 'b', path, stepIndex, since: now.toISOString() }, steps, { ...facts, ...of })

  for (const [index, name] of ['size', 'size', 'cutOver'].entries())
    it(`${name} (${index}): goes on once it is reached, and is aborted by a deadline`, () => {
      expect(at('Forward', stepsOf(), index)).to.deep.equal({ is: 'stay' })
      expect(at('Forward', stepsOf(), index, { isReached: true })).to.include({
        reason: name === 'cutOver' ? 'CutOver' : 'StepCompleted',
      })
      expect(at('Forward', stepsOf(), index, { isFailed: true })).to.include({ reason: 'Aborted' })
    })

  it('return: goes on once it is reached, and no deadline aborts it, because the source may have the change', () => {
    if (!RETURN) throw new Error('an abort returns')
    for (const path of ['Forward', 'Abort', 'Undo'] as const) {
      expect(at(path, [RETURN], 0, { isFailed: true })).to.deep.equal({ is: 'stay' })
      expect(at(path, [RETURN], 0, { isReached: true })).to.include({ reason: 'StepCompleted' })
    }
  })

  it('is Aborting until its pods are shut, then Aborted', () => {
    const phases = stepsOf({}, 'Abort').map((_, stepIndex) =>
      phaseOf({ path: 'Abort', stepIndex }, stepsOf({}, 'Abort')),
    )
    expect(phases).to.deep.equal(['Aborting', 'Aborting', 'Aborted', 'Aborted'])
  })
})
