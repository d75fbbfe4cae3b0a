import { expect } from 'chai'
import { EXPERIMENT_ID, IS_EXPERIMENT, SCALED } from '../../../common/api/names.ts'
import { type KubeObject, type Labels, UNREAD } from '../../../common/api/object.ts'
import { watchedPart, withWatchedPart } from '../../../common/fork/watched.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { isFork } from '../../../common/workload/identity.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { aDeployment, aFork, aRollout } from '../../builders.ts'

const REVISION = 'deployment.kubernetes.io/revision'
const INSTANCE = 'argo-rollouts.argoproj.io/controller-instance-id'
const WORKLOAD_GENERATION = 'rollout.argoproj.io/workload-generation'
const deletionTimestamp = '2026-11-21T10:00:00Z'

describe('the watched part of a workload', () => {
  it('N29: says of one that is too large to be read that it is', () => {
    const unread = { ...aDeployment(), [UNREAD]: 'it is longer than 1.5 MiB' }
    for (const kind of [deployment, rollout])
      expect(watchedPart(kind, unread)[UNREAD]).to.equal('it is longer than 1.5 MiB')
  })

  it('R16: has its identity, whether it is a fork, and what the base depends on, but nothing else', () => {
    const owner = { apiVersion: 'v1', kind: 'Cart', name: 'cart', uid: 'u', controller: true }
    const workload = aDeployment({
      labels: { [EXPERIMENT_ID]: 'cd1aa1c99c', team: 'blue' },
      metadata: {
        annotations: { [REVISION]: '7', 'example.com/note': 'long' },
        ownerReferences: [{ ...owner, controller: false }, owner],
        finalizers: ['example.com/hold'],
        deletionTimestamp,
      },
    })
    expect(watchedPart(deployment, workload)).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: 'cart',
        namespace: 'shop',
        uid: 'uid-of-cart',
        generation: 1,
        deletionTimestamp,
        labels: { [EXPERIMENT_ID]: 'cd1aa1c99c' },
        annotations: { [REVISION]: '7' },
        ownerReferences: [owner],
      },
    })
  })

  it('has the same fingerprint as the whole, and is a fork if that is one', () => {
    const metadata = { annotations: { [WORKLOAD_GENERATION]: '3' } }
    const source = { ...aRollout(), status: { stableRS: 'abc' } }
    const workload = { ...source, metadata: { ...source.metadata, ...metadata } }
    expect(rollout.baseFingerprint(watchedPart(rollout, workload))).to.equal(rollout.baseFingerprint(workload))
    expect([aFork(), aDeployment()].map((each) => isFork(watchedPart(deployment, each)))).to.deep.equal([true, false])
  })

  it('has the label of a Rollout that its fork inherits, and replaces it', () => {
    const labelled = (labels: Labels) => ({ ...aRollout(), metadata: { ...aRollout().metadata, labels } })
    const [before, now] = [labelled({ [INSTANCE]: 'blue', team: 'red' }), labelled({ [INSTANCE]: 'green' })]
    const replacedBy = (source: KubeObject) => withWatchedPart(rollout, before, watchedPart(rollout, source))
    expect(replacedBy(now).metadata.labels).to.deep.equal({ [INSTANCE]: 'green', team: 'red' })
    expect(replacedBy(labelled({})).metadata.labels).to.deep.equal({ team: 'red' })
  })

  it('N52: has the label of a source that a canary has made smaller, and replaces it', () => {
    const sized = (labels: Labels) => aDeployment({ labels })
    const [before, now] = [sized({ [SCALED]: 'uid.5.4' }), sized({ [SCALED]: 'uid.5.3' })]
    expect(watchedPart(deployment, now).metadata.labels).to.deep.equal({ [SCALED]: 'uid.5.3' })
    const replacedBy = (source: KubeObject) => withWatchedPart(deployment, before, watchedPart(deployment, source))
    expect(replacedBy(now).metadata.labels).to.deep.equal({ app: 'cart', [SCALED]: 'uid.5.3' })
    expect(replacedBy(sized({})).metadata.labels).to.deep.equal({ app: 'cart' })
  })

  it('replaces what it has in a whole that was read before, and only that', () => {
    const labels = { team: 'blue', [IS_EXPERIMENT]: 'true' }
    const before = aDeployment({ labels, metadata: { annotations: { note: 'a', [REVISION]: '1' } } })
    const now = aDeployment({ labels: { team: 'red' }, metadata: { deletionTimestamp, annotations: { note: 'b' } } })
    const found = withWatchedPart(deployment, before, watchedPart(deployment, now))
    expect(found.metadata).to.deep.include({ deletionTimestamp, annotations: { note: 'a' }, ownerReferences: [] })
    expect(found.metadata.labels).to.deep.equal({ app: 'cart', team: 'blue' })
    expect(found.spec).to.equal(before.spec)
  })
})
