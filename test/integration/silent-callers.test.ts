import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { configured } from './admission-webhook.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'
import { type Silence, silentCallers } from './silent-callers.ts'
import { aReplica, aSecret } from './webhook-process.ts'

describe('S5: callers that say or read nothing', () => {
  const plane = usesControlPlane()
  const undoing: (() => unknown)[] = []
  afterEach('everything is removed', async () => {
    for (const undo of undoing.splice(0).reverse()) await undo()
  })

  /** Creates experiments one after the other, and returns the failures. */
  async function failuresOf(count: number, namespace: string): Promise<readonly string[]> {
    const { apiVersion, kind, plural } = EXPERIMENT_DEPLOYMENT
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`
    const spec = { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} }
    const failures: string[] = []
    for (let at = 0; at < count; at++)
      await plane()
        .api.create(path, { apiVersion, kind, metadata: { name: `try-${at}` }, spec })
        .catch((error: unknown) => failures.push(String(error)))
    return failures
  }

  const crowds: Record<string, readonly [count: number, silence: Silence, counter: RegExp]> = {
    '30 that announce a body and send none': [30, 'announcing', /^experiment_webhook_refused_total\{why="stalled"\} /m],
    '30 that do not read the answer to a large review': [
      30,
      'unread',
      /^experiment_webhook_connections_closed_total\{why="unread"\} /m,
    ],
    '2,000 that never shake hands': [2_000, 'plain', /^experiment_webhook_connections_closed_total\{why="limit"\} /m],
  }
  for (const [who, [count, silence, counter]] of Object.entries(crowds))
    it(`S5: ${who} leave 50 creates in a row working, and are counted`, async () => {
      const [namespace, secret] = [await aNamespace(), await aSecret()]
      undoing.push(secret.remove)
      const replica = await aReplica(plane(), secret)
      undoing.push(() => replica.process.stop())
      undoing.push(await silentCallers(replica.port, count, silence))
      undoing.push(await configured(plane(), namespace, { port: replica.port, ca: secret.pair.ca }))
      expect(await failuresOf(50, namespace)).to.deep.equal([])
      await eventually('the metric', 60_000, async () => expect(await replica.metrics()).to.match(counter))
    })
})
