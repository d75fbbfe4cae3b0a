import { expect } from 'chai'
import fc from 'fast-check'
import { METRIC_ENGINES, STRATIFIED_ENGINES } from '../../../../common/analysis/metrics/registry.ts'
import type { Arm, OfPod, WindowData } from '../../../../common/analysis/window-data.ts'
import '../../../property.ts'
import { question } from './windows.ts'

const RULE = { tolerancePercent: 10, maxRegressionPercent: 25, acceptablePercent: 1, min: 0, max: 1 }

const name = fc.record(
  { pod: fc.constantFrom('a', 'b', 'c'), stratum: fc.constantFrom('', '/a', '/b') },
  { requiredKeys: [] },
)
const arms = <T>(of: fc.Arbitrary<T>) => ({
  treatment: fc.array(of, { maxLength: 3 }),
  control: fc.array(of, { maxLength: 3 }),
})
const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 100_000 }))
const seconds = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e4, noNaN: true }))

const boundaries = [0.1, 0.2, 0.5]
const coarse = fc
  .tuple(name, count, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }))
  .map(([of, total, parts]) => ({
    ...of,
    total,
    exceeding: parts.toSorted((a, b) => b - a).map((part) => Math.floor(part * total)),
  }))
const fine = fc.record({
  zero: count,
  buckets: fc.uniqueArray(fc.tuple(fc.integer({ min: -300, max: 300 }), count), {
    selector: ([bin]) => bin,
    maxLength: 5,
  }),
})
const events = fc.tuple(name, count, fc.double({ min: 0, max: 1, noNaN: true })).map(([of, exposure, part]) => ({
  ...of,
  exposure,
  events: Math.floor(part * exposure),
}))

const SORTS: Readonly<Record<string, fc.Arbitrary<WindowData>>> = {
  samples: fc.record({
    is: fc.constant('samples' as const),
    ...arms(fc.tuple(name, fc.array(seconds, { maxLength: 60 })).map(([of, values]) => ({ ...of, values }))),
  }),
  coarse: fc.record({ is: fc.constant('coarse' as const), boundaries: fc.constant(boundaries), ...arms(coarse) }),
  fine: fc.record({ is: fc.constant('fine' as const), ratio: fc.constant(1.09), ...arms(fine) }),
  events: fc.record({ is: fc.constant('events' as const), ...arms(events) }),
  value: fc.record({ is: fc.constant('value' as const), treatment: seconds, control: seconds }),
  treatmentValue: fc.record({ is: fc.constant('treatmentValue' as const), treatment: seconds }),
}

/** What a provider can send by mistake. */
const anything = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 0, 1, 2 ** 53, -1))
const anyArms = <T>(of: fc.Arbitrary<T>) => ({
  treatment: fc.array(of, { maxLength: 2 }),
  control: fc.array(of, { maxLength: 2 }),
})
const ANYTHING: fc.Arbitrary<WindowData> = fc.oneof(
  fc.record({ is: fc.constant('samples' as const), ...anyArms(fc.record({ values: fc.array(anything) })) }),
  fc.record({
    is: fc.constant('coarse' as const),
    boundaries: fc.array(anything, { maxLength: 3 }),
    ...anyArms(fc.record({ exceeding: fc.array(anything, { maxLength: 3 }), total: anything })),
  }),
  fc.record({
    is: fc.constant('fine' as const),
    ratio: anything,
    ...anyArms(fc.record({ zero: anything, buckets: fc.array(fc.tuple(anything, anything), { maxLength: 3 }) })),
  }),
  fc.record({ is: fc.constant('events' as const), ...anyArms(fc.record({ events: anything, exposure: anything })) }),
  fc.record({ is: fc.constant('value' as const), treatment: anything, control: anything }),
)

/** Windows with as many pods and boundaries, and as wide a range of times, as there can be. */
const FULL: Readonly<Record<string, WindowData>> = {
  samples: { is: 'samples', ...fullArms({ values: Array.from({ length: 80 }, (_, index) => 2 ** (index - 40)) }) },
  coarse: {
    is: 'coarse',
    boundaries: Array.from({ length: 100 }, (_, index) => 1.1 ** index),
    ...fullArms({ total: 101, exceeding: Array.from({ length: 100 }, (_, index) => 100 - index) }),
  },
  fine: {
    is: 'fine',
    ratio: 1.003,
    ...fullArms({ zero: 5, buckets: Array.from({ length: 160 }, (_, index) => [9 * index, 3] as const) }),
  },
  events: { is: 'events', ...fullArms({ events: 3, exposure: 90 }) },
}
function fullArms<T>(of: T) {
  const arm = (word: string) => Array.from({ length: 64 }, (_, pod) => ({ pod: `${word}-${pod}`, ...of }))
  return { treatment: arm('fork'), control: arm('source') }
}

