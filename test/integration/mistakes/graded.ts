import type { Mistake } from './mistake.ts'

/** A mistake, and how well its author can mend it by the first answer. */
export interface GradedMistake extends Mistake {
  /** `at once`: the answer says what to write; `with thought`: it names the field and the rule */
  readonly grade: 'at once' | 'with thought'
  /** for what Kubernetes accepts: the reason of the warning without which the plan would be believed */
  readonly warns?: string
  /** the reason that `Ready` then has; on simulated nodes, where no program runs, some forks are Available */
  readonly ends?: string
}

const POD = 'spec.overrideSpec.template.spec'
const CART = `${POD}.containers[0]`

const lines = (yaml: string, by: string): string => yaml.replaceAll(/^(?=.)/gm, by)
const pod = (yaml: string): string => `template:\n  spec:\n${lines(yaml, '    ')}`
const cart = (yaml: string): string => pod(`containers:\n- name: cart\n${lines(yaml, '  ')}`)

type Rest = Omit<GradedMistake, 'title' | 'override'>

/** A mistake in the container `cart`, under Strategic. */
const ofCart = (title: string, yaml: string, { paths, ...rest }: Rest): GradedMistake => ({
  title,
  overrideType: 'Strategic',
  override: cart(yaml),
  paths: paths.map((path) => `${CART}.${path}`),
  ...rest,
})

/** A mistake in the pod, under Strategic. */
const ofPod = (title: string, yaml: string, { paths, ...rest }: Rest): GradedMistake => ({
  title,
  overrideType: 'Strategic',
  override: pod(yaml),
  paths: paths.map((path) => `${POD}.${path}`),
  ...rest,
})

const refused = (grade: GradedMistake['grade'], ...paths: readonly string[]): Rest => ({ grade, paths })
const warned = (grade: GradedMistake['grade'], warns: string, ends = 'Available'): Rest => ({
  grade,
  warns,
  ends,
  paths: [],
})

/** Habits from Helm, kustomize, shells and Docker. */
const HABITS: readonly GradedMistake[] = [
  ofCart('A Helm expression', 'image: "{{ .Values.image }}"', refused('with thought', 'image')),
  ofCart(
    'An image in parts, as in Helm values',
    'image: {repository: cart, tag: "2"}',
    refused('with thought', 'image'),
  ),
  ofCart('A variable of the shell', 'image: registry.example/cart:$(TAG)', refused('with thought', 'image')),
  ofCart('A URL for an image', 'image: https://registry.example/cart:2', refused('at once', 'image')),
  ofCart('A tag that is left out', 'image: "registry.example/cart:"', refused('at once', 'image')),
  ofCart('A short digest', 'image: registry.example/cart@sha256:abc', refused('with thought', 'image')),
  {
    title: 'Values of Helm',
    override: 'replicaCount: 2\nimage: {tag: "2"}',
    ...refused('with thought', 'spec.overrideSpec.replicaCount', 'spec.overrideSpec.image'),
  },
  {
    title: 'Images of kustomize',
    override: 'images: [{name: cart, newTag: "2"}]',
    ...refused('with thought', 'spec.overrideSpec.images'),
  },
  {
    title: 'The metadata of a whole manifest',
    override: `metadata: {name: cart}\n${cart('image: registry.example/cart:2')}`,
    ...refused('with thought', 'spec.overrideSpec.metadata'),
  },
  {
    title: 'A template in a template',
    override: pod('template: {spec: {}}'),
    ...refused('with thought', `${POD}.template`),
  },
  {
    title: 'An override as text',
    spec: 'sourceRef: {kind: Deployment, name: cart}\noverrideSpec: |\n  paused: true',
    ...refused('with thought', 'spec.overrideSpec'),
  },
  {
    title: 'A source with an apiVersion',
    spec: 'sourceRef: {apiVersion: apps/v1, kind: Deployment, name: cart}\noverrideSpec: {}',
    ...refused('at once', 'spec.sourceRef.apiVersion'),
  },
]

