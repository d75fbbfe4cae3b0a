import { expect } from 'chai'
import { fnv1a } from '../../../../common/analysis/engine/random.ts'
import { healthMemory, healthState, restartsIn } from '../../../../common/analysis/run/health.ts'
import { ARMS, aPod } from './runs.ts'

const WINDOW = { start: 100_000, end: 130_000 }
const NOTHING = healthMemory([])
const pod = (name: string, createdS: number, readyS: number | undefined, restarts: number) => {
  const { readySinceMs: _none, ...rest } = aPod(name, { createdMs: 1_000 * createdS, restarts })
  return readyS === undefined ? rest : { ...rest, readySinceMs: 1_000 * readyS }
}
const of = (treatment: ReturnType<typeof pod>, memory = NOTHING) => {
  const data = restartsIn({ treatment: [treatment], control: [] }, WINDOW, memory)
  return data.is === 'events' ? data.treatment[0] : undefined
}

describe('the restarts in a window', () => {
  it('are those since the last look', () => {
    const seen = pod('a', 0, 10, 2)
    const memory = healthMemory(healthState({ treatment: [seen], control: [] }, [1, 2]))
    expect(memory.engine).to.deep.equal([1, 2])
    expect(of({ ...seen, restarts: 5 }, memory)).to.deep.equal({ pod: 'a', events: 3, exposure: 30 })
    expect(of({ ...seen, restarts: 1 }, memory)).to.deep.include({ events: 0 })
  })

  it('of a pod that nobody saw before are not known, but if it was created in the window', () => {
    expect(of(pod('old', 0, 10, 7))).to.deep.equal({ pod: 'old', events: 0, exposure: 30 })
    expect(of(pod('new', 110, 115, 7))).to.deep.equal({ pod: 'new', events: 7, exposure: 20 })
  })

  it('come with the seconds in which the pod was Ready', () =>
    expect(of(pod('a', 0, 120, 0))).to.deep.equal({ pod: 'a', events: 0, exposure: 10 }))

  it('count for the whole window, although the pod was not Ready for most of it', () => {
    const memory = healthMemory(healthState({ treatment: [pod('a', 0, 10, 0)], control: [] }, []))
    expect(of(pod('a', 0, 128, 1), memory)).to.deep.equal({ pod: 'a', events: 1, exposure: 30 })
  })

  it('make no quiet seconds of a pod that is never Ready', () => {
    expect(of(pod('waiting', 0, undefined, 0))).to.deep.equal({ pod: 'waiting', events: 0, exposure: 0 })
    expect(of(pod('crashing', 110, undefined, 2))).to.deep.equal({ pod: 'crashing', events: 2, exposure: 20 })
  })

  it('are kept apart for pods whose uids have the same 32 bits of a hash', () => {
    const pods = ['05736a73-cf92', '30043566-7d42'].map((uid, index) => ({ ...pod('a', 0, 10, 7 * (1 - index)), uid }))
    expect(fnv1a(pods[0]?.uid ?? '')).to.equal(fnv1a(pods[1]?.uid ?? ''))
    const arms = { treatment: pods, control: [] }
    const data = restartsIn(arms, WINDOW, healthMemory(healthState(arms, [])))
    if (data.is === 'events') expect(data.treatment.map(({ events }) => events)).to.deep.equal([0, 0])
  })

  it('are of both arms', () => {
    const data = restartsIn(ARMS, WINDOW, NOTHING)
    expect(data).to.have.property('is', 'events')
    if (data.is === 'events') expect([data.treatment, data.control].map(({ length }) => length)).to.deep.equal([2, 2])
  })
})
