import { expect } from 'chai'
import { CR_NAME, OWNER_NAMESPACE, OWNER_UID, SCALED } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { sizeLabel } from '../../../common/scaling/record.ts'
import { aDeployment, anExperiment, UID } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'
import { EXPERIMENT, FORK, type Given, LOOKED, RUNNING, START, swept, world } from '../swept.ts'

const LOOKED_AT_BASE = `get stock/controllerrevisions/${FORK.metadata.name}`
const LOOKED_AT_RECORD = `${LOOKED_AT_BASE}-promotion`
const labelled = (labels: object): KubeObject => ({
  ...FORK,
  metadata: { ...FORK.metadata, labels: { ...FORK.metadata.labels, ...labels } },
})

describe('a fork in another namespace', () => {
  it('S7: is deleted when its experiment is gone, and an Event in its namespace says so', async () => {
    const { orphans, diary } = world()
    await orphans.sweep()
    const deleted = `delete fork ${FORK.metadata.name}`
    expect(diary).to.deep.equal([LOOKED, 'event Orphaned Deployment', LOOKED_AT_BASE, LOOKED_AT_RECORD, deleted])
    expect(orphans.count).to.equal(1)
  })

  it('is left alone if the namespace of its experiment may not be read', async () =>
    expect(await swept({ isServed: (namespace) => namespace !== 'shop' })).to.deep.equal([]))

  describe('for which a canary has made its source smaller', () => {
    const source = (uid: string, size: number, written: number, metadata = {}) =>
      aDeployment({
        metadata: {
          namespace: 'stock',
          labels: { [SCALED]: sizeLabel({ experiment: uid, size, written }) },
          ...metadata,
        },
      })
    const sweptBeside = (...sources: readonly KubeObject[]) =>
      swept({ fork: RUNNING, smallSources: (namespace) => (namespace === 'stock' ? sources : []) })
    const left = [LOOKED, 'event Orphaned Deployment']

    for (const written of [1, 5])
      it(`N52: keeps its pods while the label of the source says ${written} of 5 pods, and an Event says so`, async () => {
        const { orphans, diary, notes } = world({ fork: RUNNING, smallSources: () => [source(UID, 5, written)] })
        await orphans.sweep()
        expect(diary).to.deep.equal(left)
        expect(notes).to.deep.equal([
          'its experiment is gone; this fork stays until deployment/cart has its 5 pods again',
        ])
        expect(orphans.count).to.equal(1)
      })

    it('N52: keeps them while it is being deleted and a finalizer of others keeps it', async () => {
      const metadata = { ...RUNNING.metadata, deletionTimestamp: START.toISOString(), finalizers: ['example.com/hers'] }
      const fork = { ...RUNNING, metadata }
      const { orphans, diary, timers } = world({ fork, smallSources: () => [source(UID, 5, 1)] })
      orphans.start()
      await timers.pass(300_000)
      expect(diary.filter((line) => line.startsWith('patch'))).to.deep.equal([])
      await orphans.stop()
    })

    it('N52: loses them when the label is gone, or the source', async () => {
      expect(await sweptBeside()).to.include(`patch fork ${FORK.metadata.name}`)
      const going = source(UID, 5, 1, { deletionTimestamp: START.toISOString() })
      expect(await sweptBeside(going)).to.include(`patch fork ${FORK.metadata.name}`)
    })

    it('N52: loses them beside a source of another experiment, or with a label that is not ours', async () => {
      const rubbish = aDeployment({ labels: { [SCALED]: 'rubbish' } })
      expect(await sweptBeside(source('another', 5, 1), rubbish)).to.include(`patch fork ${FORK.metadata.name}`)
    })

    it('N52: loses them before it is deleted, however long it kept them', async () => {
      const sources = [source(UID, 5, 1)]
      const { orphans, diary, timers } = world({ fork: RUNNING, smallSources: () => sources })
      orphans.start()
      await timers.pass(299_000)
      sources.pop()
      diary.length = 0
      await timers.pass(31_000)
      expect(diary.filter((line) => line.startsWith('patch') || line.startsWith('delete'))).to.deep.equal([
        `patch fork ${FORK.metadata.name}`,
        `delete fork ${FORK.metadata.name}`,
      ])
      await orphans.stop()
    })
  })

  it('S: is deleted with its pinned base and the record of its promotion, but not with the revision of another owner', async () => {
    const { metadata } = FORK
    const revision = {
      ...FORK,
      kind: 'ControllerRevision',
      metadata: { name: metadata.name, labels: metadata.labels ?? {} },
    }
    const [base, record, fork] = ['base', 'record', 'fork'].map((role) => `delete ${role} ${metadata.name}`)
    const deleted = [LOOKED_AT_BASE, base, LOOKED_AT_RECORD, record, fork]
    expect((await swept({ revision })).slice(-5)).to.deep.equal(deleted)
    const others = { ...revision, metadata: { name: metadata.name, labels: { [OWNER_UID]: 'other' } } }
    expect((await swept({ revision: others })).slice(-3)).to.deep.equal([LOOKED_AT_BASE, LOOKED_AT_RECORD, fork])
  })

  it('S7: is deleted when another experiment has the name', async () => {
    const other = anExperiment({ metadata: { uid: 'other' } })
    expect(await swept({ cached: other, live: async () => other })).to.include(`delete fork ${FORK.metadata.name}`)
  })

  it('R2: is deleted although somebody has emptied its managed fields', async () => {
    const fork = { ...FORK, metadata: { ...FORK.metadata, managedFields: [] } }
    expect(await swept({ fork })).to.include(`delete fork ${FORK.metadata.name}`)
  })

  it('stays while its experiment is in the cache, and nothing is read', async () =>
    expect(await swept({ cached: EXPERIMENT })).to.deep.equal([]))

  for (const label of [CR_NAME, OWNER_NAMESPACE])
    it(`A35: stays while its experiment is in the cache, although somebody has changed its label ${label}`, async () =>
      expect(await swept({ cached: EXPERIMENT, fork: labelled({ [label]: 'another' }) })).to.deep.equal([]))

  const kept: Record<string, Given> = {
    'the API server still has its experiment': { live: async () => EXPERIMENT },
    'the API server does not answer': {
      live: () => Promise.reject(new KubeError({ kind: 'unreachable', message: 'refused' })),
    },
    'the API server does not know the kind now': {
      live: () => Promise.reject(new KubeError({ kind: 'kindAbsent', message: 'no such kind', status: 404 })),
    },
  }
  for (const [sentence, given] of Object.entries(kept))
    it(`stays where ${sentence}`, async () => expect(await swept(given)).to.deep.equal([LOOKED]))

  const foreign: Record<string, KubeObject> = {
    'has another selector': { ...FORK, spec: { selector: { matchLabels: { app: 'cart' } } } },
    'has a name that is not of the selector': { ...FORK, metadata: { ...FORK.metadata, name: 'cart-experiment-1' } },
    'has the labels of another owner': labelled({ [OWNER_UID]: `${UID}0` }),
    'is in the namespace of its experiment': theFork({ experiment: anExperiment() }),
    'is being deleted': { ...FORK, metadata: { ...FORK.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } },
  }
  for (const [sentence, fork] of Object.entries(foreign))
    it(`is left alone if it ${sentence}`, async () => expect(await swept({ fork })).to.deep.equal([]))

  it('is not looked at after the stop of a sweep that runs', async () => {
    const answer = Promise.withResolvers<unknown>()
    const { orphans, diary, timers } = world({ live: () => answer.promise, forks: [FORK, FORK] })
    orphans.start()
    const stopped = orphans.stop()
    answer.resolve(EXPERIMENT)
    await stopped
    await timers.pass(60_000)
    expect([diary, timers.pending]).to.deep.equal([[LOOKED], 0])
  })

  it('is looked at every 30 s until the controller stops', async () => {
    const { orphans, diary, timers } = world({ live: async () => EXPERIMENT })
    orphans.start()
    await timers.pass(29_999)
    expect(diary).to.have.length(1)
    await timers.pass(1)
    expect(diary).to.have.length(2)
    await orphans.stop()
    await timers.pass(60_000)
    expect(diary).to.have.length(2)
    expect(timers.pending).to.equal(0)
  })

  describe('while a fault lasts', () => {
    const UNREACHABLE = new KubeError({ kind: 'unreachable', message: 'refused' })
    /** The seconds of each look in `forMs`. */
    async function looksIn({ diary, timers }: ReturnType<typeof world>, forMs: number): Promise<readonly number[]> {
      const seconds: number[] = []
      for (let restMs = forMs; restMs > 0; restMs -= 1_000) {
        await timers.pass(restMs === forMs ? 0 : 1_000)
        for (const line of diary.splice(0)) if (line === LOOKED) seconds.push(timers.now() / 1_000)
      }
      return seconds
    }

    it('O6: is looked at once a minute, and its 1st, 2nd, 4th and 8th failure in a row is logged', async () => {
      const { orphans, ...of } = world({ live: () => Promise.reject(UNREACHABLE) })
      orphans.start()
      expect(await looksIn({ orphans, ...of }, 480_000)).to.deep.equal([0, 30, 90, 150, 210, 270, 330, 390, 450])
      expect(of.log.lines.map(({ text, facts }) => [text, facts.failures])).to.deep.equal(
        [1, 2, 4, 8].map((failures) => ['warn an orphaned fork is looked at again', failures]),
      )
      await orphans.stop()
    })

    it('is looked at every 30 s again after a success', async () => {
      let isDown = true
      const live = () => (isDown ? Promise.reject(UNREACHABLE) : Promise.resolve(EXPERIMENT))
      const { orphans, ...of } = world({ live })
      orphans.start()
      expect(await looksIn({ orphans, ...of }, 151_000)).to.deep.equal([0, 30, 90, 150])
      isDown = false
      expect(await looksIn({ orphans, ...of }, 121_000)).to.deep.equal([210, 240, 270])
      isDown = true
      await of.timers.pass(30_000)
      expect(of.log.lines.map(({ facts }) => facts.failures)).to.deep.equal([1, 2, 4, 1])
      await orphans.stop()
    })

    it('waits for one timeout in another namespace, whose other forks are left to the next sweep', async () => {
      const forkIn = (namespace: string, uid: string) => ({
        ...FORK,
        metadata: { ...FORK.metadata, namespace, uid },
      })
      const deletes: string[] = []
      const { orphans, timers } = world({
        forks: [forkIn('hangs', 'a'), forkIn('hangs', 'b'), forkIn('hangs', 'c'), forkIn('stock', 'd')],
        beforeWrite: async (write) => {
          const of = 'of' in write ? write.of : undefined
          deletes.push(`${of?.metadata.uid} ${timers.now() / 1_000}`)
          if (of?.metadata.namespace !== 'hangs') return
          await new Promise<void>((resolve) => void timers.after(30_000, resolve))
          throw new KubeError({ kind: 'timeout', message: 'timed out after 30000 ms' })
        },
      })
      orphans.start()
      await timers.pass(100_000)
      expect(deletes).to.deep.equal(['a 0', 'd 30', 'b 60', 'd 90'])
      await orphans.stop()
    })

    it('counts as an orphan while its deletion waits, which is logged once, and no longer when it is gone', async () => {
      const forks = [FORK]
      const { orphans, diary, timers, log } = world({
        forks,
        beforeWrite: () => {
          throw new KubeError({ kind: 'forbidden', message: 'a policy denies it', status: 403 })
        },
      })
      orphans.start()
      for (let sweep = 0; sweep < 10; sweep += 1) {
        await timers.pass(sweep === 0 ? 0 : 30_000)
        expect(orphans.count, `sweep ${sweep}`).to.equal(1)
      }
      expect(diary.filter((line) => line === `delete fork ${FORK.metadata.name}`)).to.have.length(6)
      const deleting = log.lines.filter(({ text }) => text === 'warn a fork is orphaned')
      expect(deleting).to.have.length(1)
      forks.pop()
      await timers.pass(30_000)
      expect([orphans.count, orphans.entryCount]).to.deep.equal([0, 0])
      await orphans.stop()
    })
  })
})
