import { expect } from 'chai'
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

function world() {
  const time = new VirtualTime()
  const diary: string[] = []
  const randoms = [0.25, 0.5, 0.75]
  const all = new AllExperiments({
    experiments: { list: () => ALL, get: (key) => ALL.find((each) => keyOf(each) === key) },
    queue: {
      add: (key) => diary.push(`add ${key}`),
      addAfter: (key, delayMs) => diary.push(`add ${key} in ${delayMs / 60_000} min`),
    },
    timers: time,
    random: () => randoms.shift() ?? 0,
  })
  return { time, diary, all }
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

  it('get a pass every hour, spread over the hour', async () => {
    const { all, diary, time } = world()
    all.startResync()
    expect(diary.splice(0)).to.deep.equal([
      'add shop/faster-cart in 15 min',
      'add lab/far in 30 min',
      'add shop/old in 45 min',
    ])
    await time.pass(3_599_999)
    expect(diary).to.deep.equal([])
    await time.pass(1)
    expect(diary).to.have.length(3)
  })

  it('get no more passes after the resync is stopped', async () => {
    const { all, diary, time } = world()
    all.startResync()
    diary.length = 0
    all.stopResync()
    await time.pass(7_200_000)
    expect([diary, time.pending]).to.deep.equal([[], 0])
  })

  it('need no resync to stop', () => expect(() => world().all.stopResync()).not.to.throw())
})
