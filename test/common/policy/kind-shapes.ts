import type { Shape } from '../../../common/override/shape.ts'
import type { KindShape } from '../../../common/policy/unmatched-paths.ts'
import { shapeOf } from '../../../common/schema/compile.ts'
import { transform } from '../../../common/schema/transform.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: object) => ({ type: 'object', properties })
const map = (values: object) => ({ type: 'object', additionalProperties: values })
const list = (items: object, ...keys: string[]) => ({
  type: 'array',
  items,
  ...(keys.length > 0 ? { 'x-kubernetes-list-map-keys': keys } : {}),
})
const text = { type: 'string' }
const flag = { type: 'boolean' }

/** An excerpt of the schemas of workloads, with each form of a schema. */
const SCHEMAS = {
  Template: object({
    metadata: object({ labels: map(text), annotations: map(text) }),
    spec: ref('Pod'),
  }),
  Pod: object({
    containers: list(ref('Container'), 'name'),
    initContainers: list(ref('Container'), 'name'),
    hostNetwork: flag,
    hostPID: flag,
    nodeSelector: map(text),
    volumes: list(object({ name: text, hostPath: object({ path: text }) }), 'name'),
  }),
  Container: object({
    args: list(text),
    env: list(object({ name: text, value: text }), 'name'),
    image: text,
    name: text,
    extension: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: object({}) } },
    self: ref('Container'),
  }),
}

const shapeWith = (properties: object): Shape =>
  shapeOf(
    transform(SCHEMAS, object({ template: ref('Template'), minReadySeconds: { type: 'integer' }, ...properties })),
  )

/** The kind Deployment. */
export const DEPLOYMENT: KindShape = {
  kind: 'Deployment',
  shape: shapeWith({ strategy: object({ rollingUpdate: object({ maxSurge: text }) }) }),
}
/** The kind StatefulSet. */
export const STATEFUL_SET: KindShape = {
  kind: 'StatefulSet',
  shape: shapeWith({ updateStrategy: object({ rollingUpdate: object({ partition: text }) }), serviceName: text }),
}
/** The kind Rollout, in a cluster that has it. */
export const ROLLOUT: KindShape = {
  kind: 'Rollout',
  shape: shapeWith({ strategy: object({ canary: object({ steps: list(object({ setWeight: text })) }) }) }),
}
/** The kind Rollout, in a cluster without its CRD. */
export const NO_ROLLOUT: KindShape = { kind: 'Rollout', shape: undefined }

/** A cluster with every kind. */
export const KINDS = [DEPLOYMENT, STATEFUL_SET, ROLLOUT]
