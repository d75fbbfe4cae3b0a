import { EXPERIMENT_DEPLOYMENT, GROUP } from '../../common/api/names.ts'
import { at, type JsonObject, listOr } from '../../common/json/json.ts'
import { UID } from '../builders.ts'
import { aLargeDeployment } from './derivation.ts'

/** The length of the review, and of the source that it names. */
const CHARACTERS = 10 * 1024

/** The Deployment `shop/cart`, of 10 KB. */
export const SOURCE = aLargeDeployment(CHARACTERS)

/** The envelope of a review takes the rest of the 10 KB. */
const OVERRIDE = CHARACTERS - 1_400

/**
 * An override with the containers of a smaller Deployment and other images, as users write it who start from an
 * existing manifest. It also has a note of the given length.
 */
function anOverride(noted: number): JsonObject {
  const containers = listOr(at(aLargeDeployment(OVERRIDE), 'spec', 'template', 'spec', 'containers')) as JsonObject[]
  const changed = containers.map(({ image, ...of }) => ({ ...of, image: `${image}-rc1` }))
  return { template: { metadata: { annotations: { note: 'x'.repeat(noted) } }, spec: { containers: changed } } }
}

interface ReviewOf {
  readonly overrideSpec: JsonObject
  /** also of the old object: makes the review an UPDATE */
  readonly oldOverrideSpec?: JsonObject
  readonly managedFields?: readonly JsonObject[]
}

/** The body of a review, as the API server writes it. */
export function reviewBody({ overrideSpec, oldOverrideSpec, managedFields = [] }: ReviewOf): string {
  const [group, version] = [GROUP, EXPERIMENT_DEPLOYMENT.apiVersion.slice(GROUP.length + 1)]
  const kind = { group, version, kind: EXPERIMENT_DEPLOYMENT.kind }
  const resource = { group, version, resource: EXPERIMENT_DEPLOYMENT.plural }
  const { apiVersion } = EXPERIMENT_DEPLOYMENT
  const metadata = { name: 'faster-cart', namespace: 'shop', uid: UID, generation: 1, managedFields }
  const object = (override: JsonObject) => ({
    apiVersion,
    kind: kind.kind,
    metadata,
    spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, replicas: 1, overrideSpec: override },
  })
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: metadata.name,
      namespace: metadata.namespace,
      operation: oldOverrideSpec ? 'UPDATE' : 'CREATE',
      userInfo: {
        username: 'system:serviceaccount:shop:deployer',
        uid: '9c1d0c7e-2a57-4b8e-9a0e-0d9b7c6f8f10',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      },
      object: object(overrideSpec),
      oldObject: oldOverrideSpec ? object(oldOverrideSpec) : null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'kubectl-client-side-apply' },
    },
  })
}

const unfilled = reviewBody({ overrideSpec: anOverride(0) }).length

/** The review that both sides get, of exactly 10 KB. */
export const REVIEW = reviewBody({ overrideSpec: anOverride(CHARACTERS - unfilled) })
