import { expect } from 'chai'
import { reconciler } from '../../controller/reconcile.ts'
import { aDeployment, anExperiment, aPolicy, FORK, imageOverride } from '../builders.ts'
import { recordingCluster } from '../fakes/recording-cluster.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')

/** An experiment of three pods, ready. */
async function settled(spec: Parameters<typeof anExperiment>[0] = {}) {
  const story = recordingCluster({ experiment: anExperiment({ replicas: 3, ...spec }), source: aDeployment() })
  const pass = () => reconciler(story.cluster, clock)(KEY)
  await pass()
  story.forkBecomesReady()
  await pass()
  const writes = async () => {
    const from = story.diary.length
    await pass()
    return story.diary.slice(from)
  }
  const respec = (spec: Parameters<typeof anExperiment>[0]) => {
    const { experiment: present } = story.world
    if (!present) throw new Error('the experiment is gone')
    story.world.experiment = {
      ...present,
      spec: { ...present.spec, ...anExperiment({ ...present.spec, ...spec }).spec },
    }
  }
  return { ...story, writes, respec }
}

describe('a policy that is newer than the fork', () => {
  it('changes the condition, emits one Event, and does not change the fork', async () => {
    const { writes, world } = await settled()
    world.policies = [aPolicy({ maxReplicas: 1 })]
    expect(await writes()).to.deep.equal([
      'status Ready=True Available SourceResolved not PolicyCompliant',
      'event Warning PolicyViolated',
    ])
    expect(await writes()).to.deep.equal([])
    world.policies = []
    expect(await writes()).to.deep.equal(['status Ready=True Available SourceResolved', 'event Normal Compliant'])
    expect(await writes()).to.deep.equal([])
  })

  it('allows to scale down, and denies other changes', async () => {
    const { writes, respec, forkBecomesReady, world } = await settled()
    world.policies = [aPolicy({ deniedOverridePaths: ['template.spec.containers'] })]
    await writes()
    respec({ replicas: 1, overrideSpec: imageOverride('cart:denied') })
    expect(await writes()).to.deep.equal([
      `scale Deployment ${FORK} down to 1`,
      'status Ready=False PolicyDenied Stalled SourceResolved not PolicyCompliant',
      'event Warning PolicyViolated',
      'event Warning PolicyDenied',
    ])
    expect(JSON.stringify(world.stored?.spec)).not.to.contain('cart:denied')
    await writes() // the new number of replicas
    expect(await writes()).to.deep.equal([])
    world.policies = []
    expect((await writes())[0]).to.equal(`apply Deployment ${FORK}`)
    forkBecomesReady()
    await writes()
    expect(JSON.stringify(world.stored?.spec)).to.contain('cart:denied')
  })

  it('does not keep a fork that expires', async () => {
    const { writes, respec, world } = await settled()
    world.policies = [aPolicy({ maxReplicas: 1 })]
    await writes()
    respec({ ttlSeconds: 1 })
    const { experiment } = world
    if (experiment)
      world.experiment = {
        ...experiment,
        metadata: { ...experiment.metadata, creationTimestamp: '2026-11-21T09:00:00Z' },
      }
    expect((await writes())[0]).to.equal(`scale Deployment ${FORK} down to 0`)
  })
})

describe('a policy that requires a source', () => {
  const withoutSource = async (onSourceChange: string) => {
    const { world, writes, respec } = await settled({ onSourceChange })
    world.policies = [aPolicy({ sourceMissing: 'Deny' })]
    world.source = undefined
    await writes()
    respec({ overrideSpec: imageOverride('cart:2') })
    return { world, written: await writes() }
  }

  it('allows changes of a pinned experiment without source, because it has its base', async () => {
    const { world, written } = await withoutSource('Pin')
    expect(written).to.deep.equal([
      `apply Deployment ${FORK}`,
      'status Ready=False Updating Progressing',
      'event Normal Updating',
    ])
    expect(JSON.stringify(world.stored?.spec)).to.contain('cart:2')
  })

  it('is violated by an experiment without source that follows it', async () => {
    const { world, written } = await withoutSource('Follow')
    expect(written).to.deep.equal([])
    const compliant = world.experiment?.status?.conditions?.find(({ type }) => type === 'PolicyCompliant')
    expect(compliant?.message).to.equal(
      'spec.sourceRef: deployment/cart in namespace shop does not exist; create it first (policy "limits")',
    )
  })
})

describe('a reservation', () => {
  it('that fails writes nothing, and the pass is repeated', async () => {
    const story = recordingCluster({ experiment: anExperiment(), source: aDeployment() })
    story.world.policies = [aPolicy({ maxExperimentsPerSource: 1 })]
    story.world.isPlaceTaken = true
    expect(await reconciler(story.cluster, clock)(KEY)).to.equal('backoff')
    expect(story.diary).to.deep.equal([])
  })
})
