import { expect } from 'chai'
import { IS_EXPERIMENT } from '../../common/api/names.ts'
import { at } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { canariesIn } from './canaries.ts'
import { aSource, condition, DEADLINE_MS, hasEndpoints, installation, usesProduct } from './product.ts'

const TWO_PAUSES = [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: {} }]

describe('the run of a canary and what happens around it, on the real control plane', () => {
  const place = usesProduct()
  const { canary, fork, hasPods, podsOf, say, scaleSource, shows } = canariesIn(place)
  const aReadySource = async (name: string, replicas: number) => {
    await aSource(place(), name, { replicas })
    await hasEndpoints(place(), name, replicas)
  }
  const forks = () => place().api.list(`${place().path('deployments')}?labelSelector=${IS_EXPERIMENT}=true`)
  const hasNoFork = (name: string) =>
    eventually(`the fork of ${name} to be gone`, DEADLINE_MS, async () =>
      expect((await forks()).filter(({ metadata }) => metadata.name.startsWith(`${name}-`))).to.deep.equal([]),
    )

  it('The source grows and shrinks in a pause: the pods of the fork follow, and the step stays', async () => {
    await aReadySource('follows', 4)
    await canary('follows', [{ setWeight: 50 }, { pause: {} }])
    const { status } = await shows('follows', '1/5 Paused')
    for (const size of [8, 2]) {
      await scaleSource('follows', size)
      await hasPods('follows', size)
      await hasEndpoints(place(), 'follows', 2 * size)
    }
    const after = await place().shows('follows', 'half of the endpoints', (found) => {
      const [service] = found.status?.services ?? []
      return service?.experimentEndpoints === 2 && service.readyEndpoints === 4
    })
    expect(after.status?.strategy).to.deep.include({ stepIndex: 1, since: status?.strategy?.since, step: '1/5 Paused' })
  })

  it('A source that grew beyond maxSurge limits the weight, which is told', async () => {
    await aReadySource('limited', 2)
    const strategy = { canary: { maxSurge: 1, steps: [{ setWeight: 33 }, { pause: {} }] } }
    await place().experiment('limited', { source: 'limited', strategy })
    await shows('limited', '1/5 Paused')
    await scaleSource('limited', 6)
    const found = await place().shows('limited', 'WeightLimited', ({ status }) =>
      JSON.stringify(status?.warnings ?? []).includes('WeightLimited'),
    )
    expect(found.status?.strategy?.step).to.equal('1/5 Paused')
    expect(await podsOf('limited')).to.equal(1)
  })

  it('A source without pods is waited for', async () => {
    await aSource(place(), 'empty', { replicas: 0 })
    await canary('empty', TWO_PAUSES)
    await shows('empty', '0/7 Progressing')
    await scaleSource('empty', 4)
    await shows('empty', '1/7 Paused')
    expect(await podsOf('empty')).to.equal(1)
  })

  it('A pause passes while the controller is stopped: one step at once, and the next pause is whole', async function () {
    this.timeout(2 * DEADLINE_MS)
    await aReadySource('dead', 4)
    await canary('dead', [{ setWeight: 20 }, { pause: { duration: 3 } }, { pause: { duration: 2 } }, { pause: {} }])
    const before = await shows('dead', '1/7 Paused')
    const { controller, startController } = await installation()
    await controller().stop()
    const since = Date.parse(before.status?.strategy?.since ?? '')
    await eventually('both pauses to be over', DEADLINE_MS, () => expect(Date.now()).to.be.above(since + 6_000))
    expect((await place().experimentAt('dead')).status?.strategy?.stepIndex).to.equal(1)
    const startedAt = Date.now()
    await startController()
    const after = await shows('dead', '3/7 Paused')
    expect(Date.parse(after.status?.strategy?.since ?? '')).to.be.at.least(startedAt + 2_000)
  })

  it('A fork that is deleted by hand in a pause is made anew with the pods of the step', async () => {
    await aReadySource('deleted', 4)
    await canary('deleted', [{ setWeight: 50 }, { pause: {} }])
    await shows('deleted', '1/5 Paused')
    const { metadata } = await fork('deleted')
    await place().api.delete(place().path('deployments', metadata.name))
    const found = await place().shows('deleted', 'another fork', ({ status }) => {
      const [uid, ready] = [status?.experimentResourceRef?.uid, status?.readyReplicas]
      return uid !== undefined && uid !== metadata.uid && ready === 4
    })
    expect(found.status?.strategy?.step).to.equal('1/5 Paused')
    expect(await podsOf('deleted')).to.equal(4)
  })

  it('kubectl scale of the experiment while a weight decides changes nothing in the fork', async () => {
    await aReadySource('scaled', 4)
    await canary('scaled', TWO_PAUSES)
    await shows('scaled', '1/7 Paused')
    const { metadata } = await fork('scaled')
    expect(await place().kubectl(['scale', 'expd/scaled', '--replicas=3'])).to.deep.include({ code: 0 })
    const found = await place().reaches('scaled', 'Available')
    expect(found.metadata.generation).to.equal(2)
    expect(found.status?.strategy?.step).to.equal('1/7 Paused')
    expect((await fork('scaled')).metadata.generation).to.equal(metadata.generation)
    expect(await podsOf('scaled')).to.equal(1)
  })

  it('An edit of the override begins a new run at its first step', async () => {
    await aReadySource('edited', 4)
    await canary('edited', [{ setWeight: 20 }, { pause: { duration: 1 } }, { setWeight: 50 }, { pause: {} }])
    const before = await shows('edited', '3/7 Paused')
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: {} }]
    const overrideSpec = imageOverride('registry.example/cart:2')
    await place().api.patch(place().path('experiments', 'edited'), {
      spec: { overrideSpec, strategy: { canary: { steps } } },
    })
    const after = await shows('edited', '1/7 Paused')
    expect(after.status?.strategy?.run).to.not.equal(before.status?.strategy?.run)
    expect(await podsOf('edited')).to.equal(1)
    // the override alone
    await say('edited', 'resume')
    await shows('edited', '3/7 Paused')
    const image = imageOverride('registry.example/cart:3')
    await place().api.patch(place().path('experiments', 'edited'), { spec: { overrideSpec: image } })
    await shows('edited', '1/7 Paused')
    await hasPods('edited', 1)
  })

  it('A new image of the source begins the pause anew, and the step stays', async () => {
    await aReadySource('based', 4)
    await canary('based', [{ setWeight: 20 }, { pause: { duration: 3_600 } }], { overrideSpec: { minReadySeconds: 1 } })
    const before = await shows('based', '1/5 Paused')
    const jsonPatch = [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'registry.example/cart:2' },
    ]
    await place().api.patch(place().path('deployments', 'based'), jsonPatch, 'json')
    const after = await place().shows('based', 'another revision', ({ status }) => {
      const revision = status?.strategy?.revision
      return revision !== undefined && revision !== before.status?.strategy?.revision
    })
    expect(after.status?.strategy?.step).to.equal('1/5 Paused')
    expect(Date.parse(after.status?.strategy?.since ?? '')).to.be.above(
      Date.parse(before.status?.strategy?.since ?? ''),
    )
  })

  it('The fork goes with an experiment that is deleted in its run', async () => {
    await aReadySource('removed', 4)
    await canary('removed', TWO_PAUSES)
    await shows('removed', '1/7 Paused')
    await place().api.delete(place().path('experiments', 'removed'))
    await hasNoFork('removed')
  })

  it('The fork goes when the time of its experiment is over', async () => {
    await aReadySource('timed', 4)
    await canary('timed', TWO_PAUSES, { ttlSeconds: 10 })
    await shows('timed', '1/7 Paused')
    const found = await place().reaches('timed', 'Expired')
    expect(condition(found, 'Paused')).to.equal(undefined)
    await hasNoFork('timed')
  })

  it('A deadline that is over stalls the run, or aborts it', async () => {
    await aReadySource('late', 4)
    const overrideSpec = { progressDeadlineSeconds: 2, ...imageOverride('registry.example/cart:broken') }
    for (const progressDeadlineAbort of [false, true])
      await place().experiment(`late-${progressDeadlineAbort}`, {
        source: 'late',
        overrideSpec,
        strategy: { canary: { steps: TWO_PAUSES, progressDeadlineAbort } },
      })
    await shows('late-true', '1/1 Aborted')
    const found = await place().reaches('late-true', 'Aborted')
    expect(condition(found, 'Stalled')?.status).to.equal('True')
    expect(await podsOf('late-true')).to.equal(0)
    const stalled = await place().reaches('late-false', 'ProgressDeadlineExceeded')
    expect(stalled.status?.strategy?.step).to.equal('0/7 Progressing')
    expect(at(await fork('late-false'), 'spec', 'replicas')).to.equal(1)
  })
})
