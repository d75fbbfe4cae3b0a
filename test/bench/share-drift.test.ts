import { expect } from 'chai'
import { driftFigures, type ShareDrift } from './share-drift.ts'

const COUNT = 1_000
/** One status every `apartMs`, the first after five seconds. */
const drift = (apartMs: number, of: Partial<ShareDrift> = {}): ShareDrift => ({
  scaledAtMs: 1_000_000,
  writes: Array.from({ length: COUNT }, (_, index) => ({ name: `copy-${index}`, atMs: 1_005_000 + apartMs * index })),
  cpuSeconds: 2,
  ...of,
})

/** The names of the lines that do not hold. */
const broken = (of: ShareDrift) =>
  driftFigures(of, { count: COUNT, createdCpuSeconds: 12 })
    .filter(({ holds }) => !holds)
    .map(({ name }) => name)

describe('the figures of one pod more', () => {
  const name = `one pod more, ${COUNT} forks`

  it('hold with twenty statuses a second', () => expect(broken(drift(50))).to.deep.equal([]))

  it('do not hold with more of them', () => expect(broken(drift(49))).to.deep.equal([`${name}: rate`]))

  it('do not hold where the last comes after a minute', () =>
    expect(broken(drift(56))).to.deep.equal([`${name}: the last`]))

  it('do not hold where a fork has no new status', () =>
    expect(broken(drift(50, { writes: drift(50).writes.slice(1) }))).to.deep.equal([`${name}: the last`]))

  it('do not hold where they cost more than before they were paced', () =>
    expect(broken(drift(50, { cpuSeconds: 3.6 }))).to.deep.equal([`${name}: CPU`]))
})
