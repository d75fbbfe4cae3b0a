import { expect } from 'chai'
import { EXPERIMENT_ID, FIELD_MANAGER } from '../../../common/api/names.ts'
import type { KubeObject, ManagedFieldsEntry } from '../../../common/api/object.ts'
import { experimentId } from '../../../common/workload/identity.ts'
import { hasOurSelector, isStillPublished, pin, unpin } from '../../../common/writes/service-writes.ts'
import { anExperiment } from '../../builders.ts'

const experiment = anExperiment()
const id = experimentId(experiment.metadata.uid)
const PUBLISHED = 'f:publishNotReadyAddresses'

const wrote = (manager: string, ...fields: readonly string[]): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  fieldsV1: { 'f:spec': Object.fromEntries(fields.map((field) => [field, {}])) },
})
const aServiceWith = (...managedFields: readonly ManagedFieldsEntry[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'cart', namespace: 'shop', uid: 'u', resourceVersion: '7', managedFields: [...managedFields] },
})
const patchOf = (write: ReturnType<typeof unpin>) => (write.verb === 'patch' ? write.patch : undefined)
const VERSION = { uid: 'u', resourceVersion: '7' }

describe('writes of Services', () => {
  it('limit the version of a Service that was read to the fork', () => {
    const write = pin(experiment, aServiceWith(), { isPreview: false, isRepair: false })
    expect(patchOf(write)).to.deep.equal({ metadata: VERSION, spec: { selector: { [EXPERIMENT_ID]: id } } })
  })

  it('let a preview send to pods that are not ready', () => {
    const write = pin(experiment, aServiceWith(), { isPreview: true, isRepair: true })
    const spec = { selector: { [EXPERIMENT_ID]: id }, publishNotReadyAddresses: true }
    expect(patchOf(write)).to.deep.equal({ metadata: VERSION, spec })
    expect(write).to.have.property('isRepair', true)
  })

  it('return a Service, and take back what only the controller published', () => {
    const spec = { selector: { [EXPERIMENT_ID]: null } }
    const ours = aServiceWith(wrote(FIELD_MANAGER, 'f:selector', PUBLISHED))
    expect(patchOf(unpin(ours))).to.deep.equal({ metadata: VERSION, spec: { ...spec, publishNotReadyAddresses: null } })
    const shared = aServiceWith(wrote(FIELD_MANAGER, PUBLISHED), wrote('kubectl', PUBLISHED))
    expect(patchOf(unpin(shared))).to.deep.equal({ metadata: VERSION, spec })
    expect(patchOf(unpin(aServiceWith()))).to.deep.equal({ metadata: VERSION, spec })
  })

  it('know who wrote the fields', () => {
    const ours = aServiceWith(wrote(FIELD_MANAGER, 'f:selector'), wrote('kubectl', 'f:ports'))
    expect([hasOurSelector(ours), isStillPublished(ours)]).to.deep.equal([true, false])
    const applied = aServiceWith({ ...wrote(FIELD_MANAGER, 'f:selector', PUBLISHED), operation: 'Apply' })
    expect([hasOurSelector(applied), isStillPublished(applied)]).to.deep.equal([false, false])
  })
})
