import { expect } from 'chai'
import { requestsPerPod, withPodWindows } from '../../../../common/analysis/metrics/pod-windows.ts'

const NONE = { treatment: 0, control: 0 }

describe('the requests of a pod in a window', () => {
  it('are those of all windows by the pods of each', () => {
    const window = { treatment: [{ pod: 'a' }], control: [{ pod: 'b' }, { pod: 'c' }] }
    const twice = withPodWindows(withPodWindows(NONE, window), window)
    expect(requestsPerPod({ treatment: 10, control: 60 }, twice)).to.deep.equal({ treatment: 5, control: 15 })
  })

  it('are not known where the data of an arm name no pods', () => {
    const window = withPodWindows(NONE, { treatment: [{ pod: 'a' }], control: [{}] })
    expect(requestsPerPod({ treatment: 10, control: 60 }, window)).to.equal(undefined)
  })
})
