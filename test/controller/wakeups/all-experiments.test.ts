import { expect } from 'chai'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { keyOf } from '../../../controller/runtime/queue.ts'
import { AllExperiments } from '../../../controller/wakeups/all-experiments.ts'
import { anExperiment } from '../../builders.ts'
import { VirtualTime } from '../../virtual-time.ts'

const NEAR = anExperiment()
const FAR = anExperiment({
  metadata: { name: 'far', namespace: 'lab' },
  sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' },
})
const DELETED = anExperiment({ metadata: { name: 'old', deletionTimestamp: '2026-11-21T10:00:00Z' } })
const ALL = [NEAR, FAR, DELETED]

const HOUR_MS = 3_600_000

function world(experiments: readonly ExperimentDeployment[] = ALL) {
  const time = new VirtualTime()
  const diary: string[] = []
  const woken: { readonly key: string; readonly atMs: number }[] = []
  const all = new AllExperiments({
    experiments: { list: () => experiments, get: (key) => experiments.find((each) => keyOf(each) === key) },
    queue: {
      add: (key) => {
        diary.push(`add ${key}`)
        woken.push({ key, atMs: time.now() })
      },
    },
    timers: time,
  })
  return { time, diary, woken, all }
}

describe('all experiments', () => {
  it('are woken together', () => {
    const { all, diary } = world()
    all.wake()
    expect(diary).to.deep.equal(['add shop/faster-cart', 'add lab/far', 'add shop/old'])
  })

  for (const [namespace, keys] of Object.entries({
    shop: ['add shop/faster-cart', 'add shop/old'],
    lab: ['add lab/far'],
    store: ['add lab/far'],
    other: [],
  }))
    it(`are woken by namespace, theirs or that of their source: ${namespace}`, () => {
      const { all, diary } = world()
      all.wake(namespace)
      expect(diary).to.deep.equal(keys)
    })

  it('are active unless they are being deleted', () => {
    const { all } = world()
    expect(all.activeKeys).to.deep.equal(['shop/faster-cart', 'lab/far'])
    const keys = ['shop/faster-cart', 'lab/far', 'shop/old', 'shop/none']
    expect(keys.filter((key) => all.isActive(key))).to.deep.equal(all.activeKeys)
  })

  it('get a pass every hour, each an hour after its last one', async () => {
    const { all, woken, time } = world()
    all.startResync()
    await time.pass(3 * HOUR_MS)
    for (const key of ALL.map(keyOf)) {
      const [first = Number.NaN, ...others] = woken.filter((each) => each.key === key).map(({ atMs }) => atMs)
      expect(first).to.be.within(1, HOUR_MS)
      expect(others).to.deep.equal([first + HOUR_MS, first + 2 * HOUR_MS])
    }
  })

  it('get such a pass within an hour, also if they are added later', async () => {
    const experiments: ExperimentDeployment[] = []
    const { all, woken, time } = world(experiments)
    all.startResync()
    for (let minutes = 0; minutes < 60; minutes += 1) {
      experiments.push(anExperiment({ metadata: { name: `added-${minutes}` } }))
      await time.pass(60_000)
    }
    await time.pass(HOUR_MS)
    const firstMs = new Map(woken.toReversed().map(({ key, atMs }) => [key, atMs]))
    expect(firstMs.size).to.equal(60)
    for (const [key, atMs] of firstMs) expect(atMs - 60_000 * Number(key.split('-')[1]), key).to.be.within(0, HOUR_MS)
  })

  it('get these passes spread over the hour', async () => {
    const many = Array.from({ length: 1_000 }, (_, number) => anExperiment({ metadata: { name: `cart-${number}` } }))
    const { all, woken, time } = world(many)
    all.startResync()
    await time.pass(HOUR_MS)
    expect(woken).to.have.length(1_000)
    const atOnce = Object.values(Object.groupBy(woken, ({ atMs }) => atMs)).map((each) => each?.length ?? 0)
    expect(atOnce).to.have.length(60)
    expect(Math.max(...atOnce), 'an even share is 17').to.be.below(34)
  })

  it('get no more passes after the resync is stopped', async () => {
    const { all, diary, time } = world()
    all.startResync()
    all.stopResync()
    await time.pass(2 * HOUR_MS)
    expect([diary, time.pending]).to.deep.equal([[], 0])
  })

  it('need no resync to stop', () => expect(() => world().all.stopResync()).not.to.throw())
})
