import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { objectOr } from '../../../common/json/json.ts'
import { planExpiry } from '../../../common/plan/lifecycle.ts'
import { foreignFinalizers, isKeptByFinalizers, LEAVING_MS, leaving } from '../../../common/run/leaving.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { planDeletion, statusOf } from '../of-facts.ts'
import { someFacts, theFork } from '../plan/some-facts.ts'

const DELETED = '2026-11-21T10:00:00Z'
const HERS = 'example.com/hers'
const RUNNING = theFork()
const ofSize = (replicas: number, pods: number, metadata: object = {}): KubeObject => ({
  ...RUNNING,
  metadata: { ...RUNNING.metadata, resourceVersion: '7', generation: 3, ...metadata },
  spec: { ...objectOr(RUNNING.spec), replicas },
  status: { observedGeneration: 3, replicas: pods },
})
const held = (finalizers = [HERS]) => ofSize(1, 1, { deletionTimestamp: DELETED, finalizers })

/** What is written `seconds` after the beginning, and what it waits for. */
function stepOf(of: KubeObject, seconds: number, repairInMs?: number) {
  const now = new Date(Date.parse(DELETED) + seconds * 1_000)
  const step = leaving(deployment, of, { role: 'fork', now, leavingMs: seconds * 1_000, repairInMs })
  return { ...step, does: step.write && `${step.write.verb} ${step.write.role}` }
}

describe('a fork that leaves', () => {
  it('N36: first loses its pods, and is deleted when it has none', () => {
    const [running, empty] = [stepOf(ofSize(1, 1), 0), stepOf(ofSize(0, 0), 0)]
    expect(running.write).to.deep.include({
      verb: 'patch',
      patch: { metadata: { uid: 'uid-of-fork' }, spec: { replicas: 0 } },
    })
    expect(running.waitsFor).to.equal(`deployment/${FORK} loses its pods, and is deleted then`)
    expect([empty.does, empty.waitsFor, empty.leaving]).to.deep.equal(['delete fork', undefined, undefined])
  })

  it('N36: waits at most a minute for its pods, and for a workload controller that does not see the change', () => {
    const unseen = { ...ofSize(0, 0), status: { observedGeneration: 2 } }
    for (const fork of [ofSize(0, 1), unseen]) {
      expect([stepOf(fork, 0).does, stepOf(fork, 59).does]).to.deep.equal([undefined, undefined])
      expect(stepOf(fork, 59).leaving?.recheckMs).to.equal(1_000)
      expect(stepOf(fork, 60).does).to.equal('delete fork')
    }
  })

  it('N36: is deleted after that minute also where nobody could take its pods, or another client gave them back', () =>
    expect([stepOf(ofSize(1, 1), 60).does, stepOf(ofSize(4, 4), 60, 30_000).does]).to.deep.equal([
      'delete fork',
      'delete fork',
    ]))

  it('N36: loses pods again that another client gave it, at the pace of repairs', () => {
    expect(stepOf(ofSize(4, 4), 10, 20_000).does).to.equal(undefined)
    expect(stepOf(ofSize(4, 4), 10, 20_000).leaving?.recheckMs).to.equal(20_000)
    expect(stepOf(ofSize(4, 4), 30, 0).write).to.deep.include({ isRepair: true })
    expect(stepOf(ofSize(1, 1), 0).write).to.deep.include({ isRepair: false })
  })

  it('N36: loses a finalizer of others a minute after its deletion, and keeps those of Kubernetes', () => {
    const of = held([HERS, 'foregroundDeletion', 'experiment-controller.example.com/fork'])
    expect([isKeptByFinalizers(of), foreignFinalizers(of)]).to.deep.equal([
      true,
      [HERS, 'experiment-controller.example.com/fork'],
    ])
    expect(stepOf(of, 59).write).to.equal(undefined)
    expect(stepOf(of, 59).leaving).to.deep.equal({
      uid: 'uid-of-fork',
      recheckMs: 1_000,
      held: `deployment/${FORK} is being deleted, and the finalizers ${HERS}, experiment-controller.example.com/fork keep it; the controller removes that after a minute`,
    })
    const finalizers = ['foregroundDeletion']
    expect(stepOf(of, 60).write).to.deep.include({
      verb: 'patch',
      patch: { metadata: { uid: 'uid-of-fork', resourceVersion: '7', finalizers } },
    })
  })

  it('N36: is left to garbage collection while only that keeps it', () => {
    for (const finalizers of [[], ['orphan']]) {
      const { write, waitsFor } = stepOf(held(finalizers), 3_600)
      expect([write, waitsFor]).to.deep.equal([undefined, `deployment/${FORK} is being deleted`])
    }
  })

  it('N47: says that a foreground deletion waits for the pods, and how to find the one that stays', () => {
    const { write, waitsFor } = stepOf(held(['foregroundDeletion']), 3_600)
    const look = `kubectl get pods --namespace=shop --selector=${EXPERIMENT_ID}=cd1aa1c99c --output=yaml`
    expect([write, waitsFor]).to.deep.equal([
      undefined,
      `deployment/${FORK} is being deleted, and waits until its pods are gone; a finalizer may keep one: ${look}`,
    ])
  })

  it('N36: waits for a minute where the clock of the API server is ahead, and no longer', () =>
    expect(stepOf(held(), -3_600).leaving?.recheckMs).to.equal(LEAVING_MS))
})

describe('an experiment whose fork leaves', () => {
  const experiment = anExperiment({ ttlSeconds: 3_600, metadata: { creationTimestamp: '2026-11-21T08:59:00Z' } })
  const facts = (of: KubeObject, more: Partial<Facts> = {}): Facts => ({
    ...someFacts({ experiment, fork: of }),
    ...more,
  })

  it('N36: keeps the fork in its status, and tells what holds it in a warning', () => {
    const before = facts(held(), { now: new Date('2026-11-21T10:00:30Z') })
    const { writes, conclusion } = planExpiry(before)
    expect([writes, conclusion.fork]).to.deep.equal([[], held()])
    const status = statusOf(before, conclusion)
    expect(status.experimentResourceRef?.uid).to.equal('uid-of-fork')
    const [warning] = status.warnings?.filter(({ reason }) => reason === 'HeldByFinalizer') ?? []
    expect(warning?.message).to.contain(HERS)
    expect(conclusion.message).to.match(/^expired 1h after creation .* and the finalizer example.com\/hers keeps it/)
  })

  it('N36: writes nothing while it waits, and does not scale it up again', () =>
    expect(planExpiry(facts(ofSize(0, 1), { leavingMs: 5_000 })).writes).to.deep.equal([]))

  it('N36: takes the finalizer of others from a fork that its own deletion waits for', () => {
    const metadata = { deletionTimestamp: DELETED, finalizers: ['example.com/other'] }
    const dying = anExperiment({ metadata })
    const at = (now: string) =>
      planDeletion({ ...someFacts({ experiment: dying }), fork: known(held()), now: new Date(now) })
    expect(at('2026-11-21T10:00:59Z').writes).to.deep.equal([])
    expect(at('2026-11-21T10:00:59Z').conclusion.leaving?.[0]?.held).to.contain(HERS)
    expect(at('2026-11-21T10:01:00Z').writes.map(({ verb, role }) => `${verb} ${role}`)).to.deep.equal(['patch fork'])
  })
})
