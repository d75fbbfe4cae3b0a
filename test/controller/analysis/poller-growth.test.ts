import { expect } from 'chai'
import type { Poller } from '../../../controller/analysis/poller.ts'
import { turn } from '../../virtual-time.ts'
import { aRun } from './a-run.ts'
import { ARMS, EXPERIMENT, FAILED, polling, RUN, SILENT } from './polling.ts'

/** How much the poller remembers. */
const entriesOf = (poller: Poller): number => poller.entryCount

describe('the poller remembers nothing', () => {
  it('of experiments and runs that are gone', async () => {
    const { cluster, poller, pollAt } = polling({ answer: FAILED })
    await pollAt(75)
    expect(entriesOf(poller)).to.equal(3)
    cluster.experiments.clear()
    cluster.runs.clear()
    poller.forget(EXPERIMENT)
    poller.forgetRun(RUN, aRun())
    expect(entriesOf(poller)).to.equal(0)
  })

  for (const answer of [FAILED, SILENT])
    it(`of a run that went while its provider was asked: ${answer.is}`, async () => {
      const { cluster, poller, pollAt, asked, diary } = polling()
      const polled = pollAt(75)
      await turn()
      cluster.experiments.clear()
      cluster.runs.clear()
      poller.forget(EXPERIMENT)
      poller.forgetRun(RUN, aRun())
      asked[0]?.answer(answer)
      expect(await polled).to.equal('never')
      expect([entriesOf(poller), diary]).to.deep.equal([0, [`forget ${RUN}`]])
    })

  it('of a run that was recreated while the provider was asked for the former one', async () => {
    const { cluster, poller, pollAt, asked } = polling()
    const polled = pollAt(75)
    await turn()
    cluster.runs.set(RUN, aRun({ uid: 'again' }))
    poller.forgetRun(RUN, aRun())
    asked[0]?.answer(FAILED)
    await polled
    expect([poller.poll('uid-of-run-1'), entriesOf(poller)]).to.deep.equal([undefined, 1])
  })

  it('of an experiment that went during its pass', () => {
    const { cluster, poller } = polling()
    cluster.experiments.clear()
    poller.forget(EXPERIMENT)
    poller.follow(EXPERIMENT, { ...ARMS, providers: [] })
    expect(entriesOf(poller)).to.equal(0)
  })
})
