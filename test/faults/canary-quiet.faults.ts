import { expect } from 'chai'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at } from '../../common/json/json.ts'
import { type AuditEvent, AuditTail } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { WITH_PROMOTION } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { inParallel } from '../in-parallel.ts'
import { inTime } from '../in-time.ts'
import { canariesIn } from '../integration/canaries.ts'
import { controlPlane } from '../integration/fixture.ts'
import { aSource, DEADLINE_MS, installation, usesProduct } from '../integration/product.ts'
import { comesToRest, staysQuiet } from '../integration/quiet.ts'
import { leads, type Rival, startRival } from '../integration/rivals.ts'
import { otherClock } from './other-clock.ts'

const SOURCES = 100
/** Of each source. */
const PAUSED = 10
const PROMOTED = 25
const ABORTED = 25
const LANES = 6
/** For all runs to be where the tests begin. */
const SET_UP_MS = 900_000
const QUIET_MS = 60_000
/** For all runs to move by one step, on a machine that does other things, too. */
const MOVE_MS = 180_000
/** Longer than both pauses together. */
const DOWN_MS = 9_000_000
const STEPS = [
  { setWeight: 20 },
  { pause: { duration: 3_600 } },
  { pause: { duration: 3_600 } },
  { setWeight: 50 },
  { pause: {} },
]
const [AT_THE_PAUSE, AT_THE_NEXT] = [/^1\/8 Paused$/, /^2\/8 Paused$/]

const WRITES = new Set(['create', 'update', 'patch', 'delete'])
const isWriteOfOurs = ({ verb, user, responseStatus }: AuditEvent): boolean =>
  WRITES.has(verb) && user.username.endsWith(':experiment-controller') && (responseStatus?.code ?? 500) < 300

describe(`${SOURCES * PAUSED} paused canaries, on the real control plane`, function () {
  this.timeout(2 * SET_UP_MS)
  const place = usesProduct(WITH_PROMOTION)
  const { canary, says } = canariesIn(place)
  const sources = Array.from({ length: SOURCES }, (_, index) => `cart-${index}`)
  const ofEach = (word: string, count: number) =>
    sources.slice(0, count).map((source) => ({ name: `${source}-${word}`, source }))
  const paused = sources.flatMap((source) =>
    Array.from({ length: PAUSED }, (_, index) => ({ name: `${source}-${index}`, source })),
  )
  const [promoted, aborted] = [ofEach('promote', PROMOTED), ofEach('abort', ABORTED)]

  const all = () => place().api.list<ExperimentDeployment>(place().path('experiments'))
  /** Waits until each of `runs` is at `step`. */
  const areAt = (runs: readonly { readonly name: string }[], step: RegExp, deadlineMs = SET_UP_MS) =>
    eventually(
      `${runs.length} runs to be at ${step}`,
      deadlineMs,
      async () => {
        const steps = new Map((await all()).map(({ metadata, status }) => [metadata.name, status?.strategy?.step]))
        const others = runs.filter(({ name }) => !step.test(steps.get(name) ?? '')).map(({ name }) => name)
        if (others.length > 0)
          throw new Error(`${others.length} are not, such as ${others[0]}: ${steps.get(others[0] ?? '')}`)
      },
      { pauseMs: 2_000 },
    )
  const told = async (runs: typeof promoted, word: string) => inParallel(LANES, runs, ({ name }) => says(name, word))

  before('all are at a pause, or at their end', async () => {
    const begunMs = performance.now()
    await inParallel(LANES, [...sources.entries()], ([index, source]) =>
      aSource(place(), source, { replicas: index % 10 === 0 ? 4 : 1 }),
    )
    await inParallel(LANES, [...paused, ...promoted, ...aborted], ({ name, source }) =>
      inTime(() => canary(name, STEPS, { source, overrideSpec: imageOverride(`registry.example/cart:${name}`) })),
    )
    await areAt([...paused, ...promoted, ...aborted], AT_THE_PAUSE)
    await told(promoted, 'promote')
    await told(aborted, 'abort')
    await areAt(promoted, / Promoted$/)
    await areAt(aborted, / Aborted$/)
    // the forks of the promoted sources follow them
    await areAt(paused, AT_THE_PAUSE)
    // a share that changes with the pods of the others is written every ten seconds
    await comesToRest(place().namespace, 11_000, SET_UP_MS)
    console.log(`    ${(await all()).length} runs after ${((performance.now() - begunMs) / 1_000).toFixed(0)} s`)
  })

  it(`F38: nothing is written in ${QUIET_MS / 1_000} s`, () => staysQuiet(place().namespace, QUIET_MS))

  it(`F38: nothing is written in the ${QUIET_MS / 1_000} s after a restart of the controller`, async () => {
    const { controller, startController } = await installation()
    await controller().stop()
    await startController()
    await staysQuiet(place().namespace, QUIET_MS)
    await areAt(paused, AT_THE_PAUSE)
  })

  describe('whose time passed while no controller ran', () => {
    let later: Rival | undefined
    let log: AuditTail | undefined
    before('the controller is dead for longer than both pauses', async () => {
      await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
      log = new AuditTail((await controlPlane()).auditLog, place().namespace)
      later = await startRival('later', { env: { ...otherClock(`() => ${DOWN_MS}`), PROMOTION: 'enabled' } })
      await leads(later)
    })
    it('F38: each ends one pause, once, and nothing else is written', async () => {
      await areAt(paused, AT_THE_NEXT, MOVE_MS)
      await staysQuiet(place().namespace, QUIET_MS)
      await areAt(paused, AT_THE_NEXT, MOVE_MS)
      const ours = ((await log?.events()) ?? []).filter(isWriteOfOurs)
      const moves = ours.filter(({ objectRef }) => objectRef?.subresource === 'status')
      expect(moves.map(({ objectRef }) => objectRef?.name).toSorted()).to.deep.equal(
        paused.map(({ name }) => name).toSorted(),
      )
      const others = ours.filter((event) => !moves.includes(event))
      const told = others.map(({ verb, objectRef, requestObject }) =>
        [verb, objectRef?.resource, at(requestObject, 'reason')].join(' '),
      )
      expect(
        Map.groupBy(told, (each) => each)
          .keys()
          .toArray(),
      ).to.deep.equal(['create events StepCompleted'])
      expect(told).to.have.length(paused.length)
    })

    it('F38: nothing is written when the clock is right again', async () => {
      await later?.process.stop('SIGTERM', DEADLINE_MS)
      await (await installation()).startController()
      await staysQuiet(place().namespace, QUIET_MS)
      await areAt(paused, AT_THE_NEXT, MOVE_MS)
    })
  })
})
