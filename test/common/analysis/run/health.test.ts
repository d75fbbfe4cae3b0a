import { expect } from 'chai'
import { healthLook, healthMemory, healthNumbers, withoutRestarts } from '../../../../common/analysis/run/health.ts'
import { fnv1a } from '../../../../common/json/fnv1a.ts'
import { ARMS, aPod } from './runs.ts'

const [START, END] = [100_000, 130_000]
const NOTHING = healthMemory([])
const pod = (name: string, createdS: number, readyS: number | undefined, restarts: number) => {
  const { readySinceMs: _none, ...rest } = aPod(name, { createdMs: 1_000 * createdS, restarts })
  return readyS === undefined ? rest : { ...rest, readySinceMs: 1_000 * readyS }
}
type Pod = ReturnType<typeof pod>
const lookAt = (treatment: readonly Pod[], memory = NOTHING, end = END, control: readonly Pod[] = []) =>
  healthLook({ treatment, control }, { start: end - (END - START), end }, memory)
const of = (treatment: Pod, memory = NOTHING) => {
  const { data } = lookAt([treatment], memory)
  return data.is === 'events' ? data.treatment[0] : undefined
}
/** What is remembered after a look at the start of the window. */
const seenBefore = (...pods: readonly Pod[]) => ({ ...lookAt(pods, NOTHING, START), engine: [] })

/** Looks every half a minute at a pod of each arm, which is Ready since some seconds before, or not. */
function looped(own: readonly (readonly [restarts: number, readyForS?: number])[], others: typeof own = []) {
  let [memory, isCrashLooping] = [NOTHING, false]
  let events = 0
  const at = (name: string, looks: typeof own, index: number, end: number) => {
    const [restarts, readyForS] = looks[Math.min(index, looks.length - 1)] ?? [0, 90]
    return pod(name, 0, readyForS === undefined ? undefined : end / 1_000 - readyForS, restarts)
  }
  for (let index = 0; index < own.length; index += 1) {
    const end = 1_000_000 + 30_000 * index
    const look = lookAt([at('fork', own, index, end)], memory, end, [at('source', others, index, end)])
    if (look.data.is === 'events') events += look.data.treatment[0]?.events ?? 0
    memory = { ...look, engine: [] }
    isCrashLooping ||= look.isCrashLooping
  }
  return { isCrashLooping, events }
}
const each = (count: number, readyForS: number) =>
  Array.from({ length: count }, (_, index) => [index, readyForS] as const)

