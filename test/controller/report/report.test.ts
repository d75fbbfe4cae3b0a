import { expect } from 'chai'
import { waiting } from '../../../common/facts/decision.ts'
import type { AnalysisReport, Conclusion } from '../../../common/outcome/conclusion.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { aDeployment, anExperiment, aPolicy, FORK, NO_POLICIES } from '../../builders.ts'
import { plan } from '../../common/of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from '../../common/plan/some-facts.ts'
import { afterReport, NONE, pods, READY, reported } from './reporting.ts'

describe('report', () => {
  it('writes the status, and emits and logs the conclusion', async () => {
    const { diary, recorded, againMs } = await reported(someFacts(READY))
    expect(recorded).to.equal('record shop/faster-cart decided')
    expect(diary).to.deep.equal(['status', 'Normal Available', 'log shop/faster-cart Available'])
    expect(againMs).to.equal(NONE)
  })

  it('writes nothing when the status is the same', async () => {
    const facts = await afterReport(READY)
    expect(await reported(facts)).to.deep.include({ diary: [], againMs: NONE })
  })

  it('R6: repairs a status that another client has written too, at the pace of repairs', async () => {
    const managedFields = [{ manager: 'kubectl-edit', operation: 'Update', subresource: 'status' }]
    const facts = await afterReport(READY, {}, { managedFields })
    expect((await reported(facts)).diary).to.deep.equal([])
    const { experiment } = facts
    const forged = {
      ...facts,
      experiment: { ...experiment, status: { ...experiment.status, expiresAt: '2020-01-01' } },
    }
    const { conclusion } = plan(facts)
    expect((await reported(forged, conclusion)).diary).to.deep.equal(['repair', 'status'])
    const waiting = await reported(forged, conclusion, { repairWaitMs: 700 })
    expect([waiting.diary, waiting.againMs]).to.deep.equal([[], 700])
  })

  it('does not count a change of its own as a repair, although another client owns fields of the status', async () => {
    const managedFields = [{ manager: 'kubectl-patch', operation: 'Update', subresource: 'status' }]
    const facts = await afterReport(READY, { traffic: pods(`${FORK}-7d9f-1`, 'cart-1', 'cart-2') }, { managedFields })
    const { diary, againMs } = await reported(facts, undefined, { isAsWritten: true, repairWaitMs: 60_000 })
    expect([diary, againMs]).to.deep.equal([['status'], NONE])
  })

  it('R2: tells a repair after which the fork is as ready as before', async () => {
    const facts = await afterReport(READY)
    const repaired = 'deployment/x: restored: another client had modified it'
    const { diary, messages } = await reported(facts, { ...plan(facts).conclusion, repaired })
    expect([diary, messages]).to.deep.equal([['Normal Updating'], [repaired]])
  })

  it('emits a warning when a person must act', async () => {
    const facts = someFacts({ nameHolder: aDeployment({ name: FORK }) })
    expect((await reported(facts)).diary).to.include('Warning NameConflict')
  })

  it('emits nothing when the status cannot be written, and throws', async () => {
    const failure = new Error('conflict')
    const facts = someFacts(READY)
    const thrown = await reported(facts, plan(facts).conclusion, { failure }).catch((error: unknown) => error)
    expect(thrown).to.equal(failure)
  })

  it('writes a changed message of the same reason without an Event', async () => {
    const facts = await afterReport({ source: undefined })
    const conclusion = { ...plan(facts).conclusion, message: 'another message' }
    expect((await reported(facts, conclusion)).diary).to.deep.equal(['status'])
  })
})

describe('a report during a deletion', () => {
  const metadata = { deletionTimestamp: '2026-11-21T10:00:00Z' }
  const facts = someFacts({ experiment: anExperiment({ metadata }) })
  const ending: Conclusion = { ...waiting('Terminating', 'its fork is gone'), fork: undefined, source: undefined }

  it('N47: tells in the status what it waits for', async () => {
    const told = await reported(facts, ending)
    expect(told).to.deep.include({ diary: ['status'], recorded: 'record shop/faster-cart undefined' })
    const next = someFacts({ experiment: anExperiment({ metadata, status: told.status ?? {} }) })
    expect((await reported(next, ending)).diary).to.deep.equal([])
  })

  it('N47: writes no status when nothing keeps the experiment any more', async () =>
    expect((await reported(facts, { ...ending, is: 'unready' })).diary).to.deep.equal([]))

  for (const is of ['stalled', 'failed'] as const)
    it(`emits an Event when the deletion is ${is}`, async () =>
      expect((await reported(facts, { ...ending, is, reason: 'ApplyRefused' })).diary).to.deep.equal([
        'Warning ApplyRefused',
        'status',
      ]))

  it('N36: emits an Event about the finalizer of somebody else that keeps the fork', async () => {
    const leaving = [{ uid: 'fork', recheckMs: 1, held: 'it is kept' }]
    expect((await reported(facts, { ...ending, leaving })).diary).to.deep.equal(['Warning HeldByFinalizer', 'status'])
  })
})

