/** What people write into overrides and sources, which a generator that knows only the schema hardly ever writes. */
import type { OverrideType } from '../../../common/api/types.ts'
import { at, isObject, type Json, type JsonObject, listOr, objectOr } from '../../../common/json/json.ts'
import type { SourceKind } from '../../../common/workload/registry.ts'
import type { Dice } from '../../fuzz/admission/dice.ts'

/** What an edit is made for. */
export interface Subject {
  readonly kind: SourceKind
  readonly overrideType: OverrideType
  /** the pod of the source as it is now */
  readonly pod: JsonObject
}

type Edit = (subject: Subject, dice: Dice) => JsonObject

const podOf = (pod: JsonObject): JsonObject => ({ template: { spec: pod } })

const without = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

const containersIn = (pod: JsonObject): readonly JsonObject[] =>
  listOr(pod.containers).filter(isObject) as unknown as JsonObject[]

/** `change` for the container `name`: by its name, or in the whole list that Merge needs, as it is in the source. */
const inContainer = ({ overrideType, pod }: Subject, name: string, change: JsonObject): JsonObject => {
  if (overrideType === 'Strategic') return podOf({ containers: [{ name, ...change }] })
  const all = containersIn(pod).map((each) => (each.name === name ? without({ ...each, ...change }) : each))
  return podOf({ containers: all })
}

const QUANTITIES = ['0.5', '1500m', '2', '1e0', '0.1'] as const
const SIZES = ['1024Mi', '1Gi', '2e9', '1500M', '1.5Gi'] as const

