import { expect } from 'chai'
import { ABSENT, type Known, known, knownObject, unknown } from '../../../common/api/known.ts'
import { EXPERIMENT_ID, FORK_FINALIZER, OWNER_UID } from '../../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { objectOr } from '../../../common/json/json.ts'
import type { Plan } from '../../../common/outcome/conclusion.ts'
import { expiryMessage, isChangedByOthers, planExpiry, toMinutes } from '../../../common/plan/lifecycle.ts'
import { scaleTo } from '../../../common/run/leaving.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { aDeployment, anExperiment, FORK, pinnedTo, UID } from '../../builders.ts'
import { finalizerWrites, plan, planDeletion } from '../of-facts.ts'
import { leftAt, someFacts, theFork, writesOf } from './some-facts.ts'

const DELETED = '2026-11-21T10:00:00Z'
const OTHER = 'example.com/other'
const inOtherNamespace = (finalizers: readonly string[] = [], deletionTimestamp?: string) =>
  anExperiment({
    sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' },
    metadata: { finalizers, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  })
const inOwnNamespace = (finalizers: readonly string[]) =>
  anExperiment({ metadata: { finalizers, deletionTimestamp: DELETED } })
const running = theFork()
/** It has lost its pods. */
const fork: KubeObject = {
  ...running,
  spec: { ...objectOr(running.spec), replicas: 0 },
  status: { observedGeneration: 99 },
}
const { ownerReferences: _lost, ...unownedMetadata } = fork.metadata
const unowned: KubeObject = { ...fork, metadata: unownedMetadata }

const GONE = `its fork is gone; the finalizer ${OTHER} keeps the experiment`

describe('a fork that others have changed', () => {
  const changed = (uid: string, generation: number) =>
    isChangedByOthers(someFacts({ experiment: anExperiment({ status: leftAt(3) }), fork }), {
      ...fork,
      metadata: { ...fork.metadata, uid, generation },
    })

  it('has another generation than the status tells of it; one that was created again is another fork', () =>
    expect([changed('uid-of-fork', 4), changed('uid-of-fork', 3), changed('another', 4)]).to.deep.equal([
      true,
      false,
      false,
    ]))
})

describe('planDeletion', () => {
  const facts = (of: Known<KubeObject>, more: Partial<Facts> = {}): Facts => ({
    ...someFacts({ experiment: inOtherNamespace([OTHER, FORK_FINALIZER], DELETED) }),
    fork: of,
    ...more,
  })
  const dying = { ...fork, metadata: { ...fork.metadata, deletionTimestamp: DELETED } }

  const cases: Readonly<Record<string, readonly [Facts, writes: readonly string[], message: string]>> = {
    'deletes the fork first': [facts(known(fork)), ['delete fork'], `deployment/${FORK} is being deleted`],
    'waits while the fork is being deleted': [facts(known(dying)), [], `deployment/${FORK} is being deleted`],
    'removes the finalizer when the fork is gone': [facts(ABSENT), ['patch experiment'], GONE],
    'removes the finalizer when the cluster does not serve the kind': [
      facts(known(fork), { kind: ABSENT }),
      ['patch experiment'],
      GONE,
    ],
    'keeps the finalizer when the fork cannot be read': [
      facts(unknown('no answer')),
      [],
      'the fork could not be read now (no answer)',
    ],
    'keeps the finalizer when this version does not know the kind': [
      facts(ABSENT, { kind: unknown('newer') }),
      [],
      'this version cannot say whether the fork of Deployment/cart is gone',
    ],
    'S3: deletes the fork although only the finalizer of somebody else is left': [
      { ...facts(known(fork)), experiment: inOtherNamespace([OTHER], DELETED) },
      ['delete fork'],
      `deployment/${FORK} is being deleted`,
    ],
    'S3: deletes the fork in the namespace of the experiment too': [
      { ...facts(known(fork)), experiment: inOwnNamespace([OTHER]) },
      ['delete fork'],
      `deployment/${FORK} is being deleted`,
    ],
    'leaves a fork alone that has lost its owner, as an orphaning deletion takes it away before its finalizer': [
      { ...facts(known(unowned)), experiment: inOwnNamespace([OTHER]) },
      [],
      'its fork is left alone',
    ],
    'R2: deletes a fork in another namespace whatever became of its metadata': [
      facts(known({ ...fork, metadata: { ...unowned.metadata, labels: {}, managedFields: [] } })),
      ['delete fork'],
      `deployment/${FORK} is being deleted`,
    ],
    'has nothing to remove without the finalizer': [
      { ...facts(ABSENT), experiment: inOwnNamespace([OTHER]) },
      [],
      GONE,
    ],
    'leaves the fork alone with --cascade=orphan': [
      { ...facts(known(fork)), experiment: inOwnNamespace(['orphan']) },
      [],
      'its fork is left alone',
    ],
    'S3: deletes a fork in another namespace with --cascade=orphan too, because no owner reference is there': [
      { ...facts(known(fork)), experiment: inOtherNamespace(['orphan', FORK_FINALIZER], DELETED) },
      ['delete fork'],
      `deployment/${FORK} is being deleted`,
    ],
  }
  for (const [sentence, [given, writes, message]] of Object.entries(cases))
    it(sentence, () => {
      const planned = planDeletion(given)
      expect(planned.writes.map(({ verb, role }) => `${verb} ${role}`)).to.deep.equal(writes)
      expect([planned.conclusion.reason, planned.conclusion.message]).to.deep.equal(['Terminating', message])
    })

  it('S: deletes a pinned base in another namespace before the finalizer', () => {
    const { revision } = pinnedTo()
    const { writes } = planDeletion(facts(ABSENT, { revision: known(revision) }))
    expect(writes.map(({ verb, role }) => `${verb} ${role}`)).to.deep.equal(['delete base', 'patch experiment'])
  })

  it('removes only its own finalizer, with uid and resourceVersion', () => {
    const [write] = planDeletion(facts(ABSENT)).writes
    expect(write).to.deep.include({
      verb: 'patch',
      patch: { metadata: { uid: UID, resourceVersion: '10', finalizers: [OTHER] } },
    })
  })
})

const REF = { apiVersion: 'apps/v1', kind: 'Deployment', name: FORK, namespace: 'shop', generation: 1 }

describe('a fork that is too large to be read', () => {
  const unread = { ...fork, metadata: { name: FORK, uid: 'uid-of-fork' }, [UNREAD]: 'it is longer than 1.5 MiB' }
  const known = (uid: string) => ({
    status: { experimentResourceRef: { ...REF, uid } },
  })
  const ending: Record<string, (of: object) => Plan> = {
    deletion: (of) => planDeletion(someFactsOf({ ...inOwnNamespace([]), ...of })),
    expiry: (of) => planExpiry(someFactsOf({ ...anExperiment(), ...of })),
  }
  const someFactsOf = (experiment: ExperimentDeployment): Facts => ({
    ...someFacts({ experiment }),
    fork: knownObject(unread),
  })
  for (const [what, writes] of Object.entries(ending))
    it(`N29: is deleted at the ${what} of its experiment, if the status knows it by its uid`, () => {
      const roles = (of: object) => writes(of).writes.map(({ verb, role }) => `${verb} ${role}`)
      expect(roles(known('uid-of-fork'))).to.deep.equal(['delete fork'])
      expect(roles(known('another'))).to.deep.equal([])
      expect(roles({})).to.deep.equal([])
    })
})

describe('planExpiry', () => {
  const experiment = anExperiment({ ttlSeconds: 7_200, metadata: { creationTimestamp: '2026-11-21T07:00:00Z' } })

  it('deletes the fork and says how to run the experiment again', () => {
    const { writes, conclusion } = planExpiry(someFacts({ experiment, fork }))
    expect(writes).to.deep.equal([{ verb: 'delete', role: 'fork', resource: deployment, of: fork }])
    expect(conclusion).to.deep.equal({
      is: 'unready',
      reason: 'Expired',
      message: 'expired 2h after creation (2026-11-21T09:00Z); raise spec.ttlSeconds to run it again',
      fork: undefined,
      source: undefined,
    })
    const withRun = { ...experiment, spec: { ...experiment.spec, promotion: {} } }
    expect(planExpiry(someFacts({ experiment: withRun, fork })).conclusion.message).to.contain(
      '; raise spec.ttlSeconds and give the command retry to run it again',
    )
  })

  it('writes nothing when there is no fork', () =>
    expect(planExpiry(someFacts({ experiment })).writes).to.deep.equal([]))

  it('has the same message as admission prints', () =>
    expect(planExpiry(someFacts({ experiment })).conclusion.message).to.equal(expiryMessage(experiment)))
})

describe('toMinutes', () => {
  it('drops the seconds', () => expect(toMinutes('2026-11-21T14:05:59Z')).to.equal('2026-11-21T14:05Z'))
})

describe('scaleTo', () => {
  it('patches the replicas only, of the fork with that uid', () =>
    expect(scaleTo(deployment, fork, 0, { isRepair: false })).to.deep.equal({
      verb: 'patch',
      role: 'fork',
      resource: deployment,
      of: fork,
      patch: { metadata: { uid: 'uid-of-fork' }, spec: { replicas: 0 } },
      isRepair: false,
    }))
})

describe('finalizerWrites', () => {
  it('adds it behind those of others when the fork is in another namespace', () => {
    const [write, ...more] = finalizerWrites(someFacts({ experiment: inOtherNamespace([OTHER]) }))
    expect(more).to.deep.equal([])
    expect(write).to.deep.include({
      patch: { metadata: { uid: UID, resourceVersion: '10', finalizers: [OTHER, FORK_FINALIZER] } },
    })
  })

  it('writes nothing when it is there, or when the owner reference is enough', () => {
    expect(finalizerWrites(someFacts({ experiment: inOtherNamespace([FORK_FINALIZER]) }))).to.deep.equal([])
    expect(finalizerWrites(someFacts({ experiment: anExperiment() }))).to.deep.equal([])
  })
})

describe('the writes of a pinned base', () => {
  const pinned = anExperiment({ onSourceChange: 'Pin' })

  it('come before the fork', () =>
    expect(writesOf({ experiment: pinned })).to.deep.equal(['create base', 'apply newFork']))

  it('are none when the base is stored, and a delete when the experiment follows its source again', () => {
    const [write] = plan(someFacts({ experiment: pinned })).writes
    const revision = write && 'object' in write ? write.object : aDeployment()
    expect(revision.metadata).to.deep.include({ name: FORK, namespace: 'shop' })
    expect(revision.metadata.ownerReferences?.[0]?.uid).to.equal(UID)
    expect(writesOf({ experiment: pinned, revision })).to.deep.equal(['apply newFork'])
    expect(writesOf({ revision })).to.deep.equal(['delete base', 'apply newFork'])
    const { status } = pinnedTo()
    expect(writesOf({ experiment: { ...pinned, status }, revision })).to.deep.equal(['apply newFork'])
  })

  it('S: are beside the fork, because many who may read the namespace of the experiment may not read the source', () => {
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'stock' }
    const facts = someFacts({ experiment: anExperiment({ onSourceChange: 'Pin', sourceRef }) })
    const write = plan(facts).writes.find(({ role }) => role === 'base')
    const { namespace, labels, ownerReferences } = (write && 'object' in write ? write.object : aDeployment()).metadata
    expect([namespace, labels?.[OWNER_UID], ownerReferences]).to.deep.equal(['stock', UID, undefined])
    expect(labels).to.not.have.property(EXPERIMENT_ID) // by which a StatefulSet would adopt it
  })

  it('S1: replace a revision of another content before the experiment has started', () => {
    const { revision } = pinnedTo(aDeployment({ image: 'example/evil:1' }))
    expect(writesOf({ experiment: pinned, revision })).to.deep.equal(['delete base', 'create base', 'apply newFork'])
  })

  it('are none for an experiment that follows its source', () => expect(writesOf({})).to.deep.equal(['apply newFork']))
})
