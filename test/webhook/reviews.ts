import { GROUP } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import type { SpecSchema } from '../../common/override/spec-schema.ts'
import { realTimers } from '../../common/program/clock.ts'
import type { AdmissionRequest, UserInfo } from '../../webhook/review/admission-review.ts'
import { lineOf, type ReviewDecision } from '../../webhook/review/decision.ts'
import type { ValidatorDeps } from '../../webhook/validate.ts'
import { anExperiment, installing } from '../builders.ts'
import { isAboutMostPods } from '../common/describe/described.ts'

export const ALICE: UserInfo = { username: 'alice', uid: 'uid-of-alice', groups: ['dev'], extra: { scopes: ['a'] } }

/** A review as the API server sends it: the creation of `faster-cart`, with the members of `request` replaced. */
export const aReview = (request: object = {}) => ({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  request: {
    uid: 'uid-of-review',
    userInfo: ALICE,
    resource: { group: GROUP, version: 'v1alpha1', resource: 'experimentdeployments' },
    namespace: 'shop',
    operation: 'CREATE',
    object: anExperiment(),
    oldObject: null,
    dryRun: false,
    ...request,
  },
})

interface RequestOf {
  readonly object?: Readonly<Record<string, unknown>>
  readonly oldObject?: Readonly<Record<string, unknown>>
  readonly dryRun?: boolean
  readonly userInfo?: UserInfo
}

/** A create, or an update if there is an old object. */
export function aRequest({
  object = anExperiment(),
  oldObject,
  dryRun = false,
  userInfo = ALICE,
}: RequestOf = {}): AdmissionRequest {
  const request = {
    uid: 'uid-of-review',
    resource: 'experimentdeployments' as const,
    userInfo,
    namespace: 'shop',
    dryRun,
    object,
  }
  return oldObject ? { ...request, operation: 'UPDATE', oldObject } : { ...request, operation: 'CREATE' }
}

const NO_POLICIES: ValidatorDeps['policies'] = {
  policies: () => [],
  namespace: async (name) => ({ name, labels: {} }),
  isExcluded: () => false,
}

/** The dependencies of a validation: this reader, this schema, no policies, and the time is noon. */
export const validatorDeps = (kube: ValidatorDeps['kube'], schema: SpecSchema | undefined): ValidatorDeps => ({
  kube,
  schemas: { schemaOf: () => schema },
  policies: NO_POLICIES,
  timers: realTimers(),
  clock: () => new Date('2026-11-21T12:00:00Z'),
  installed: installing(),
})

/** A Service that selects the pods of `cart`. */
export const aService = (name = 'cart', selector: Readonly<Record<string, string>> = { app: 'cart' }): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { selector },
})

/** The ready pods `pods` behind the Service `service`. */
export const aSlice = (pods: readonly string[], service = 'cart'): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${service}-1`, namespace: 'shop', labels: { 'kubernetes.io/service-name': service } },
  endpoints: pods.map((name) => ({
    addresses: [name],
    conditions: { ready: true },
    targetRef: { kind: 'Pod', name, uid: name },
  })),
})

/** An autoscaler of the Deployment `cart`. */
export const anAutoscaler = (spec: JsonObject): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'cart', namespace: 'shop' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'cart' }, ...spec },
})

/**
 * The lines for the user, without the one about the most pods, which each plan has: every warning, or every mistake, or
 * why the request cannot be decided.
 */
export function linesOf(decision: ReviewDecision): string[] {
  switch (decision.is) {
    case 'admitted':
      return decision.warnings.map(lineOf).filter((line) => !isAboutMostPods(line))
    case 'invalid':
      return decision.errors.map(({ field, message }) => `${field}: ${message}`)
    case 'forbidden':
    case 'unchecked':
      return [`${decision.is}: ${decision.message}`]
  }
}
