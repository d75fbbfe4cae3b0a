import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, installation, usesProduct } from '../integration/product.ts'
import { chronicle, churn, leads, type Rival, startRival, usurped } from '../integration/rivals.ts'
import { isSound } from './oracles.ts'
import { otherClock } from './other-clock.ts'

const NAMES = ['one', 'two', 'three']
const JUMPING_MS = 25_000
/** Audit times are taken at the API server, and a Lease is timed by its clients. */
const TOLERANCE_MS = 300

/** Jumps by an hour every five seconds: ahead, back, and to the right time. */
const env = otherClock('() => [0, 3_600_000, -3_600_000][Math.floor(performance.now() / 5_000) % 3]')

describe('the wall clock jumps, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS)
  const place = usesProduct()
  const rivals: Rival[] = []
  let churning: ReturnType<typeof churn> | undefined

  before('experiments change all the time', async () => {
    await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
    await aSource(place(), 'cart')
    for (const name of NAMES) await place().experiment(name, { source: 'cart' })
    churning = churn(place(), NAMES)
  })
  after('the controller of the run takes over again', async () => {
    await churning?.end()
    for (const { process } of rivals) await process.stop('SIGTERM', DEADLINE_MS)
    await (await installation()).startController()
  })

  it('F31: by an hour: the leader stays the leader, and a standby takes over from a dead one in time', async () => {
    const since = new Date()
    const story = () => chronicle(rivals, since)
    const leader = await startRival('jumping1', { env })
    rivals.push(leader)
    await leads(leader)
    const standby = await startRival('jumping2', { env })
    rivals.push(standby)
    await pause(JUMPING_MS)
    expect((await story()).terms.map(({ holder }) => holder)).to.deep.equal([leader.name])
    expect((await story()).writes.length).to.be.greaterThan(JUMPING_MS / 1_000)
    for (const name of ['lease_age_seconds', 'longest_reconcile_seconds', 'queue_wait_seconds_sum'])
      expect(await leader.metric(name), name).to.be.within(0, 600)
    await leader.process.stop('SIGKILL')
    await leads(standby)
    const firstMs = await eventually('the standby to write', DEADLINE_MS, async () => {
      const [first] = (await story()).writes.filter(({ by }) => by === standby.name)
      if (!first) throw new Error('it does not')
      return first.receivedMs
    })
    const renewedMs = (await story()).terms.find(({ holder }) => holder === leader.name)?.lastRenewalMs ?? 0
    expect(firstMs - renewedMs).to.be.within(15_000 - TOLERANCE_MS, 20_000)
    expect(usurped(await story())).to.deep.equal([])
    await isSound(place().namespace)
  })
})
