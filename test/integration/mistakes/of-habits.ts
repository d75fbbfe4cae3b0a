import { CART, cart, type GradedMistake, ofCart, ofPod, POD, pod, refused, warned } from './graded-mistake.ts'

/** Habits from Helm, kustomize, shells and Docker. */
export const HABITS: readonly GradedMistake[] = [
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
export const SHAPES: readonly GradedMistake[] = [
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