const FOR_ALL: readonly Edit[] = [
  () => ({}),
  (of, dice) => inContainer(of, 'cart', { image: `registry.example/cart:${dice.below(9)}` }),
  // env by name; with Merge the variables of the source go
  (of, dice) => inContainer(of, 'cart', { env: [{ name: 'MODE', value: `slow-${dice.below(9)}` }] }),
  (of) => inContainer(of, 'cart', { env: [{ name: 'NODE_NAME', value: 'none' }] }),
  (of) => inContainer(of, 'cart', { env: [{ name: 'MODE', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
  (of) =>
    inContainer(of, 'cart', {
      env: [
        { name: 'EMPTY', value: '' },
        { name: 'TRUE', value: 'true' },
      ],
    }),
  // quantities that the API server writes in another form
  (of, dice) =>
    inContainer(of, 'cart', {
      resources: {
        limits: { cpu: '4', memory: '4Gi' },
        requests: { cpu: dice.pick(QUANTITIES), memory: dice.pick(SIZES) },
      },
    }),
  (of) => inContainer(of, 'cart', { resources: { limits: { cpu: 2, memory: 4_294_967_296 } } }),
  (_, dice) => podOf({ volumes: [{ name: 'data', emptyDir: { sizeLimit: dice.pick(SIZES) } }] }),
  // nulls
  (of) => inContainer(of, 'cart', { livenessProbe: null }),
  (of) => inContainer(of, 'cart', { resources: null, securityContext: null }),
  (of) => inContainer(of, 'cart', { env: null }),
  () => podOf({ terminationGracePeriodSeconds: null, initContainers: null }),
  () => podOf({ securityContext: null, nodeSelector: null, hostNetwork: null }),
  () => ({ minReadySeconds: null, template: { metadata: { annotations: null } } }),
  // lists that are replaced whole
  (of) => inContainer(of, 'cart', { args: [], command: ['/bin/cart', '--fast'] }),
  (_, dice) => podOf({ tolerations: dice.pick([[], [{ key: 'zone', operator: 'Exists' }]]) }),
  (of) => podOf({ containers: containersIn(of.pod).slice(0, 1) }), // with Merge, the other container goes
  (of) => podOf({ containers: containersIn(of.pod).toReversed() }),
  // metadata of the pods
  (_, dice) => ({ template: { metadata: { labels: { version: `v${dice.below(9)}` } } } }),
  () => ({ template: { metadata: { labels: { app: null, tier: 'test' } } } }),
  (_, dice) => ({ template: { metadata: { annotations: { 'example.com/note': `${dice.below(9)}`, gone: null } } } }),
  // more of everything
  (of) => podOf({ containers: [...(of.overrideType === 'Merge' ? containersIn(of.pod) : []), LOG] }),
  () => podOf({ initContainers: [{ name: 'side', image: 'registry.example/side:1', restartPolicy: 'Always' }] }),
  (of) =>
    of.overrideType === 'Strategic'
      ? podOf({
          volumes: [{ name: 'cache', emptyDir: {} }],
          containers: [{ name: 'cart', volumeMounts: [{ name: 'cache', mountPath: '/cache' }] }],
        })
      : podOf({ volumes: [...(listOr(of.pod.volumes) as Json[]), { name: 'cache', emptyDir: {} }] }),
  (of) =>
    inContainer(of, 'cart', {
      ports: [
        { containerPort: 8080, name: 'http' },
        { containerPort: 53, protocol: 'UDP' },
      ],
    }),
  (of) => inContainer(of, 'cart', { readinessProbe: { exec: { command: ['true'] }, periodSeconds: 7 } }),
  () => podOf({ serviceAccountName: 'other' }),
  () => podOf({ serviceAccount: 'older' }),
  () => podOf({ serviceAccountName: null }),
  () => podOf({ nodeSelector: { disk: 'ssd' }, priorityClassName: null, dnsPolicy: 'ClusterFirst' }),
  () => podOf({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }] }),
  (_, dice) => ({ minReadySeconds: dice.below(3) }),
]

const LOG: JsonObject = { name: 'log', image: 'registry.example/log:1', env: [{ name: 'LEVEL', value: 'debug' }] }

const OF_KIND: Readonly<Record<SourceKind, readonly Edit[]>> = {
  Deployment: [
    ({ overrideType }) => ({
      strategy: overrideType === 'Merge' ? { type: 'Recreate', rollingUpdate: null } : { type: 'Recreate' },
    }),
    () => ({ strategy: { rollingUpdate: { maxSurge: '50%' } } }),
    () => ({ progressDeadlineSeconds: 120, minReadySeconds: 1, paused: false }),
  ],
  StatefulSet: [
    ({ overrideType }) => ({
      updateStrategy: overrideType === 'Merge' ? { type: 'OnDelete', rollingUpdate: null } : { type: 'OnDelete' },
    }),
    () => ({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }),
    (_, dice) => ({ ordinals: { start: dice.below(3) } }),
  ],
  Rollout: [
    (_, dice) => ({ strategy: { canary: { maxSurge: dice.pick(['50%', 2]) } } }),
    () => ({ strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } }),
    () => ({ strategy: { canary: { maxUnavailable: null } } }),
    () => ({ progressDeadlineSeconds: 120 }),
  ],
}

/** A valid override such as people write. */
export function anEdit(subject: Subject, dice: Dice): JsonObject {
  return dice.pick([...FOR_ALL, ...OF_KIND[subject.kind], ...OF_KIND[subject.kind]])(subject, dice)
}

/** A claim template for a fork that is yet to be created. Later it is immutable. */
export const OWN_CLAIMS: JsonObject = {
  volumeClaimTemplates: [
    {
      metadata: { name: 'data', labels: { of: 'fork' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0.5Gi' } } },
    },
  ],
}

/** Overrides that nothing may ever take: directives of other patches, and what a fork has of its own. */
export const NEVER: readonly ((subject: Subject) => JsonObject)[] = [
  () => podOf({ containers: [{ name: 'proxy', $patch: 'delete' }] }),
  () => podOf({ containers: [{ name: 'cart', image: 'a:1' }, { $patch: 'replace' }] }),
  () => podOf({ $patch: 'replace', containers: [{ name: 'cart', image: 'a:1' }] }),
  () => podOf({ '$setElementOrder/containers': [{ name: 'cart' }] }),
  () => podOf({ '$deleteFromPrimitiveList/finalizers': ['a'] }),
  () => ({ strategy: { $retainKeys: ['type'], type: 'Recreate' } }),
  () => podOf({ containers: [{ name: 'cart', env: [null] }] }),
  () => podOf({ containers: [{ name: 'cart', image: 'a:1', env: [{ name: 'A' }, { name: 'A', value: 'b' }] }] }),
  () => podOf({ containers: [{ name: 'cart', image: 'a:1', resources: { limits: { cpu: '1O0m' } } }] }),
  () => podOf({ containers: null }),
  () => ({ replicas: 3 }),
  () => ({ selector: { matchLabels: { app: 'cart' } } }),
  () => ({ template: null }),
  () => ({ template: { metadata: { labels: { 'experiment-controller.example.com/role': 'source' } } } }),
  () => ({ template: { metadata: { name: 'cart' } } }),
  () => ({ spec: { template: {} } }),
]

type SourceEdit = (template: JsonObject, spec: JsonObject, dice: Dice) => { template?: JsonObject; spec?: JsonObject }

const inPod = (template: JsonObject, change: (pod: JsonObject) => JsonObject) => ({
  template: { ...template, spec: change(objectOr(template.spec) as JsonObject) },
})
const inCart = (template: JsonObject, change: JsonObject) =>
  inPod(template, (pod) => ({
    ...pod,
    containers: containersIn(pod).map((each) => (each.name === 'cart' ? without({ ...each, ...change }) : each)),
  }))
const inMetadata = (template: JsonObject, of: 'labels' | 'annotations', change: JsonObject) => ({
  template: {
    ...template,
    metadata: {
      ...objectOr(template.metadata),
      [of]: { ...objectOr(at(template, 'metadata', of)), ...change },
    } as JsonObject,
  },
})

/** Changes of a source by its owner. Each returns the part of its `spec` that changes. */
const SOURCE_EDITS: readonly SourceEdit[] = [
  (template, _, dice) => inCart(template, { image: `registry.example/cart:${dice.below(99)}` }),
  (template, _, dice) => inCart(template, { env: [{ name: `V${dice.below(3)}`, value: `${dice.below(99)}` }] }),
  (template) => inCart(template, { readinessProbe: null }),
  (template, _, dice) => inCart(template, { resources: { requests: { cpu: dice.pick(QUANTITIES) } } }),
  (template, _, dice) => inMetadata(template, 'labels', { release: `r${dice.below(99)}` }),
  (template, _, dice) => inMetadata(template, 'annotations', { 'example.com/at': `${dice.below(99)}` }),
  // as `kubectl rollout restart` does: nothing for a fork
  (template, _, dice) =>
    inMetadata(template, 'annotations', { 'kubectl.kubernetes.io/restartedAt': `${dice.below(99)}` }),
  (template, _, dice) => inPod(template, (pod) => ({ ...pod, terminationGracePeriodSeconds: 10 + dice.below(50) })),
  (template, _, dice) =>
    inPod(template, ({ serviceAccount: _alias, ...pod }) => ({
      ...pod,
      serviceAccountName: dice.pick(['cart', 'default']),
    })),
  (template) =>
    inPod(template, (pod) => ({
      ...pod,
      containers: [...containersIn(pod).filter(({ name }) => name !== 'log'), LOG],
    })),
  (template) =>
    inPod(template, (pod) => ({ ...pod, containers: containersIn(pod).filter(({ name }) => name !== 'log') })),
  (_template, _spec, dice) => ({ spec: { minReadySeconds: dice.below(3) } }),
  (_template, _spec, dice) => ({ spec: { replicas: dice.below(3) } }),
]

/** Another `template` for a source, or other fields of its `spec`. */
export const aSourceEdit = (template: JsonObject, spec: JsonObject, dice: Dice) =>
  dice.pick(SOURCE_EDITS)(template, spec, dice)
