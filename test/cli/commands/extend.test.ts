import { expect } from 'chai'
import { aPlugin, FASTER_CART } from '../a-plugin.ts'
import { aCondition, aSteered } from '../some-experiments.ts'

describe('extend', () => {
  it('lets an experiment end so long from now', async () => {
    const { run, cluster } = aPlugin()
    expect(await run('extend', 'faster-cart', '2h')).to.deep.equal({
      code: 0,
      out: 'faster-cart: ends at 2026-11-28T16:24:00Z, 2h from now\n',
      err: '',
    })
    // created 25 minutes ago
    expect(cluster.at(FASTER_CART)?.spec).to.deep.include({ ttlSeconds: 25 * 60 + 7_200 })
  })

  it('says that a run which has ended must begin again', async () => {
    const aborted = aSteered({
      conditions: [aCondition('Ready', 'False', 'Aborted')],
      run: { path: 'Abort', phase: 'Aborted', stepIndex: 1 },
    })
    const { run } = aPlugin({ objects: { [FASTER_CART]: aborted } })
    expect((await run('extend', 'faster-cart', '2h')).out).to.contain(
      'Its run has ended. To begin it again: kubectl experiment retry faster-cart --namespace=shop\n',
    )
  })

  it('refuses a number without a unit, and sends nothing', async () => {
    const { run, cluster } = aPlugin()
    expect((await run('extend', 'faster-cart', '5')).code).to.equal(2)
    expect(cluster.requests).to.deep.equal([])
  })
})
