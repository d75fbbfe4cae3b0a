import type { Mistake } from './mistake.ts'

const POD = 'spec.overrideSpec.template.spec'
const CART = `${POD}.containers[0]`

/** YAML of an override: members of the container `cart`, of the pod, of the pod's metadata. */
const cart = (yaml: string): string => pod(`containers:\n- name: cart\n${lines(yaml, '  ')}`)
const pod = (yaml: string): string => `template:\n  spec:\n${lines(yaml, '    ')}`
const metadata = (yaml: string): string => `template:\n  metadata:\n${lines(yaml, '    ')}`
const lines = (yaml: string, by: string): string => yaml.replaceAll(/^(?=.)/gm, by)

/** Mistakes in the override itself, with any source. */
export const OF_OVERRIDES: readonly Mistake[] = [
  // misspelt and misplaced
  { title: 'A misspelt field of a container', override: cart('imge: cart:2'), paths: [`${CART}.imge`] },
  { title: 'Another case', override: cart('Image: cart:2'), paths: [`${CART}.Image`] },
  { title: 'A misspelt field of the pod', override: pod('nodeselector: {disk: ssd}'), paths: [`${POD}.nodeselector`] },
  { title: 'A misspelt field of the spec', override: 'minReadySecond: 5', paths: ['spec.overrideSpec.minReadySecond'] },
  {
    title: 'Requests misspelt',
    override: cart('resources:\n  request: {cpu: 500m}'),
    paths: [`${CART}.resources.request`],
  },
  {
    title: 'A misspelt field of a probe',
    override: cart('livenessProbe:\n  httpGet: {path: /, port: 80}\n  initialDelaySecond: 3'),
    paths: [`${CART}.livenessProbe.initialDelaySecond`],
  },
  {
    title: 'A misspelt field of a variable',
    override: cart('env:\n- name: A\n  valuefrom: {secretKeyRef: {name: s, key: k}}'),
    paths: [`${CART}.env[0].valuefrom`],
  },
  { title: 'Replicas here, and misspelt', override: 'replica: 3', paths: ['spec.overrideSpec.replica'] },
  { title: 'Containers at the top', override: 'containers:\n- name: cart', paths: ['spec.overrideSpec.containers'] },
  { title: 'An image at the top', override: 'image: cart:2', paths: ['spec.overrideSpec.image'] },
  { title: 'Labels at the top', override: 'labels: {app: cart}', paths: ['spec.overrideSpec.labels'] },
  {
    title: 'Containers beside the spec of the pod',
    override: 'template:\n  containers:\n  - name: cart',
    paths: ['spec.overrideSpec.template.containers'],
  },
  {
    title: 'A probe of the pod instead of the container',
    override: pod('readinessProbe:\n  tcpSocket: {port: 80}'),
    paths: [`${POD}.readinessProbe`],
  },
  { title: 'Variables of the pod instead of the container', override: pod('env: []'), paths: [`${POD}.env`] },
  { title: 'Volumes in a container', override: cart('volumes: []'), paths: [`${CART}.volumes`] },
  {
    title: 'A whole manifest',
    override: 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  template: {}',
    paths: ['spec.overrideSpec.spec'],
  },
  {
    title: 'Three mistakes at once',
    override: pod('containers:\n- name: cart\n  imge: x\n  tty: "yes"\nhostnetwork: true'),
    paths: [`${CART}.imge`, `${CART}.tty`, `${POD}.hostnetwork`],
  },
  // types
  { title: 'A list for an image', override: cart('image: [cart:2]'), paths: [`${CART}.image`] },
  { title: 'A map for variables', override: cart('env: {LOG: debug}'), paths: [`${CART}.env`] },
  {
    title: 'A map for containers',
    override: pod('containers:\n  cart: {image: cart:2}'),
    paths: [`${POD}.containers`],
  },
  { title: 'Bare numbers for ports', override: cart('ports: [8080]'), paths: [`${CART}.ports[0]`] },
  {
    title: 'A port in quotes',
    override: cart('ports:\n- containerPort: "8080"'),
    paths: [`${CART}.ports[0].containerPort`],
  },
  {
    title: 'A mapping of ports, as Docker has it',
    override: cart('ports: ["8080:80"]'),
    paths: [`${CART}.ports[0]`],
  },
  {
    title: 'A number for the value of a variable',
    override: cart('env:\n- {name: PORT, value: 8080}'),
    paths: [`${CART}.env[0].value`],
  },
  {
    title: 'A boolean for the value of a variable',
    override: cart('env:\n- {name: DEBUG, value: true}'),
    paths: [`${CART}.env[0].value`],
  },
  { title: 'A boolean in quotes', override: pod('hostNetwork: "true"'), paths: [`${POD}.hostNetwork`] },
  {
    title: 'A duration for seconds',
    override: pod('terminationGracePeriodSeconds: 30s'),
    paths: [`${POD}.terminationGracePeriodSeconds`],
  },
  { title: 'Text for a command', override: cart('command: sh -c env'), paths: [`${CART}.command`] },
  {
    title: 'A number for a label',
    override: metadata('labels: {version: 2}'),
    paths: ['spec.overrideSpec.template.metadata.labels.version'],
  },
  {
    title: 'A fraction for a whole number',
    override: 'minReadySeconds: 1.5',
    paths: ['spec.overrideSpec.minReadySeconds'],
  },
  { title: 'A list for the template', override: 'template: []', paths: ['spec.overrideSpec.template'] },
  // values
  {
    title: 'A letter for a digit',
    override: cart('resources:\n  limits: {cpu: 1O0m}'),
    paths: [`${CART}.resources.limits.cpu`],
  },
  {
    title: 'A unit that there is not',
    override: cart('resources:\n  limits: {memory: 512MB}'),
    paths: [`${CART}.resources.limits.memory`],
  },
  {
    title: 'A space in a quantity',
    override: cart('resources:\n  requests: {memory: 1 Gi}'),
    paths: [`${CART}.resources.requests.memory`],
  },
  { title: 'Another case of a word', override: cart('imagePullPolicy: always'), paths: [`${CART}.imagePullPolicy`] },
  { title: 'A word that there is not', override: pod('dnsPolicy: Cluster'), paths: [`${POD}.dnsPolicy`] },
  {
    title: 'A protocol in small letters',
    override: cart('ports:\n- {containerPort: 53, protocol: udp}'),
    paths: [`${CART}.ports[0].protocol`],
  },
  {
    title: 'A number too large',
    override: 'minReadySeconds: 3000000000',
    paths: ['spec.overrideSpec.minReadySeconds'],
  },
  // lists
  { title: 'A container without its name', override: pod('containers:\n- image: cart:2'), paths: [`${CART}.name`] },
  {
    title: 'A container without its name, under Strategic',
    overrideType: 'Strategic',
    override: pod('containers:\n- image: cart:2'),
    paths: [`${CART}.name`],
  },
  { title: 'A volume without its name', override: pod('volumes:\n- emptyDir: {}'), paths: [`${POD}.volumes[0].name`] },
  {
    title: 'A variable without its name',
    override: cart('env:\n- value: debug'),
    paths: [`${CART}.env[0].name`],
  },
  {
    title: 'A mount without its path',
    override: cart('volumeMounts:\n- name: data'),
    paths: [`${CART}.volumeMounts[0].mountPath`],
  },
  {
    title: 'Two containers of one name',
    override: pod('containers:\n- name: cart\n- name: cart'),
    paths: [`${POD}.containers[1].name`],
  },
  {
    title: 'A variable twice',
    override: cart('env:\n- {name: LOG, value: debug}\n- {name: LOG, value: info}'),
    paths: [`${CART}.env[1].name`],
  },
  {
    title: 'A port twice, once by its default',
    override: cart('ports:\n- containerPort: 80\n- {containerPort: 80, protocol: TCP}'),
    paths: [`${CART}.ports[1]`],
  },
  {
    title: 'A volume of two sources, under Strategic',
    overrideType: 'Strategic',
    override: pod('volumes:\n- name: data\n  emptyDir: {}\n  hostPath: {path: /}'),
    paths: [`${POD}.volumes[0].hostPath`],
  },
  { title: 'A null for a container', isServerSide: true, override: pod('containers: [null]'), paths: [CART] },
  {
    title: 'A null within a container',
    isServerSide: true,
    override: cart('image: null'),
    paths: [`${CART}.image`],
  },
  {
    title: 'A null for a misspelt field',
    isServerSide: true,
    override: pod('afinity: null'),
    paths: [`${POD}.afinity`],
  },
  {
    title: 'A null for the whole pod',
    isServerSide: true,
    override: 'template:\n  spec: null',
    paths: ['spec.overrideSpec.template.spec'],
  },
  // fields that are set elsewhere, or by other programs
  { title: 'Replicas in the override', override: 'replicas: 3', paths: ['spec.overrideSpec.replicas'] },
  { title: 'A selector', override: 'selector:\n  matchLabels: {app: cart}', paths: ['spec.overrideSpec.selector'] },
  {
    title: 'A name for the pods',
    override: metadata('name: cart'),
    paths: ['spec.overrideSpec.template.metadata.name'],
  },
  {
    title: 'A label of ours',
    override: metadata('labels: {experiment-controller.example.com/id: x}'),
    paths: ['spec.overrideSpec.template.metadata.labels["experiment-controller.example.com/id"]'],
  },
  {
    title: 'A label that a controller sets',
    override: metadata('labels: {pod-template-hash: x}'),
    paths: ['spec.overrideSpec.template.metadata.labels.pod-template-hash'],
  },
  {
    title: 'A debug container',
    override: pod('ephemeralContainers: []'),
    paths: [`${POD}.ephemeralContainers`],
  },
  {
    title: 'A directive of kubectl patch',
    overrideType: 'Strategic',
    override: pod('containers:\n- name: proxy\n  $patch: delete'),
    paths: [`${CART}.$patch`],
  },
  {
    title: 'A1: the prototype of all objects',
    override: pod('__proto__: {hostNetwork: true}'),
    paths: [`${POD}.__proto__`],
  },
  { title: 'A1: a constructor', override: 'constructor: {}', paths: ['spec.overrideSpec.constructor'] },
]
