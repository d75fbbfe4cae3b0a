import { expect } from 'chai'
import { PROMOTION, STRATEGY, TRAFFIC } from '../../../common/api/structures.ts'
import { mismatches, picked } from '../../../common/json/conform.ts'
import type { Structure } from '../../../common/json/structure.ts'
import { FULL_BLUE_GREEN } from '../../builders.ts'

const meets = (structure: Structure) => (value: unknown) => mismatches(value, structure).length === 0
const isStrategy = meets(STRATEGY)
const isTraffic = meets(TRAFFIC)
const isPromotion = meets(PROMOTION)
const strategyIn = (value: unknown) => picked(value, STRATEGY)
const trafficIn = (value: unknown) => picked(value, TRAFFIC)
const promotionSpecIn = (value: unknown) => picked(value, PROMOTION)

const canary = (of: unknown) => ({ canary: of })
const steps = (...of: readonly unknown[]) => canary({ steps: of })
const blueGreen = (of: object) => ({ blueGreen: { activeService: 'cart', ...of } })

describe('a strategy of a manifest', () => {
  const sound: Readonly<Record<string, unknown>> = {
    'without anything': canary({}),
    'with null in place of every field': canary({ steps: null, maxSurge: null, scaleDownDelaySeconds: null }),
    'with every step': steps({ setWeight: 0 }, { setWeight: 100 }, { pause: {} }, { pause: { duration: '1h30m' } }),
    'with a pause in seconds': steps({ pause: { duration: 3_600 } }),
    'with null in place of the other member': steps({ setWeight: 5, pause: null }, { setWeight: null, pause: {} }),
    'with numbers': canary({ maxSurge: 1, maxUnavailable: 0, scaleDownDelaySeconds: 0, progressDeadlineAbort: true }),
    'with percentages': canary({ maxSurge: '25%', maxUnavailable: '10%' }),
    'with fields that this version does not know': canary({ trafficRouting: {} }),
    'with an active Service alone': blueGreen({}),
    'with every field of blueGreen': blueGreen(FULL_BLUE_GREEN),
    'with null in place of all that blueGreen need not have': blueGreen({
      previewService: null,
      progressDeadlineAbort: null,
    }),
    'with null in place of the other strategy': { canary: null, ...blueGreen({}) },
    'with null in place of blueGreen': { ...canary({}), blueGreen: null },
  }
  for (const [sentence, value] of Object.entries(sound))
    it(`is one ${sentence}`, () => expect(isStrategy(value)).to.equal(true))

  const wrong: Readonly<Record<string, unknown>> = {
    'that is none': 'canary',
    'without canary': {},
    'of another type': { rolling: {} },
    'with both': { ...canary({}), ...blueGreen({}) },
    'without an active Service': { blueGreen: {} },
    'with an active Service that is null': blueGreen({ activeService: null }),
    'with an active Service that is no name': blueGreen({ activeService: '..' }),
    'with an active Service without a name': blueGreen({ activeService: '' }),
    'with a name of 64 characters': blueGreen({ activeService: 'a'.repeat(64) }),
    'with a number as previewService': blueGreen({ previewService: 1 }),
    'with a percentage of pods to preview': blueGreen({ previewReplicaCount: '50%' }),
    'with more pods to preview than a workload can have': blueGreen({ previewReplicaCount: 2 ** 31 }),
    'with a text that says yes': blueGreen({ autoPromotionEnabled: 'yes' }),
    'with a duration as a text': blueGreen({ autoPromotionSeconds: '1m' }),
    'with a negative delay after the cut-over': blueGreen({ scaleDownDelaySeconds: -1 }),
    'with a list': canary([]),
    'with a step that is none': steps('setWeight'),
    'with an empty step': steps({}),
    'with two members in a step': steps({ setWeight: 5, pause: {} }),
    'with a weight that is a text': steps({ setWeight: '5' }),
    'with a weight below 0': steps({ setWeight: -1 }),
    'with a weight above 100': steps({ setWeight: 101 }),
    'with half a percent': steps({ setWeight: 0.5 }),
    'with a pause that is a text': steps({ pause: '1h' }),
    'with a negative pause': steps({ pause: { duration: -1 } }),
    'with a pause of half a second': steps({ pause: { duration: 0.5 } }),
    'with steps that are no list': canary({ steps: {} }),
    'with a negative surge': canary({ maxSurge: -1 }),
    'with a surge that is true': canary({ maxSurge: true }),
    'with an object as maxUnavailable': canary({ maxUnavailable: {} }),
    'with a list as maxUnavailable of blueGreen': blueGreen({ maxUnavailable: [] }),
    'with a delay as a text': canary({ scaleDownDelaySeconds: '30' }),
    'with a negative delay': canary({ scaleDownDelaySeconds: -1 }),
    'with a text that says true': canary({ progressDeadlineAbort: 'true' }),
  }
  for (const [sentence, value] of Object.entries(wrong))
    it(`is none ${sentence}`, () => expect(isStrategy(value)).to.equal(false))

  it('has only the members that we use, and none that is null', () => {
    const read = strategyIn(
      canary({
        steps: [{ setWeight: 5, pause: null, name: 'x' }, { pause: { duration: '1h', x: 1 } }, { pause: {} }],
        maxSurge: '25%',
        maxUnavailable: null,
        scaleDownDelaySeconds: 0,
        progressDeadlineAbort: false,
        trafficRouting: {},
      }),
    )
    expect(read).to.deep.equal({
      canary: {
        steps: [{ setWeight: 5 }, { pause: { duration: '1h' } }, { pause: {} }],
        maxSurge: '25%',
        scaleDownDelaySeconds: 0,
        progressDeadlineAbort: false,
      },
    })
  })

  it('has only the members of a blueGreen that we use', () => {
    const value = { ...FULL_BLUE_GREEN, previewReplicaCount: null, prePromotionAnalysis: {} }
    const { previewReplicaCount: _null, ...members } = FULL_BLUE_GREEN
    expect(strategyIn({ blueGreen: value, canary: null })).to.deep.equal({ blueGreen: members })
    expect(strategyIn(blueGreen({}))).to.deep.equal(blueGreen({}))
  })

  it('has no steps where it says none', () => {
    expect(strategyIn(canary({}))).to.deep.equal({ canary: {} })
    expect(strategyIn(canary({ steps: null }))).to.deep.equal({ canary: {} })
    expect(strategyIn(steps())).to.deep.equal({ canary: { steps: [] } })
  })
})

