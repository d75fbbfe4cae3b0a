import { expect } from 'chai'
import { KubeError } from '../../../common/kube/errors.ts'
import { reconciler } from '../../../controller/reconcile/reconcile.ts'
import { aDeployment, anExperiment, aPolicy, FORK, imageOverride } from '../../builders.ts'
import { recordingKube } from '../../recording-kube.ts'

const KEY = 'shop/faster-cart'
const clock = () => new Date('2026-11-21T10:00:00Z')

/** An experiment of three pods, ready. */
async function settled(spec: Parameters<typeof anExperiment>[0] = {}) {
  const story = recordingKube({ experiment: anExperiment({ replicas: 3, ...spec }), source: aDeployment() })
  const pass = () => reconciler(story.kube, clock)(KEY)
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
    if (!present) throw new Error('the experiment went')
    story.world.experiment = { ...present, spec: { ...present.spec, ...spec } }
  }
  return { ...story, writes, respec }
}

describe('a later policy', () => {
  it('is told by condition and Event, once each way, and moves nothing', async () => {
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

  it('lets pods go, keeps what it denies from being written, and rests', async () => {
    const { writes, respec, forkBecomesReady, world } = await settled()
    world.policies = [aPolicy({ deniedOverridePaths: ['template.spec.containers'] })]
    await writes()
    respec({ replicas: 1, overrideSpec: imageOverride('cart:denied') })
    expect(await writes()).to.deep.equal([
      `shrink Deployment ${FORK} to 1`,
      'status Ready=False PolicyDenied Stalled SourceResolved not PolicyCompliant',
      'event Warning PolicyViolated',
      'event Warning PolicyDenied',
    ])
    expect(JSON.stringify(world.stored?.spec)).not.to.contain('cart:denied')
    await writes() // that it has one pod by now
    expect(await writes()).to.deep.equal([])
    world.policies = []
    expect((await writes())[0]).to.equal(`apply Deployment ${FORK}`)
    forkBecomesReady()
    await writes()
    expect(JSON.stringify(world.stored?.spec)).to.contain('cart:denied')
  })

  it('removes nothing, but time does: what expires goes', async () => {
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
    expect((await writes())[0]).to.equal(`delete Deployment ${FORK}`)
  })
})

describe('a policy that wants a source', () => {
  const sourceGoes = async (onSourceChange: string) => {
    const { world, writes, respec } = await settled({ onSourceChange })
    world.policies = [aPolicy({ sourceMissing: 'Deny' })]
    world.source = undefined
    await writes()
    respec({ overrideSpec: imageOverride('cart:2') })
    return { world, written: await writes() }
  }

  it('has nothing against a pinned experiment that changes after its source went: it has its base', async () => {
    const { world, written } = await sourceGoes('Pin')
    expect(written).to.deep.equal([
      `apply Deployment ${FORK}`,
      'status Ready=False Updating Progressing',
      'event Normal Updating',
    ])
    expect(JSON.stringify(world.stored?.spec)).to.contain('cart:2')
  })

  it('finds it missing where the experiment follows', async () => {
    const { world, written } = await sourceGoes('Follow')
    expect(written).to.deep.equal([])
    const compliant = world.experiment?.status?.conditions?.find(({ type }) => type === 'PolicyCompliant')
    expect(compliant?.message).to.equal('spec.sourceRef: no deployment/cart in shop; create it first (policy "limits")')
  })
})

describe('a place that a policy limits', () => {
  it('is looked for again when another experiment took one meanwhile, and nothing is written', async () => {
    const story = recordingKube({ experiment: anExperiment(), source: aDeployment() })
    story.world.policies = [aPolicy({ maxExperimentsPerSource: 1 })]
    story.world.isPlaceTaken = true
    const thrown = await reconciler(story.kube, clock)(KEY).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(KubeError).and.to.have.property('kind', 'conflict')
    expect(story.diary).to.deep.equal([])
  })
})
