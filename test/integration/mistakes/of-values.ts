import type { Mistake } from './mistake.ts'

const POD = 'spec.overrideSpec.template.spec'
const CART = `${POD}.containers[0]`

const pod = (yaml: string): string => `template:\n  spec:\n${yaml.replaceAll(/^/gm, '    ')}`
const cart = (yaml: string): string => pod(`containers:\n- name: cart\n${yaml.replaceAll(/^/gm, '  ')}`)

/** Values that Kubernetes refuses although the schema allows them. */
export const OF_VALUES: readonly Mistake[] = [
  {
    title: 'M1: A misspelt container, under Strategic',
    overrideType: 'Strategic',
    override: pod('containers:\n- name: crat\n  env: [{name: MODE, value: fast}]'),
    paths: [`${CART}.image`],
  },
  {
    title: 'M2: A container without its image, under Merge',
    override: cart('env: [{name: MODE, value: fast}]'),
    paths: [`${CART}.image`],
  },
  {
    title: 'M2: An image with capitals',
    overrideType: 'Strategic',
    override: cart('image: registry.example/Cart:2.0'),
    paths: [`${CART}.image`],
  },
  {
    title: 'M2: An image that a null removes',
    overrideType: 'Strategic',
    isServerSide: true,
    override: cart('image: null'),
    paths: [`${CART}.image`],
  },
  {
    title: 'M3: A mount without its volume, and a probe of a port without that name',
    overrideType: 'Strategic',
    override: cart(
      'volumeMounts: [{name: data, mountPath: "/data:/data"}]\nlivenessProbe: {httpGet: {path: /, port: http}}',
    ),
    paths: [`${CART}.volumeMounts[0].name`, `${CART}.volumeMounts[0].mountPath`, `${CART}.livenessProbe.httpGet.port`],
  },
  {
    title: 'M4: Ranges, amounts and what a workload cannot be',
    overrideType: 'Strategic',
    override: `${cart(
      'ports: [{containerPort: 70000}]\nresources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}\nlivenessProbe: {tcpSocket: {port: 80}, successThreshold: 2}',
    )}\n    restartPolicy: Never\n    tolerations: [{key: disk, operator: Exists, value: ssd}]`,
    paths: [
      `${CART}.ports[0].containerPort`,
      `${CART}.resources.requests.memory`,
      `${CART}.livenessProbe.successThreshold`,
      `${POD}.restartPolicy`,
      `${POD}.tolerations[0].value`,
    ],
  },
  {
    title: 'M5: Names and addresses',
    overrideType: 'Strategic',
    override: `${cart('ports: [{name: Metrics_Port, containerPort: 9090}]\nenv: [{name: "A=B", value: c}]')}\n    initContainers: [{name: proxy, image: busybox}]\n    hostAliases: [{ip: cart, hostnames: [a]}]`,
    paths: [
      `${CART}.ports[0].name`,
      `${CART}.env[0].name`,
      `${POD}.initContainers[0].name`,
      `${POD}.hostAliases[0].ip`,
    ],
  },
]
