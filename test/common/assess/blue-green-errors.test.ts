import { expect } from 'chai'
import type { PromotionStatus, RunStatus } from '../../../common/api/strategy.ts'
import { blueGreenErrors, pinnedEditErrors } from '../../../common/assess/blue-green-errors.ts'
import { runHash } from '../../../common/assess/run.ts'
import { serviceView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, anExperiment, imageOverride } from '../../builders.ts'
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

interface StoredOf {
  readonly stepIndex?: number
  readonly path?: RunStatus['path']
  readonly promotion?: PromotionStatus
}

/** The errors of an edit to `edited` of an experiment whose run is at a step. 4: it is cut over. */
function editErrors(edited: object, { stepIndex = 4, path = 'Forward', promotion }: StoredOf = {}) {
  const run = { run: runHash(EXPERIMENT), revision: 'a', path, stepIndex, since: '2026-11-21T10:00:00Z' }
  const status = { strategy: run as RunStatus, ...(promotion ? { promotion } : {}) }
  const experiment = { ...anExperiment({ strategy, ...edited }), status }
  return pinnedEditErrors(someFacts({ experiment }), { ...EXPERIMENT, status }).map(
    ({ field, message }) => `${field}: ${message}`,
  )
}

describe('an edit of a blue-green', () => {
  const refused = 'cannot be changed while service/cart sends only to the fork; say abort first, or promote it'

  it('is refused at each field that would begin another run, from its cut-over', () => {
    const overrideSpec = imageOverride('example/cart:3')
    expect(editErrors({ overrideSpec })).to.deep.equal([`spec.overrideSpec: ${refused}`])
    expect(editErrors({ strategy: { blueGreen: { activeService: 'other' } } })).to.deep.equal([
      `spec.strategy: ${refused}`,
    ])
  })

  it('may change everything else, and what approves a revision', () => {
    expect(editErrors({ ttlSeconds: 60 })).to.deep.equal([])
    expect(editErrors({ promotion: { approvedRevision: '1f2e3d4c5b' } })).to.deep.equal([])
  })

  it('is not refused before its cut-over, and on its way back', () => {
    const overrideSpec = imageOverride('example/cart:3')
    expect(editErrors({ overrideSpec }, { stepIndex: 3 })).to.deep.equal([])
    expect(editErrors({ overrideSpec }, { stepIndex: 0, path: 'Abort' })).to.deep.equal([])
  })

  it('is told what ends it where the source may have been written', () =>
    expect(
      editErrors(
        { overrideSpec: imageOverride('example/cart:3') },
        { stepIndex: 7, promotion: { mode: 'Manual', record: { name: 'x', hash: 'x' } } },
      )[0],
    ).to.contain('say undo, or wait until it is over'))

  it('is not refused of a new experiment', () =>
    expect(pinnedEditErrors(someFacts({ experiment: EXPERIMENT }), undefined)).to.deep.equal([]))
})