describe('the restarts in a window', () => {
  it('are those since the last look', () => {
    const seen = pod('a', 0, 10, 2)
    expect(of({ ...seen, restarts: 3 }, seenBefore(seen))).to.deep.equal({ pod: 'a', events: 1, exposure: 30 })
    expect(of({ ...seen, restarts: 1 }, seenBefore(seen))).to.deep.include({ events: 0 })
  })

  it('of a pod that nobody saw before are not known, but if it was created in the window', () => {
    expect(of(pod('old', 0, 10, 7))).to.deep.equal({ pod: 'old', events: 0, exposure: 30 })
    expect(of(pod('new', 110, 115, 7))).to.deep.equal({ pod: 'new', events: 1, exposure: 20 })
  })

  it('come with the seconds in which the pod was Ready', () =>
    expect(of(pod('a', 0, 120, 0))).to.deep.equal({ pod: 'a', events: 0, exposure: 10 }))

  it('count for the whole window, although the pod was not Ready for most of it', () =>
    expect(of(pod('a', 0, 128, 1), seenBefore(pod('a', 0, 10, 0)))).to.deep.include({ events: 1, exposure: 30 }))

  it('make no quiet seconds of a pod that is never Ready', () => {
    expect(of(pod('waiting', 0, undefined, 0))).to.deep.equal({ pod: 'waiting', events: 0, exposure: 0 })
    expect(of(pod('crashing', 110, undefined, 2))).to.deep.equal({ pod: 'crashing', events: 1, exposure: 20 })
  })

  it('are kept apart for pods whose uids have the same 32 bits of a hash', () => {
    const pods = ['05736a73-cf92', '30043566-7d42'].map((uid, index) => ({ ...pod('a', 0, 10, 7 * (1 - index)), uid }))
    expect(fnv1a(pods[0]?.uid ?? '')).to.equal(fnv1a(pods[1]?.uid ?? ''))
    const { data } = lookAt(pods, seenBefore(...pods))
    if (data.is === 'events') expect(data.treatment.map(({ events }) => events)).to.deep.equal([0, 0])
  })

  it('are of both arms', () => {
    const { data } = healthLook(ARMS, { start: START, end: END }, NOTHING)
    if (data.is !== 'events') throw new Error('they are events')
    expect([data.treatment, data.control].map(({ length }) => length)).to.deep.equal([2, 2])
  })

  it('N40: of one pod within ten minutes are one event, and disturb it until it is Ready for a minute', () => {
    expect(
      looped([
        [0, 90],
        [4, 5],
        [6, 9],
      ]).events,
    ).to.equal(1)
    const late = [[0, 90], [1, 5], ...Array.from({ length: 20 }, () => [1, 90] as const), [2, 5]] as const
    expect(looped(late).events).to.equal(2)
    const memory = seenBefore(pod('a', 0, 10, 0))
    const first = { ...lookAt([pod('a', 0, 128, 1)], memory), engine: [] }
    const next = (readyS: number) => lookAt([pod('a', 0, readyS, 1)], first, END + 30_000).data
    const disturbed = (data: ReturnType<typeof next>) => data.is === 'events' && data.treatment[0]?.isDisturbed
    expect([disturbed(next(128)), disturbed(next(100))]).to.deep.equal([true, undefined])
  })
})

describe('a crash loop', () => {
  it('N40: is five restarts without a minute in which the pod is Ready', () => {
    expect(looped(each(5, 10)).isCrashLooping).to.equal(false)
    expect(looped(each(6, 10)).isCrashLooping).to.equal(true)
    expect(
      looped([
        [0, 90],
        [5, 3],
      ]).isCrashLooping,
    ).to.equal(true)
  })

  it('N40: is ten minutes of restarts on end, and not of waiting after them', () => {
    const waiting = (looks: number, last: number) =>
      [[0, 90], [1], [2], ...Array.from({ length: looks }, () => [2] as const), [last]] as const
    expect(looped(waiting(15, 3)).isCrashLooping).to.equal(false)
    expect(looped(waiting(20, 3)).isCrashLooping).to.equal(true)
    expect(looped(waiting(60, 2)).isCrashLooping).to.equal(false)
  })

  it('N40: is none where the pod was Ready for a minute in between, or may have been', () => {
    const calm = each(20, 10).flatMap(
      ([restarts, ready]) =>
        [
          [restarts, ready],
          [restarts, 40],
          [restarts, 70],
        ] as const,
    )
    expect(looped(calm).isCrashLooping).to.equal(false)
    const [before, after] = [pod('a', 0, 10, 0), pod('a', 0, 3_595, 6)]
    const hour = healthLook({ treatment: [after], control: [] }, { start: START, end: 3_700_000 }, seenBefore(before))
    expect(hour.isCrashLooping).to.equal(false)
  })

  it('N40: says nothing about the fork if a pod of its source had one, too', () => {
    expect(looped(each(9, 10), each(9, 10)).isCrashLooping).to.equal(false)
    expect(looped(each(9, 10), each(4, 10)).isCrashLooping).to.equal(true)
  })
})

describe('the memory of restarts', () => {
  it('comes back as it was saved, and can forget the pods', () => {
    const memory = { ...seenBefore(pod('a', 0, 10, 3), pod('b', 0, undefined, 1)), engine: [1, 2] }
    const { pods, didControlLoop, engine } = memory
    expect(healthMemory(healthNumbers(memory))).to.deep.equal({ pods, didControlLoop, engine })
    expect(healthMemory(withoutRestarts(healthNumbers(memory)))).to.deep.include({ pods: new Map(), engine: [1, 2] })
    expect(withoutRestarts([])).to.deep.equal([])
  })
})
