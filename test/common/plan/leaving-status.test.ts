import { expect } from 'chai'
import { waiting } from '../../../common/facts/decision.ts'
import type { Conclusion } from '../../../common/outcome/conclusion.ts'
import { leavingStatus } from '../../../common/plan/leaving-status.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'

const HERS = 'example.com/hers'
const DELETED = { deletionTimestamp: '2026-11-21T10:00:00Z', generation: 2 }
const CART = { name: 'cart', selector: { app: 'cart' } }
const READY: Given = {
  fork: theFork(),
  experiment: anExperiment({ status: leftAt(3) }),
  traffic: {
    services: [CART],
    slices: [{ service: 'cart', ready: [`${FORK}-1`, 'cart-1'].map((pod) => ({ address: pod, pod })) }],
  },
}
const before = someFacts(READY)
const status = statusOf(before, plan(before).conclusion)
const factsWith = (finalizers: readonly string[], fork: Given['fork'] = theFork()) =>
  someFacts({ fork, experiment: anExperiment({ status, metadata: { ...DELETED, finalizers } }) })
const leavingWith = (finalizers: readonly string[], conclusion: Partial<Conclusion> = {}) => {
  const facts = factsWith(finalizers)
  return leavingStatus(facts, {
    ...waiting('Terminating', 'it waits'),
    ...{ fork: theFork(), source: undefined },
    ...conclusion,
  } as Conclusion)
}
const ready = (found: typeof status | undefined) => found?.conditions?.find(({ type }) => type === 'Ready')

describe('leavingStatus', () => {
  it('N37f: says that the experiment is being deleted, and why it is still there', () => {
    expect(ready(status)).to.include({ status: 'True', reason: 'Available' })
    const found = leavingWith([HERS])
    const told = { status: 'False', reason: 'Terminating', message: 'it waits', observedGeneration: 2 }
    expect(ready(found)).to.include(told)
    expect([found?.pods, found?.replicas]).to.deep.equal([status.pods, 1])
  })

  it('N37f: drops what is not read any more, and keeps what became of the experiment', () => {
    expect([status.share, status.services?.length]).to.deep.equal(['50%', 1])
    const found = leavingWith([HERS], { fork: undefined })
    expect(found).to.not.have.any.keys('share', 'services', 'pods', 'warnings')
    expect(found?.conditions?.map(({ type }) => type)).to.deep.equal([
      'Ready',
      'Progressing',
      'SourceResolved',
      'PolicyCompliant',
    ])
    expect(found?.source).to.deep.equal(status.source)
  })

  it('N47: names the finalizer that keeps its fork', () => {
    const leaving = [{ uid: 'uid-of-fork', recheckMs: 1, held: 'it is kept' }]
    expect(leavingWith([HERS], { leaving })?.warnings).to.deep.equal([
      { reason: 'HeldByFinalizer', message: 'it is kept' },
    ])
  })

  it('N47: says what keeps an experiment whose fork is gone, and nothing where nothing does', () => {
    const gone = { is: 'unready', fork: undefined } as const
    expect(ready(leavingWith([HERS], gone))?.reason).to.equal('Terminating')
    expect(leavingWith([], gone)).to.equal(undefined)
    expect(leavingWith(['experiment-controller.example.com/fork', 'foregroundDeletion'], gone)).to.equal(undefined)
  })
})

describe('a wanted fork that somebody has deleted', () => {
  const dying = (finalizers: readonly string[]) => ({
    ...theFork(),
    metadata: { ...theFork().metadata, deletionTimestamp: '2026-11-21T10:00:00Z', generation: 4, finalizers },
    status: { observedGeneration: 4 },
  })
  const planned = (finalizers: readonly string[], now = '2026-11-21T10:00:30Z') =>
    plan(someFacts({ ...READY, fork: dying(finalizers), now: new Date(now) }))

  it('N47: is told to be on its way out, and is not written', () => {
    const { writes, conclusion } = planned(['foregroundDeletion'])
    expect(writes).to.deep.equal([])
    expect(conclusion).to.deep.include({ is: 'waiting', reason: 'Terminating' })
    expect(conclusion.message)
      .to.match(new RegExp(`^deployment/${FORK} is being deleted, and waits until its pods are gone; `))
      .and.to.match(/; it is created again then$/)
  })

  it('N47: is told with the finalizer that keeps it, which is removed after a minute', () => {
    expect(planned([HERS]).conclusion.message).to.contain(`and the finalizer ${HERS} keeps it`)
    expect(planned([HERS]).writes).to.deep.equal([])
    expect(planned([HERS], '2026-11-21T10:01:01Z').writes.map(({ verb, role }) => `${verb} ${role}`)).to.deep.equal([
      'patch fork',
    ])
  })
})
