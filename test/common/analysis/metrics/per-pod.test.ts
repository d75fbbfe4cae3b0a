import { expect } from 'chai'
import {
  type ArmCounts,
  busyIn,
  knownPerPod,
  NO_REQUESTS,
  withPerPod,
  withUsualRequests,
} from '../../../../common/analysis/metrics/per-pod.ts'
import { doesTrafficDiffer } from '../../../../common/analysis/run/traffic.ts'
import type { EventCounts } from '../../../../common/analysis/window-data.ts'
import { ERRORS } from '../../../bench/world-making.ts'

const requestsOf = ({ exposure }: { readonly exposure: number }) => exposure
/** Pods of an arm, each with as many requests. */
const pods = (count: number, exposure: number) =>
  Array.from({ length: count }, (_, pod) => ({ pod: `pod-${pod}`, events: 0, exposure }))

describe('the requests of a pod in a window', () => {
  it('are the means of the windows of both versions', () => {
    const window = { treatment: pods(1, 5), control: [...pods(1, 10), { pod: 'b', exposure: 20 }] }
    const twice = withPerPod(withPerPod(NO_REQUESTS, window, requestsOf), window, requestsOf)
    expect(twice).to.deep.equal({ treatment: 10, control: 30 })
  })

  it('N44: are alike where the pods always get as many, however many pods there are, and however much traffic', () => {
    let perPod = NO_REQUESTS
    for (let window = 0; window < 120; window += 1) {
      const [own, each] = window < 100 ? [1, 100] : [10, 1_000]
      perPod = withPerPod(perPod, { treatment: pods(own, each), control: pods(10, each) }, requestsOf)
    }
    expect(perPod.treatment).to.equal(perPod.control)
    expect(doesTrafficDiffer({ verdict: 'Fail', perPod }, ERRORS)).to.equal(false)
    perPod = withPerPod(NO_REQUESTS, { treatment: pods(3, 100), control: pods(3, 250) }, requestsOf)
    expect(doesTrafficDiffer({ verdict: 'Fail', perPod }, ERRORS)).to.equal(true)
  })

  it('are not known where the data of an arm name no pods', () => {
    const unnamed: ArmCounts<EventCounts> = { treatment: pods(1, 5), control: [{ events: 0, exposure: 60 }] }
    expect(knownPerPod(withPerPod(NO_REQUESTS, unnamed, requestsOf))).to.equal(undefined)
  })

  it('N38: are those of pods that had some', () => {
    const window = { treatment: pods(2, 5), control: [...pods(1, 10), { pod: 'standby', events: 0, exposure: 0 }] }
    expect(busyIn(window, requestsOf)).to.deep.equal({ treatment: pods(2, 5), control: pods(1, 10) })
    expect(withPerPod(NO_REQUESTS, window, requestsOf)).to.deep.equal({ treatment: 5, control: 10 })
  })

  it('N39: are as many as usual beside the control, for harm of a pod that completes fewer', () => {
    const former = { treatment: 400, control: 800 }
    const arms = (own: number) => ({ treatment: [...pods(1, own), { events: 0, exposure: 1 }], control: pods(3, 100) })
    const usual = (own: number, before = former) => withUsualRequests(arms(own), before)
    expect(usual(10)).to.deep.equal(arms(50).treatment)
    for (const own of [0, 70]) expect(usual(own)).to.deep.equal(arms(own).treatment)
    expect(usual(10, NO_REQUESTS)).to.deep.equal(arms(10).treatment)
  })
})
