import { expect } from 'chai'
import { aDeployment, FORK } from '../../builders.ts'
import { plan } from '../../common/of-facts.ts'
import { type Given, theFork } from '../../common/plan/some-facts.ts'
import { afterReport, pods, READY, reported } from './reporting.ts'

describe('P2: the report of a fork whose pods start', () => {
  const starting: Given = { ...READY, fork: { ...theFork(), status: { replicas: 1 } }, traffic: pods('cart-1') }

  it('waits with the numbers of pods and endpoints', async () => {
    const facts = await afterReport(starting, { traffic: pods(`${FORK}-7d9f-1`, 'cart-1') })
    const { conclusion } = plan(facts)
    expect(conclusion.reason).to.be.oneOf(['Updating', 'PodsNotReady'])
    expect(await reported(facts, conclusion, { progressWaitMs: 5_000 })).to.deep.include({ diary: [], againMs: 5_000 })
    expect((await reported(facts, conclusion)).diary).to.include('status')
  })

  it('tells at once that it is ready, with all that waited', async () => {
    const facts = await afterReport(starting, READY)
    const { diary, status } = await reported(facts, plan(facts).conclusion, { progressWaitMs: 5_000 })
    expect(diary).to.deep.equal(['status', 'Normal Available', 'log shop/faster-cart Available'])
    expect(status?.share).to.equal('50%')
  })

  it('tells at once that it is no longer ready', async () => {
    const facts = await afterReport(READY, starting)
    const { conclusion } = plan(facts)
    expect((await reported(facts, conclusion, { progressWaitMs: 5_000 })).diary).to.include('status')
  })

  it('tells another warning at once', async () => {
    const source = aDeployment({ container: { args: ['--leader-elect'] } })
    const facts = await afterReport(starting, { source })
    const { conclusion } = plan(facts)
    expect((await reported(facts, conclusion, { progressWaitMs: 5_000 })).diary).to.include('status')
  })
})
