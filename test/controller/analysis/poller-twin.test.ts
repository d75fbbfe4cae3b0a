import { expect } from 'chai'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { turn } from '../../virtual-time.ts'
import { aRun, ERRORS } from './a-run.ts'
import { ARMS, aPod, at, EXPERIMENT, FAILED, PODS, polling, SILENT } from './polling.ts'

const SOURCE = { workload: 'cart', selector: 'app=cart' }
const LIMIT: Metric = { ...ERRORS, name: 'limit', kind: 'Threshold' }

/** A poller of a run whose control is the twin. */
function withTwin(of: Parameters<typeof polling>[0] = {}) {
  const found = polling(of)
  found.cluster.pods = async () => ({ ...PODS, source: [aPod('source-1')] })
  found.poller.follow(EXPERIMENT, { ...ARMS, control: { ...ARMS.control, workload: 'twin' }, source: SOURCE })
  return found
}

describe('a poll of a run with a twin', () => {
  it('asks about the twin and the source, too, in the same window', async () => {
    const { pollAt, asked, waiting } = withTwin()
    const polled = pollAt(75)
    await turn()
    expect(asked.map(({ query }) => query.arms)).to.deep.equal([
      {
        treatment: { workload: 'fork', pods: ['fork-1'] },
        control: { workload: 'twin', pods: ['cart-1', 'cart-2'] },
      },
      {
        treatment: { workload: 'twin', pods: ['cart-1', 'cart-2'] },
        control: { workload: 'cart', pods: ['source-1'] },
      },
    ])
    expect(asked[0]?.query.window).to.deep.equal(asked[1]?.query.window)
    asked[0]?.answer(SILENT)
    asked[1]?.answer(FAILED)
    await polled
    expect(waiting()?.windows).to.have.length(1)
    expect(waiting()?.windows[0]).to.deep.include({ answer: SILENT, twin: FAILED })
  })

  it('asks only about the fork where the kind shows nothing about a twin', async () => {
    const { pollAt, asked, waiting } = withTwin({ run: aRun({ metrics: [LIMIT] }), answer: SILENT })
    await pollAt(75)
    expect(asked).to.have.length(1)
    expect(waiting()?.windows[0]).to.not.have.property('twin')
  })

  it('asks nobody about a source without a pod that counts', async () => {
    const { pollAt, asked, waiting, cluster } = withTwin({ answer: SILENT })
    cluster.pods = async () => ({ ...PODS, source: [] })
    await pollAt(75)
    expect(asked).to.have.length(1)
    expect(waiting()?.windows[0]?.twin).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
  })

  it('leaves a provider alone for a while that fails only about the twin', async () => {
    const { pollAt, asked, record } = withTwin()
    const polled = pollAt(75)
    await turn()
    asked[0]?.answer(SILENT)
    asked[1]?.answer(FAILED)
    await polled
    record({ looks: 1, startedAt: at(0), nextLookAt: at(76) })
    await pollAt(76)
    expect(asked).to.have.length(2)
  })
})
