import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import { EXPERIMENT_ID, FORK_FINALIZER } from '../../../common/api/names.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { installing, NO_POLICIES } from '../../builders.ts'
import { plan } from '../of-facts.ts'
import { serving } from '../plan/simulated-pods.ts'
import { aService, trafficOf } from '../plan/simulated-services.ts'
import { type RunWorld, START } from '../plan/some-run.ts'
import { aBlueGreen, aCutOver, ID, once, pinsOf, told } from './blue-greens.ts'

/** Deletes the experiment. That may be long ago when the controller sees it. */
function deleted(run: RunWorld, deletionTimestamp = START.toISOString()): RunWorld {
  const { experiment } = run.world
  const metadata = { ...experiment.metadata, deletionTimestamp, finalizers: [FORK_FINALIZER] }
  run.world.experiment = { ...experiment, metadata }
  return run
}

const KEPT = `service/cart sends only to its fork; remove ${EXPERIMENT_ID} from its selector`

/** What a controller knows that may not write Services. */
const NO_CUT_OVER = { cutOver: undefined, installed: installing('promotion', 'gate') }
const withoutComponent = (run: RunWorld) => ({ ...run.facts(), ...NO_CUT_OVER })

describe('a deletion of a blue-green whose Service sends only to the fork', () => {
  it('returns the Services, and waits up to a minute until their slices follow, however long ago it was', () => {
    const run = deleted(aCutOver(), '2026-11-20T00:00:00Z')
    const { traffic } = run.facts().surroundings
    if (traffic.is !== 'known') throw new Error('it is known')
    run.world.traffic = traffic.value
    expect(told(run.pass().writes)).to.deep.equal(['patch service cart', 'patch service cart-preview'])
    expect(pinsOf(run)).to.deep.equal(['shared', 'shared'])
    const { services } = traffic.value
    run.world.traffic = { ...traffic.value, services: services.map((of) => ({ ...of, selector: { app: 'cart' } })) }
    expect(told(run.pass().writes)).to.deep.equal([])
    run.world.lostPins = { ...run.world.lostPins, unchangedMs: 60_000 }
    expect(told(run.pass().writes)).to.deep.equal(['patch fork'])
  })

  it('deletes nothing where the controller may not return it, and says what to do', () => {
    const run = deleted(aCutOver(), '2026-11-20T00:00:00Z')
    const { writes, conclusion } = plan(withoutComponent(run))
    expect(told(writes)).to.deep.equal([])
    expect(conclusion).to.include({ is: 'waiting', reason: 'Terminating', message: KEPT })
    run.world.fork = undefined
    expect(told(plan(withoutComponent(run)).writes)).to.deep.equal([])
  })

  it('names publishNotReadyAddresses of a preview, too', () => {
    const run = aBlueGreen()
    run.rest()
    expect(plan(withoutComponent(deleted(run))).conclusion.message).to.equal(
      `service/cart-preview sends only to its fork; remove ${EXPERIMENT_ID} from its selector, ` +
        'and publishNotReadyAddresses unless you set it',
    )
  })

  it('is done where somebody else has returned it', () => {
    const run = deleted(aCutOver())
    run.world.services = { ...run.world.services, active: undefined, preview: undefined }
    expect(told(plan(withoutComponent(run)).writes)).to.deep.equal(['patch fork'])
  })
})

describe('an abort of a blue-green whose Service sends only to the fork', () => {
  /** What a controller knows without consent, if it cannot read the Services. */
  const WITHOUT_CONSENT = {
    source: unknown('its namespace does not share it'),
    promotion: undefined,
    cutOver: { services: unknown('not read') },
    policies: known({ ...NO_POLICIES, isShared: false }),
  }

  for (const [title, but] of Object.entries({
    'shuts no pod where the controller may not return the Service': NO_CUT_OVER,
    'shuts no pod without consent, if the Services were not read': WITHOUT_CONSENT,
  }))
    it(title, () => {
      const run = aCutOver()
      run.say('abort')
      expect(told(run.rest(40, but))).to.deep.equal([])
      expect([run.step(), serving(run.world.pods)]).to.deep.equal(['0/4 Aborting', 10])
      run.world.services = { active: aService('cart'), preview: aService('cart-preview') }
      run.rest(40, but)
      expect([run.step(), serving(run.world.pods)]).to.deep.equal(['2/4 Aborted', 0])
    })

  it('shuts the pods where a user has made another Service for the fork alone', () => {
    const run = aCutOver()
    run.say('abort')
    const { services, slices } = trafficOf({ active: aService('cart') }, run.world)
    run.world.traffic = { services: [...services, { name: 'debug', selector: { [EXPERIMENT_ID]: ID } }], slices }
    run.rest(40, NO_CUT_OVER)
    expect([run.step(), serving(run.world.pods)]).to.deep.equal(['2/4 Aborted', 0])
  })

  it('shuts no pod while the caches have no Services either', () => {
    const run = aCutOver()
    const { surroundings } = run.facts()
    run.say('abort')
    run.rest(40, { ...NO_CUT_OVER, surroundings: { ...surroundings, traffic: unknown('not read yet') } })
    expect(serving(run.world.pods)).to.equal(10)
  })

  it('returns the Service without consent, and only then shuts the pods', () => {
    const run = aCutOver()
    run.say('abort')
    const { cutOver: _read, ...but } = WITHOUT_CONSENT
    const order = ['patch service cart', 'patch service cart-preview', 'apply pod']
    expect(once(told(run.rest(40, but)))).to.deep.equal(order)
    expect([pinsOf(run)[0], serving(run.world.pods)]).to.deep.equal(['shared', 0])
  })
})

describe('the expiry of a blue-green whose Service sends only to the fork', () => {
  it('keeps the fork where the controller may not return it', () => {
    const run = aCutOver()
    const { experiment } = run.world
    const metadata = { ...experiment.metadata, creationTimestamp: '2026-11-20T00:00:00Z' }
    run.world.experiment = { ...experiment, spec: { ...experiment.spec, ttlSeconds: 60 }, metadata }
    run.say('abort')
    const first = plan(withoutComponent(run))
    expect([told(first.writes), first.conclusion.run?.run.path]).to.deep.equal([[], 'Abort'])
    const strategy = { ...run.strategy(), ...first.conclusion.run?.run }
    const status = { ...run.world.experiment.status, strategy } as ExperimentDeployment['status'] & object
    run.world.experiment = { ...run.world.experiment, status }
    const { writes, conclusion } = plan(withoutComponent(run))
    expect(told(writes)).to.deep.equal([])
    expect(conclusion.reason).to.equal('Expired')
    expect(conclusion.message).to.contain(`; ${KEPT}`)
  })
})
