import { expect } from 'chai'
import { ABSENT } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { stalled, waiting } from '../../common/facts/decision.ts'
import type { Conclusion } from '../../common/outcome/conclusion.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { createCaches } from '../../controller/caches.ts'
import { clusterForPass } from '../../controller/cluster.ts'
import { Referrers } from '../../controller/indexes/referrers.ts'
import { DriftBackoff } from '../../controller/memory/drift-backoff.ts'
import { StatusPacing } from '../../controller/memory/status-pacing.ts'
import { TimedMap } from '../../controller/memory/timed-map.ts'
import { WrittenVersions } from '../../controller/memory/written-versions.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, FORK, installing, UID } from '../builders.ts'
import { theFork } from '../common/plan/some-facts.ts'
import { ObjectStore } from '../fakes/object-store.ts'
import { diaryLog, SHORT_TURNS, VirtualTime } from '../virtual-time.ts'
import { noMetrics } from './no-metrics.ts'

const FORKS = '/apis/apps/v1/namespaces/shop/deployments'
const REVISION = `/apis/apps/v1/namespaces/shop/controllerrevisions/${FORK}`
const EXPERIMENT = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart'

function world(cached: ExperimentDeployment | null = anExperiment()) {
  const diary: string[] = []
  const log = diaryLog()
  const timers = new VirtualTime()
  const server = new ObjectStore({ [REVISION]: aDeployment({ name: FORK }), [EXPERIMENT]: anExperiment() })
  const caches = createCaches({
    client: server,
    timers,
    random: () => 0,
    log,
    kindProbeMs: 30_000,
    installed: installing(),
    metrics: noMetrics(),
  })
  const written = new WrittenVersions({ experiments: caches.experiments, forks: () => undefined })
  const clusterOf = clusterForPass({
    client: server,
    isServed: (namespace) => namespace !== 'elsewhere',
    experiments: { get: () => cached ?? undefined },
    workloads: caches.workloads,
    referrers: new Referrers(),
    surroundings: {
      traffic: () => ({ services: [], slices: [] }),
      follow: () => undefined,
      neighbours: async () => undefined,
    },
    policies: {
      list: () => [],
      namespace: async () => undefined,
      isExcluded: () => false,
      others: () => ({ others: [], asOf: 3 }),
      status: { record: (key, decision) => void diary.push(`record ${key} ${decision?.is}`) },
    },
    reservations: {
      reserve: (_experiment, { replicas, asOf }) => {
        diary.push(`reserve ${replicas} as of ${asOf}`)
        return true
      },
    },
    steps: {
      elapsedMs: () => undefined,
      shortMs: () => undefined,
      unchangedMs: () => 0,
      leavingMs: () => undefined,
      noteLeaving: () => undefined,
    },
    installed: installing(),
    pods: () => [],
    podRefusals: { of: async () => ABSENT },
    podWarnings: { of: async () => ABSENT },
    dryRuns: { of: async (_key, _kind, { of }) => ({ of, changesNothing: ABSENT }) },
    schemaOf: ({ kind }) => (kind === 'Deployment' ? ANY_SCHEMA : undefined),
    drift: new DriftBackoff(timers),
    pins: new DriftBackoff(timers, 2),
    metrics: {
      repaired: ({ kind }) => void diary.push(`repair of a ${kind}`),
      moved: ({ reason }) => void diary.push(`moved: ${reason}`),
      promoted: ({ outcome }) => void diary.push(`promotion: ${outcome}`),
    },
    statusDrift: new DriftBackoff(timers),
    unreported: new Map(),
    refused: new TimedMap(timers, 3_600_000),
    sharePace: new StatusPacing(timers),
    writtenStatuses: new TimedMap(timers, 120_000),
    written,
    recorder: {
      record: ({ regarding, related, reason, action, note }) =>
        void diary.push(
          `event ${reason} about ${regarding.metadata.name} and ${related?.metadata.name}: ${action}, ${note}`,
        ),
    },
    log,
  })
  const stopping = new AbortController()
  const cluster = clusterOf('shop/faster-cart', {
    number: 7,
    signal: stopping.signal,
    yielder: SHORT_TURNS,
    yieldToWrites: async () => void diary.push('yield'),
  })
  return { written, cluster, diary, log, server, stopping, timers }
}
const fork: KubeObject = theFork()
const { status: _status, ...object } = fork
const write = { verb: 'apply', resource: deployment, object, isRepair: false, isSameDerivation: false } as const
const conclusion: Conclusion = { ...waiting('Updating', 'created'), fork, source: undefined }