/** Strata, and as many as there can be. */
const inStrata = <T extends OfPod>(arm: readonly T[]) =>
  arm.flatMap((each) => Array.from({ length: 8 }, (_, index) => ({ ...each, stratum: `/${index}` })))
const stratified = <T extends OfPod>(arms: Readonly<Record<Arm, readonly T[]>>) => ({
  treatment: inStrata(arms.treatment),
  control: inStrata(arms.control),
})
const FULL_STRATA = Object.entries(FULL).flatMap(([sort, data]): [string, WindowData][] => {
  if (data.is === 'coarse') return [[sort, { ...data, ...stratified(data) }]]
  return data.is === 'events' ? [[sort, { ...data, ...stratified(data) }]] : []
})

describe('every kind of metrics with strata', () => {
  for (const [kind, engine] of Object.entries(STRATIFIED_ENGINES))
    for (const [sort, window] of FULL_STRATA)
      it(`N44: ${kind} has a bounded state after full windows of ${sort} in eight strata`, () => {
        let state = engine.fold([], window, RULE)
        for (let index = 0; state && index < 5; index += 1) state = engine.fold(state, window, RULE)
        expect(state?.length ?? 0).to.be.at.most(2_000)
        expect(JSON.parse(JSON.stringify(state ?? []))).to.deep.equal(state ?? [])
      })
})

const ENGINES = [
  ...Object.entries(METRIC_ENGINES),
  ...Object.entries(STRATIFIED_ENGINES).map(([kind, engine]) => [`stratified ${kind}`, engine] as const),
]

describe('every kind of metrics', () => {
  for (const [kind, engine] of ENGINES)
    for (const [sort, window] of Object.entries(FULL))
      it(`${kind} has a bounded state after full windows of ${sort}`, () => {
        let state = engine.fold([], window, RULE)
        for (let index = 0; state && index < 5; index += 1) state = engine.fold(state, window, RULE)
        expect(state?.length ?? 0).to.be.at.most(2_000)
        expect(JSON.parse(JSON.stringify(state ?? []))).to.deep.equal(state ?? [])
      })

  for (const [kind, engine] of ENGINES)
    it(`${kind} keeps finite numbers whatever a provider sends`, () =>
      fc.assert(
        fc.property(fc.array(ANYTHING, { maxLength: 4 }), (windows) => {
          let state: readonly number[] = []
          for (const data of windows) state = engine.fold(state, data, RULE) ?? state
          expect(JSON.parse(JSON.stringify(state))).to.deep.equal(state)
          const { harm, safe } = engine.judge(state, RULE, question())
          expect([harm?.logE ?? 0, ...safe.map(({ logE }) => logE)].every(Number.isFinite)).to.equal(true)
        }),
      ))

  for (const [kind, engine] of ENGINES)
    for (const [sort, window] of Object.entries(SORTS)) {
      const isOf = (data: WindowData) => engine.fold([], data, RULE) !== undefined
      it(`${kind} has a bounded state of finite numbers whatever its windows of ${sort} hold`, () =>
        fc.assert(
          fc.property(fc.array(window, { minLength: 1, maxLength: 6 }), (windows) => {
            if (!windows.every(isOf)) return
            let state: readonly number[] = []
            for (const data of windows) {
              const next = engine.fold(state, data, RULE) ?? []
              expect(engine.fold(state, data, RULE)).to.deep.equal(next)
              expect(JSON.parse(JSON.stringify(next))).to.deep.equal(next)
              expect(next.length).to.be.at.most(2_000)
              state = next
            }
            const { harm, safe, effect } = engine.judge(state, RULE, question())
            const numbers = [harm?.logE ?? 0, ...safe.map(({ logE }) => logE), effect?.estimate ?? 0]
            expect(numbers.every(Number.isFinite)).to.equal(true)
          }),
        ))
    }
})
