import { expect } from 'chai'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'

const KEY = 'shop/faster-cart'

/** Caches that keep a diary, and that have seen everything unless `isLate`. */
function world({ isLate = false } = {}) {
  const diary: string[] = []
  const late = Promise.withResolvers<void>()
  const caughtUp = (cache: string) => (version: string) => {
    diary.push(`${cache} ${version}`)
    return isLate ? late.promise : Promise.resolve()
  }
  const signals: (AbortSignal | undefined)[] = []
  const written = new WrittenVersions({
    experiments: {
      caughtUp: (version, signal) => {
        signals.push(signal)
        return caughtUp('experiments')(version)
      },
    },
    pods: { caughtUp: caughtUp('pods') },
    runs: { caughtUp: caughtUp('runs') },
    forks: (kind) =>
      kind === 'Job'
        ? undefined
        : { caughtUp: caughtUp(kind), caughtUpDeletion: (key, uid) => caughtUp(kind)(`deleted ${key} ${uid}`) },
  })
  return { diary, late, signals, written }
}

describe('the versions that were written', () => {
  it('are awaited in the cache of each write', async () => {
    const { diary, written } = world()
    written.note(KEY, { is: 'experiment', version: '11' })
    written.note(KEY, { is: 'fork', kind: 'Deployment', version: '12' })
    written.note(KEY, { is: 'deletedFork', kind: 'StatefulSet', name: 'shop/cart-x', uid: 'u1' })
    written.note(KEY, { is: 'pod', version: '14' })
    written.note(KEY, { is: 'analysisRun', version: '15' })
    await written.caughtUp(KEY)
    expect(diary).to.deep.equal([
      ...['experiments 11', 'Deployment 12', 'StatefulSet deleted shop/cart-x u1', 'pods 14', 'runs 15'],
    ])
  })

  it('are all awaited when one object was written twice', async () => {
    const { diary, written } = world()
    written.note(KEY, { is: 'experiment', version: '11' })
    written.note(KEY, { is: 'experiment', version: '13' })
    await written.caughtUp(KEY)
    expect(diary).to.deep.equal(['experiments 11', 'experiments 13'])
  })

  it('are awaited once, and for their own key only', async () => {
    const { diary, written } = world()
    written.note(KEY, { is: 'experiment', version: '11' })
    await written.caughtUp('shop/other')
    expect(diary).to.deep.equal([])
    await written.caughtUp(KEY)
    await written.caughtUp(KEY)
    expect(diary).to.deep.equal(['experiments 11'])
  })

  it('hold the key back until the caches have them', async () => {
    const { late, written } = world({ isLate: true })
    written.note(KEY, { is: 'experiment', version: '11' })
    let isOver = false
    const waiting = written.caughtUp(KEY).then(() => {
      isOver = true
    })
    await Promise.resolve()
    expect(isOver).to.equal(false)
    late.resolve()
    await waiting
    expect(isOver).to.equal(true)
  })

  it('pass the signal on', async () => {
    const { signals, written } = world()
    const { signal } = new AbortController()
    written.note(KEY, { is: 'experiment', version: '11' })
    await written.caughtUp(KEY, signal)
    expect(signals).to.deep.equal([signal])
  })

  it('are not awaited for a kind that is not watched', async () => {
    const { diary, written } = world()
    written.note(KEY, { is: 'fork', kind: 'Job', version: '12' })
    await written.caughtUp(KEY)
    expect(diary).to.deep.equal([])
  })
})