describe('the cluster of a pass', () => {
  it('reads revisions from the API server, and returns undefined for none', async () => {
    const { revision } = world().cluster.ports
    expect((await revision('shop', FORK))?.metadata.name).to.equal(FORK)
    expect(await revision('shop', 'other')).to.equal(undefined)
  })

  it('reads no revision in a namespace that is not served', async () => {
    const { cluster, server } = world()
    let asked = 0
    const request = server.request.bind(server)
    server.request = (...of) => {
      asked += 1
      return request(...of)
    }
    expect(await cluster.ports.revision('elsewhere', FORK)).to.equal(undefined)
    expect(asked).to.equal(0)
  })

  it('has the schema of each kind', () => {
    const { schemaOf } = world().cluster.ports
    expect(schemaOf(deployment)).to.equal(ANY_SCHEMA)
    expect(schemaOf({ ...deployment, kind: 'StatefulSet' })).to.equal(undefined)
  })

  it('writes to the API server', async () => {
    const { cluster, server } = world()
    const { status: _status, ...object } = fork
    await cluster.writer.write({
      verb: 'apply',
      role: 'fork',
      resource: deployment,
      object,
      isRepair: false,
      isSameDerivation: false,
    })
    expect(server.diary).to.deep.equal([`apply ${FORKS}/${FORK}`])
  })

  it('makes a repair wait for the next one of the same experiment', () => {
    const { cluster } = world()
    expect(cluster.ports.drift.waitMs('shop/faster-cart')).to.equal(0)
    cluster.writer.noteRepair(anExperiment(), { role: 'fork' })
    expect(cluster.ports.drift.waitMs('shop/faster-cart')).to.equal(250)
    expect(cluster.ports.drift.waitMs('shop/other')).to.equal(0)
    expect(cluster.ports.pins.waitMs('shop/faster-cart')).to.equal(0)
  })

  it('makes a repair of a Service wait apart from those of forks', () => {
    const { cluster } = world()
    cluster.writer.noteRepair(anExperiment(), { role: 'service', of: { ...aDeployment(), metadata: { name: 'web' } } })
    expect(cluster.ports.pins.waitMs('shop/faster-cart/web')).to.equal(250)
    expect(cluster.ports.pins.waitMs('shop/faster-cart/preview')).to.equal(0)
    expect(cluster.ports.drift.waitMs('shop/faster-cart')).to.equal(0)
  })

  it('reserves, records, emits and logs', async () => {
    const { cluster, diary, log } = world()
    cluster.writer.reserve(anExperiment(), { replicas: 2, asOf: 3 })
    cluster.reporter.recordPolicy('shop/faster-cart', { is: 'notRead' })
    cluster.reporter.emitEvent(anExperiment(), conclusion, { type: 'Normal', reason: 'Updating', message: 'created' })
    cluster.reporter.log(anExperiment(), conclusion)
    await cluster.yieldToWrites()
    expect(diary).to.deep.equal([
      'reserve 2 as of 3',
      'record shop/faster-cart notRead',
      `event Updating about faster-cart and ${FORK}: Reconcile, created`,
      'yield',
    ])
    expect(log.lines).to.deep.equal([
      {
        text: 'info reconciled',
        facts: {
          key: 'shop/faster-cart',
          uid: UID,
          generation: 1,
          reconcile: 7,
          reason: 'Updating',
          message: 'created',
          is: 'waiting',
        },
      },
    ])
  })

  it('logs no message that may quote a value of the fork', () => {
    const { cluster, log } = world()
    for (const decision of [
      stalled('ApplyRefused', 'spec.x: Invalid value: "hunter2"'),
      { is: 'failed', reason: 'ApplyFailed', message: 'admission webhook "a" denied "hunter2"' } as const,
    ])
      cluster.reporter.log(anExperiment(), { ...conclusion, ...decision })
    expect(log.lines.map(({ facts }) => facts.reason)).to.deep.equal(['ApplyRefused', 'ApplyFailed'])
    expect(JSON.stringify(log.lines)).not.to.contain('hunter2')
  })

  it('remembers what it wrote of a status that another client has written too', async () => {
    const { reporter } = world().cluster
    const managedFields = [{ manager: 'kubectl-patch', operation: 'Update', subresource: 'status' }]
    const known: boolean[] = []
    for (const metadata of [{}, { managedFields }]) {
      await reporter.applyStatus(anExperiment({ metadata }), {})
      known.push(reporter.isAsWritten('shop/faster-cart', {}))
    }
    expect(known).to.deep.equal([false, true])
    const others = [{ replicas: 1 }, undefined].map((status) => reporter.isAsWritten('shop/faster-cart', status))
    expect([...others, reporter.isAsWritten('shop/other', {})]).to.deep.equal([false, false, false])
  })

  it('remembers what it wrote until the status tells of it', async () => {
    const { writer, ports, reporter } = world().cluster
    const remembered = () => {
      const { fork, twin } = ports.unreported.get('shop/faster-cart') ?? {}
      return [fork?.generation, twin?.generation]
    }
    await writer.write({ ...write, role: 'fork' })
    expect(remembered()).to.deep.equal([1, undefined])
    await writer.write({
      ...write,
      role: 'twin',
      object: { ...object, metadata: { ...object.metadata, name: 'twin' } },
    })
    expect(remembered()).to.deep.equal([1, 1])
    await reporter.applyStatus(anExperiment(), {})
    expect(remembered()).to.deep.equal([undefined, undefined])
    await writer.write({ ...write, role: 'fork' })
    reporter.noteCurrent('shop/faster-cart')
    expect(remembered()).to.deep.equal([undefined, undefined])
  })

  it('remembers no write for an experiment that is deleted during its pass', async () => {
    const { writer, ports } = world(null).cluster
    await writer.write({ ...write, role: 'fork' })
    expect(ports.unreported.get('shop/faster-cart')).to.equal(undefined)
  })

  it('remembers for an hour what the API server refused, and nothing of an experiment that is gone', async () => {
    const refused = { of: 'state', decision: stalled('ApplyRefused', 'no') }
    const [{ cluster, timers }, gone] = [world(), world(null).cluster]
    for (const { writer } of [cluster, gone]) writer.noteRefused(refused)
    const remembered = ({ ports }: typeof cluster) => ports.refused.get('shop/faster-cart')
    await timers.pass(3_599_999)
    expect([remembered(cluster), remembered(gone)]).to.deep.equal([refused, undefined])
    await timers.pass(1)
    expect(remembered(cluster)).to.equal(undefined)
  })

  it('notes its writes, so that the next pass waits for the caches', async () => {
    const { written, cluster, stopping } = world()
    await cluster.reporter.applyStatus(anExperiment(), {})
    let isOver = false
    const waiting = written.caughtUp('shop/faster-cart', stopping.signal).then(() => {
      isOver = true
    })
    await new Promise(setImmediate)
    expect(isOver).to.equal(false)
    stopping.abort()
    await waiting
  })
})