describe('the report of a share', () => {
  const more = { traffic: pods(`${FORK}-7d9f-1`, 'cart-1', 'cart-2', 'cart-3') }

  it('waits for its time', async () => {
    const facts = await afterReport(READY, more)
    const { conclusion } = plan(facts)
    expect(await reported(facts, conclusion, { shareWaitMs: 6_000 })).to.deep.include({ diary: [], againMs: 6_000 })
  })

  it('gives up its turn when it is as the status says again', async () => {
    const facts = await afterReport(READY)
    expect(await reported(facts, plan(facts).conclusion)).to.deep.include({ diary: [], isCurrent: true })
    const changed = await afterReport(READY, more)
    expect(await reported(changed, plan(changed).conclusion, { shareWaitMs: 6_000 })).to.include({ isCurrent: false })
  })

  it('R12: is written at its time, whatever the API server says about the last write, without an Event', async () => {
    const time = '2026-11-21T11:00:00Z' // an hour ahead of the clock of the controller
    const managedFields = [{ manager: 'experiment-controller', subresource: 'status', time }]
    const facts = await afterReport(READY, more, { managedFields })
    const { diary, status } = await reported(facts)
    expect([diary, status?.share]).to.deep.equal([['status'], '25%'])
  })

  it('is written at once with another change', async () => {
    const neighbours = {
      ...NO_NEIGHBOURS,
      autoscalers: [{ name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 3, isOnCpu: false }],
    }
    const facts = await afterReport(READY, { ...more, neighbours })
    const { conclusion } = plan(facts)
    expect((await reported(facts, conclusion, { shareWaitMs: 9_000 })).diary).to.deep.equal([
      'status',
      'Warning CountedByHPA',
    ])
  })
})

describe('R17: the report of a fork that another client keeps changing', () => {
  /** Another client has changed the fork since the last pass, and the repair waits. */
  const changed = (ready: number) => ({
    ...{ contestedMs: 60_000, driftBackoffMs: 30_000 },
    fork: {
      ...theFork(),
      metadata: { ...theFork().metadata, generation: 4 },
      status: { replicas: 3, readyReplicas: ready },
    },
  })
  const contested = async (next: Given) => {
    const { experiment } = await afterReport(READY)
    return afterReport({ ...READY, experiment, ...changed(1) }, next)
  }

  it('N18: waits for seconds with its numbers of pods, as while pods start', async () => {
    const facts = await contested(changed(2))
    const { conclusion } = plan(facts)
    expect(conclusion.reason).to.equal('Contested')
    const told = await reported(facts, conclusion, { progressWaitMs: 5_000 })
    expect(told).to.deep.include({ diary: [], againMs: 5_000 })
  })

  it('N18: tells at once that the fork is as it should be, although its next repair waits', async () => {
    const { fork = theFork() } = READY
    const status = { ...(fork.status as object), observedGeneration: 4 }
    const facts = await contested({ contestedMs: 60_000, driftBackoffMs: 30_000, fork: { ...changed(1).fork, status } })
    const told = {
      ...facts.experiment,
      status: { ...facts.experiment.status, experimentResourceRef: leftAt(4).experimentResourceRef },
    }
    const next = { ...facts, experiment: told }
    expect((await reported(next, plan(next).conclusion, { progressWaitMs: 60_000 })).diary).to.deep.equal([
      'status',
      'Normal Available',
      'log shop/faster-cart Available',
    ])
  })
})

