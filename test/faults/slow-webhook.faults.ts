import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aNamespace } from '../integration/fixture.ts'
import { aSource, condition, DEADLINE_MS, type Place, placeIn, usesProduct } from '../integration/product.ts'
import { type SlowWebhook, slowWebhook } from '../integration/slow-webhook.ts'

/** More than the controller has workers. */
const COUNT = 24
/** Longer than clients that give up after ten seconds. */
const DELAY_MS = 12_000
/** Half of the time after which a write without an answer ends: a worker that waits for one is free later. */
const QUICK_MS = 15_000

describe('R14: an admission webhook of somebody else, on the real control plane', function () {
  this.timeout(4 * DEADLINE_MS)
  const place = usesProduct()
  const webhooks: SlowWebhook[] = []

  /** A namespace with a source, and a webhook that allows forks after `delayMs`, but not before `until`. */
  async function slowPlace(delayMs: number, until: Promise<void>) {
    const slow = await placeIn(await aNamespace())
    await aSource(slow, 'cart')
    const webhook = await slowWebhook(slow.namespace, delayMs, until)
    webhooks.push(webhook)
    return { slow, webhook }
  }
  /** Creates experiments until the API server asks the webhook, which it learns of some time later. */
  async function asked(slow: Place, webhook: SlowWebhook) {
    let count = 0
    await eventually('the webhook to be asked', DEADLINE_MS, async () => {
      if (webhook.reviews().length > 0) return
      count += 1
      await slow.experiment(`early-${count}`, { source: 'cart' })
      throw new Error('not yet')
    })
  }
  after('the webhooks are gone', () => Promise.all(webhooks.map((each) => each.remove())))

  it('R14: that takes 12 s delays its own experiments only, and they get their forks', async () => {
    await aSource(place(), 'cart')
    const released = Promise.withResolvers<void>()
    const { slow, webhook } = await slowPlace(DELAY_MS, released.promise)
    await asked(slow, webhook)
    const names = Array.from({ length: COUNT }, (_, index) => `slow-${index}`)
    const reviews = () => webhook.reviews().filter((name) => names.includes(name)).length
    await Promise.all(names.map((name) => slow.experiment(name, { source: 'cart' })))
    await eventually('all but one to be reviewed at once', DEADLINE_MS, async () =>
      expect(reviews()).to.be.greaterThan(COUNT - 2),
    )
    const begunMs = performance.now()
    await place().experiment('quick', { source: 'cart' })
    await place().reaches('quick', 'Available')
    expect(performance.now() - begunMs).to.be.below(QUICK_MS)
    const waiting = await Promise.all(names.map((name) => slow.experimentAt(name)))
    expect(waiting.filter((each) => each.status?.experimentResourceRef)).to.have.length(0)
    released.resolve()
    for (const name of names) await slow.reaches(name, 'Available')
    expect(reviews(), 'each fork needs one review').to.be.below(COUNT + 3)
  })

  it('R14: that does not answer is told in the status', async () => {
    const { slow, webhook } = await slowPlace(0, new Promise(() => {}))
    await asked(slow, webhook)
    await slow.experiment('never', { source: 'cart' })
    const failed = await slow.reaches('never', 'ApplyFailed')
    expect(condition(failed, 'Ready')?.message).to.match(/webhook/)
  })
})
