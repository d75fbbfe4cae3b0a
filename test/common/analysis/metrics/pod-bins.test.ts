import { expect } from 'chai'
import { comparedPods, keyOfPod, withPods } from '../../../../common/analysis/metrics/pod-bins.ts'

const SUBJECT = '5891b5b522'
const pods = (word: string, ...bins: readonly (readonly number[])[]) =>
  bins.map((of, index) => ({ pod: `${word}-${index}`, bins: of }))

describe('the requests of pods', () => {
  it('grow with each window, pod by pod', () => {
    const window = { treatment: pods('fork', [10, 5]), control: pods('source', [20, 0], [15, 15]) }
    const twice = withPods(withPods([], window, 2), window, 2)
    expect(twice).to.have.length(3 * 4)
    expect(twice.slice(0, 4)).to.deep.equal([0, keyOfPod('fork-0'), 20, 10])
    expect(comparedPods(twice, 2, { by: 'share', above: 0 }, SUBJECT)).to.include({ groups: 3, outer: 1 })
  })

  it('are kept of those with the most', () => {
    const many = (word: string) => pods(word, ...Array.from({ length: 30 }, (_, pod) => [pod, 0]))
    const list = withPods([], { treatment: many('fork'), control: many('source') }, 2)
    expect(list).to.have.length((8 + 16) * 4)
    expect(list[2]).to.equal(29)
  })

  it('are not compared under twenty requests, or with a single pod of the source', () => {
    const by = { by: 'ranks' } as const
    const of = (treatment: readonly number[], ...control: readonly (readonly number[])[]) =>
      comparedPods(
        withPods([], { treatment: pods('fork', treatment), control: pods('source', ...control) }, 2),
        2,
        by,
        SUBJECT,
      )
    expect(of([10, 10], [30, 0])).to.equal(undefined)
    expect(of([10, 9], [30, 0], [30, 0])).to.equal(undefined)
    expect(of([10, 10], [30, 0], [30, 0])).to.not.equal(undefined)
  })

  it('are compared in the same groups for the same subject', () => {
    const bins = Array.from({ length: 12 }, (_, pod) => [30 + 7 * (pod % 5), 40 + 11 * (pod % 3)])
    const list = withPods([], { treatment: pods('fork', ...bins.slice(0, 4)), control: pods('source', ...bins) }, 2)
    const of = (subject: string) => comparedPods(list, 2, { by: 'ranks' }, subject)
    expect(of(SUBJECT)).to.deep.equal(of(SUBJECT))
    expect(new Set(['a', 'b', 'c', 'd'].map((subject) => of(subject)?.outer)).size).to.be.above(1)
  })

  it('are told apart by a number that JSON keeps', () => {
    const keys = Array.from({ length: 1_000 }, (_, pod) => keyOfPod(`cart-${pod}`))
    expect(new Set(keys).size).to.equal(1_000)
    for (const key of keys) expect(Number.isSafeInteger(key)).to.equal(true)
  })
})
