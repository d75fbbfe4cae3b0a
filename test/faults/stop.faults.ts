import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { at } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { AuditTail } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS, forkOf, type Place } from '../integration/product.ts'
import { launchRival, leads, type Rival, usurped } from '../integration/rivals.ts'
import { type Fate, statusAnswer } from './api-call.ts'
import { startApiProxy } from './api-proxy.ts'
import { Duel } from './duel.ts'
import { preloaded } from './preloaded.ts'
import { aShop } from './proxied.ts'
import { aSystem, startAlone, usesProductAlone } from './scoped.ts'
import { sideBySide } from './side-by-side.ts'

/** How long a write is held back. A standby looks at the Lease every 2 to 3 s. */
const HELD_MS = 3_000
/** Most stories have two controllers, whose times are measured. */
const AT_ONCE = 4

/** A leader that sees one namespace, and whose applies of forks do not pass before `release`. */
interface Writing {
  readonly place: Place
  readonly leader: Rival
  /** Starts a standby. Resolves when it has seen that the leader has the Lease. */
  readonly withStandby: () => Promise<Duel>
  /** Creates an experiment. Resolves when the apply of its fork is held back. */
  readonly begin: () => Promise<void>
  /** Says what becomes of the applies, those that came before and those that come later. */
  readonly release: (fate: Fate) => void
  /** the `holderIdentity` of the Lease */
  readonly holder: () => Promise<unknown>
}

/** Plays a story with a leader behind a proxy. */
async function whileItWrites(story: (of: Writing) => Promise<void>): Promise<void> {
  const plane = await controlPlane()
  const place = await aShop()
  const { namespace } = place
  const [since, log, system] = [new Date(), new AuditTail(plane.auditLog, namespace), await aSystem(namespace)]
  const env = { WATCH_NAMESPACE: namespace, POD_NAMESPACE: system }
  const lease = resourcePath(RESOURCES.Lease, { namespace: system, name: 'experiment-controller' })
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<Fate>()]
  const proxy = await startApiProxy(plane)
  proxy.interfere({
    onCall: ({ method, resource }) => {
      if (method !== 'PATCH' || resource !== 'deployments') return undefined
      arrived.resolve()
      return released.promise
    },
  })
  const leader = await startAlone('leader', { env, kubeconfigFor: proxy.kubeconfigFor })
  const rivals = [leader]
  try {
    await leads(leader)
    await story({
      ...{ place, leader, release: released.resolve },
      withStandby: async () => {
        const standby = await startAlone('standby', { env })
        rivals.push(standby)
        const duel = new Duel(leader, standby, { system, since, log })
        await duel.standbyLooked()
        return duel
      },
      begin: async () => {
        await place.experiment('begun', { source: 'cart' })
        await arrived.promise
      },
      holder: async () => at(await plane.api.get(lease), 'spec', 'holderIdentity'),
    })
  } finally {
    released.resolve('pass')
    for (const { process } of rivals) await process.stop('SIGTERM', DEADLINE_MS)
    await proxy.close()
  }
}

/** Waits until `rival` says to its probe that it stops. */
const isStopping = ({ name, readyz }: Rival): Promise<void> =>
  eventually(`${name} to stop`, DEADLINE_MS, async () => {
    expect(await readyz()).to.deep.equal({ code: 503, text: '[-]caches: stopping\n[-]running: stopping\n' })
  })

/**
 * Sends a signal to the leader while a write is held back. Resolves when it stops. Then there is work for the standby,
 * and none that the leader may begin.
 */
async function askToEnd({ place, leader, begin }: Writing, signal: NodeJS.Signals = 'SIGTERM') {
  await begin()
  const askedMs = performance.now()
  const exited = leader.process.stop(signal, DEADLINE_MS)
  const ended = exited.then((exit) => ({ ...exit, afterMs: performance.now() - askedMs }))
  await isStopping(leader)
  await place.experiment('later', { source: 'cart' })
  return { ended }
}

/** When the leader gave the Lease back, and when the standby wrote first. */
async function handedOver(duel: Duel): Promise<{ readonly freeMs: number; readonly firstMs: number }> {
  const firstMs = await duel.takenOverMs()
  const { terms } = await duel.story()
  expect(terms.map(({ holder }) => holder)).to.deep.equal([duel.leader.name, '', duel.standby.name])
  expect(usurped(await duel.story())).to.deep.equal([])
  return { freeMs: terms[1]?.fromMs ?? 0, firstMs }
}

