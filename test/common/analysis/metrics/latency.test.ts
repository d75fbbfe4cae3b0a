import { expect } from 'chai'
import { boundariesOf, LATENCY } from '../../../../common/analysis/metrics/latency.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'
import { seeded } from '../../../seeded.ts'
import { asCoarse, asFine, BOUNDARIES, question, sampleWindow } from './windows.ts'

const RULE = { tolerancePercent: 10, maxRegressionPercent: 25 }
const MOST_WINDOWS = 200

const SORTS: Readonly<Record<string, (data: WindowData) => WindowData>> = {
  samples: (data) => data,
  'coarse buckets': asCoarse,
  'fine buckets': asFine,
}

/** Windows until there is a verdict. `slowness`: of the fork's pods. */
function judgedAfter(
  sort: (data: WindowData) => WindowData,
  slowness: (pod: number) => number,
  windows = MOST_WINDOWS,
) {
  const random = seeded(20_261_123)
  const [fork, source] = [
    { count: 2, requests: 30, slowness },
    { count: 6, requests: 40, slowness: () => 1 },
  ]
  let state: readonly number[] = []
  for (let window = 1; window <= windows; window += 1) {
    const next = LATENCY.fold(state, sort(sampleWindow(fork, source, random)), RULE)
    if (!next) throw new Error('the window is of no use')
    state = JSON.parse(JSON.stringify(next))
    expect(state).to.deep.equal(next)
    expect(state.length).to.be.at.most(2_000)
    const found = LATENCY.judge(state, RULE, question())
    if (found.verdict !== 'Wait') return { ...found, window, state }
  }
  return { ...LATENCY.judge(state, RULE, question()), window: windows, state }
}

