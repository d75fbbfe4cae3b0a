import { expect } from 'chai'
import { IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aSource, condition, DEADLINE_MS, forkOf, imagesOf, installation, usesProduct } from './product.ts'

const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'cart', image: name }] } } } })

describe('an experiment and its source, on the real control plane', () => {
  const place = usesProduct()
  const forkImages = async (name: string) =>
    imagesOf(await place().deployment(forkOf(await place().experimentAt(name))))

  it('Follow re-derives on a template change', async () => {
    await aSource(place(), 'moving')
    await place().experiment('follower', { source: 'moving' })
    await place().reaches('follower', 'Available')
    await place().api.patch(place().path('deployments', 'moving'), image('registry.example/cart:2'))
    await eventually('the fork to follow', DEADLINE_MS, async () =>
      expect(await forkImages('follower')).to.deep.equal(['registry.example/cart:2']),
    )
    await place().shows('follower', 'the generation it follows', ({ status }) => status?.source?.generation === 2)
  })

  it('Pin survives a restart and a deleted fork', async () => {
    await aSource(place(), 'drifting')
    await place().experiment('anchored', { source: 'drifting', onSourceChange: 'Pin' })
    const before = await place().reaches('anchored', 'Available')
    await place().api.patch(place().path('deployments', 'drifting'), image('registry.example/cart:2'))
    const { controller, startController } = await installation()
    await controller().stop()
    await place().api.delete(place().path('deployments', forkOf(before)))
    await startController()
    const uid = before.status?.experimentResourceRef?.uid
    await place().shows('anchored', 'another fork', ({ status }) => status?.experimentResourceRef?.uid !== uid)
    await place().reaches('anchored', 'Available')
    expect(await forkImages('anchored')).to.deep.equal(['registry.example/cart:1'])
    // and lets go
    await place().api.patch(place().path('experiments', 'anchored'), { spec: { onSourceChange: 'Follow' } })
    await eventually('the fork to follow', DEADLINE_MS, async () =>
      expect(await forkImages('anchored')).to.deep.equal(['registry.example/cart:2']),
    )
    const revisions = `/apis/apps/v1/namespaces/${place().namespace}/controllerrevisions?labelSelector=${IS_EXPERIMENT}=true`
    await eventually('the pinned base to be gone', DEADLINE_MS, async () =>
      expect(await place().api.list(revisions)).to.deep.equal([]),
    )
  })

  it('F23: A deleted source leaves the fork running, and of one that is pinned only SourceResolved says so', async () => {
    await aSource(place(), 'mortal')
    await place().experiment('orphan', { source: 'mortal', onSourceChange: 'Pin' })
    const fork = forkOf(await place().reaches('orphan', 'Available'))
    const { uid, generation } = (await place().deployment(fork)).metadata
    const showsOnly = async (reason: string) => {
      const found = await place().shows('orphan', reason, (of) => condition(of, 'SourceResolved')?.reason === reason)
      expect(condition(found, 'SourceResolved')?.status).to.equal('False')
      expect(condition(found, 'Ready')).to.deep.include({ status: 'True', reason: 'Available' })
      expect((await place().deployment(fork)).metadata, reason).to.deep.include({ uid, generation })
    }
    for (const kind of ['deployments', 'services'] as const) await place().api.delete(place().path(kind, 'mortal'))
    await showsOnly('SourceNotFound')
    await aSource(place(), 'mortal', { image: 'registry.example/cart:9' })
    await showsOnly('SourceReplaced')
    expect(imagesOf(await place().deployment(fork))).to.deep.equal(['registry.example/cart:1'])
  })

  it('F28: An HPA that scales the source never touches the fork', async () => {
    await aSource(place(), 'busy')
    await place().experiment('calm', { source: 'busy' })
    const fork = forkOf(await place().reaches('calm', 'Available'))
    const before = await place().deployment(fork)
    await place().api.patch(place().path('deployments', 'busy'), { spec: { replicas: 4 } })
    await place().shows('calm', 'a share of 20%', ({ status }) => status?.share === '20%')
    expect((await place().deployment(fork)).metadata.generation).to.equal(before.metadata.generation)
  })

  it('ends when its time is over, also after a restart, and revives when that is raised', async () => {
    await aSource(place(), 'lasting')
    await place().experiment('brief', { source: 'lasting', ttlSeconds: 3_600 })
    const found = await place().reaches('brief', 'Available')
    expect((await place().kubectl(['get', 'expd', 'brief'])).text).to.contain(found.status?.expiresAt)
    // counted from its creation: it must be there first, however long that takes
    const ageMs = Date.now() - Date.parse(found.metadata.creationTimestamp ?? '')
    await place().api.patch(place().path('experiments', 'brief'), {
      spec: { ttlSeconds: Math.ceil(ageMs / 1_000) + 6 },
    })
    const { controller, startController } = await installation()
    await controller().stop()
    await startController()
    const over = await place().reaches('brief', 'Expired')
    const { expiresAt = '' } = over.status ?? {}
    expect(expiresAt).not.to.equal(found.status?.expiresAt)
    expect(Date.parse(condition(over, 'Ready')?.lastTransitionTime ?? '')).to.be.at.least(Date.parse(expiresAt))
    await eventually('the fork to be gone', DEADLINE_MS, async () => {
      const names = (await place().api.list(place().path('deployments'))).map(({ metadata }) => metadata.name)
      expect(names).not.to.include(forkOf(found))
    })
    await place().api.patch(place().path('experiments', 'brief'), { spec: { ttlSeconds: 3_600 } })
    await place().reaches('brief', 'Available')
  })

  it('is paused by nothing that pauses its source', async () => {
    await aSource(place(), 'halted')
    await place().api.patch(place().path('deployments', 'halted'), { spec: { paused: true } })
    await place().experiment('going', { source: 'halted', overrideSpec: imageOverride('registry.example/cart:3') })
    await place().reaches('going', 'Available')
  })

  // Last, because a StatefulSet has ControllerRevisions too.
  for (const kind of ['Deployment', 'StatefulSet'] as const)
    it(`R8: has the revision of its ${kind}, which the workload controller sets after the generation`, async () => {
      const name = `revised-${kind.toLowerCase()}`
      const of = kind === 'Deployment' ? 'deployments' : 'statefulSets'
      const labels = { app: name }
      const revisionOf = ({ metadata, status }: KubeObject) =>
        kind === 'Deployment'
          ? metadata.annotations?.['deployment.kubernetes.io/revision']
          : at(status, 'updateRevision')
      await place().api.create(place().path(of), {
        metadata: { name },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
          },
        },
      })
      await place().experiment(name, { kind, source: name })
      await place().reaches(name, 'Available')
      for (const tag of ['2', '3']) {
        await place().api.patch(place().path(of, name), image(`registry.example/cart:${tag}`))
        const source = await eventually('the workload controller', DEADLINE_MS, async () => {
          const found = await place().api.get<KubeObject>(place().path(of, name))
          expect(at(found.status, 'observedGeneration')).to.equal(found.metadata.generation)
          return found
        })
        await place().shows(name, 'the revision', ({ status }) => status?.source?.revision === revisionOf(source))
      }
    })
})
