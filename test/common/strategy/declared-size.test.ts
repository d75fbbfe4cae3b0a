import { expect } from 'chai'
import { SCALE_MANAGER } from '../../../common/api/names.ts'
import type { ManagedFieldsEntry, ObjectMeta } from '../../../common/api/object.ts'
import { declaredBy, sizeDeclaredBy, sizeSetLaterBy } from '../../../common/strategy/declared.ts'
import { aDeployment } from '../../builders.ts'

type Meta = Partial<ObjectMeta>
const declared = (metadata: Meta) => sizeDeclaredBy(aDeployment({ metadata }))
const setLater = (metadata: Meta) => sizeSetLaterBy(aDeployment({ metadata }))

const entry = (manager: string, of: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  ...{ manager, operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:template': {} } }, ...of },
})
const WITHOUT = { fieldsV1: { 'f:spec': { 'f:template': {} } } }
const applied = (spec: object) => ({
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ kind: 'Deployment', spec }),
})

const ARGO_CD = { 'argocd.argoproj.io/tracking-id': 'x' }
const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'x' }
const HELM = { 'meta.helm.sh/release-name': 'x' }

describe('who declares the size of a source', () => {
  const cases: Record<string, readonly [Meta, string | undefined]> = {
    nobody: [{}, undefined],
    'whoever applies it server-side': [
      { managedFields: [entry('ci', { operation: 'Apply' })] },
      'a server-side apply of "ci"',
    ],
    'whoever applies the scale server-side': [
      { managedFields: [entry('ci', { operation: 'Apply', subresource: 'scale' })] },
      'a server-side apply of "ci"',
    ],
    'not who applies other fields': [{ managedFields: [entry('ci', { operation: 'Apply', ...WITHOUT })] }, undefined],
    'not who updates it': [
      { managedFields: [entry('kubectl-client-side-apply'), entry('kubectl', { subresource: 'scale' })] },
      undefined,
    ],
    'not who hands it over to us': [{ managedFields: [entry(SCALE_MANAGER, { operation: 'Apply' })] }, undefined],
    'Argo CD, whose entry has it': [{ annotations: ARGO_CD, managedFields: [entry('argocd-controller')] }, 'Argo CD'],
    'Argo CD, known by its entry alone': [{ managedFields: [entry('argocd-controller')] }, 'Argo CD'],
    'Argo CD, which applied it on the client': [
      { annotations: { ...ARGO_CD, ...applied({ replicas: 5 }) } },
      'Argo CD',
    ],
    'not Argo CD without it, as after a handover': [
      {
        annotations: { ...ARGO_CD, ...applied({ template: {} }) },
        managedFields: [entry('argocd-controller', WITHOUT), entry('kubectl-edit')],
      },
      undefined,
    ],
    Flux: [{ labels: FLUX, managedFields: [entry('kustomize-controller')] }, 'Flux'],
    'Config Sync': [
      { annotations: { 'configmanagement.gke.io/managed': 'enabled' }, managedFields: [entry('configsync')] },
      'Config Sync',
    ],
    Fleet: [{ labels: { 'objectset.rio.cattle.io/hash': 'x' }, annotations: applied({ replicas: 2 }) }, 'Fleet'],
    'not Helm and not kapp, which set it with a next release only': [
      { annotations: HELM, labels: { 'kapp.k14s.io/app': 'x' }, managedFields: [entry('helm'), entry('kapp')] },
      undefined,
    ],
    'not kubectl, which sets it with a next apply only': [{ annotations: applied({ replicas: 5 }) }, undefined],
    'not a tool beside a text that is no JSON': [
      { labels: FLUX, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{' } },
      undefined,
    ],
  }
  for (const [title, [metadata, expected]] of Object.entries(cases))
    it(title, () => expect(declared(metadata)).to.equal(expected))

  it('is asked apart from who declares the change: a tool without it declares the source all the same', () => {
    const source = aDeployment({ metadata: { annotations: ARGO_CD } })
    expect([declaredBy(source, {}), sizeDeclaredBy(source)]).to.deep.equal(['Argo CD', undefined])
  })
})

describe('what sets the size of a source again later', () => {
  const cases: Record<string, readonly [Meta, string | undefined]> = {
    nothing: [{}, undefined],
    'a client-side apply of a size': [
      { annotations: applied({ replicas: 5 }) },
      'the next kubectl apply sets spec.replicas 5 again',
    ],
    'not one without a size': [{ annotations: applied({ template: {} }) }, undefined],
    'a release of Helm': [{ annotations: HELM }, 'the next release of Helm may set spec.replicas again'],
    'a release of Helm, by its label': [
      { labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
      'the next release of Helm may set spec.replicas again',
    ],
    'kapp, by its entry': [
      { managedFields: [entry('kapp-server')] },
      'the next release of kapp may set spec.replicas again',
    ],
  }
  for (const [title, [metadata, expected]] of Object.entries(cases))
    it(title, () => expect(setLater(metadata)).to.equal(expected))
})