describe('the metric of latency', () => {
  for (const [what, sort] of Object.entries(SORTS)) {
    it(`finds from ${what} that a fork is twice as slow`, () => {
      const { verdict, window, effect, harm, pods } = judgedAfter(sort, () => 2)
      expect(verdict).to.equal('Fail')
      expect(window).to.be.at.most(10)
      expect(harm?.logE).to.be.at.least(harm?.needs ?? 0)
      expect(effect?.estimate).to.be.within(60, 140)
      expect(effect?.atLeast ?? 0).to.be.within(0, 100)
      expect(pods).to.deep.equal({ groups: 2, outer: 0 })
    })

    it(`finds from ${what} that a fork is as fast as its source`, () => {
      const { verdict, safe, effect, samples, spread, window } = judgedAfter(sort, () => 1)
      expect(verdict).to.equal('Pass')
      expect(safe.map(({ part }) => part)).to.deep.equal(['body', 'tail'])
      expect(effect?.atMost).to.be.at.most(35)
      expect(effect?.estimate).to.be.within(-15, 15)
      expect(spread).to.be.within(0.42, 0.65)
      expect(samples).to.deep.equal({ treatment: 60 * window, control: 240 * window })
    })

    it(`N38: holds a verdict from ${what} back where one of two pods is slow`, () => {
      const found = judgedAfter(sort, (pod) => (pod === 0 ? 3 : 1), 40)
      expect([found.verdict, found.doPodsDiffer]).to.deep.equal(['Wait', true])
      expect(found.pods).to.deep.equal({ groups: 2, outer: 1 })
    })

    it(`N38: judges from ${what} as if an idle pod were not there`, () => {
      const pods = { count: 2, requests: 30, slowness: () => 1 }
      const data = sampleWindow(pods, pods, seeded(1))
      if (data.is !== 'samples') throw new Error('they are samples')
      const idle = { pod: 'standby', values: [] }
      const more = { ...data, treatment: [...data.treatment, idle], control: [idle, ...data.control] }
      expect(LATENCY.fold([], sort(more), RULE)).to.deep.equal(LATENCY.fold([], sort(data), RULE))
    })

    it(`N42: finds from ${what} a slow fork also after many rollouts`, () => {
      const random = seeded(11)
      let [state, verdict]: [readonly number[], string] = [[], 'Wait']
      for (let window = 0; window < 60 && verdict === 'Wait'; window += 1) {
        const isLate = window >= 20
        const [fork, source] = [
          { count: 2, requests: 30, slowness: () => (isLate ? 3 : 1) },
          { count: 6, requests: 40, slowness: () => 1 },
        ]
        const named = <T extends { readonly pod?: string }>(pods: readonly T[]) =>
          pods.map((pod) => ({ ...pod, pod: `${pod.pod}-${isLate ? 'last' : window}` }))
        const data = sampleWindow(fork, source, random)
        if (data.is !== 'samples') throw new Error('they are samples')
        const renamed = { ...data, treatment: named(data.treatment), control: named(data.control) }
        state = LATENCY.fold(state, sort(renamed), RULE) ?? []
        const found = LATENCY.judge(state, RULE, question())
        verdict = isLate || found.verdict === 'Fail' ? found.verdict : 'Wait'
      }
      expect(verdict).to.equal('Fail')
      expect(state.length).to.be.at.most(1_000)
    })
  }

  for (const [what, begins, goesOn] of [
    ['wider', 8, 4],
    ['narrower', 4, 8],
  ] as const)
    it(`goes on when fine buckets become ${what}`, () => {
      const verdictOf = (slowness: number) => {
        let windows = 0
        const sort = (data: WindowData) => asFine(data, 2 ** (1 / (windows++ < 1 ? begins : goesOn)))
        const { verdict, window } = judgedAfter(sort, () => slowness)
        expect(window).to.be.above(1)
        return verdict
      }
      expect([verdictOf(1.5), verdictOf(1)]).to.deep.equal(['Fail', 'Pass'])
    })

  it('is not sure at once', () => {
    for (const slowness of [1, 2]) expect(judgedAfter(asCoarse, () => slowness, 1).verdict).to.equal('Wait')
  })

  it('waits without any window', () => {
    const found = LATENCY.judge([], RULE, question())
    expect([found.verdict, found.samples]).to.deep.equal(['Wait', { treatment: 0, control: 0 }])
  })

  it('remembers the boundaries of coarse buckets, before and after it knows which are live', () => {
    const pods = { count: 2, requests: 5, slowness: () => 1 }
    const window = sampleWindow(pods, pods, seeded(1))
    expect(boundariesOf(LATENCY.fold([], asCoarse(window), RULE) ?? [])).to.deep.equal(BOUNDARIES)
    expect(boundariesOf(judgedAfter(asCoarse, () => 2).state)).to.deep.equal(BOUNDARIES)
    expect(boundariesOf(LATENCY.fold([], asFine(window), RULE) ?? [])).to.equal(undefined)
    expect(boundariesOf(LATENCY.fold([], window, RULE) ?? [])).to.equal(undefined)
    expect(boundariesOf([])).to.equal(undefined)
  })

  it('can do nothing with data of another sort, with other boundaries, or with buckets that grow otherwise', () => {
    const window = sampleWindow(
      { count: 1, requests: 5, slowness: () => 1 },
      { count: 1, requests: 5, slowness: () => 1 },
      seeded(1),
    )
    const [coarse, fine] = [asCoarse(window), asFine(window)]
    if (coarse.is !== 'coarse' || fine.is !== 'fine') throw new Error('these are histograms')
    const [ofCoarse, ofFine] = [LATENCY.fold([], coarse, RULE) ?? [], LATENCY.fold([], fine, RULE) ?? []]
    expect(LATENCY.fold(ofCoarse, window, RULE)).to.equal(undefined)
    expect(LATENCY.fold(ofFine, coarse, RULE)).to.equal(undefined)
    expect(LATENCY.fold(ofFine, window, RULE)).to.equal(undefined)
    expect(LATENCY.fold(ofFine, { ...fine, ratio: 1.5 }, RULE)).to.equal(undefined)
    expect(
      LATENCY.fold(ofCoarse, { ...coarse, boundaries: coarse.boundaries.map((bound) => 2 * bound) }, RULE),
    ).to.equal(undefined)
    expect(LATENCY.fold([], { is: 'value', treatment: 1, control: 1 }, RULE)).to.equal(undefined)
  })
})
