import { expect } from 'chai'
import { decodeExperiment } from '../../common/api/decode.ts'
import { at } from '../../common/json/json.ts'
import { usesCrd } from './crd-answers.ts'
import { usesControlPlane } from './fixture.ts'

const canary = (of: object) => ({ canary: of })
const steps = (...list: readonly unknown[]) => canary({ steps: list })
const pause = (duration: unknown) => steps({ pause: { duration } })
const gated = (of: object = {}) => ({ strategy: canary(of), traffic: { mode: 'Gated' } })
const times = (count: number, step: object) => steps(...Array.from({ length: count }, () => step))

const ACCEPTED: Readonly<Record<string, object>> = {
  'a canary without steps': canary({}),
  'an empty list of steps': steps(),
  '50 steps': times(50, { pause: { duration: '1h30m' } }),
  'setWeight 0': steps({ setWeight: 0 }),
  'setWeight 100 as the last step': steps({ setWeight: 10 }, { setWeight: 100 }),
  'a pause without an end': steps({ pause: {} }),
  'a pause whose duration is null': pause(null),
  'pause 0': pause(0),
  'pause 90': pause(90),
  'pause "90"': pause('90'),
  'pause "1h30m"': pause('1h30m'),
  'pause "2d"': pause('2d'),
  'a pause of a year': pause(31_536_000),
  'maxSurge 3': canary({ maxSurge: 3 }),
  'maxSurge "3"': canary({ maxSurge: '3' }),
  'maxSurge "25%"': canary({ maxSurge: '25%' }),
  'maxSurge 0': canary({ maxSurge: 0 }),
  'the largest maxSurge': canary({ maxSurge: 2_147_483_647 }),
  progressDeadlineAbort: canary({ progressDeadlineAbort: true }),
}

const FIRST = 'spec.strategy.canary.steps[0]'
const DURATION = `${FIRST}.pause.duration`
const SURGE = 'spec.strategy.canary.maxSurge'

const REFUSED: Readonly<Record<string, readonly [strategy: unknown, words: string]>> = {
  'no strategy in it': [
    {},
    'spec.strategy: Invalid value: set canary, such as {steps: [{setWeight: 10}, {pause: {}}]}',
  ],
  'a canary that is null': [{ canary: null }, 'spec.strategy: Invalid value: set canary, such as'],
  'canary beside blueGreen': [
    { canary: {}, blueGreen: { activeService: 'cart' } },
    'spec.strategy: Invalid value: has both canary and blueGreen; remove one of them',
  ],
  '51 steps': [times(51, { setWeight: 1 }), 'spec.strategy.canary.steps: Too many: 51: must have at most 50 items'],
  'a step with two members': [
    steps({ setWeight: 10, pause: {} }),
    `${FIRST}: Invalid value: has both setWeight and pause; make two steps of it`,
  ],
  'a step with no member': [steps({}), `${FIRST}: Invalid value: set setWeight, pause or analysis, such as`],
  'a step with nothing after "pause:"': [
    steps({ pause: null }),
    `${FIRST}: Invalid value: set setWeight, pause or analysis`,
  ],
  'an analysis step with a weight': [
    steps({ setWeight: 10, analysis: {} }),
    `${FIRST}: Invalid value: an analysis is a step of its own; make two steps of it`,
  ],
  "an analysis step of Argo's": [
    steps({ analysis: { templates: [{ templateName: 'success-rate' }] } }),
    `${FIRST}.analysis: Forbidden: the step only waits for spec.analysis; write {} here, and the metrics there`,
  ],
  'an analysis step without spec.analysis': [
    steps({ analysis: {} }),
    'spec.strategy.canary.steps: Invalid value: an analysis step waits for spec.analysis, which is missing; add it',
  ],
  'setWeight 101': [steps({ setWeight: 101 }), `${FIRST}.setWeight: Invalid value: 101: `],
  'setWeight -1': [steps({ setWeight: -1 }), `${FIRST}.setWeight: Invalid value: -1: `],
  'setWeight "10%"': [
    steps({ setWeight: '10%' }),
    `${FIRST}.setWeight: Invalid value: "10%": must be a number without quotes and without %`,
  ],
  'setWeight 100 before another step': [
    steps({ setWeight: 100 }, { pause: {} }),
    'spec.strategy.canary.steps: Invalid value: setWeight 100 can only be the last step; remove the steps after it',
  ],
  'pause -1': [pause(-1), `${DURATION}: Invalid value: -1: ${DURATION} in body should be greater than or equal to 0`],
  'pause 31536001': [
    pause(31_536_001),
    `${DURATION}: Invalid value: 31536001: ${DURATION} in body should be less than or equal to 31536000`,
  ],
  'maxSurge "abc"': [canary({ maxSurge: 'abc' }), `${SURGE}: Invalid value: "abc": `],
  'maxSurge -1': [canary({ maxSurge: -1 }), `${SURGE}: Invalid value: -1: `],
  'a maxSurge beyond int32': [canary({ maxSurge: 2 ** 31 }), `${SURGE}: Invalid value: 2147483648: `],
  'a misspelt member': [steps({ setWieght: 10 }), `unknown field "${FIRST}.setWieght"`],
}

