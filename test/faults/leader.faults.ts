import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { AuditTail } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS } from '../integration/product.ts'
import { churn, leads, type startRival, usurped } from '../integration/rivals.ts'
import { startApiProxy } from './api-proxy.ts'
import { Duel, PATIENT } from './duel.ts'
import { aShop } from './proxied.ts'
import { aSystem, startAlone, usesProductAlone } from './scoped.ts'
import { sideBySide } from './side-by-side.ts'

const EXPERIMENTS = ['one', 'two', 'three']
/** Audit times are taken at the API server, and a Lease is timed by its clients. */
const TOLERANCE_MS = 300
/**
 * How much longer a request may be on its way than the one before, on a busy machine: the audit log has its arrival.
 */
const LATE_MS = 1_000
/** Between two changes: seldom enough for many duels at once. */
const CHURN_MS = 300
/** Each has two controllers, whose times are measured. */
const DUELS = 4
/** Plays a story in a namespace of its own, in which experiments change all the time. */
async function duel(story: (of: Duel) => Promise<void>, options: Parameters<typeof startRival>[1] = {}): Promise<void> {
  const since = new Date()
  const place = await aShop()
  const { namespace } = place
  const log = new AuditTail((await controlPlane()).auditLog, namespace)
  for (const name of EXPERIMENTS) await place.experiment(name, { source: 'cart' })
  const system = await aSystem(namespace)
  const started = { ...options, env: { WATCH_NAMESPACE: namespace, POD_NAMESPACE: system } }
  const leader = await startAlone('leader', started)
  await leads(leader)
  const standby = await startAlone('standby', { env: started.env })
  const churning = churn(place, EXPERIMENTS, CHURN_MS)
  try {
    const of = new Duel(leader, standby, { system, since, log })
    const writes = async () => expect((await of.writesOf(leader)).length).to.be.greaterThan(9)
    await eventually('the leader to write', DEADLINE_MS, writes, PATIENT)
    await of.standbyLooked()
    await story(of)
  } finally {
    await churning.end()
    for (const { process } of [leader, standby]) await process.stop('SIGTERM', DEADLINE_MS)
  }
}

async function killed(of: Duel): Promise<void> {
  const killedMs = Date.now()
  await of.leader.process.stop('SIGKILL')
  const firstMs = await of.takenOverMs()
  expect(firstMs - Math.max(killedMs, await of.lastWriteOf(of.leader))).to.be.at.most(20_000)
  expect(firstMs - (await of.lastRenewalMs())).to.be.at.least(15_000 - TOLERANCE_MS)
  expect(usurped(await of.story())).to.deep.equal([])
}

async function asleep(of: Duel): Promise<void> {
  const { leader } = of
  process.kill(leader.process.pid, 'SIGSTOP')
  await pause(20_000)
  const firstMs = await of.takenOverMs()
  process.kill(leader.process.pid, 'SIGCONT')
  expect((await leader.process.expectExit()).code).to.equal(1)
  expect(await of.lastWriteOf(leader)).to.be.lessThan(firstMs)
  expect(usurped(await of.story())).to.deep.equal([])
}

async function terminated(of: Duel): Promise<void> {
  const { leader } = of
  const askedMs = Date.now() // on a busy machine the last change may be seconds ago
  const { code, lastLines } = await leader.process.stop('SIGTERM', DEADLINE_MS)
  expect(code, lastLines).to.equal(0)
  const firstMs = await of.takenOverMs()
  expect(firstMs - Math.max(askedMs, await of.lastWriteOf(leader))).to.be.within(0, 5_000)
  expect(usurped(await of.story())).to.deep.equal([])
}

type TakeAway = (lease: string) => Promise<unknown>

const TAKEN_AWAY: Readonly<Record<string, TakeAway>> = {
  'the Lease is deleted': async (lease) => (await controlPlane()).api.delete(lease),
  'the Lease gets another holder': async (lease) =>
    (await controlPlane()).api.patch(lease, { spec: { holderIdentity: 'nobody_0' } }),
  'the Lease loses its spec': async (lease) =>
    (await controlPlane()).api.patch(lease, [{ op: 'replace', path: '/spec', value: {} }], 'json'),
}

const deprived = (takeAway: TakeAway) => async (of: Duel) => {
  const { leader } = of
  await takeAway(of.lease)
  const takenMs = Date.now()
  expect((await leader.process.expectExit()).code).to.equal(1)
  const [firstMs, lastMs] = [await of.takenOverMs(), await of.lastWriteOf(leader)]
  expect(lastMs - takenMs).to.be.at.most(2_000 + LATE_MS)
  expect(firstMs - lastMs).to.be.at.least(10_000)
  const late = usurped(await of.story()).filter(({ by, receivedMs }) => by !== leader.name || receivedMs > lastMs)
  expect(late).to.deep.equal([])
}

async function cutOff(): Promise<void> {
  const proxy = await startApiProxy(await controlPlane())
  try {
    await duel(
      async (of) => {
        proxy.interfere({ onCall: ({ resource }) => (resource === 'leases' ? 'hang' : undefined) })
        expect((await of.leader.process.expectExit()).code).to.equal(1)
        const renewedMs = await of.lastRenewalMs()
        expect((await of.lastWriteOf(of.leader)) - renewedMs).to.be.within(5_000, 10_000 + LATE_MS)
        expect((await of.takenOverMs()) - renewedMs).to.be.at.least(15_000 - TOLERANCE_MS)
        expect(usurped(await of.story())).to.deep.equal([])
      },
      { kubeconfigFor: proxy.kubeconfigFor },
    )
  } finally {
    await proxy.close()
  }
}

describe('the leader fails, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS)
  usesProductAlone()

  sideBySide(
    {
      'killed: the standby writes within 20 s after its last write, and 15 s after its last renewal': () =>
        duel(killed),
      'F19: stopped for 20 s and continued, it sends no write and exits': () => duel(asleep),
      'F20: ended while experiments change: the standby writes within 5 s, and it exits with 0': () => duel(terminated),
      ...Object.fromEntries(
        Object.entries(TAKEN_AWAY).map(([what, takeAway]) => [
          `F21: ${what}: it exits at its next renewal, and the standby writes only then`,
          () => duel(deprived(takeAway)),
        ]),
      ),
      'F18: its calls for the Lease are lost: it writes for 10 s at most and exits; then the standby writes': cutOff,
    },
    DUELS,
  )
})
