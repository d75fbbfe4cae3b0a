import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import type { WorkloadKind } from '../../../common/workload/kind.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { immutableChanges } from '../../../webhook/ratchet/assessment.ts'
import { ANY_SCHEMA, aStatefulSet } from '../../builders.ts'

const set = (spec: JsonObject = {}): KubeObject =>
  aStatefulSet({ spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }], ...spec } })

const changed = (kind: WorkloadKind, before: KubeObject, after: KubeObject) =>
  immutableChanges(kind, { before, after, shape: ANY_SCHEMA.shape })

describe('immutableChanges', () => {
  it('reports each field of a StatefulSet that no update can change, with a remedy', () => {
    const found = changed(statefulSet, set(), set({ serviceName: 'other', volumeClaimTemplates: [] }))
    expect(found.map(({ field, cause }) => `${field} (${cause})`)).to.deep.equal([
      'spec.overrideSpec.serviceName (FieldValueForbidden)',
      'spec.overrideSpec.volumeClaimTemplates (FieldValueForbidden)',
    ])
    expect(found[0]?.message).to.equal('immutable for StatefulSets; delete the experiment and create it again')
  })

  it('reports a field that is added or removed', () => {
    const found = changed(statefulSet, set({ podManagementPolicy: 'Parallel' }), set({ surprise: 1 }))
    expect(found.map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.podManagementPolicy',
      'spec.overrideSpec.surprise',
    ])
  })

  it('accepts changes of fields that can be updated', () => {
    const after = set({ minReadySeconds: 9, replicas: 1, ordinals: { start: 1 }, template: {} })
    expect(changed(statefulSet, set(), after)).to.deep.equal([])
  })

  it('accepts every change of a kind whose spec can be updated', () =>
    expect(changed(deployment, set(), set({ serviceName: 'other' }))).to.deep.equal([]))

  it('accepts claims that the API server stores as the former ones', () => {
    const claims = (claim: JsonObject) => set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, ...claim }] })
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } }
    const stored = { ...spec, resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' }
    const former = claims({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: stored })
    expect(changed(statefulSet, former, claims({ spec }))).to.deep.equal([])
    expect(changed(statefulSet, claims({ spec }), former)).to.deep.equal([])
    expect(changed(statefulSet, former, claims({ kind: 'Claim', spec }))).to.deep.equal([])
    const block = claims({ spec: { ...spec, volumeMode: 'Block' } })
    expect(changed(statefulSet, former, block)).to.have.length(1)
  })
})