/** The wrong merge type, wrong levels, wrong names. */
const SHAPES: readonly GradedMistake[] = [
  {
    title: 'Only an image, under Merge',
    override: cart('image: registry.example/cart:2'),
    ...warned('at once', 'PortMissing'),
  },
  {
    title: 'Only variables, under Merge',
    override: cart('env: [{name: LOG, value: debug}]'),
    ...refused('at once', `${CART}.image`),
  },
  ofCart('An empty list, under Strategic', 'env: []', warned('at once', 'LikelyMistake')),
  {
    title: 'Recreate, under Merge',
    override: 'strategy: {type: Recreate}',
    ...refused('at once', 'spec.overrideSpec.strategy.type'),
  },
  {
    title: 'The strategy of another kind',
    override: 'updateStrategy: {type: RollingUpdate}',
    ...refused('at once', 'spec.overrideSpec.updateStrategy'),
  },
  {
    title: 'Fields of the experiment in its override',
    override: 'ttlSeconds: 60\noverrideType: Merge',
    ...refused('at once', 'spec.overrideSpec.ttlSeconds', 'spec.overrideSpec.overrideType'),
  },
  ofPod('M9: Capabilities of the pod', 'capabilities: {add: [NET_ADMIN]}', refused('at once', 'capabilities')),
  ofPod('M9: Labels in the spec of the pod', 'labels: {version: v2}', refused('at once', 'labels')),
  ofPod(
    'A dash before the image',
    'containers:\n- name: cart\n- image: registry.example/cart:2',
    refused('with thought', 'containers[1].name'),
  ),
  ofCart('M9: Amounts directly in the resources', 'resources: {cpu: 500m}', refused('at once', 'resources.cpu')),
  ofCart(
    'A group of the pod in a container',
    'securityContext: {fsGroup: 1000}',
    refused('at once', 'securityContext.fsGroup'),
  ),
  ofCart(
    'M9: A probe without its handler',
    'readinessProbe: {path: /ready}',
    refused('at once', 'readinessProbe.path'),
  ),
  ofCart(
    'M9: A timeout in the handler of a probe',
    'livenessProbe:\n  httpGet: {path: /, port: 8080, timeoutSeconds: 3}',
    refused('at once', 'livenessProbe.httpGet.timeoutSeconds'),
  ),
  ofCart('False for a probe', 'readinessProbe: false', refused('with thought', 'readinessProbe')),
  ofCart(
    'A path of a mount, in short',
    'volumeMounts: [{name: config, path: /etc/cart}]',
    refused('with thought', 'volumeMounts[0].path', 'volumeMounts[0].mountPath'),
  ),
  ofCart(
    'A port in the words of Services',
    'ports: [{port: 80, targetPort: 8080}]',
    refused('with thought', 'ports[0].port', 'ports[0].targetPort'),
  ),
  ofCart('A ConfigMap without Ref', 'envFrom: [{configMap: {name: cart}}]', refused('at once', 'envFrom[0].configMap')),
  ofCart(
    'A text for a reference',
    'envFrom: [{configMapRef: cart}]',
    refused('with thought', 'envFrom[0].configMapRef'),
  ),
  ofCart(
    'A Secret of a variable without Key',
    'env: [{name: A, valueFrom: {secretRef: {name: cart}}}]',
    refused('at once', 'env[0].valueFrom.secretRef'),
  ),
  ofCart('A variable as a pair', 'env: [{LOG: debug}]', refused('with thought', 'env[0].LOG', 'env[0].name')),
  ofCart('A variable as in a shell', 'env: [LOG=debug]', refused('with thought', 'env[0]')),
  ofPod(
    'The name of a Secret, in short',
    'volumes: [{name: tls, secret: {name: cart}}]',
    refused('at once', 'volumes[0].secret.name'),
  ),
  ofPod('Texts for pull secrets', 'imagePullSecrets: [registry]', refused('with thought', 'imagePullSecrets[0]')),
  ofPod(
    'A preference without its term',
    'affinity:\n  podAntiAffinity:\n    preferredDuringSchedulingIgnoredDuringExecution:\n    - {topologyKey: zone}',
    refused('with thought', 'affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].topologyKey'),
  ),
]

/** Values and units. */
const VALUES: readonly GradedMistake[] = [
  ofCart('Thousandths of bytes', 'resources: {limits: {memory: 512m}}', refused('at once', 'resources.limits.memory')),
  ofCart('Bytes without a unit', 'resources: {limits: {memory: 512}}', refused('at once', 'resources.limits.memory')),
  ofCart('Cores for thousandths', 'resources: {requests: {cpu: 500}}', warned('at once', 'LikelyMistake')),
  ofCart('A device without its maker', 'resources: {limits: {gpu: 1}}', refused('at once', 'resources.limits.gpu')),
  ofCart(
    'A limit below the request of the source',
    'resources: {limits: {cpu: 50m}}',
    refused('at once', 'resources.limits.cpu'),
  ),
  ofCart(
    'A value in two ways',
    'env: [{name: A, value: a, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]',
    refused('at once', 'env[0].valueFrom'),
  ),
  ofCart('A command line in one item', 'command: ["sh -c env"]', warned('at once', 'LikelyMistake')),
  ofCart(
    'A capability with its prefix',
    'securityContext: {capabilities: {add: [CAP_NET_ADMIN]}}',
    warned('at once', 'LikelyMistake'),
  ),
  ofPod(
    'A mode of files in decimal',
    'volumes: [{name: config, configMap: {name: cart, defaultMode: 644}}]',
    refused('at once', 'volumes[0].configMap.defaultMode'),
  ),
  ofPod(
    'A medium in small letters',
    'volumes: [{name: tmp, emptyDir: {medium: memory}}]',
    refused('at once', 'volumes[0].emptyDir.medium'),
  ),
  ofCart(
    'D5: The name of another port of the source',
    'ports: [{name: http, containerPort: 9090}]',
    refused('at once', 'ports[0].name'),
  ),
  {
    title: 'A label by which the Service selects',
    override: 'template:\n  metadata:\n    labels: {app: cart-v2}',
    ...warned('at once', 'LeavesService'),
  },
  {
    title: 'An annotation without quotes',
    override: 'template:\n  metadata:\n    annotations: {prometheus.io/scrape: true}',
    ...refused('at once', 'spec.overrideSpec.template.metadata.annotations["prometheus.io/scrape"]'),
  },
]

