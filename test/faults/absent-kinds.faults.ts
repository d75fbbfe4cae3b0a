import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { applyCrds } from '../../sandbox/first-objects.ts'
import { crds, install } from '../../sandbox/installation.ts'
import { argoCrds } from '../../sandbox/modules.ts'
import { ACCOUNT } from '../clusters/one-namespace.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { condition, type Place, placeAt } from '../integration/product.ts'
import { needs } from '../needs.ts'

/** What the programs do at their start is over. */
const STARTED_MS = 10_000
/** Two probes as shipped, or three. */
const QUIET_MS = 65_000
const MOST = 3
/** A probe as shipped is at most 30 s later. The experiment looks at what it found 5 s later, and writes its status. */
const FOUND_MS = 40_000

/** About what the cluster serves, or about Rollouts. */
const ABOUT_KINDS = /^\/(apis|apis\/argoproj\.io\/.+|openapi\/.+)$/

/** What the programs have asked about kinds since then, and how often. */
async function askedSince(auditLog: string, since: Date): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for await (const { user, verb, requestURI, requestReceivedTimestamp } of auditEvents(auditLog, ACCOUNT)) {
    const { pathname } = new URL(requestURI, 'https://localhost')
    const isLate = Date.parse(requestReceivedTimestamp) >= since.getTime()
    if (!user.username.startsWith(ACCOUNT) || !isLate || !ABOUT_KINDS.test(pathname)) continue
    const asked = `${user.username.slice(ACCOUNT.length)}: ${verb} ${pathname}`
    counts.set(asked, (counts.get(asked) ?? 0) + 1)
  }
  return counts
}

// The product of other tests looks for absent kinds every two seconds.
describe('a cluster without Rollouts, with the product as it is shipped, on a control plane of its own', function () {
  this.timeout(4 * QUIET_MS)
  const plane = usesOwnControlPlane(crds)
  needs('argoFiles')
  let found: Place | undefined
  const place = (): Place => {
    if (!found) throw new Error('the product runs while tests run')
    return found
  }
  before('the product runs, and an experiment waits for a kind', async () => {
    await install(plane())
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    found = placeAt(plane().api, plane().kubectl, 'shop')
    await found.experiment('hopeful', { source: 'cart', kind: 'Rollout' })
    await found.reaches('hopeful', 'KindNotAvailable')
    await pause(STARTED_MS)
  })

  it(`R15: each program looks for it, and for its schema, at most ${MOST} times in ${QUIET_MS / 1_000} s`, async () => {
    const since = new Date()
    await pause(QUIET_MS)
    const asked = await askedSince(plane().auditLog, since)
    expect([...asked.keys()]).to.include.members([
      'controller: list /apis/argoproj.io/v1alpha1/rollouts',
      'controller: get /apis',
      'controller: get /openapi/v3',
      'webhook: get /openapi/v3',
    ])
    expect([...asked].filter(([, count]) => count > MOST)).to.deep.equal([])
  })

  it('F22: it is picked up by the next probe when it is installed', async () => {
    await applyCrds(plane().api, await argoCrds())
    await eventually('the kind to be found', FOUND_MS, async () =>
      expect(condition(await place().experimentAt('hopeful'), 'Ready')?.reason).to.equal('SourceNotFound'),
    )
  })
})
