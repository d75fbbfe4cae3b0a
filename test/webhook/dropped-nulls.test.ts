import { expect } from 'chai'
import { droppedNulls } from '../../webhook/null-dropped.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
const lost = (written: unknown, stored: unknown) =>
  droppedNulls({
    metadata: { annotations: { [ANNOTATION]: JSON.stringify({ spec: { overrideSpec: written } }) } },
    spec: { overrideSpec: stored },
  })

describe('a null that kubectl dropped', () => {
  it('is none that was kept, however deep it is', () => {
    const kept = { template: { spec: { affinity: null, containers: [{ name: 'cart', image: null }] } } }
    expect(lost(kept, kept)).to.deep.equal([])
  })

  it('is told beside one that was kept in the same list', () => {
    const [written, stored] = [{ list: [{ a: null }, { a: null }] }, { list: [{ a: null }, {}] }]
    expect(lost(written, stored)).to.deep.equal(['list[1].a'])
  })

  it('is none of what is no override', () => {
    for (const written of [null, 'null', [null]]) expect(lost(written, {})).to.deep.equal([])
  })

  it('is found among 5,000 values, and not behind them', () => {
    const among = (count: number) => ({
      ...Object.fromEntries(Array.from({ length: count - 1 }, (_, index) => [`k${index}`, 1])),
      last: null,
    })
    expect(lost(among(5_000), {})).to.deep.equal(['last'])
    expect(lost(among(5_001), {})).to.deep.equal([])
  })
})
