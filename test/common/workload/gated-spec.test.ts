import { expect } from 'chai'
import { GATE } from '../../../common/api/names.ts'
import { at, type JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { withGate, withoutDeadline } from '../../../common/workload/gated-spec.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'

const OURS = { conditionType: GATE }
const OTHER = { conditionType: 'example.com/registered' }

describe('withGate', () => {
  const gatesOf = (...readinessGates: readonly JsonObject[]) =>
    at(withGate({ spec: { containers: [], readinessGates } }), 'spec')

  it('adds the gate, and keeps those of other people', () => {
    expect(withGate({ spec: { containers: [] } })).to.deep.equal({ spec: { containers: [], readinessGates: [OURS] } })
    expect(gatesOf(OTHER)).to.deep.equal({ containers: [], readinessGates: [OTHER, OURS] })
  })

  it('does not add it twice', () =>
    expect(gatesOf(OURS, OTHER)).to.deep.equal({ containers: [], readinessGates: [OURS, OTHER] }))

  it('leaves a template without pods alone', () => expect(withGate({ spec: null })).to.deep.equal({ spec: null }))
})

describe('withoutDeadline', () => {
  const NONE = { progressDeadlineSeconds: 2_147_483_647 }

  it('takes the deadline of a Deployment and a Rollout away, and returns it', () => {
    for (const kind of [deployment, rollout]) {
      expect(withoutDeadline(kind, { progressDeadlineSeconds: 120 })).to.deep.equal({
        spec: NONE,
        progressDeadlineSeconds: 120,
      })
      expect(withoutDeadline(kind, {})).to.deep.equal({ spec: NONE })
    }
  })

  it('changes nothing of a StatefulSet, which has none', () =>
    expect(withoutDeadline(statefulSet, {})).to.deep.equal({ spec: {} }))
})
