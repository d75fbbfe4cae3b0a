import { expect } from 'chai'
import { stringify } from 'yaml'
import { issue } from '../../certs/issue.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { inFlight } from '../../webhook/http/in-flight.ts'
import { inParallel } from '../in-parallel.ts'
import { admitting, configured } from '../integration/admission-webhook.ts'
import { aNamespace, usesControlPlane } from '../integration/fixture.ts'
import { aReplica, aSecret, aService, type Secret } from '../integration/webhook-process.ts'

const { apiVersion, kind, plural } = EXPERIMENT_DEPLOYMENT
const experiment = (name: string) => ({
  apiVersion,
  kind,
  metadata: { name },
  spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideSpec: {} },
})

describe('the webhook under the calls of the real API server', () => {
  const plane = usesControlPlane()
  let namespace = ''
  let secret: Secret | undefined
  const undoing: (() => unknown)[] = []
  beforeEach('there are a namespace and a certificate', async () => {
    namespace = await aNamespace()
    secret = await aSecret()
    undoing.push(secret.remove)
  })
  afterEach('everything is removed', async () => {
    for (const undo of undoing.splice(0).reverse()) await undo()
  })

  const theSecret = () => {
    if (!secret) throw new Error('made before each test')
    return secret
  }

  /** Creates `count` experiments, `atOnce` at a time. Returns the failures. */
  async function failuresOf(count: number, atOnce: number): Promise<readonly unknown[]> {
    const failures: unknown[] = []
    const names = Array.from({ length: count }, (_, at) => `try-${at}`)
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`
    await inParallel(atOnce, names, async (name) => {
      await plane()
        .api.create(path, experiment(name))
        .catch((error: unknown) => failures.push(String(error)))
    })
    return failures
  }

  /** Sends dry runs, 4 at a time, until `story` has ended. Returns their number and the failures. */
  async function whileCreating(story: () => Promise<unknown>) {
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${plural}?dryRun=All`
    const failures: unknown[] = []
    let calls = 0
    let isOver = false
    const lane = async () => {
      for (; !isOver; calls++)
        await plane()
          .api.create(path, experiment('again'))
          .catch((error: unknown) => failures.push(String(error)))
    }
    const lanes = Promise.all(Array.from({ length: 4 }, lane))
    try {
      await story()
    } finally {
      isOver = true
      await lanes
    }
    return { calls, failures }
  }

  it('makes kubectl try again when there are too many requests, and succeed', async () => {
    const flight = inFlight({ maxReviews: 1 })
    const webhook = await admitting(plane(), namespace, { flight })
    undoing.push(webhook.remove)
    await eventually('the answer to be sent', 20_000, () => expect(flight.reviews.used).to.equal(0))
    let refusals = 0
    const take = flight.reviews.take.bind(flight.reviews)
    const giveBack = take()
    flight.reviews.take = () => {
      const taken = take()
      if (!taken) refusals += 1
      return taken
    }
    const input = stringify({ ...experiment('patient'), metadata: { name: 'patient', namespace } })
    const applied = plane().kubectl(['create', '-f', '-'], { input })
    // by /mutate and /validate, and again for each retry before this check
    await eventually('kubectl to be refused', 20_000, () => expect(refusals).to.be.at.least(2))
    giveBack?.()
    const { code, stdout, stderr } = await applied
    expect({ code, stdout, stderr }).to.deep.include({ code: 0 })
    expect(stdout).to.equal('experimentdeployment.experimentcontroller.example.com/patient created\n')
  })

  it('F32: answers 200 concurrent creates, and loses none when its certificate changes', async () => {
    const replica = await aReplica(plane(), theSecret())
    undoing.push(() => replica.process.stop())
    const leafDays = 60 // the secret has 90: the metric must tell the two apart, and it counts seconds
    const next = await issue({ names: ['127.0.0.1'], clock: () => new Date(), leafDays })
    const ca = theSecret().pair.ca + next.ca
    undoing.push(await configured(plane(), namespace, { port: replica.port, ca }))
    const until = async () => /^webhook_certificate_not_after_seconds (.+)$/m.exec(await replica.metrics())?.[1]
    const before = await until()
    const { calls, failures } = await whileCreating(async () => {
      expect(await failuresOf(200, 200)).to.deep.equal([])
      theSecret().write(next)
      await eventually('the new certificate to be served', 20_000, async () =>
        expect(await until()).not.to.equal(before),
      )
      const { stdout } = await plane().kubectl(['-n', namespace, 'get', plural, '-o', 'name'])
      expect(stdout.trim().split('\n')).to.have.length(200)
    })
    expect(failures).to.deep.equal([])
    expect(calls).to.be.greaterThan(0)
  })

  it('F32: loses no call while two replicas are replaced by two others', async () => {
    const service = await aService()
    undoing.push(service.close)
    const old = await Promise.all([1, 2].map(() => aReplica(plane(), theSecret(), { drainSeconds: 3 })))
    for (const replica of old) service.add(replica)
    undoing.push(await configured(plane(), namespace, { port: service.port, ca: theSecret().pair.ca }))
    const { calls, failures } = await whileCreating(async () => {
      // four programs start and end meanwhile: a lost call must be their fault, not that of an overloaded machine
      const creating = failuresOf(200, 50)
      for (const replica of old) {
        const successor = await aReplica(plane(), theSecret())
        undoing.push(() => successor.process.stop())
        service.add(successor)
        expect(await replica.process.stop('SIGTERM', 30_000)).to.include({ code: 0, isAsked: true })
        service.remove(replica)
      }
      expect([...new Set(await creating)].slice(0, 3)).to.deep.equal([])
    })
    expect(failures).to.deep.equal([])
    expect(calls).to.be.greaterThan(20)
  })

  it('is not ready while it stops, and stops at once after a second signal', async () => {
    const replica = await aReplica(plane(), theSecret(), { drainSeconds: 25 })
    expect(await replica.readyz()).to.equal('[+]schemas ok\n[+]policies ok\n[+]certificate ok\n[+]running ok\nok\n')
    const ended = replica.process.expectExit()
    void replica.process.stop('SIGTERM', 60_000)
    await eventually('it to say so', 20_000, () =>
      replica.readyz().then(
        () => expect.fail('still ready'),
        (error: Error) => expect(error.message).to.include('[-]running: stopping'),
      ),
    )
    void replica.process.stop()
    expect(await ended).to.include({ code: 1 })
  })
})
