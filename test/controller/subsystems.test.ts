import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { Semaphore } from '../../common/program/semaphore.ts'
import { namedReflectors } from '../../controller/caches.ts'
import { createSubsystems, type Subsystems } from '../../controller/subsystems.ts'
import { anExperiment, installing } from '../builders.ts'
import { theFork } from '../common/plan/some-facts.ts'
import { ObjectStore } from '../fakes/object-store.ts'
import { diaryLog, turn, VirtualTime } from '../virtual-time.ts'
import { NO_PROVIDERS } from './analysis/no-providers.ts'
import { noMetrics } from './no-metrics.ts'
import { withoutPods } from './swept.ts'

const EXPERIMENT = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart'
const { metadata, ...rest } = anExperiment()
const stored: KubeObject = { ...rest, metadata: { ...metadata, resourceVersion: '10' } }

/** A fork in another namespace, whose experiment is gone. */
const FORK = withoutPods(
  theFork({
    experiment: anExperiment({
      sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'stock' },
      metadata: { name: 'gone', uid: 'uid-of-gone' },
    }),
  }),
)
const ORPHAN = { ...FORK, metadata: { ...FORK.metadata, resourceVersion: '11' } }
const ORPHAN_PATH = `/apis/apps/v1/namespaces/stock/deployments/${ORPHAN.metadata.name}`

function created(objects: Readonly<Record<string, KubeObject>> = {}) {
  const time = new VirtualTime()
  const server = new ObjectStore({ [EXPERIMENT]: stored, ...objects })
  const stopping = new AbortController()
  const parts = createSubsystems(
    {
      client: server,
      workers: 2,
      kindProbeMs: 30_000,
      installed: installing(),
      http: NO_PROVIDERS,
      instance: 'pod-1',
      ownNamespace: 'ops',
      clock: () => new Date('2026-11-21T10:00:00Z'),
      timers: time,
      random: () => 0,
      metrics: noMetrics(),
      log: diaryLog(),
    },
    stopping.signal,
    () => true,
  )
  return { parts, server, stopping, time }
}

/** Fills the caches. Returns what stops them. */
async function synced({ caches }: Subsystems): Promise<() => Promise<unknown>> {
  const reflectors = namedReflectors(caches)
  for (const { reflector } of reflectors) reflector.start()
  await Promise.all(reflectors.map(({ reflector }) => reflector.synced()))
  return () => Promise.all(reflectors.map(({ reflector }) => reflector.stop()))
}

describe('the subsystems', () => {
  it('make no request and set no timer before they are started', () => {
    const { server, time } = created()
    expect([server.diary, server.openWatches, time.pending]).to.deep.equal([[], 0, 0])
  })

  it('exclude the namespace of the controller from experiments', () => {
    const { policies } = created().parts
    expect([policies.isExcluded('ops'), policies.isExcluded('shop')]).to.deep.equal([true, false])
  })

  it('O6: make Events wait while the API server fails', async () => {
    const { parts, server } = created()
    server.forbidden.add('/apis/experimentcontroller.example.com/v1alpha1/experimentdeployments') // fails the probe
    for (const key of ['a/1', 'a/2', 'a/3', 'a/4', 'a/5']) parts.breaker.failed(key)
    await turn()
    const input = {
      type: 'Normal',
      reason: 'Available',
      action: 'Reconcile',
      note: 'ready',
      regarding: stored,
    } as const
    parts.recorder.record(input)
    await turn()
    expect([parts.breaker.isOpen, server.diary]).to.deep.equal([true, []])
    parts.breaker.sent({ code: '200', isFromApiServer: true })
    await turn()
    expect(server.diary).to.deep.equal(['create /apis/events.k8s.io/v1/namespaces/shop/events'])
    parts.breaker.stop()
  })

  it('send only some of the lists of neighbours at once', async () => {
    const { parts, server } = created()
    const limits: (Semaphore | undefined)[] = []
    server.request = async ({ limit }) => void limits.push(limit)
    for (const namespace of ['a', 'b', 'c']) await parts.neighbours.of(namespace)
    expect(limits).to.have.length(9)
    expect(limits[0]).to.be.instanceOf(Semaphore)
    expect(new Set(limits).size).to.equal(1)
    parts.neighbours.stop()
  })

  it('share the cache of experiments', async () => {
    const { parts } = created()
    const stop = await synced(parts)
    expect(parts.experiments.activeKeys).to.deep.equal(['shop/faster-cart'])
    await stop()
  })

  it('remember no write for experiments that are gone, which get no pass that would wait for it', async () => {
    const { parts, server } = created({ [ORPHAN_PATH]: ORPHAN })
    const stop = await synced(parts)
    parts.orphans.start()
    await parts.orphans.stop()
    expect(server.diary).to.include(`delete ${ORPHAN_PATH}`)
    expect(parts.written.entryCount).to.equal(0)
    await stop()
  })
})
