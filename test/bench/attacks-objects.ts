import { FOREIGN_BOUNDS } from '../../common/api/limits.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { aDeployment } from '../builders.ts'
import { aService } from '../webhook/reviews.ts'

const repeated = (count: number, of: (index: number) => JsonObject): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) => of(index))

const pairs = (count: number, prefix = 'label-'): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v']))

/** As many items of `size` keys and items each as a source may have, beside its few others. */
const most = (size: number): number => Math.floor((FOREIGN_BOUNDS.sourceNodes - 100) / size)

const named = (count: number, prefix: string, of: JsonObject = {}) =>
  repeated(count, (index) => ({ name: `${prefix}${index}`, ...of }))

/** Sources just within the bounds, each the most expensive of its kind. */
const WITHIN: Readonly<Record<string, KubeObject>> = {
  annotations: aDeployment({ podLabels: pairs(FOREIGN_BOUNDS.podLabels - 1), podAnnotations: pairs(most(1) - 600) }),
  variables: aDeployment({ container: { env: named(most(3), 'V', { value: 'x' }) } }),
  references: aDeployment({
    container: { env: repeated(most(3), (index) => ({ name: `V${index}`, value: `$(V${index - 1})`.repeat(20) })) },
  }),
  containers: aDeployment({ pod: { containers: named(most(3), 'c', { image: 'example/cart:1' }) } }),
  initContainers: aDeployment({
    pod: {
      containers: named(1, 'cart', { image: 'x' }),
      initContainers: named(most(3), 'c'.repeat(200), { image: 'i' }),
    },
  }),
  mounts: aDeployment({
    container: { volumeMounts: repeated(most(6), (index) => ({ name: `v${index}`, mountPath: `/v${index}` })) },
    pod: { volumes: named(most(6), 'v', { emptyDir: {} }) },
  }),
  resources: aDeployment({ container: { resources: { requests: pairs(most(1), 'r') } } }),
  unknownFields: aDeployment({ pod: pairs(most(1), 'container') }),
  arguments: aDeployment({ container: { args: Array.from({ length: most(1) }, (_, index) => `--a=${index}`) } }),
  longVariable: aDeployment({
    container: {
      env: [
        { name: 'A', value: '$(A)'.repeat(350_000) },
        { name: 'A', value: '' },
      ],
    },
  }),
}

/** Sources beyond the bounds: as large as the API server stores. */
const BEYOND: Readonly<Record<string, KubeObject>> = {
  '60,000 labels': aDeployment({ podLabels: pairs(60_000) }),
  '60,000 annotations': aDeployment({ podAnnotations: pairs(60_000) }),
  '60,000 labels of its own': aDeployment({ labels: pairs(60_000) }),
  '40,000 variables': aDeployment({ container: { env: named(40_000, 'V') } }),
  '60,000 entries of its selector': aDeployment({ spec: { selector: { matchLabels: pairs(60_000) } } }),
}

/** What an experiment may be about. */
export const SOURCES: Readonly<Record<string, KubeObject>> = { ...WITHIN, ...BEYOND }

/** Overrides that are compared with the whole source. */
export const OVERRIDES: Readonly<Record<string, JsonObject>> = {
  small: { template: { spec: { containers: [{ name: 'cart', image: 'example/cart:2' }] } } },
  misspelt: { template: { spec: { containers: named(1_640, 'cx', { image: 'example/cart:2' }) } } },
  volumes: { template: { spec: { volumes: named(1_200, 'w', { emptyDir: {} }) } } },
}

/** Services of one namespace. */
export const SERVICES: readonly KubeObject[] = [
  aService(),
  ...Array.from({ length: 4 }, (_, index) => aService(`big-${index}`, { app: 'cart', ...pairs(95_000) })),
]

/** A `fork` to which thousands of clients have added something. */
export function manyManagers(fork: KubeObject): KubeObject {
  const { metadata } = fork
  const fieldsV1 = { 'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': { 'f:label-1': {} } } } } }
  const others = Array.from({ length: 5_000 }, (_, index) => ({ manager: `m${index}`, operation: 'Apply', fieldsV1 }))
  const template = { metadata: { annotations: pairs(15_000) } }
  return {
    ...fork,
    metadata: { ...metadata, managedFields: [...(metadata.managedFields ?? []), ...others] },
    spec: {
      ...(fork.spec as JsonObject),
      template: { ...((fork.spec as JsonObject).template as JsonObject), ...template },
    },
  }
}
