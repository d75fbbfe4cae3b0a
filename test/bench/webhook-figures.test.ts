import { expect } from 'chai'
import { type Peer, webhookFigures } from './webhook-figures.ts'

const WE = { pairsPerSecond: 700, cpuMsPerPair: 1.6, residentBytes: 120_000_000, p99Ms: 30 }
/** Needs the most memory, and is best in all else. */
const OLD: Peer = { node: 'v20.1.0', pairsPerSecond: 350, cpuMsPerPair: 3, residentBytes: 300_000_000, p99Ms: 60 }
const NEW: Peer = { node: 'v24.1.0', pairsPerSecond: 200, cpuMsPerPair: 5, residentBytes: 250_000_000, p99Ms: 90 }

/** The figures by name, and what was told. */
function figures(we = WE) {
  const told: string[] = []
  const found = webhookFigures(we, [NEW, OLD], (line) => told.push(line))
  return { told, byName: Object.fromEntries(found.map(({ name, ...figure }) => [name, figure])) }
}

describe('the figures of the webhook', () => {
  it('compare with the Node on which pepr is best, in each figure', () => {
    const { byName } = figures()
    const against = Object.entries(byName).map(([name, of]) => [name, of.against])
    expect(Object.fromEntries(against)).to.deep.equal({
      'webhook throughput': 350,
      'webhook CPU a pair': 3,
      'webhook memory': 250,
      'webhook p99': 60,
    })
    expect(byName['webhook CPU a pair']?.holds, 'less than 3 ms, which is the best').to.equal(true)
    expect(byName['webhook throughput']?.holds).to.equal(true)
  })

  it('hold no longer beside a faster pepr', () => {
    const { byName } = figures({ ...WE, cpuMsPerPair: 3.1, pairsPerSecond: 349, p99Ms: 100 })
    const held = Object.entries(byName).map(([name, { holds }]) => [name, holds])
    expect(Object.fromEntries(held)).to.deep.equal({
      'webhook throughput': false,
      'webhook CPU a pair': false,
      'webhook memory': true,
      'webhook p99': true, // told, without a goal
    })
  })

  it('tell which Node that is', () => {
    const { told } = figures()
    expect(told).to.include('webhook CPU a pair: pepr is best on Node v20.1.0, with 3.00 ms; ours 1.60')
    expect(told).to.include('webhook memory: pepr is best on Node v24.1.0, with 250.00 MB; ours 120.00')
  })

  it('limit the memory to 130 million bytes, whatever pepr needs', () => {
    const { unit, goal, holds } = figures().byName['webhook memory'] ?? {}
    expect([unit, goal, holds]).to.deep.equal(['MB', 'value <= 130', true])
    const more = figures({ ...WE, residentBytes: 130_100_000 }).byName
    expect(more['webhook memory']?.holds).to.equal(false)
  })

  it('cannot be made without a result of pepr', () =>
    expect(() => webhookFigures(WE, [], () => undefined)).to.throw('pepr has no result'))
})