/** Names of other objects. */
const NAMES: readonly GradedMistake[] = [
  ofCart('A misspelt ConfigMap', 'envFrom: [{configMapRef: {name: crat}}]', warned('at once', 'NewReference')),
  ofCart(
    'A misspelt key of a Secret',
    'env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: cart, key: pasword}}}]',
    warned('at once', 'NewReference'),
  ),
  ofPod('A misspelt ServiceAccount', 'serviceAccountName: crat', warned('at once', 'NewReference', 'ReplicaFailure')),
  ofPod(
    'A class that there is not',
    'priorityClassName: high',
    warned('with thought', 'NewReference', 'ReplicaFailure'),
  ),
  ofPod(
    'A claim that there is not',
    'volumes: [{name: tmp, persistentVolumeClaim: {claimName: cart}}]',
    warned('with thought', 'NewReference', 'PodsNotReady'),
  ),
  {
    title: 'M6: A misspelt source',
    spec: 'sourceRef: {kind: Deployment, name: crat}\noverrideSpec: {}',
    ...warned('at once', 'SourceNotFound', 'SourceNotFound'),
  },
  {
    title: 'M6: A source of another kind',
    spec: 'sourceRef: {kind: StatefulSet, name: shelf}\noverrideSpec: {}',
    ...warned('at once', 'SourceNotFound', 'SourceNotFound'),
  },
]

const CLAIM = (spec: string): string => `volumeClaimTemplates:\n- metadata: {name: data}\n  spec: ${spec}`

/** StatefulSets and Rollouts. */
const OTHER_KINDS: readonly GradedMistake[] = [
  {
    title: 'Recreate for a StatefulSet',
    kind: 'StatefulSet',
    override: 'updateStrategy: {type: Recreate}',
    ...refused('at once', 'spec.overrideSpec.updateStrategy.type'),
  },
  {
    title: 'M9: A claim without its levels',
    kind: 'StatefulSet',
    override: 'volumeClaimTemplates: [{name: data, storage: 2Gi}]',
    ...refused(
      'with thought',
      'spec.overrideSpec.volumeClaimTemplates[0].name',
      'spec.overrideSpec.volumeClaimTemplates[0].storage',
    ),
  },
  {
    title: 'Only the size of a claim',
    kind: 'StatefulSet',
    override: CLAIM('{resources: {requests: {storage: 2Gi}}}'),
    ...refused('at once', 'spec.overrideSpec.volumeClaimTemplates[0].spec.accessModes'),
  },
  {
    title: 'D5: A volume in the place of a claim',
    kind: 'StatefulSet',
    overrideType: 'Strategic',
    override: pod('volumes: [{name: data, emptyDir: {}}]'),
    ...refused('at once', `${POD}.volumes[0].name`),
  },
  {
    title: 'D5: No claims, although one is mounted',
    kind: 'StatefulSet',
    override: 'volumeClaimTemplates: []',
    ...refused('at once', 'spec.overrideSpec.volumeClaimTemplates'),
  },
  {
    title: 'A type of strategy for a Rollout',
    kind: 'Rollout',
    override: 'strategy: {type: Canary}',
    ...refused('with thought', 'spec.overrideSpec.strategy.type'),
  },
  {
    title: 'M9: Steps at the top',
    kind: 'Rollout',
    override: 'steps: [{setWeight: 20}]',
    ...refused('at once', 'spec.overrideSpec.steps'),
  },
  {
    title: 'Only variables of a Rollout, under Merge',
    kind: 'Rollout',
    override: cart('env: [{name: LOG, value: debug}]'),
    ...refused('at once', `${CART}.image`),
  },
]

/** Sixty-odd mistakes of ordinary users. None may be answered by a plan that cannot come true. */
export const GRADED: readonly GradedMistake[] = [...HABITS, ...SHAPES, ...VALUES, ...NAMES, ...OTHER_KINDS]
