import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import { previewSize } from '../../../common/situation/run.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { aDeployment, aFork } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aBlueGreen } from '../run/blue-greens.ts'

const hpa = (isOnCpu = true) => ({
  ...NO_NEIGHBOURS,
  autoscalers: [{ name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 9, isOnCpu }],
})
const sourceOf = (replicas: number) => aDeployment({ spec: { replicas } })

describe('the pods of a preview without a number of its own', () => {
  const facts = (neighbours = NO_NEIGHBOURS) => someFacts({ neighbours })

  it('are as many as those of the source', () => {
    for (const size of [0, 1, 4, 10, 25])
      expect(previewSize(facts(), sourceOf(size), aFork()), String(size)).to.equal(size)
  })

  it('are a tenth of them, and at least one, while an HPA on CPU counts them', () => {
    const sizes = [0, 1, 4, 10, 19, 20, 50].map((size) => previewSize(facts(hpa()), sourceOf(size), aFork()))
    expect(sizes).to.deep.equal([0, 1, 1, 1, 1, 2, 5])
  })

  it('are not fewer beside an HPA on memory, and where the HPA does not count them', () => {
    expect(previewSize(facts(hpa(false)), sourceOf(20), aFork())).to.equal(20)
    const apart = aFork(aDeployment(), { labels: { app: 'other' } })
    expect(previewSize(facts(hpa()), sourceOf(20), apart)).to.equal(20)
  })

  it('are those of the present fork while the autoscalers are not known, and a tenth before there is one', () => {
    const unread = (fork: Parameters<typeof someFacts>[0]) => ({
      ...someFacts(fork),
      surroundings: { ...someFacts().surroundings, neighbours: unknown('the API server does not answer') },
    })
    const having = (replicas: number) => ({ ...aFork(), spec: { replicas } })
    const kept = [0, 1, 7, 20, 30].map((pods) => previewSize(unread({ fork: having(pods) }), sourceOf(20)))
    expect(kept).to.deep.equal([2, 2, 7, 20, 20])
    expect(previewSize({ ...unread({}), fork: ABSENT }, sourceOf(20))).to.equal(2)
    expect(previewSize({ ...unread({}), fork: known(having(20)) }, sourceOf(10))).to.equal(10)
  })
})

describe('a blue-green without previewReplicaCount whose source has an HPA on CPU', () => {
  const previewing = () => {
    const run = aBlueGreen({ previewService: 'cart-preview' })
    run.world.neighbours = hpa()
    run.rest()
    return run
  }

  it('previews with a tenth of its source, and has all of its pods for the cut-over', () => {
    const run = previewing()
    expect([run.step(), run.pods()]).to.deep.equal(['2/10 Paused', 1])
    run.say('resume')
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['5/10 Paused', 10])
  })

  it('has all of its pods when the HPA is gone, and keeps them while that is not known', () => {
    const run = previewing()
    run.world.neighbours = NO_NEIGHBOURS
    run.rest()
    expect([run.step(), run.pods()]).to.deep.equal(['2/10 Paused', 10])
    run.world.neighbours = undefined
    expect(run.rest()).to.deep.equal([])
    expect(run.pods()).to.equal(10)
  })
})
