import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { PromotionStatus, StrategyRunStatus } from '../../../common/api/strategy.ts'
import { runHash, shortRun } from '../../../common/situation/run-hash.ts'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { anExperiment, imageOverride } from '../../builders.ts'
import { editErrors } from '../of-facts.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment, aSource } from '../plan/some-run.ts'
import { ID } from '../run/blue-greens.ts'

const strategy = { blueGreen: { activeService: 'cart', previewService: 'cart-preview' } }
const EXPERIMENT = anExperiment({ strategy })
const START_TIME = '2026-11-21T10:00:00Z'
const RECORD = { name: 'x', hash: 'x' }
const WRITTEN = { uid: 'uid-of-cart', generation: 2 }

interface StoredOf {
  readonly stepIndex?: number
  readonly path?: StrategyRunStatus['path']
  readonly promotion?: PromotionStatus
  /** the Services, if they were read */
  readonly traffic?: TrafficView
}

/** The errors of an edit to `edited` of an experiment whose run is at a step. 4: it is cut over. */
function errorsOf(edited: object, { stepIndex = 4, path = 'Forward', promotion, traffic }: StoredOf = {}) {
  const run = { run: shortRun(runHash(EXPERIMENT)), revision: 'a', path, stepIndex, since: START_TIME }
  const status = { strategy: run as StrategyRunStatus, ...(promotion ? { promotion } : {}) }
  const experiment = { ...anExperiment({ strategy, ...edited }), status }
  const surroundings = { traffic: traffic ? known(traffic) : unknown('not read') }
  const facts = someFacts({ experiment })
  const seen = { ...facts, surroundings: { ...facts.surroundings, ...surroundings } }
  return editErrors(seen, { ...EXPERIMENT, status }).map(({ field, message }) => `${field}: ${message}`)
}

describe('an edit of a blue-green', () => {
  const refused =
    'cannot be changed while service/cart sends only to the fork; give the command abort first, or promote it'

  it('is refused at each field that would begin another run, from its cut-over', () => {
    const overrideSpec = imageOverride('example/cart:3')
    expect(errorsOf({ overrideSpec })).to.deep.equal([`spec.overrideSpec: ${refused}`])
    expect(errorsOf({ strategy: { blueGreen: { activeService: 'other' } } })).to.deep.equal([
      `spec.strategy: ${refused}`,
    ])
  })

  it('may change everything else, and what approves a revision', () => {
    expect(errorsOf({ ttlSeconds: 60 })).to.deep.equal([])
    expect(errorsOf({ promotion: { approvedRevision: '1f2e3d4c5b' } })).to.deep.equal([])
  })

  it('N6: may change how many pods of the fork it may lack, also beside a field that it may not change', () => {
    const changed = { strategy: { blueGreen: { ...strategy.blueGreen, maxUnavailable: '20%' } } }
    expect(errorsOf(changed)).to.deep.equal([])
    const both = { ...changed, overrideSpec: imageOverride('example/cart:3') }
    expect(errorsOf(both)).to.deep.equal([`spec.overrideSpec: ${refused}`])
  })

  it('is not refused before its cut-over, and on its way back', () => {
    const overrideSpec = imageOverride('example/cart:3')
    expect(errorsOf({ overrideSpec }, { stepIndex: 3 })).to.deep.equal([])
    expect(errorsOf({ overrideSpec }, { stepIndex: 0, path: 'Abort' })).to.deep.equal([])
  })

  it('may not forget its Services before these are returned', () => {
    const canary = { strategy: { canary: { steps: [{ setWeight: 10 }] } } }
    const returned = 'spec.strategy: cannot be changed while service/cart is returned; wait until it is over'
    expect(errorsOf(canary, { stepIndex: 0, path: 'Abort' })).to.deep.equal([returned])
    expect(errorsOf(canary, { stepIndex: 1, path: 'Undo' })).to.deep.equal([returned])
    expect(errorsOf(canary, { stepIndex: 1, path: 'Abort' })).to.deep.equal([])
  })

  it('may not forget a preview that sends only to the fork', () => {
    const preview =
      'spec.strategy: cannot be changed while service/cart-preview sends only to the fork; give the command abort first'
    const canary = { strategy: { canary: { steps: [{ setWeight: 10 }] } } }
    const without = { strategy: { blueGreen: { activeService: 'cart' } } }
    const another = { strategy: { blueGreen: { activeService: 'cart', previewService: 'next' } } }
    for (const edited of [canary, without, another])
      expect(errorsOf(edited, { stepIndex: 2 }), JSON.stringify(edited)).to.deep.equal([preview])
    const paused = { strategy: { blueGreen: { ...strategy.blueGreen, autoPromotionEnabled: false } } }
    expect(errorsOf(paused, { stepIndex: 2 })).to.deep.equal([])
    expect(errorsOf(canary, { stepIndex: 0 })).to.deep.equal([])
  })

  it('may correct the name of a preview that no Service has', () => {
    const traffic = (selector: Readonly<Record<string, string>>) =>
      ({ services: [{ name: 'cart-preview', selector }], slices: [] }) as const
    const corrected = { strategy: { blueGreen: { activeService: 'cart', previewService: 'next' } } }
    const at = (selector: Readonly<Record<string, string>>) =>
      errorsOf(corrected, { stepIndex: 1, traffic: traffic(selector) })
    expect(at({ app: 'cart' })).to.deep.equal([])
    expect(at({ app: 'cart', [EXPERIMENT_ID]: ID })).to.have.length(1)
  })

  it('is told what ends it where the source may have been written', () =>
    expect(
      errorsOf(
        { overrideSpec: imageOverride('example/cart:3') },
        { stepIndex: 7, promotion: { mode: 'Manual', record: RECORD } },
      )[0],
    ).to.contain('give the command undo, or wait until it is over'))

  it('is told what ends it where others made the change, and once they have taken it back', () => {
    const changing = (image: string) => anExperiment({ strategy, overrideSpec: imageOverride(image) })
    const before = changing('example/cart:2')
    const run = { run: shortRun(runHash(before)), revision: 'a', path: 'Forward', stepIndex: 7, since: START_TIME }
    const promotion = { mode: 'Export' as const, written: { ...WRITTEN, generation: 1 } }
    const status = { strategy: run as StrategyRunStatus, promotion }
    const messagesWith = (image: string) => {
      const facts = someFacts({ experiment: { ...changing('example/cart:3'), status }, source: aSource(10, image) })
      return editErrors(facts, { ...before, status }).map(({ message }) => message)
    }
    const promoted = 'cannot be changed while service/cart sends only to the fork; wait until it is over'
    expect(messagesWith('example/cart:2')).to.deep.equal([promoted])
    expect(messagesWith('example/cart:1')).to.deep.equal([refused])
  })

  it('is not refused of a new experiment', () =>
    expect(editErrors(someFacts({ experiment: EXPERIMENT }), undefined)).to.deep.equal([]))
})