async function writesFirst(of: Writing): Promise<void> {
  const { place, leader, release, holder } = of
  const duel = await of.withStandby()
  const { ended } = await askToEnd(of)
  await pause(HELD_MS)
  expect(await holder()).to.match(new RegExp(`^${leader.name}_`))
  expect(await duel.writesOf(duel.standby)).to.deep.equal([])
  release('pass')
  const { code, lastLines } = await ended
  expect(code, lastLines).to.equal(0)
  const { freeMs } = await handedOver(duel)
  const writes = await duel.writesOf(leader)
  expect(writes.map(({ what }) => what.replace(/(?<= events\/).*/, '…'))).to.deep.equal([
    `patch deployments/${forkOf(await place.experimentAt('begun'))}`,
    'patch experimentdeployments/status',
    'create events/…',
  ])
  expect(Math.max(...writes.map(({ answeredMs }) => answeredMs))).to.be.at.most(freeMs)
  const events = await place.api.list(resourcePath(RESOURCES.Event, { namespace: place.namespace }))
  const own = events.filter(({ reportingInstance }) => reportingInstance === leader.name)
  expect(own.map((event) => at(event, 'regarding', 'name'))).to.deep.equal(['begun'])
}

async function waitsForNoAnswer(of: Writing): Promise<void> {
  const duel = await of.withStandby()
  const { ended } = await askToEnd(of)
  const { code, lastLines, afterMs } = await ended
  expect(code, lastLines).to.equal(0)
  expect(afterMs).to.be.within(20_000, 25_000)
  const { freeMs, firstMs } = await handedOver(duel)
  expect(firstMs - freeMs).to.be.within(0, 5_000)
  expect(await duel.writesOf(of.leader)).to.deep.equal([])
}

async function isInterrupted(of: Writing): Promise<void> {
  const { ended } = await askToEnd(of, 'SIGINT')
  of.release('pass')
  const { code, lastLines } = await ended
  expect(code, lastLines).to.equal(0)
  expect(await of.holder()).to.equal('')
}

async function isAskedTwice(of: Writing): Promise<void> {
  const { ended } = await askToEnd(of)
  void of.leader.process.expectExit()
  void of.leader.process.stop()
  const { code, lastLines } = await ended
  expect(code, lastLines).to.equal(1)
}

/** What is broken when the program gets a signal. */
const BROKEN: Readonly<Record<string, string>> = {
  uncaughtException: 'throw new Error("broken")',
  unhandledRejection: 'void Promise.reject(new Error("broken"))',
}

async function breaks(msg: string, what: string): Promise<void> {
  const { namespace } = await aShop()
  const env = { WATCH_NAMESPACE: namespace, POD_NAMESPACE: await aSystem(namespace) }
  const breaking = preloaded(`process.on('SIGUSR2', () => { ${what} })`)
  const rival = await startAlone('broken', { env: { ...env, ...breaking } })
  process.kill(rival.process.pid, 'SIGUSR2')
  const { code, lastLines } = await rival.process.expectExit()
  expect(code, lastLines).to.equal(1)
  expect(JSON.parse(lastLines.trim().split('\n').at(-1) ?? '')).to.deep.include({ level: 'error', msg })
  expect(lastLines).to.contain('broken')
}

async function mayNotRead(resource: string): Promise<void> {
  const proxy = await startApiProxy(await controlPlane())
  const forbidden = statusAnswer(403, 'Forbidden', `${resource} is forbidden`)
  proxy.interfere({ onCall: (call) => (call.resource === resource ? forbidden : undefined) })
  const { process, readyz } = await launchRival(`without-${resource}`, { kubeconfigFor: proxy.kubeconfigFor })
  try {
    const isFilled = async () => expect((await readyz()).text).to.contain(`[-]caches: being filled: ${resource}\n`)
    await eventually('the other caches to be filled', DEADLINE_MS, isFilled)
    const { code, lastLines } = await process.expectExit()
    expect(code, lastLines).to.equal(1)
    expect(lastLines.trim().split('\n').at(-1)).to.contain(`not filled within two minutes: ${resource};`)
  } finally {
    await process.stop()
    await proxy.close()
  }
}

describe('the controller stops, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS)
  usesProductAlone()

  sideBySide(
    {
      'F20: ended while a write is on its way: it writes to the end before it gives the Lease back': () =>
        whileItWrites(writesFirst),
      'F20: ended while a write is never answered: it exits with 0 after 20 s, and the standby writes within 5 s': () =>
        whileItWrites(waitsForNoAnswer),
      'SIGINT ends it as SIGTERM does': () => whileItWrites(isInterrupted),
      'a second signal ends it at once, with 1': () => whileItWrites(isAskedTwice),
      ...Object.fromEntries(
        Object.entries(BROKEN).map(([msg, what]) => [`logs an ${msg} and exits with 1`, () => breaks(msg, what)]),
      ),
      'exits with 1 when a cache is not filled within two minutes, and names it': () => mayNotRead('services'),
    },
    AT_ONCE,
  )
})
