import { expect } from 'chai'
import { GATE } from '../../common/api/names.ts'
import { crds } from '../../sandbox/installation.ts'
import { autoscaledIn, TARGET } from './autoscaled.ts'
import { usesOwnControlPlane } from './own-plane.ts'
import { POD_METRICS } from './pod-metrics.ts'

const SIZE = 4

describe('an HPA on a source, on the real control plane', () => {
  const plane = usesOwnControlPlane(async () => [...(await crds()), POD_METRICS])
  before('there is a namespace', () => plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } }))
  const { workload, open, autoscaler, settles } = autoscaledIn(() => plane().api, 'shop')

  it('beside 4 pods that are shut does not scale the source at 75% and 90%, and too little at 125%', async () => {
    await workload('held', 'source', SIZE)
    await workload('held', 'shut', SIZE, [GATE])
    await autoscaler('held')
    expect(await settles('held', SIZE * TARGET)).to.equal(SIZE)
    expect(await settles('held', SIZE * 75)).to.equal(SIZE)
    expect(await settles('held', SIZE * 90)).to.equal(SIZE)
    // The load needs 10 pods. At first an HPA may double the source, and then it is held back again.
    expect(await settles('held', SIZE * 125)).to.equal(2 * SIZE)
  })

  it('without such pods scales the source at 75%', async () => {
    await workload('free', 'source', SIZE)
    await autoscaler('free')
    expect(await settles('free', SIZE * TARGET)).to.equal(SIZE)
    expect(await settles('free', SIZE * 75)).to.equal(6)
  })

  for (const [from, size] of [
    ['below', 1],
    ['above', 8],
  ] as const)
    it(`beside 2 pods that are open gives the source what the whole load needs, from ${from}`, async () => {
      const app = `from-${from}`
      await workload(app, 'source', size)
      await workload(app, 'open', 2, [GATE])
      await open(app, 'open')
      await autoscaler(app)
      // 3.4 times the target: with 3 pods, or with 4, the average is further from it than an HPA tolerates
      expect(await settles(app, 170)).to.equal(4)
    })

  it('leaves the source as it is while the average over both sides is on target', async () => {
    await workload('even', 'source', 6)
    await workload('even', 'open', 2, [GATE])
    await open('even', 'open')
    await autoscaler('even')
    expect(await settles('even', 8 * TARGET)).to.equal(6)
  })
})
