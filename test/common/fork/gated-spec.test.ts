import { expect } from 'chai'
import { GATE, REVISION } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { gated, isGatedFork, revisionOf } from '../../../common/fork/gated-spec.ts'
import { at, type JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, aRollout, aStatefulSet } from '../../builders.ts'

const OURS = { conditionType: GATE }
const OTHER = { conditionType: 'example.com/registered' }

const template = ({ fork }: { readonly fork: KubeObject }, ...path: string[]) => at(fork, 'spec', 'template', ...path)
const gatesIn = (fork: { readonly fork: KubeObject }) => template(fork, 'spec', 'readinessGates')

describe('a gated fork', () => {
  const withGates = (...readinessGates: readonly JsonObject[]) =>
    gatesIn(gated(deployment, aDeployment({ pod: { readinessGates } })))

  it('has the gate besides those of other people, once', () => {
    expect(gatesIn(gated(deployment, aDeployment()))).to.deep.equal([OURS])
    expect(withGates(OTHER)).to.deep.equal([OTHER, OURS])
    expect(withGates(OURS, OTHER)).to.deep.equal([OURS, OTHER])
  })

  it('stays as it is without a pod, which the API server refuses', () =>
    expect(template(gated(deployment, aDeployment({ spec: { template: { spec: null } } })), 'spec')).to.equal(null))

  it('never exceeds a progress deadline, and tells the one that it would have', () => {
    for (const [kind, fork] of [
      [deployment, aDeployment({ spec: { progressDeadlineSeconds: 120 } })],
      [rollout, aRollout({ progressDeadlineSeconds: 120 })],
    ] as const) {
      const found = gated(kind, fork)
      expect(found.fork.spec).to.deep.include({ progressDeadlineSeconds: 2_147_483_647 })
      expect(found.progressDeadlineSeconds).to.equal(120)
    }
    expect(gated(deployment, aDeployment())).not.to.have.property('progressDeadlineSeconds')
  })

  it('has no deadline at all if it is a StatefulSet', () =>
    expect(gated(statefulSet, aStatefulSet()).fork.spec).not.to.have.property('progressDeadlineSeconds'))

  it('tells its pods their revision, which is that of its template', () => {
    const found = gated(deployment, aDeployment())
    expect(template(found, 'metadata', 'annotations', REVISION)).to.equal(revisionOf(found.fork))
    expect(revisionOf(found.fork)).to.match(/^[0-9a-f]{10}$/)
  })

  it('has another revision with another image, and the same however often it is gated', () => {
    const [one, two] = ['1', '2'].map((tag) => gated(deployment, aDeployment({ image: `example/cart:${tag}` })).fork)
    if (!one || !two) throw new Error('no forks')
    expect(revisionOf(one)).not.to.equal(revisionOf(two))
    expect(gated(deployment, one).fork).to.deep.equal(one)
  })

  it('keeps the other annotations of its pods, which belong to the revision', () => {
    const annotated = (note: string) => {
      const fork = aDeployment()
      const spec = { template: { metadata: { labels: { app: 'cart' }, annotations: { note } }, spec: {} } }
      return gated(deployment, { ...fork, spec }).fork
    }
    expect(at(annotated('a'), 'spec', 'template', 'metadata', 'annotations', 'note')).to.equal('a')
    expect(revisionOf(annotated('a'))).not.to.equal(revisionOf(annotated('b')))
  })

  it('is told from one without a gate', () => {
    expect(isGatedFork(gated(deployment, aDeployment()).fork)).to.equal(true)
    expect(isGatedFork(aDeployment({ pod: { readinessGates: [OTHER] } }))).to.equal(false)
    expect(isGatedFork(aDeployment())).to.equal(false)
  })

  it('leaves the object alone from which it is made', () => {
    const before = aDeployment({ spec: { progressDeadlineSeconds: 120 } })
    const copy = structuredClone(before)
    gated(deployment, before)
    expect(before).to.deep.equal(copy)
  })
})
