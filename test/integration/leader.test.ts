import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, forkOf, installation, usesProduct } from './product.ts'
import { chronicle, churn, leads, type Rival, startRival, usurped } from './rivals.ts'

const EXPERIMENTS = ['one', 'two', 'three']

describe('two controllers, on the real control plane', () => {
  const place = usesProduct()
  const since = new Date()
  const rivals: Rival[] = []
  let churning: ReturnType<typeof churn> | undefined

  const writesOf = async (name: string) => (await chronicle(rivals, since)).writes.filter(({ by }) => by === name)

  before('they have something to do', async function () {
    this.timeout(3 * DEADLINE_MS)
    await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
    since.setTime(Date.now())
    await aSource(place(), 'cart')
    for (const name of EXPERIMENTS) await place().experiment(name, { source: 'cart' })
    const first = await startRival('rival-a')
    await leads(first)
    rivals.push(first, await startRival('rival-b'))
    churning = churn(place(), EXPERIMENTS)
    await eventually('writes', DEADLINE_MS, async () => expect((await writesOf('rival-a')).length).to.be.greaterThan(9))
  })
  after('the controller of the run takes over again', async function () {
    this.timeout(3 * DEADLINE_MS)
    await churning?.end()
    for (const { process } of rivals) await process.stop('SIGTERM', DEADLINE_MS)
    await (await installation()).startController()
  })

  it('R13: are both ready, and one of them writes', async () => {
    expect(await writesOf('rival-b')).to.deep.equal([])
    const metrics = rivals.flatMap(({ metric }) => [metric('leader'), metric('lease_age_seconds')])
    const [a, ageOfA, b, ageOfB] = await Promise.all(metrics)
    expect([a, b]).to.deep.equal([1, 0])
    for (const age of [ageOfA, ageOfB]) expect(age).to.be.within(0, 10)
  })

  it('F20: the other one writes within five seconds after the last write of one that is stopped', async () => {
    const askedMs = Date.now() // on a busy machine the last change may be seconds ago
    const { code, lastLines } = (await rivals[0]?.process.stop('SIGTERM', DEADLINE_MS)) ?? {}
    expect(code, lastLines).to.equal(0)
    await eventually('its writes', DEADLINE_MS, async () => expect(await writesOf('rival-b')).to.not.deep.equal([]))
    const last = (await writesOf('rival-a')).at(-1)?.receivedMs ?? 0
    const first = (await writesOf('rival-b'))[0]?.receivedMs ?? 0
    expect(first - Math.max(askedMs, last)).to.be.within(0, 5_000)
  })

  it('never write without the Lease, and leave the experiments as wanted', async () => {
    await churning?.end()
    for (const name of EXPERIMENTS) {
      await place().api.patch(place().path('experiments', name), { spec: { replicas: 1 } })
      const found = await place().reaches(name, 'Available')
      expect((await place().deployment(forkOf(found))).spec).to.deep.include({ replicas: 1 })
    }
    expect(usurped(await chronicle(rivals, since))).to.deep.equal([])
  })
})
