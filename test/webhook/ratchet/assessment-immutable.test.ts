import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { immutableChanges } from '../../../webhook/ratchet/assessment.ts'
import { aStatefulSet } from '../../builders.ts'

const set = (spec: JsonObject = {}): KubeObject =>
  aStatefulSet({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }], ...spec } })

describe('immutableChanges', () => {
  it('reports each field of a StatefulSet that no update can change, with a remedy', () => {
    const found = immutableChanges(statefulSet, set(), set({ serviceName: 'other', volumeClaimTemplates: [] }))
    expect(found.map(({ field, cause }) => `${field} (${cause})`)).to.deep.equal([
      'spec.overrideSpec.serviceName (FieldValueForbidden)',
      'spec.overrideSpec.volumeClaimTemplates (FieldValueForbidden)',
    ])
    expect(found[0]?.message).to.equal('immutable for StatefulSets; delete the experiment and create it again')
  })

  it('reports a field that is added or removed', () => {
    const found = immutableChanges(statefulSet, set({ podManagementPolicy: 'Parallel' }), set({ surprise: 1 }))
    expect(found.map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.podManagementPolicy',
      'spec.overrideSpec.surprise',
    ])
  })

  it('accepts changes of fields that can be updated', () => {
    const after = set({ minReadySeconds: 9, replicas: 1, ordinals: { start: 1 }, template: {} })
    expect(immutableChanges(statefulSet, set(), after)).to.deep.equal([])
  })

  it('accepts every change of a kind whose spec can be updated', () =>
    expect(immutableChanges(deployment, set(), set({ serviceName: 'other' }))).to.deep.equal([]))
})
