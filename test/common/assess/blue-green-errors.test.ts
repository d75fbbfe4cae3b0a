import { expect } from 'chai'
import { blueGreenErrors } from '../../../common/assess/blue-green-errors.ts'
import { serviceView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { aService } from '../plan/simulated-services.ts'
import { someFacts, theFork } from '../plan/some-facts.ts'

const strategy = { blueGreen: { activeService: 'cart', previewService: 'cart-preview' } }
const EXPERIMENT = anExperiment({ strategy })
const PREVIEW = 'spec.strategy.blueGreen.previewService'

const errorsWith = (...services: readonly ReturnType<typeof aService>[]) =>
  blueGreenErrors(
    someFacts({
      experiment: EXPERIMENT,
      source: aDeployment(),
      traffic: { services: services.flatMap((service) => serviceView(service) ?? []), slices: [] },
    }),
    theFork(),
  ).map(({ field, message }) => `${field}: ${message}`)

describe('the mistakes in the Services of a blue-green', () => {
  it('are none for those that select both sides, and for those that do not exist yet', () => {
    expect(errorsWith(aService('cart'), aService('cart-preview'))).to.deep.equal([])
    expect(errorsWith()).to.deep.equal([])
  })

  it('are told at the field that names the Service', () =>
    expect(errorsWith(aService('cart'), aService('cart-preview', { app: 'other' }))).to.deep.equal([
      `${PREVIEW}: service/cart-preview does not select the pods of the fork, which lack app=other; keep these labels`,
    ]))

  it('are none without a blue-green', () => expect(blueGreenErrors(someFacts(), theFork())).to.deep.equal([]))
})
