import { expect } from 'chai'
import { type AuditEvent, AuditTail, auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { ownWritesIn } from '../../sandbox/proof.ts'
import { controlPlane } from './fixture.ts'
import { DEADLINE_MS } from './product.ts'

/** Events are written after the status, one at a time. After this time without one, the last has been written. */
const TOLD_MS = 2_000

const isEvent = (request: string): boolean => /^(create|patch) events\//.test(request)
/** Not the last count of a series, which is sent when the series is over, six minutes after its last repetition. */
const isNewEvent = (request: string): boolean => /^create events\//.test(request)

/**
 * Resolves when no account of ours has written in `namespace` for `quietMs`. It first waits for the Events of earlier
 * changes. Other namespaces do not count, because other suites run.
 * @throws AssertionError that names what was written
 */
export async function staysQuiet(namespace: string, quietMs: number): Promise<void> {
  const { auditLog } = await controlPlane()
  const writtenIn = async (events: AsyncIterable<AuditEvent> | Iterable<AuditEvent>, since: Date) =>
    (await ownWritesIn(events, since)).all.filter((request) => request.includes(`/${namespace}/`))
  const tail = new AuditTail(auditLog, namespace) // the whole log of many runs is too long to read every second
  const begun = new Date()
  await eventually(
    'the last Events to be told',
    DEADLINE_MS,
    async () => {
      const since = new Date(Date.now() - TOLD_MS)
      const told = await writtenIn(since < begun ? auditEvents(auditLog, namespace) : await tail.events(), since)
      expect(told.filter(isNewEvent)).to.deep.equal([])
    },
    { pauseMs: 500 },
  )
  const told = new Date()
  const until = performance.now() + quietMs
  const written = async () => [
    ...(await writtenIn(await tail.events(), begun)).filter((request) => !isEvent(request)),
    ...(await writtenIn(await tail.events(), told)).filter(isNewEvent),
  ]
  await eventually(
    `${quietMs} ms to pass`,
    2 * quietMs,
    async () => {
      const left = until - performance.now()
      if ((await written()).length === 0 && left > 0) throw new Error(`${left} ms are left`)
    },
    { pauseMs: 1_000 },
  )
  expect(await written()).to.deep.equal([])
}

/** Resolves when `namespace` has been quiet for `quietMs`, however often something is written before. */
export const comesToRest = (namespace: string, quietMs: number, withinMs = DEADLINE_MS): Promise<void> =>
  eventually('silence', withinMs, () => staysQuiet(namespace, quietMs))