/** The modes of a canary, and what it may say about an abort only if it is gated. */
const IN_MODES: Readonly<Record<string, readonly [spec: object, words: string | undefined]>> = {
  'mode Shared without a strategy': [{ traffic: { mode: 'Shared' } }, undefined],
  'no mode without a strategy': [{ traffic: {} }, undefined],
  'mode Gated of a canary': [gated(), undefined],
  'mode Gated without a strategy': [
    { traffic: { mode: 'Gated' } },
    'spec.traffic.mode: Invalid value: Gated needs a strategy whose weights open the fork; set strategy.canary, or use Shared',
  ],
  'mode Gated of a promotion alone': [
    { traffic: { mode: 'Gated' }, promotion: {} },
    'spec.traffic.mode: Invalid value: Gated needs a strategy',
  ],
  'another mode': [{ traffic: { mode: 'Open' } }, 'spec.traffic.mode: Unsupported value: "Open": supported values: '],
  'abortScaleDownDelaySeconds of a gated canary': [gated({ abortScaleDownDelaySeconds: 0 }), undefined],
  'the longest abortScaleDownDelaySeconds': [gated({ abortScaleDownDelaySeconds: 31_536_000 }), undefined],
  'abortScaleDownDelaySeconds -1': [
    gated({ abortScaleDownDelaySeconds: -1 }),
    'spec.strategy.canary.abortScaleDownDelaySeconds: Invalid value: -1: ',
  ],
  'abortScaleDownDelaySeconds of more than a year': [
    gated({ abortScaleDownDelaySeconds: 31_536_001 }),
    'spec.strategy.canary.abortScaleDownDelaySeconds: Invalid value: 31536001: ',
  ],
  'abortScaleDownDelaySeconds without a gate': [
    { strategy: canary({ abortScaleDownDelaySeconds: 30 }) },
    'spec.strategy.canary.abortScaleDownDelaySeconds: Forbidden: only a gated fork keeps its pods after an abort; set traffic.mode to Gated, or remove it',
  ],
  'abortScaleDownDelaySeconds with the default mode': [
    { strategy: canary({ abortScaleDownDelaySeconds: 30 }), traffic: {} },
    'spec.strategy.canary.abortScaleDownDelaySeconds: Forbidden: only a gated fork',
  ],
}

describe('a strategy in the CRD, by itself', () => {
  const plane = usesControlPlane()
  const crd = usesCrd()

  for (const [sentence, strategy] of Object.entries(ACCEPTED))
    it(`accepts ${sentence}, and the programs decode it`, async () => {
      const stored = await crd.stored({ strategy })
      expect(decodeExperiment({ ...stored }, 'any').is).to.equal('experiment')
      expect(at(stored, 'spec', 'strategy', 'canary')).to.be.an('object')
    })

  for (const [sentence, [strategy, words]] of Object.entries(REFUSED))
    it(`refuses ${sentence}`, async () => expect(await crd.answerTo({ strategy })).to.include(words))

  for (const [sentence, [spec, words]] of Object.entries(IN_MODES))
    it(`${words === undefined ? 'accepts' : 'refuses'} ${sentence}`, async () =>
      expect(await crd.answerTo(spec)).to.include(words ?? 'accepted'))

  it('has the mode Shared where none is written', async () =>
    expect((await crd.stored({ traffic: {} })).spec).to.have.deep.property('traffic', { mode: 'Shared' }))

  it('explains itself', async () => {
    const explained = async (field: string) =>
      (await plane().kubectl(['explain', `expd.spec.strategy${field}`])).stdout.replace(/\s+/g, ' ')
    expect(await explained('')).to.contain('canary <Object> Gives the fork weights, with pauses between them.')
    expect(await explained('.canary.steps')).to.contain('With 20 and a source of 10 pods, the fork gets 3, or 2')
    expect(await explained('.canary.steps.pause.duration')).to.contain('seconds, or a text such as "1h30m"')
  })
})
