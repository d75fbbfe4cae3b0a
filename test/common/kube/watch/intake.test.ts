import { expect } from 'chai'
import type { KubeObject } from '../../../../common/api/object.ts'
import { RESOURCES } from '../../../../common/kube/client/resources.ts'
import { arrival, frozen } from '../../../../common/kube/watch/intake.ts'

const INTAKE = {
  resource: RESOURCES.ExperimentDeployment,
  managedFields: 'none',
  project: (object: KubeObject) => object,
} as const

const parsed = (fields: string): unknown =>
  JSON.parse(`{"metadata": {"namespace": "shop", "name": "cart", "uid": "u1", "resourceVersion": "7"}, ${fields}}`)

/** JSON of an object in an object in an object. */
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('arrival', () => {
  it('has key, uid, version, and whether the object is being deleted', () => {
    const raw = {
      metadata: { namespace: 'shop', name: 'cart', uid: 'u1', resourceVersion: '7', deletionTimestamp: 't' },
    }
    expect(arrival(raw, INTAKE)).to.deep.include({ key: 'shop/cart', uid: 'u1', version: '7', isDeleting: true })
  })

  it('has the kind of its resource, also from a list or a metadata-only response', () => {
    const raw = {
      ...{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
      ...(parsed('"spec": 1') as object),
    }
    expect(arrival(raw, INTAKE)?.value).to.deep.include({
      apiVersion: 'experimentcontroller.example.com/v1alpha1',
      kind: 'ExperimentDeployment',
    })
  })

  it('keeps manager, operation, subresource and time of managed fields if they are wanted', () => {
    const entry = { manager: 'm', operation: 'Apply', subresource: 'status', time: 't' }
    const raw = parsed('"spec": 1') as { metadata: object }
    const managed = {
      metadata: { ...raw.metadata, managedFields: [{ ...entry, fieldsV1: { f: {} } }, { manager: 'n' }, 7] },
    }
    expect(arrival(managed, INTAKE)?.value?.metadata).to.not.have.property('managedFields')
    expect(arrival(managed, { ...INTAKE, managedFields: 'managers' })?.value?.metadata.managedFields).to.deep.equal([
      entry,
      { manager: 'n' },
      {},
    ])
  })

  it('S8: also keeps the fields of the spec that other managers own, if they are wanted', () => {
    const ours = { manager: 'experiment-controller', operation: 'Apply' }
    const other = { manager: 'kubectl-edit', operation: 'Update' }
    const fieldsV1 = { 'f:metadata': {}, 'f:spec': { 'f:paused': {} } }
    const raw = parsed('"spec": 1') as { metadata: object }
    const managedFields = [ours, other, { ...other, subresource: 'status' }].map((entry) => ({ ...entry, fieldsV1 }))
    const managed = { metadata: { ...raw.metadata, managedFields } }
    expect(arrival(managed, { ...INTAKE, managedFields: 'others' })?.value?.metadata.managedFields).to.deep.equal([
      ours,
      { ...other, fieldsV1: { 'f:spec': { 'f:paused': {} } } },
      { ...other, subresource: 'status' },
    ])
  })

  it('has of the object only its projection, frozen', () => {
    const project = ({ kind, metadata }: KubeObject) => ({ kind, of: { name: metadata.name } })
    const found = arrival(parsed('"spec": 1'), { ...INTAKE, project })
    expect(found).to.deep.equal({
      ...{ key: 'shop/cart', uid: 'u1', version: '7', isDeleting: false },
      value: { kind: 'ExperimentDeployment', of: { name: 'cart' } },
    })
    expect(Object.isFrozen(found?.value?.of)).to.equal(true)
  })

  it('is there without a value if the projection does not keep the object', () => {
    const found = arrival(parsed('"spec": 1'), { ...INTAKE, project: () => undefined })
    expect(found).to.include({ key: 'shop/cart', value: undefined })
  })

  it('is frozen at all of 100,000 levels', () => {
    const object = arrival(parsed(`"spec": ${nested(100_000)}`), INTAKE)?.value
    let depth = 0
    for (
      let inner: unknown = object?.spec;
      typeof inner === 'object' && inner !== null;
      inner = Object.values(inner)[0]
    ) {
      expect(Object.isFrozen(inner)).to.equal(true)
      depth += 1
    }
    expect(depth).to.equal(100_000)
    expect(Object.isFrozen(object?.metadata)).to.equal(true)
  })

  it('treats __proto__ like any other key', () => {
    const object = arrival(
      parsed('"spec": {"__proto__": {"isAdmin": true}}, "__proto__": {"polluted": 1}'),
      INTAKE,
    )?.value
    expect(Object.getPrototypeOf(object)).to.equal(Object.prototype)
    expect(Object.keys(object ?? {})).to.include('__proto__')
    expect(object).to.not.have.property('polluted')
    expect(Object.getPrototypeOf(object?.spec)).to.equal(Object.prototype)
    expect(({} as { isAdmin?: boolean }).isAdmin).to.equal(undefined)
  })

  for (const [what, raw] of Object.entries({
    'no object': 7,
    'no metadata': {},
    'no name': { metadata: { uid: 'u', resourceVersion: '1' } },
    'no uid': { metadata: { name: 'n', resourceVersion: '1' } },
    'no version': { metadata: { name: 'n', uid: 'u' } },
    'a version that is not a number': { metadata: { name: 'n', uid: 'u', resourceVersion: '0x1' } },
    'a namespace that is not a string': { metadata: { name: 'n', uid: 'u', resourceVersion: '1', namespace: 1 } },
  }))
    it(`is undefined if there is ${what}`, () => {
      expect(arrival(raw, INTAKE)).to.equal(undefined)
    })

  it('may have any other fields', () => {
    for (const spec of ['null', '7', '[]', '{"replicas": "many"}'])
      expect(arrival(parsed(`"spec": ${spec}`), INTAKE)?.value?.spec).to.deep.equal(JSON.parse(spec))
  })
})

describe('frozen', () => {
  it('returns values that are no objects', () => {
    expect([frozen(1), frozen(null), frozen(undefined)]).to.deep.equal([1, null, undefined])
  })
})
