import { expect } from 'chai'
import type { ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, forkOf, hasEndpoints, usesProduct } from './product.ts'
import { comesToRest } from './quiet.ts'

/** What somebody writes into a status: new fields, an item of a list, and another value of a field of ours. */
const FORGERIES: Readonly<Record<string, (of: ExperimentDeploymentStatus) => object>> = {
  'a field': () => ({ expiresAt: '2020-01-01T00:00:00Z', aloneSince: '2020-01-01T00:00:00Z' }),
  'a condition': ({ conditions = [] }) => ({
    conditions: [
      ...conditions,
      {
        type: 'Valid',
        status: 'True',
        reason: 'Approved',
        message: '',
        observedGeneration: 1,
        lastTransitionTime: '2020-01-01T00:00:00Z',
      },
    ],
  }),
  'another value': () => ({ share: '99%', readyReplicas: 7 }),
  'a field of a list': ({ source }) => ({ source: { ...source, base: 'Stable', revision: '77' } }),
}

describe('R6: the status of an experiment that another client writes, on the real control plane', () => {
  const place = usesProduct()
  const statusPath = () => `${place().path('experiments', 'honest')}/status`
  const status = async () => (await place().experimentAt('honest')).status ?? {}

  before('there is an experiment whose status does not change any more', async () => {
    await aSource(place(), 'cart')
    await place().experiment('honest', { source: 'cart' })
    await place().reaches('honest', 'Available')
    await hasEndpoints(place(), 'cart', 2)
    await place().shows('honest', 'its share, and the revision', (of) => of.status?.share === '50%')
    await comesToRest(place().namespace, 6_000, 2 * DEADLINE_MS)
  })

  for (const [what, forgery] of Object.entries(FORGERIES))
    it(`R6: loses ${what}`, async () => {
      const before = await status()
      await place().api.patch(statusPath(), { status: forgery(before) })
      await eventually('the status to be as before', DEADLINE_MS, async () =>
        expect(await status()).to.deep.equal(before),
      )
    })

  it('R6: is written at the pace of repairs, and the fork is left as it is', async () => {
    const before = await status()
    const fork = await place().deployment(forkOf(await place().experimentAt('honest')))
    const start = performance.now()
    let corrections = 0
    await eventually(
      'ten seconds to pass',
      DEADLINE_MS,
      async () => {
        if ((await status()).expiresAt === undefined) {
          corrections += 1
          await place().api.patch(statusPath(), { status: { expiresAt: '2020-01-01T00:00:00Z' } })
        }
        if (performance.now() - start < 10_000) throw new Error('not yet')
      },
      { pauseMs: 10 },
    )
    expect(corrections).to.be.within(1, 8)
    const { metadata } = await place().deployment(fork.metadata.name)
    expect([metadata.uid, metadata.generation]).to.deep.equal([fork.metadata.uid, fork.metadata.generation])
    await eventually('the status to be as before', 2 * DEADLINE_MS, async () =>
      expect(await status()).to.deep.equal(before),
    )
  }).timeout(4 * DEADLINE_MS)

  it('is written when its lists are empty again', async () => {
    await place().api.patch(place().path('experiments', 'honest'), { spec: { ttlSeconds: 1 } })
    await place().reaches('honest', 'Expired')
    // its fork loses its pods first
    await place().shows('honest', 'no Services', ({ status: after }) => after !== undefined && !('services' in after))
    await place().api.patch(place().path('experiments', 'honest'), { spec: { ttlSeconds: 86_400 } })
    const { status: again } = await place().reaches('honest', 'Available')
    expect(again?.services).to.have.lengthOf(1)
    await place().api.patch(place().path('experiments', 'honest'), { spec: { ttlSeconds: 1 } })
    await place().reaches('honest', 'Expired')
  })
})
