import { expect } from 'chai'
import { FULL_BLUE_GREEN } from '../builders.ts'
import { testsOfCrd } from './crd-answers.ts'
import { usesControlPlane } from './fixture.ts'

const blueGreen = (of: object = {}, more: object = {}) => ({
  strategy: { blueGreen: { activeService: 'cart', ...of } },
  ...more,
})
const previewed = (of: object = {}) => blueGreen({ previewService: 'cart-preview', ...of })

const ACCEPTED: Readonly<Record<string, object>> = {
  'an active Service alone': blueGreen(),
  'a preview': previewed(),
  'every field': blueGreen(FULL_BLUE_GREEN),
  'null in place of fields': blueGreen({ previewService: null, autoPromotionEnabled: null, antiAffinity: null }),
  'null in place of the other strategy': { strategy: { canary: null, ...blueGreen().strategy } },
  'mode Gated': blueGreen({}, { traffic: { mode: 'Gated' } }),
  'traffic that is null': blueGreen({}, { traffic: null }),
  'the longest name': blueGreen({ activeService: 'a'.repeat(63) }),
  'a name that begins with a digit': blueGreen({ activeService: '1-cart' }),
  'the most pods and the longest times': previewed({
    previewReplicaCount: 2_147_483_647,
    autoPromotionEnabled: true,
    autoPromotionSeconds: 31_536_000,
    scaleDownDelaySeconds: 31_536_000,
    abortScaleDownDelaySeconds: 31_536_000,
  }),
  'autoPromotionSeconds without a preview': blueGreen({ autoPromotionSeconds: 5 }),
  'a number of pods that may be missing': blueGreen({ maxUnavailable: 0 }),
  'a percentage of pods that may be missing': blueGreen({ maxUnavailable: '25%' }),
  'a promotion after it': blueGreen({}, { promotion: { mode: 'Automatic' } }),
}

const FIELD = 'spec.strategy.blueGreen'
const SHARED =
  'spec.traffic.mode: Invalid value: a blueGreen is always gated, and the default of the mode is Shared; set it to Gated, or remove traffic'
const WAITS =
  'autoPromotionSeconds: Forbidden: the cut-over waits for a command; set autoPromotionEnabled to true, or remove this'

const REFUSED: Readonly<Record<string, readonly [spec: object, words: string]>> = {
  'no active Service': [{ strategy: { blueGreen: {} } }, `${FIELD}.activeService: Required value`],
  'an active Service that is null': [blueGreen({ activeService: null }), `${FIELD}.activeService: Required value`],
  'an active Service without a name': [blueGreen({ activeService: '' }), `${FIELD}.activeService: Invalid value: "": `],
  'an active Service with a dot': [
    blueGreen({ activeService: 'cart.shop' }),
    `${FIELD}.activeService: Invalid value: "cart.shop": `,
  ],
  'a name of 64 characters': [
    blueGreen({ activeService: 'a'.repeat(64) }),
    `${FIELD}.activeService: Too long: may not be more than 63 bytes`,
  ],
  'a preview by the active Service': [
    blueGreen({ previewService: 'cart' }),
    `${FIELD}.previewService: Invalid value: is the active Service, which must not reach the fork before the cut-over; set it to another Service`,
  ],
  'mode Shared': [blueGreen({}, { traffic: { mode: 'Shared' } }), SHARED],
  'traffic without a mode, which is Shared by default': [blueGreen({}, { traffic: {} }), SHARED],
  'a preview without pods': [blueGreen({ previewReplicaCount: 0 }), `${FIELD}.previewReplicaCount: Invalid value: 0: `],
  'a percentage of pods': [
    blueGreen({ previewReplicaCount: '50%' }),
    `${FIELD}.previewReplicaCount in body must be of type integer`,
  ],
  'more pods than Kubernetes can count': [
    blueGreen({ previewReplicaCount: 2 ** 31 }),
    `must be of type integer with format int32 in ${FIELD}.previewReplicaCount`,
  ],
  'a negative number of pods that may be missing': [
    blueGreen({ maxUnavailable: -1 }),
    `${FIELD}.maxUnavailable: Invalid value: -1: `,
  ],
  'a part of a percentage': [blueGreen({ maxUnavailable: '2.5%' }), `${FIELD}.maxUnavailable: Invalid value: "2.5%": `],
  'a negative time': [
    previewed({ autoPromotionEnabled: true, autoPromotionSeconds: -1 }),
    `${FIELD}.autoPromotionSeconds: Invalid value: -1: `,
  ],
  'autoPromotionSeconds with a preview, after which a command is needed': [
    previewed({ autoPromotionSeconds: 60 }),
    `${FIELD}.${WAITS}`,
  ],
  'autoPromotionSeconds with autoPromotionEnabled false': [
    blueGreen({ autoPromotionEnabled: false, autoPromotionSeconds: 0 }),
    `${FIELD}.${WAITS}`,
  ],
  'a delay of more than a year': [
    blueGreen({ scaleDownDelaySeconds: 31_536_001 }),
    `${FIELD}.scaleDownDelaySeconds: Invalid value: 31536001: `,
  ],
  'a negative delay after an abort': [
    blueGreen({ abortScaleDownDelaySeconds: -1 }),
    `${FIELD}.abortScaleDownDelaySeconds: Invalid value: -1: `,
  ],
  'a text that says true': [
    blueGreen({ progressDeadlineAbort: 'true' }),
    `${FIELD}.progressDeadlineAbort in body must be of type boolean`,
  ],
  'a misspelt member': [blueGreen({ previewservice: 'x' }), `unknown field "${FIELD}.previewservice"`],
}

describe('a blueGreen in the CRD, by itself', () => {
  const plane = usesControlPlane()
  testsOfCrd(ACCEPTED, REFUSED, 'strategy', 'blueGreen', 'activeService')

  it('explains itself', async () => {
    const explained = async (field: string) =>
      (await plane().kubectl(['explain', `expd.spec.strategy${field}`])).stdout.replace(/\s+/g, ' ')
    expect(await explained('')).to.contain('blueGreen <Object> Runs the fork without requests beside the source')
    expect(await explained('.blueGreen')).to.contain('activeService <string> -required-')
    expect(await explained('.blueGreen.autoPromotionEnabled')).to.contain('Otherwise it waits for "resume".')
    expect(await explained('.blueGreen.antiAffinity')).to.contain(
      'A field of Argo Rollouts that is not supported here and is refused.',
    )
  })
})
