import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { IS_EXPERIMENT } from '../../common/api/names.ts'
import { backoff } from '../../controller/runtime/backoff.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, installation, type Place, usesProduct } from '../integration/product.ts'
import { chronicle, churn, leads, type Rival, startRival, usurped } from '../integration/rivals.ts'
import { historyOf, isSound } from './oracles.ts'
import { otherClock } from './other-clock.ts'
import { aShop } from './proxied.ts'

const NAMES = ['one', 'two', 'three']
const JUMPING_MS = 25_000
/** Audit times are taken at the API server, and a Lease is timed by its clients. */
const TOLERANCE_MS = 300

/** The waits of a key that fails, without and with all of their jitter. */
const [shortestMs, longestMs] = [backoff({ random: () => 0 }), backoff({ random: () => 1 })]
/** For a pass on a busy machine. */
const PASS_MS = 2_000
/** So many that the last wait is longer than the time between two jumps. */
const LEAST_TRIES = 12

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

/** Jumps by an hour every five seconds: ahead, back, and to the right time. */
const env = otherClock('() => [0, 3_600_000, -3_600_000][Math.floor(performance.now() / 5_000) % 3]')

/** Makes the API server answer with 500 to whoever creates a fork in `place`: it cannot reach the webhook for them. */
async function isUnreachable({ api, namespace, path }: Place): Promise<void> {
  await api.create(WEBHOOKS, {
    metadata: { name: `unreachable-${namespace}` },
    webhooks: [
      {
        name: 'unreachable.example.com',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        objectSelector: { matchLabels: { [IS_EXPERIMENT]: 'true' } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  })
  const labels = { app: 'probe' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'one', image: 'x' }] } }
  const metadata = { name: 'probe', labels: { [IS_EXPERIMENT]: 'true' } }
  const probe = { metadata, spec: { selector: { matchLabels: labels }, template } }
  await eventually('the webhook to be called', DEADLINE_MS, async () => {
    const answer = await api.create(`${path('deployments')}?dryRun=All`, probe).then(() => 'created', String)
    expect(answer).to.contain('failed calling webhook')
  })
}

/** The times between the applies of forks in a namespace. */
async function waitsIn(namespace: string): Promise<readonly number[]> {
  const tries = (await historyOf(namespace)).filter(
    ({ user, verb, objectRef }) =>
      user.username.endsWith(':experiment-controller') && verb === 'patch' && objectRef?.resource === 'deployments',
  )
  const timesMs = tries.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp))
  return timesMs.slice(1).map((ms, index) => ms - (timesMs[index] ?? 0))
}

describe('the wall clock jumps, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS)
  const place = usesProduct()
  const rivals: Rival[] = []
  let churning: ReturnType<typeof churn> | undefined
  let failing: Place | undefined

  before('experiments change all the time, and one cannot get its fork', async () => {
    await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
    failing = await aShop()
    await isUnreachable(failing)
    await failing.experiment('failing', { source: 'cart' })
    await aSource(place(), 'cart')
    for (const name of NAMES) await place().experiment(name, { source: 'cart' })
    churning = churn(place(), NAMES)
  })
  after('the controller of the run takes over again', async () => {
    await churning?.end()
    for (const { process } of rivals) await process.stop('SIGTERM', DEADLINE_MS)
    if (failing) await failing.api.delete(`${WEBHOOKS}/unreachable-${failing.namespace}`)
    await (await installation()).startController()
  })

  it('F31: by an hour: the leader stays the leader, backoff is as ever, and a standby takes over from a dead one in time', async () => {
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
    expect(await leader.metric('queue_wait_seconds_count'), 'the keys that waited').to.be.greaterThan(0)
    for (const name of ['lease_age_seconds', 'longest_reconcile_seconds', 'queue_wait_seconds_sum'])
      expect(await leader.metric(name), name).to.be.within(0, 600)
    const waits = await waitsIn(failing?.namespace ?? '')
    expect(waits.length).to.be.at.least(LEAST_TRIES - 1)
    for (const [index, wait] of waits.entries())
      expect(wait, `after ${index + 1} failures`).to.be.within(shortestMs(index + 1), longestMs(index + 1) + PASS_MS)
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
