import { expect } from 'chai'
import { COMMAND } from '../../../common/api/names.ts'
import { isObject, listOr } from '../../../common/json/json.ts'
import { COMMAND_VERBS } from '../../../common/strategy/command-text.ts'
import { type AuditEvent, AuditTail, auditEvents } from '../../../sandbox/audit.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { collect } from '../../collect.ts'
import { usesControlPlane } from '../../integration/fixture.ts'
import { DEADLINE_MS } from '../../integration/product.ts'
import { usesPlugin } from './plugin.ts'
import { ACCOUNTS, usesScenes } from './scenes.ts'

/** How the plugin names itself to an API server. */
const AGENT = 'kubectl-experiment/'
const MOST_REQUESTS = 10
const READS = ['get', 'list', 'watch']
/** What commands and `extend` add, as JSON pointers. */
const COMMAND_PATH = `/metadata/annotations/${COMMAND.replaceAll('~', '~0').replaceAll('/', '~1')}`
const TESTED = [
  '/metadata/uid',
  '/metadata/generation',
  '/status/strategy/stepIndex',
  '/status/strategy/revision',
  '/status/strategy/wholeRevision',
]

/** An operation of a patch as the tests look at it. */
const operationsOf = ({ requestObject }: AuditEvent) =>
  listOr(requestObject as unknown).map((each) => (isObject(each) ? each : {}))

/** Why a write is none of those that are allowed; undefined: it is one. */
function problemOf(event: AuditEvent): string | undefined {
  const { verb, objectRef } = event
  if (objectRef?.resource !== 'experimentdeployments' || objectRef.subresource) return 'another object'
  if (verb === 'create') return undefined
  if (verb !== 'patch') return `the verb ${verb}`
  const problems = operationsOf(event).filter(({ op, path, value }) => {
    if (op === 'test') return !TESTED.includes(`${path}`)
    if (op !== 'add') return true
    if (path === '/metadata/annotations') return JSON.stringify(value) !== '{}'
    if (path === COMMAND_PATH) return !COMMAND_VERBS.some((each) => `${value}`.startsWith(each))
    return path !== '/spec/ttlSeconds'
  })
  return problems.length === 0 ? undefined : JSON.stringify(problems)
}

describe('what the plugin asks of an API server', function () {
  this.timeout(2 * DEADLINE_MS)
  const plane = usesControlPlane()
  const place = usesScenes()
  const plugin = usesPlugin()
  const auditLog = () => plane().auditLog

  for (const name of ['stalled', 'fronted', 'harmful', 'preview'])
    it(`is at most ${MOST_REQUESTS} requests for get ${name}, and all of them read`, async () => {
      const tail = new AuditTail(auditLog(), AGENT)
      await tail.events()
      const { code, stderr } = await plugin().kubectl(['experiment', 'get', name], { as: ACCOUNTS.alice })
      expect(code, stderr).to.equal(0)
      const events = await eventually('its requests', DEADLINE_MS, async () => {
        const seen = await tail.events()
        expect(seen.length).to.be.at.least(6)
        return seen
      })
      expect(events.length).to.be.at.most(MOST_REQUESTS)
      for (const { verb } of events) expect(READS).to.include(verb)
    })

  it('writes nothing but experiments, commands and their ends, in this whole run', async () => {
    for (const words of [
      ['pause', 'preview'],
      ['extend', 'stored', '2h'],
      ['create', 'cart-idle', '--name=written'],
    ]) {
      const { code, stderr } = await plugin().kubectl(['experiment', ...words], { as: ACCOUNTS.alice })
      expect(code, stderr).to.equal(0)
    }
    await place().api.delete(place().path('experiments', 'written'))
    const events = await collect<AuditEvent>(auditEvents(auditLog(), AGENT))
    const writes = events.filter(({ verb, userAgent = '' }) => userAgent.startsWith(AGENT) && !READS.includes(verb))
    expect(writes.length).to.be.at.least(4) // a command is two: the first one is a dry run
    const problems = writes.flatMap((event) => {
      const problem = problemOf(event)
      return problem === undefined ? [] : [`${event.verb} ${event.requestURI}: ${problem}`]
    })
    expect(problems).to.deep.equal([])
  })
})
