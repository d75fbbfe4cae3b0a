import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { anExperiment } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { FORK, type Given, RUNNING, START, swept, withoutPods, world } from '../swept.ts'

const HERS = 'example.com/hers'
const isOf = (of: KubeObject, metadata: object): KubeObject => ({ ...of, metadata: { ...of.metadata, ...metadata } })
const dying = (of: KubeObject, metadata: object = {}) =>
  isOf(of, { deletionTimestamp: START.toISOString(), finalizers: [HERS], resourceVersion: '7', ...metadata })

/** In the namespace of its experiment, so garbage collection deletes it. */
const OWNED = theFork({ experiment: anExperiment() })
const HELD = dying(OWNED)
const { ownerReferences: _owner, labels: _labels, ...bare } = HELD.metadata
const STRIPPED: KubeObject = { ...HELD, metadata: bare }
const REMOVED = `patch fork ${OWNED.metadata.name}`
const { [EXPERIMENT_ID]: _id, ...otherLabels } = HELD.metadata.labels ?? {}

/** The writes within `seconds` of sweeps. */
async function writesIn(seconds: number, given: Given): Promise<readonly string[]> {
  const { orphans, diary, timers } = world(given)
  orphans.start()
  await timers.pass(seconds * 1_000)
  await orphans.stop()
  return diary.filter((line) => /^(patch|delete)/.test(line))
}

describe('a fork without an experiment that has pods', () => {
  it('N36: first loses them, and is deleted when it has none', async () => {
    const forks = [RUNNING]
    const name = RUNNING.metadata.name
    const beforeWrite = () => void forks.splice(0, 1, withoutPods(RUNNING))
    expect(await writesIn(31, { forks, beforeWrite })).to.deep.equal([`patch fork ${name}`, `delete fork ${name}`])
  })

  it('N36: is deleted after a minute if they stay', async () => {
    const writes = await writesIn(61, {})
    expect(writes.at(-1)).to.equal(`delete fork ${FORK.metadata.name}`)
    expect((await writesIn(59, { fork: RUNNING })).filter((line) => line.startsWith('delete'))).to.deep.equal([])
    expect((await writesIn(61, { fork: RUNNING })).at(-1)).to.equal(`delete fork ${FORK.metadata.name}`)
  })
})

describe('a fork that a finalizer of others keeps after its experiment', () => {
  it('N36: loses it a minute after its deletion, counts, and is told', async () => {
    const { orphans, diary, notes, timers } = world({ fork: HELD })
    orphans.start()
    await timers.pass(59_000)
    expect(diary).to.not.include(REMOVED)
    expect([orphans.count, notes[0]]).to.deep.equal([
      1,
      `its experiment is gone; deployment/${OWNED.metadata.name} is being deleted, and the finalizer ${HERS} keeps it; ` +
        'the controller removes that after a minute',
    ])
    await timers.pass(1_000)
    expect(diary).to.include.members([REMOVED, 'event HeldByFinalizer Deployment'])
    await orphans.stop()
  })

  const kept: Record<string, Given> = {
    'it has no finalizer of others': { fork: dying(OWNED, { finalizers: ['foregroundDeletion'] }) },
    'its experiment is in the cache': { fork: HELD, cached: anExperiment() },
    'the API server has its experiment': { fork: HELD, live: async () => anExperiment() },
    'its namespace is not served': { fork: HELD, isServed: () => false },
    'another controller owns it': {
      fork: dying(OWNED, {
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'a', controller: true }],
      }),
    },
    'its name has another id': { fork: dying(OWNED, { name: 'cart-experiment-0123456789' }) },
    'its selector is another one': { fork: { ...HELD, spec: { selector: { matchLabels: { app: 'cart' } } } } },
    'it is not being deleted': { fork: isOf(OWNED, { finalizers: [HERS] }) },
    'the API server does not have it any more': { fork: HELD, liveFork: () => undefined },
  }
  for (const [sentence, given] of Object.entries(kept))
    it(`N36: keeps it where ${sentence}`, async () => expect(await writesIn(120, given)).to.deep.equal([]))

  const lost: Record<string, Given> = {
    'its owner reference': { fork: dying(OWNED, { ownerReferences: [] }) },
    'all marks, and so its place in the cache of forks': {
      forks: [],
      fork: STRIPPED,
      others: [{ ...STRIPPED, spec: undefined }],
    },
    'the label of forks': {
      forks: [],
      fork: dying(OWNED, { labels: otherLabels }),
      others: [dying(OWNED, { labels: otherLabels })],
    },
  }
  for (const [sentence, given] of Object.entries(lost))
    it(`N36: loses it also where she took away ${sentence}`, async () =>
      expect(await writesIn(61, given)).to.include(REMOVED))

  it('N36: is not looked at while only a name among other workloads looks like a fork', async () => {
    const other = isOf(OWNED, { labels: {} })
    expect(await swept({ forks: [], others: [other] })).to.deep.equal([])
  })
})
