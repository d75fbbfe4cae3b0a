import { expect } from 'chai'
import type { ManagedFieldsEntry, ObjectMeta } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { declaredBy, selectorDeclaredBy } from '../../../common/strategy/declared.ts'
import { aDeployment, imageOverride } from '../../builders.ts'

const PATCH = imageOverride('example/cart:2')
const declared = (metadata: Partial<ObjectMeta>) => declaredBy(aDeployment({ metadata }), PATCH)
const applied = (fields: object, entry: Partial<ManagedFieldsEntry> = {}) =>
  declared({ managedFields: [{ manager: 'ci', operation: 'Apply', fieldsV1: { 'f:spec': fields }, ...entry }] })
const CONTAINERS = { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"cart"}': { 'f:image': {} } } } } }

describe('who declares a source', () => {
  const cases: Record<string, readonly [Partial<ObjectMeta>, string | undefined]> = {
    nobody: [{}, undefined],
    'Argo CD, by its annotation': [{ annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }, 'Argo CD'],
    'Flux, by its label': [{ labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } }, 'Flux'],
    'Flux, for a release of Helm': [{ labels: { 'helm.toolkit.fluxcd.io/name': 'x' } }, 'Flux'],
    'Helm, by its annotation': [{ annotations: { 'meta.helm.sh/release-name': 'x' } }, 'Helm'],
    'Helm, by its label': [{ labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, 'Helm'],
    kapp: [{ labels: { 'kapp.k14s.io/app': 'x' } }, 'kapp'],
    'Config Sync': [{ annotations: { 'configmanagement.gke.io/managed': 'enabled' } }, 'Config Sync'],
    Fleet: [{ labels: { 'objectset.rio.cattle.io/hash': 'x' } }, 'Fleet'],
    'Argo CD, by its field manager': [
      { managedFields: [{ manager: 'argocd-controller', operation: 'Update' }] },
      'Argo CD',
    ],
    'a controller': [
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Shop', name: 'main', uid: '1', controller: true }] },
      'shop/main',
    ],
    'not an owner that does not control it': [
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Shop', name: 'main', uid: '1' }] },
      undefined,
    ],
    'not another manager of updates': [{ managedFields: [{ manager: 'kubectl', operation: 'Update' }] }, undefined],
  }
  for (const [title, [metadata, expected]] of Object.entries(cases))
    it(title, () => expect(declared(metadata)).to.equal(expected))

  it('N29: is found without listing the fields of the patch for each of thousands of managers', () => {
    let listings = 0
    const ownKeys = (of: object) => {
      listings += 1
      return Reflect.ownKeys(of)
    }
    const labels = new Proxy<JsonObject>({ a: 'b', tier: 'web' }, { ownKeys })
    const manager = (index: number): ManagedFieldsEntry => ({
      manager: `m${index}`,
      operation: 'Apply',
      fieldsV1: { 'f:spec': { 'f:labels': { [index === 4_999 ? 'f:tier' : 'f:app']: {} } } },
    })
    const managedFields = Array.from({ length: 5_000 }, (_, index) => manager(index))
    expect(declaredBy(aDeployment({ metadata: { managedFields } }), { labels })).to.equal(
      'a server-side apply of "m4999"',
    )
    expect(listings).to.equal(0)
  })

  it('whoever applies an overridden field server-side, as lists are changed whole', () => {
    expect(applied(CONTAINERS)).to.equal('a server-side apply of "ci"')
    expect(applied({ 'f:template': {} })).to.equal('a server-side apply of "ci"')
  })

  it('not who applies other fields, only the status, or updates', () => {
    expect(applied({ 'f:replicas': {} })).to.equal(undefined)
    expect(applied(CONTAINERS, { subresource: 'status' })).to.equal(undefined)
    expect(applied(CONTAINERS, { operation: 'Update' })).to.equal(undefined)
  })
})

describe('who declares the selector of a Service', () => {
  const declared = (metadata: Partial<ObjectMeta>) =>
    selectorDeclaredBy({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'cart', ...metadata } })
  const applies = (field: string) =>
    declared({ managedFields: [{ manager: 'ci', operation: 'Apply', fieldsV1: { 'f:spec': { [field]: {} } } }] })

  it('is a tool by its marks, or whoever applies the selector', () => {
    expect(declared({ labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } })).to.equal('Flux')
    expect(applies('f:selector')).to.equal('a server-side apply of "ci"')
  })

  it('is nobody for other fields', () =>
    expect([applies('f:ports'), declared({})]).to.deep.equal([undefined, undefined]))
})
