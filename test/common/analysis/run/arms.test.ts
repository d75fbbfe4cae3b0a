import { expect } from 'chai'
import { countingPods, firstCounting } from '../../../../common/analysis/run/arms.ts'
import { aPod } from './runs.ts'

const names = (pods: readonly { readonly name: string }[]) => pods.map(({ name }) => name)
const at = (seconds: number) => 1_000 * seconds

describe('the pods that count', () => {
  const arms = {
    treatment: [
      aPod('old', { createdMs: at(0), readySinceMs: at(10) }),
      aPod('restarted', { createdMs: at(0), readySinceMs: at(80) }),
      aPod('broken', { createdMs: at(0), restarts: 3 }),
    ].map(({ readySinceMs, ...pod }) => (pod.name === 'broken' ? pod : { ...pod, readySinceMs: readySinceMs ?? 0 })),
    control: [
      aPod('warm', { createdMs: at(0), readySinceMs: at(5) }),
      aPod('flapping', { createdMs: at(0), readySinceMs: at(90) }),
      aPod('new', { createdMs: at(70), readySinceMs: at(75) }),
    ],
  }

  it('were Ready for the warm-up before the window, or created so long before and are Ready', () => {
    const counting = countingPods(arms, at(100), 60)
    expect(names(counting.treatment)).to.deep.equal(['old'])
    expect(names(counting.control)).to.deep.equal(['warm', 'flapping'])
  })

  it('are all that are Ready without a warm-up', () => {
    const counting = countingPods(arms, at(100), 0)
    expect(names(counting.treatment)).to.deep.equal(['old', 'restarted'])
    expect(names(counting.control)).to.deep.equal(['warm', 'flapping', 'new'])
  })

  it('are there in both arms from the first moment on when the later arm has one', () => {
    expect(firstCounting(arms, 60)).to.equal(at(70))
    expect(firstCounting({ ...arms, control: [] }, 60)).to.equal(Number.POSITIVE_INFINITY)
    const broken = arms.treatment.filter(({ name }) => name === 'broken')
    expect(firstCounting({ ...arms, treatment: broken }, 0)).to.equal(Number.POSITIVE_INFINITY)
  })

  it('of a twin were Ready for the warm-up, as those of the fork: one that started slowly is not warm yet', () => {
    const slow = aPod('slow', { createdMs: at(0), readySinceMs: at(90) })
    const twin = { treatment: arms.treatment, control: [slow], source: arms.control }
    expect(names(countingPods(twin, at(149), 60).control)).to.deep.equal([])
    expect(names(countingPods(twin, at(150), 60).control)).to.deep.equal(['slow'])
    expect(firstCounting(twin, 60)).to.equal(at(150))
  })
})