describe('an edit of a canary', () => {
  const before = aRunExperiment()
  const edited = aRunExperiment({ overrideSpec: imageOverride('example/cart:3') })
  const PROMOTES = 5

  interface At extends Omit<StoredOf, 'promotion'> {
    readonly promotion?: Partial<PromotionStatus>
    /** of the source now; the override wants example/cart:2 */
    readonly image?: string
  }

  /** Steps: 0 and 2 weights, 4 await, 5 promote, 6 drain. */
  const errorsAt = ({ stepIndex = PROMOTES, path = 'Forward', promotion, image }: At, to = edited) => {
    const run = { run: shortRun(runHash(before)), revision: 'a', path, stepIndex, since: START_TIME }
    const stored = promotion ? { promotion: { mode: 'Manual' as const, ...promotion } } : {}
    const status = { strategy: run as StrategyRunStatus, ...stored }
    const facts = someFacts({ experiment: { ...to, status }, source: aSource(10, image) })
    return editErrors(facts, { ...before, status }).map(({ field, message }) => `${field}: ${message}`)
  }
  const refused = 'spec.overrideSpec: cannot be changed while deployment/cart is promoted; '

  it('begins a new run while nothing is written', () => {
    for (const stepIndex of [0, 2, 4, PROMOTES]) expect(errorsAt({ stepIndex }), String(stepIndex)).to.deep.equal([])
  })

  it('is refused from the record of the former values on, until the run is over', () => {
    const record = { record: RECORD }
    for (const promotion of [record, { ...record, written: WRITTEN }])
      for (const stepIndex of [PROMOTES, 6])
        expect(errorsAt({ stepIndex, promotion })).to.deep.equal([
          `${refused}give the command undo, or wait until it is over`,
        ])
    expect(errorsAt({ stepIndex: 7, promotion: { ...record, written: WRITTEN } })).to.deep.equal([])
  })

  it('N11: is refused while the source is restored, with the command that ends that, and not any more when it is', () => {
    const restored =
      'spec.overrideSpec: cannot be changed while deployment/cart is restored; give the command abort, or wait until it is over'
    const promotion = { record: RECORD }
    expect(errorsAt({ stepIndex: 0, path: 'Undo', promotion })).to.deep.equal([restored])
    expect(errorsAt({ stepIndex: 1, path: 'Undo', promotion })).to.deep.equal([])
  })

  it('is refused while the source has the change by other hands, and not once they have taken it back', () => {
    const at = { promotion: { written: WRITTEN } }
    expect(errorsAt({ ...at, image: 'example/cart:2' })).to.deep.equal([`${refused}wait until it is over`])
    expect(errorsAt({ ...at, image: 'example/cart:1' })).to.deep.equal([])
  })

  it('may neither add nor take away an analysis on which its steps depend', () => {
    const automatic = { promotion: { mode: 'Automatic' as const } }
    const [without, analysed] = [aRunExperiment(automatic), aRunExperiment({ ...automatic, analysis: {} })]
    const otherwise = aRunExperiment({ ...automatic, analysis: { maxSeconds: 600 } })
    expect(runHash(without)).to.not.equal(runHash(analysed))
    expect(runHash(otherwise)).to.equal(runHash(analysed))
    const of = (from: typeof without, to: typeof without) => {
      const run = {
        run: shortRun(runHash(from)),
        revision: 'a',
        path: 'Forward',
        stepIndex: PROMOTES,
        since: START_TIME,
      }
      const status = { strategy: run as StrategyRunStatus, promotion: { mode: 'Automatic' as const, record: RECORD } }
      const facts = someFacts({ experiment: { ...to, status }, source: aSource(10) })
      return editErrors(facts, { ...from, status }).map(({ field }) => field)
    }
    expect([of(without, analysed), of(analysed, without)]).to.deep.equal([['spec.analysis'], ['spec.analysis']])
    expect(of(analysed, otherwise)).to.deep.equal([])
  })

  it('may change what begins no new run', () =>
    expect(errorsAt({ promotion: { record: RECORD } }, aRunExperiment({ ttlSeconds: 90, replicas: 3 }))).to.be.empty)
})
