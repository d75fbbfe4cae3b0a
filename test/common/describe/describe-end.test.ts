import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { type Given, someFacts, theFork } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, START } from '../plan/some-run.ts'
import { described, describedFacts } from './described.ts'

const TILL = { kind: 'Deployment', name: 'cart', namespace: 'till' }

describe('the description of the end', () => {
  const created = (creationTimestamp: string, ttlSeconds: number) =>
    anExperiment({ ttlSeconds, metadata: { creationTimestamp } })
  const endOf = (experiment: Given['experiment'], now: string, of: Given = {}) =>
    described({ ...of, ...(experiment ? { experiment } : {}), now: new Date(now) }).filter((line) =>
      /removed|expired|deletes/.test(line),
    )
  const NOON = '2026-11-21T12:00:00Z'

  it('does not exist without ttlSeconds', () => expect(endOf(anExperiment(), NOON)).to.deep.equal([]))

  it('is ttlSeconds after the creation', () =>
    expect(endOf(created('2026-11-21T11:00:00Z', 5_400), NOON)).to.deep.equal([
      '[Plan] removed 2026-11-21T12:30Z (in 30m)',
    ]))

  it('is as far away as the author asked for, although a create takes a moment', () =>
    expect(endOf(created(NOON, 7_200), '2026-11-21T12:00:00.900Z')).to.deep.equal([
      '[Plan] removed 2026-11-21T14:00Z (in 2h)',
    ]))

  it('is past at the very second, and not one before', () => {
    const expired = '[Plan] expired 1h after creation (2026-11-21T12:00Z); raise spec.ttlSeconds to run it again'
    expect(endOf(created('2026-11-21T11:00:00Z', 3_600), NOON)).to.deep.equal([expired])
    expect(endOf(created('2026-11-21T11:00:00Z', 3_601), NOON)[0]).to.match(/^\[Plan\] removed 2026-11-21T12:00Z/)
  })

  it('deletes the fork', () => {
    const experiment = created('2026-11-21T11:00:00Z', 60)
    expect(described({ experiment, fork: theFork(), now: new Date(NOON) })).to.deep.equal([
      `[Plan] scales deployment/${FORK} down to 0 pods`,
      '[Plan] expired 1m after creation (2026-11-21T11:01Z); raise spec.ttlSeconds to run it again',
    ])
  })

  it('comes after the end of a promotion that has written the source', () => {
    const metadata = { creationTimestamp: START.toISOString() }
    const run = aRun(aRunExperiment({ metadata, ttlSeconds: 10, strategy: undefined, promotion: {} }))
    run.rest()
    run.world.source = aSource(10, 'example/cart:2')
    run.rest()
    run.wait(11)
    const lines = describedFacts(run.facts())
    expect(lines.filter((line) => /expired|deletes|retry/.test(line))).to.deep.equal([])
    expect(lines).to.include('[Plan] removed when its promotion is over')
  })

  it('comes with a deletion: first the fork goes, then the finalizer', () => {
    const finalizers = ['experiment-controller.example.com/fork']
    const metadata = { deletionTimestamp: '2026-11-21T09:00:00Z', finalizers }
    const experiment = anExperiment({ sourceRef: TILL, metadata })
    const fork = theFork({ experiment: anExperiment({ sourceRef: TILL }) })
    expect(described({ experiment, fork })).to.deep.equal([`[Plan] scales deployment/${FORK} down to 0 pods`])
    expect(described({ experiment })).to.deep.equal(['[Plan] removes the finalizer of expd/faster-cart'])
    expect(describedFacts({ ...someFacts({ experiment }), kind: unknown('odd') })).to.deep.equal([])
    expect(describedFacts({ ...someFacts({ experiment }), fork: known(fork), schema: unknown('odd') })).to.deep.equal([
      `[Plan] scales deployment/${FORK} down to 0 pods`,
    ])
  })
})
