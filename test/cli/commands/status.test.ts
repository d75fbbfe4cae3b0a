import { expect } from 'chai'
import { aPlugin, FASTER_CART } from '../a-plugin.ts'
import { aCondition, aSteered } from '../some-experiments.ts'

const notReady = aSteered({ conditions: [aCondition('Ready', 'False', 'PodsNotReady', '0 of 1 pods available')] })
const ready = aSteered({ status: { pods: '1/1', share: '8%' } })
const stalled = aSteered({
  conditions: [
    aCondition('Ready', 'False', 'ProgressDeadlineExceeded'),
    aCondition('Stalled', 'True', 'ProgressDeadlineExceeded', 'no image'),
  ],
})

/** The plugin while `faster-cart` becomes each of `experiments`, the next one as soon as a line is printed. */
function following(...experiments: readonly (ReturnType<typeof aSteered> | undefined)[]) {
  const plugin = aPlugin({ objects: { [FASTER_CART]: notReady }, io: {} })
  const next = [...experiments]
  const become = () => {
    if (plugin.cluster.openWatches === 0) setTimeout(become, 1)
    else
      for (const each of next)
        if (each) plugin.cluster.put(FASTER_CART, each)
        else plugin.cluster.remove(FASTER_CART)
  }
  return { ...plugin, begin: become }
}

describe('the status of an experiment', () => {
  it('prints a line for each change, and ends at the goal', async () => {
    const { run, begin } = following(ready)
    begin()
    expect(await run('status', 'faster-cart')).to.deep.equal({
      code: 0,
      out: `2026-11-28T14:24:00Z shop/faster-cart Progressing  PodsNotReady
2026-11-28T14:24:00Z shop/faster-cart Running  Available  1/1  8%
`,
      err: '',
    })
  })

  it('ends at once when the goal is out of reach, with the reason and a remedy', async () => {
    const { run, begin } = following(stalled)
    begin()
    const { code, err } = await run('status', 'faster-cart', '--timeout', '10m')
    expect(code).to.equal(5)
    expect(err.split('\n')[0]).to.equal(
      'error: faster-cart cannot reach the goal ready: it is Stalled: a person must act',
    )
  })

  it('ends when it is deleted', async () => {
    const { run, begin } = following(undefined)
    begin()
    const { code, out } = await run('status', 'faster-cart')
    expect(code).to.equal(5)
    expect(out).to.contain('shop/faster-cart deleted\n')
  })

  it('reaches the goal ended by a deletion', async () => {
    const { run, begin } = following(undefined)
    begin()
    expect((await run('status', 'faster-cart', '--for=ended')).code).to.equal(0)
  })

  it('does not take another one of the same name for it', async () => {
    const { run, begin } = following(undefined, aSteered({ metadata: { uid: 'another' } }))
    begin()
    expect((await run('status', 'faster-cart')).code).to.equal(5)
  })

  it('ends with 124 when the time is over', async () => {
    const { code, err } = await following().run('status', 'faster-cart', '--timeout=1s')
    expect(code).to.equal(124)
    expect(err).to.match(/^error: faster-cart has not reached the goal in time\n/)
  })

  it('ends with 130 at Ctrl-C', async () => {
    const { signal } = interrupted()
    const { run } = aPlugin({ objects: { [FASTER_CART]: notReady }, io: { signal } })
    expect((await run('status', 'faster-cart')).code).to.equal(130)
  })

  it('judges the present state once with --watch=false', async () => {
    const { run, cluster } = aPlugin({ objects: { [FASTER_CART]: notReady } })
    const { code, err } = await run('status', 'faster-cart', '--watch=false')
    expect(code).to.equal(1)
    expect(err).to.contain('has not reached the goal ready yet: it is Progressing')
    cluster.put(FASTER_CART, ready)
    expect((await run('status', 'faster-cart', '--watch=false')).code).to.equal(0)
    expect(cluster.openWatches).to.equal(0)
  })

  it('says that a goal makes no sense, before it waits', async () => {
    const { code, err } = await aPlugin({ objects: { [FASTER_CART]: notReady } }).run(
      'status',
      'faster-cart',
      '--for=passed',
    )
    expect([code, err]).to.deep.equal([
      2,
      'error: faster-cart cannot reach the goal passed: it has no spec.analysis\nChoose another goal with --for.\n',
    ])
  })
})

/** A signal that aborts a little later. */
function interrupted(): AbortController {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('interrupted')), 50)
  return controller
}
