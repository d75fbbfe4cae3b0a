import { expect } from 'chai'
import { reconciler } from '../../controller/reconcile.ts'
import { aDeployment, anExperiment, FORK } from '../builders.ts'
import { recordingCluster } from '../fakes/recording-cluster.ts'

const KEY = 'shop/faster-cart'
const START = Date.parse('2026-11-21T10:00:00Z')

const imageOf = (of: unknown): string | undefined => /"image":"([^"]+)"/.exec(JSON.stringify(of))?.[1]

describe('an experiment that is pinned', () => {
  const clock = () => new Date(START)

  it('stores its base before it creates the fork, and keeps it when the source changes', async () => {
    const story = recordingCluster({
      experiment: anExperiment({ onSourceChange: 'Pin' }),
      source: aDeployment({ image: 'cart:1' }),
    })
    const pass = reconciler(story.cluster, clock)
    await pass(KEY)
    expect(story.diary.slice(0, 2)).to.deep.equal([`create revision ${FORK}`, `create Deployment ${FORK}`])
    story.forkBecomesReady()
    await pass(KEY)
    story.world.source = aDeployment({ image: 'cart:2', metadata: { generation: 2 } })
    await pass(KEY)
    expect(imageOf(story.world.stored)).to.equal('cart:1')
    expect(story.world.experiment?.status?.source).to.deep.include({ generation: 1, pinned: true })
    expect(story.diary.filter((line) => /^(create|apply) Deployment/.test(line))).to.have.length(1)
  })

  it('creates a deleted fork again from the pinned base', async () => {
    const story = recordingCluster({
      experiment: anExperiment({ onSourceChange: 'Pin' }),
      source: aDeployment({ image: 'cart:1' }),
    })
    const pass = reconciler(story.cluster, clock)
    await pass(KEY)
    story.world.stored = undefined
    story.world.source = undefined
    await pass(KEY)
    expect(imageOf(story.world.stored)).to.equal('cart:1')
    const resolved = story.world.experiment?.status?.conditions?.find(({ type }) => type === 'SourceResolved')
    expect([resolved?.status, resolved?.reason]).to.deep.equal(['False', 'SourceNotFound'])
  })

  it('reports that its source was created again, and stays ready', async () => {
    const story = recordingCluster({ experiment: anExperiment({ onSourceChange: 'Pin' }), source: aDeployment() })
    const pass = reconciler(story.cluster, clock)
    await pass(KEY)
    story.forkBecomesReady()
    story.world.source = aDeployment({ image: 'cart:9', metadata: { uid: 'another' } })
    await pass(KEY)
    const conditions = story.world.experiment?.status?.conditions ?? []
    expect(conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).to.include.members([
      'Ready=True Available',
      'SourceResolved=False SourceReplaced',
    ])
  })

  it('deletes the base when it follows the source again', async () => {
    const story = recordingCluster({
      experiment: anExperiment({ onSourceChange: 'Pin' }),
      source: aDeployment({ image: 'cart:1' }),
    })
    const pass = reconciler(story.cluster, clock)
    await pass(KEY)
    const { experiment } = story.world
    if (!experiment) throw new Error('the experiment is gone')
    story.world.experiment = { ...experiment, spec: { ...experiment.spec, onSourceChange: 'Follow' } }
    story.world.source = aDeployment({ image: 'cart:2', metadata: { generation: 2 } })
    await pass(KEY)
    expect(story.diary).to.include(`delete revision ${FORK}`)
    expect(imageOf(story.world.stored)).to.equal('cart:2')
    expect(story.world.revision).to.equal(undefined)
  })
})

describe('an experiment that follows', () => {
  it('emits one Event when its source was created again', async () => {
    const story = recordingCluster({ experiment: anExperiment(), source: aDeployment() })
    const pass = reconciler(story.cluster, () => new Date(START))
    await pass(KEY)
    story.world.source = aDeployment({ image: 'cart:9', metadata: { uid: 'another' } })
    await pass(KEY)
    await pass(KEY)
    expect(story.diary.filter((line) => line.includes('SourceReplaced'))).to.deep.equal(['event Normal SourceReplaced'])
  })
})

describe('an experiment with ttlSeconds', () => {
  const metadata = { creationTimestamp: '2026-11-21T10:00:00Z' }

  it('gets a pass when it expires, although it waits for something else', async () => {
    const story = recordingCluster({ experiment: anExperiment({ ttlSeconds: 30, metadata }), source: aDeployment() })
    const again = await reconciler(story.cluster, () => new Date(START + 10_000))(KEY)
    expect(again).to.deep.equal({ afterMs: 20_000 })
    expect(story.world.experiment?.status?.expiresAt).to.equal('2026-11-21T10:00:30Z')
  })

  it('deletes its fork when it expires, and creates it again when ttlSeconds is raised', async () => {
    let now = START
    const story = recordingCluster({ experiment: anExperiment({ ttlSeconds: 30, metadata }), source: aDeployment() })
    const pass = reconciler(story.cluster, () => new Date(now))
    await pass(KEY)
    now = START + 30_000
    const first = await pass(KEY)
    const last = await pass(KEY)
    await pass(KEY)
    expect(story.diary.slice(-5)).to.deep.equal([
      `scale Deployment ${FORK} down to 0`,
      'status Ready=False Expired SourceResolved',
      'event Normal Expired',
      `delete Deployment ${FORK}`,
      'status Ready=False Expired SourceResolved',
    ])
    expect([first, last]).to.deep.equal([{ afterMs: 60_000 }, 'never'])
    const { experiment } = story.world
    if (!experiment) throw new Error('the experiment is gone')
    story.world.experiment = { ...experiment, spec: { ...experiment.spec, ttlSeconds: 3_600 } }
    await pass(KEY)
    expect(story.world.stored?.metadata.name).to.equal(FORK)
  })
})
