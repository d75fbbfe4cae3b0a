import { CART, cart, type GradedMistake, ofCart, ofPod, POD, pod, refused, warned } from './graded-mistake.ts'

/** Values and units. */
export const VALUES: readonly GradedMistake[] = [
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
export const NAMES: readonly GradedMistake[] = [
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
export const OTHER_KINDS: readonly GradedMistake[] = [
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