describe('the Events of a report', () => {
  const violated = { policies: { ...NO_POLICIES, policies: [aPolicy({ maxReplicas: 0 })] } }

  it('include each warning once', async () => {
    const source = aDeployment({ container: { args: ['--leader-elect'] } })
    const given = { ...READY, source, fork: theFork({ source }) }
    expect((await reported(someFacts(given))).diary).to.include('Warning LeaderElection')
    expect((await reported(await afterReport(given, { fork: undefined }))).diary).to.not.include(
      'Warning LeaderElection',
    )
  })

  it('say when a policy is violated, and when it no longer is', async () => {
    const facts = await afterReport(READY, violated)
    expect((await reported(facts)).diary).to.deep.equal(['status', 'Warning PolicyViolated'])
    const back = await afterReport({ ...READY, ...violated }, { policies: NO_POLICIES })
    expect((await reported(back)).diary).to.deep.equal(['status', 'Normal Compliant'])
  })

  it('do not repeat the reason of the conclusion', async () => {
    const crossNamespace = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
    const facts = someFacts({ experiment: crossNamespace, policies: { ...NO_POLICIES, isShared: false } })
    const events = (await reported(facts)).diary.filter((line) => line.endsWith('SourceNotAllowed'))
    expect(events).to.deep.equal(['Warning SourceNotAllowed', 'log shop/faster-cart SourceNotAllowed'])
  })

  it('do not repeat it for a source that nobody may share', async () => {
    const crossNamespace = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'kube-system' } })
    const policies = { ...NO_POLICIES, isShared: false, isSourceExcluded: true }
    const { diary } = await reported(someFacts({ experiment: crossNamespace, policies }))
    expect(diary.filter((line) => line.startsWith('Warning'))).to.deep.equal(['Warning SourceNamespaceExcluded'])
  })

  it('say when the source was created again', async () => {
    const source = aDeployment({ metadata: { uid: 'another' } })
    const { diary, messages } = await reported(await afterReport(READY, { source }))
    expect(diary).to.include('Normal SourceReplaced')
    expect(messages).to.include('deployment/cart was created again; the fork now follows the new one')
  })
})

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

const SINCE = '2026-11-21T10:00:00.000Z'
const report = (of: Partial<AnalysisReport>): AnalysisReport => ({
  ...{ run: 'run', verdict: 'Wait', reason: 'NoPods', message: 'waiting for the fork', since: SINCE, attempt: 1 },
  ...{ metrics: [], isFinal: false, waitsForFork: false },
  ...of,
})

/** The Events after `now`, where the status has `before`. */
async function eventsOf(now: AnalysisReport, before?: AnalysisReport) {
  const { isFinal: _isFinal, ...analysis } = before ?? report({})
  const experiment = anExperiment({ analysis: {}, ...(before ? { status: { analysis } } : {}) })
  const facts = someFacts({ experiment })
  const { diary, messages } = await reported(facts, { ...plan(facts).conclusion, analysis: now })
  return [diary.filter((line) => /HarmFound|Passed|NoPods|Measuring|NoTraffic|NoSeries/.test(line)), messages] as const
}

describe('the Events of an analysis', () => {
  it('are none while it waits for pods at first', async () => expect((await eventsOf(report({})))[0]).to.deep.equal([]))

  it('say each change of verdict or reason once', async () => {
    const failed = report({ verdict: 'Fail', reason: 'HarmFound', message: 'latency +22%', isFinal: true })
    const [diary, messages] = await eventsOf(failed, report({}))
    expect(diary).to.deep.equal(['Warning HarmFound'])
    expect(messages).to.include('analysis: Fail: latency +22%')
    expect((await eventsOf(failed, failed))[0]).to.deep.equal([])
    expect((await eventsOf(report({ reason: 'NoTraffic' }), report({})))[0]).to.deep.equal(['Normal NoTraffic'])
    const passed = report({ verdict: 'Pass', reason: 'Passed', isFinal: true })
    expect((await eventsOf(passed, report({})))[0]).to.deep.equal(['Normal Passed'])
  })

  it('N15: warn that nothing is found of what is asked for, while it still waits', async () => {
    const none = report({ reason: 'NoSeries', message: 'latency: no series' })
    const [diary, messages] = await eventsOf(none, report({ reason: 'Measuring' }))
    expect(diary).to.deep.equal(['Warning NoSeries'])
    expect(messages).to.include('analysis: Wait: latency: no series')
    expect((await eventsOf(none, none))[0]).to.deep.equal([])
  })

  it('say another verdict with the same reason', async () => {
    const end = report({ verdict: 'NoData', isFinal: true })
    expect((await eventsOf(end, report({})))[0]).to.deep.equal(['Warning NoPods'])
  })

  it('say a first status that is more than waiting', async () => {
    const failed = report({ verdict: 'Fail', reason: 'HarmFound', isFinal: true })
    expect((await eventsOf(failed))[0]).to.deep.equal(['Warning HarmFound'])
  })

  it('are none for a word of another version', async () => {
    const [, messages] = await eventsOf(report({ reason: 'Unheard' }), report({}))
    expect(messages.filter((message) => message.startsWith('analysis: '))).to.deep.equal([])
  })
})
