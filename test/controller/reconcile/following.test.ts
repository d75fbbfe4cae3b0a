import { expect } from 'chai'
import { reconciler } from '../../../controller/reconcile/reconcile.ts'
import { aDeployment, anExperiment, FORK } from '../../builders.ts'
import { recordingKube } from '../../recording-kube.ts'

const KEY = 'shop/faster-cart'
const START = Date.parse('2026-11-21T10:00:00Z')

const imageOf = (of: unknown): string | undefined => /"image":"([^"]+)"/.exec(JSON.stringify(of))?.[1]

describe('an experiment that is pinned', () => {
  const clock = () => new Date(START)

  it('keeps its base before it makes its fork, and stays with it whatever becomes of the source', async () => {
    const story = recordingKube({
      experiment: anExperiment({ onSourceChange: 'Pin' }),
      source: aDeployment({ image: 'cart:1' }),
    })
    const pass = reconciler(story.kube, clock)
    await pass(KEY)
    expect(story.diary.slice(0, 2)).to.deep.equal([
      `pin ${FORK}`,
      `apply Deployment ${FORK} unless it is somebody else’s`,
    ])
    story.forkBecomesReady()
    await pass(KEY)
    story.world.source = aDeployment({ image: 'cart:2', metadata: { generation: 2 } })
    await pass(KEY)
    expect(imageOf(story.world.stored)).to.equal('cart:1')
    expect(story.world.experiment?.status?.source).to.deep.include({ generation: 1, pinned: true })
    expect(story.diary.filter((line) => line.startsWith('apply'))).to.have.length(1)
  })

  it('heals a fork that was deleted from the pinned base', async () => {
    const story = recordingKube({
      experiment: anExperiment({ onSourceChange: 'Pin' }),
      source: aDeployment({ image: 'cart:1' }),
    })
    const pass = reconciler(story.kube, clock)
    await pass(KEY)
    story.world.stored = undefined
    story.world.source = undefined
    await pass(KEY)
    expect(imageOf(story.world.stored)).to.equal('cart:1')
    const resolved = story.world.experiment?.status?.conditions?.find(({ type }) => type === 'SourceResolved')
    expect([resolved?.status, resolved?.reason]).to.deep.equal(['False', 'SourceNotFound'])
  })

  it('says that its source was created anew, and stays ready', async () => {
    const story = recordingKube({ experiment: anExperiment({ onSourceChange: 'Pin' }), source: aDeployment() })
    const pass = reconciler(story.kube, clock)
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

  it('lets the base go when it is to follow', async () => {
    const story = recordingKube({
      experiment: anExperiment({ onSourceChange: 'Pin' }),
      source: aDeployment({ image: 'cart:1' }),
    })
    const pass = reconciler(story.kube, clock)
    await pass(KEY)
    const { experiment } = story.world
    if (!experiment) throw new Error('the experiment went')
    story.world.experiment = { ...experiment, spec: { ...experiment.spec, onSourceChange: 'Follow' } }
    story.world.source = aDeployment({ image: 'cart:2', metadata: { generation: 2 } })
    await pass(KEY)
    expect(story.diary).to.include(`unpin ${FORK}`)
    expect(imageOf(story.world.stored)).to.equal('cart:2')
    expect(story.world.pinned).to.equal(undefined)
  })
})

describe('an experiment that follows', () => {
  it('tells once that its source was created anew', async () => {
    const story = recordingKube({ experiment: anExperiment(), source: aDeployment() })
    const pass = reconciler(story.kube, () => new Date(START))
    await pass(KEY)
    story.world.source = aDeployment({ image: 'cart:9', metadata: { uid: 'another' } })
    await pass(KEY)
    await pass(KEY)
    expect(story.diary.filter((line) => line.includes('SourceReplaced'))).to.deep.equal(['event Normal SourceReplaced'])
  })
})

describe('an experiment with a time to live', () => {
  const metadata = { creationTimestamp: '2026-11-21T10:00:00Z' }

  it('is looked at when it ends, whatever else it waits for', async () => {
    const story = recordingKube({ experiment: anExperiment({ ttlSeconds: 30, metadata }), source: aDeployment() })
    const again = await reconciler(story.kube, () => new Date(START + 10_000))(KEY)
    expect(again).to.deep.equal({ afterMs: 20_000 })
    expect(story.world.experiment?.status?.expiresAt).to.equal('2026-11-21T10:00:30Z')
  })

  it('loses its fork then, says so, rests, and revives when its time is raised', async () => {
    let now = START
    const story = recordingKube({ experiment: anExperiment({ ttlSeconds: 30, metadata }), source: aDeployment() })
    const pass = reconciler(story.kube, () => new Date(now))
    await pass(KEY)
    now = START + 30_000
    const rest = await pass(KEY)
    await pass(KEY)
    expect(story.diary.slice(-3)).to.deep.equal([
      `delete Deployment ${FORK}`,
      'status Ready=False Expired SourceResolved',
      'event Normal Expired',
    ])
    expect(rest).to.equal('never')
    const { experiment } = story.world
    if (!experiment) throw new Error('the experiment went')
    story.world.experiment = { ...experiment, spec: { ...experiment.spec, ttlSeconds: 3_600 } }
    await pass(KEY)
    expect(story.world.stored?.metadata.name).to.equal(FORK)
  })
})