describe('a promotion of a manifest', () => {
  const sound: readonly unknown[] = [
    {},
    { mode: 'Manual' },
    { mode: 'Automatic', force: true, skipSteps: false },
    { mode: 'Export', approvedRevision: '1f2e3d4c5b' },
    { mode: null, force: null, skipSteps: null, approvedRevision: null },
    { other: 1 },
  ]
  for (const value of sound) it(`is ${JSON.stringify(value)}`, () => expect(isPromotion(value)).to.equal(true))

  const wrong: readonly unknown[] = [
    'Manual',
    [],
    { mode: 'manual' },
    { mode: 1 },
    { force: 'true' },
    { skipSteps: 1 },
    { approvedRevision: 5 },
  ]
  for (const value of wrong) it(`is not ${JSON.stringify(value)}`, () => expect(isPromotion(value)).to.equal(false))

  it('has only the members that we use, and none that is null', () => {
    const value = { mode: 'Export', force: null, skipSteps: true, approvedRevision: '1f2e', other: 1 }
    expect(promotionSpecIn(value)).to.deep.equal({ mode: 'Export', skipSteps: true, approvedRevision: '1f2e' })
    expect(promotionSpecIn({})).to.deep.equal({})
  })
})

describe('the traffic of a manifest', () => {
  const sound: readonly unknown[] = [{}, { mode: 'Shared' }, { mode: 'Gated' }, { mode: null }, { other: 1 }]
  for (const value of sound) it(`is ${JSON.stringify(value)}`, () => expect(isTraffic(value)).to.equal(true))

  const wrong: readonly unknown[] = ['Gated', [], { mode: 'gated' }, { mode: '' }, { mode: true }]
  for (const value of wrong) it(`is not ${JSON.stringify(value)}`, () => expect(isTraffic(value)).to.equal(false))

  it('has only the member that we use, unless that is null', () => {
    expect(trafficIn({ mode: 'Gated', other: 1 })).to.deep.equal({ mode: 'Gated' })
    expect(trafficIn({ mode: null })).to.deep.equal({})
  })
})
