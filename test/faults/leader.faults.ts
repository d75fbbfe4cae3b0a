import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { LEASE } from '../../sandbox/installation.ts'
import { controlPlane } from '../integration/fixture.ts'
import { aSource, DEADLINE_MS, installation, usesProduct } from '../integration/product.ts'
import { chronicle, churn, leads, type Rival, startRival, usurped } from '../integration/rivals.ts'
import { startApiProxy } from './api-proxy.ts'

const EXPERIMENTS = ['one', 'two', 'three']
/** Audit times are taken at the API server, and a Lease is timed by its clients. */
const TOLERANCE_MS = 300

describe('the leader fails, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS)
  const place = usesProduct()
  let churning: ReturnType<typeof churn> | undefined
  let rivals: readonly [leader: Rival, standby: Rival] | undefined
  let since = new Date()
  let count = 0

  before('experiments change all the time', async () => {
    await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
    await aSource(place(), 'cart')
    for (const name of EXPERIMENTS) await place().experiment(name, { source: 'cart' })
    churning = churn(place(), EXPERIMENTS)
  })
  after('the controller of the run takes over again', async () => {
    await churning?.end()
    await (await installation()).startController()
  })
  afterEach('both end', async () => {
    for (const { process } of rivals ?? []) await process.stop('SIGTERM', DEADLINE_MS)
  })

  /** A leader that writes, and a standby. */
  async function duel(options: Parameters<typeof startRival>[1] = {}) {
    since = new Date()
    count += 1
    const leader = await startRival(`leader${count}`, options)
    await leads(leader)
    rivals = [leader, await startRival(`standby${count}`)]
    await eventually('the leader to write', DEADLINE_MS, async () =>
      expect((await writesOf(leader)).length).to.be.greaterThan(9),
    )
    return { leader, standby: rivals[1] }
  }

  const story = () => chronicle(rivals ?? [], since)
  const writesOf = async ({ name }: Rival) => (await story()).writes.filter(({ by }) => by === name)
  const lastWriteOf = async (rival: Rival) => (await writesOf(rival)).at(-1)?.receivedMs ?? 0

  /** The time of the first write of `rival`, when it has written. */
  const firstWriteOf = (rival: Rival): Promise<number> =>
    eventually(`${rival.name} to write`, DEADLINE_MS, async () => {
      const [first] = await writesOf(rival)
      if (!first) throw new Error('it does not')
      return first.receivedMs
    })

  const lastRenewalOf = async ({ name }: Rival) =>
    (await story()).terms.findLast(({ holder }) => holder === name)?.lastRenewalMs ?? 0

  it('killed: the standby writes within 20 s after its last write, and 15 s after its last renewal', async () => {
    const { leader, standby } = await duel()
    await leader.process.stop('SIGKILL')
    const firstMs = await firstWriteOf(standby)
    expect(firstMs - (await lastWriteOf(leader))).to.be.at.most(20_000)
    expect(firstMs - (await lastRenewalOf(leader))).to.be.at.least(15_000 - TOLERANCE_MS)
    expect(usurped(await story())).to.deep.equal([])
  })

  it('F19: stopped for 20 s and continued, it sends no write and exits', async () => {
    const { leader, standby } = await duel()
    process.kill(leader.process.pid, 'SIGSTOP')
    await pause(20_000)
    const firstMs = await firstWriteOf(standby)
    process.kill(leader.process.pid, 'SIGCONT')
    expect((await leader.process.exited).code).to.equal(1)
    expect(await lastWriteOf(leader)).to.be.lessThan(firstMs)
    expect(usurped(await story())).to.deep.equal([])
  })

  const takenAway: Record<string, () => Promise<unknown>> = {
    'the Lease is deleted': async () => (await controlPlane()).api.delete(LEASE),
    'the Lease gets another holder': async () =>
      (await controlPlane()).api.patch(LEASE, { spec: { holderIdentity: 'nobody_0' } }),
    'the Lease loses its spec': async () =>
      (await controlPlane()).api.patch(LEASE, [{ op: 'replace', path: '/spec', value: {} }], 'json'),
  }
  for (const [what, takeAway] of Object.entries(takenAway))
    it(`F21: ${what}: it exits at its next renewal, and the standby writes only then`, async () => {
      const { leader, standby } = await duel()
      await takeAway()
      const takenMs = Date.now()
      expect((await leader.process.exited).code).to.equal(1)
      const [firstMs, lastMs] = [await firstWriteOf(standby), await lastWriteOf(leader)]
      expect(lastMs - takenMs).to.be.at.most(2_000 + TOLERANCE_MS)
      expect(firstMs - lastMs).to.be.at.least(10_000)
      const late = usurped(await story()).filter(({ by, receivedMs }) => by !== leader.name || receivedMs > lastMs)
      expect(late).to.deep.equal([])
    })

  it('F18: its calls for the Lease are lost: it writes for 10 s at most and exits; then the standby writes', async () => {
    const proxy = await startApiProxy(await controlPlane())
    try {
      const { leader, standby } = await duel({ kubeconfigFor: proxy.kubeconfigFor })
      proxy.interfere({ onCall: ({ resource }) => (resource === 'leases' ? 'hang' : undefined) })
      expect((await leader.process.exited).code).to.equal(1)
      const renewedMs = await lastRenewalOf(leader)
      expect((await lastWriteOf(leader)) - renewedMs).to.be.within(5_000, 10_000 + TOLERANCE_MS)
      expect((await firstWriteOf(standby)) - renewedMs).to.be.at.least(15_000 - TOLERANCE_MS)
      expect(usurped(await story())).to.deep.equal([])
    } finally {
      await proxy.close()
    }
  })
})
