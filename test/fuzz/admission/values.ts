import type { Dice } from './dice.ts'

/** Texts that suit a field of this name. They refer to what the sources have. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  quantity: ['100m', '250m', '1', '64Mi', '1Gi', '2Gi', '0.5', '1e3'],
  intOrString: ['25%', '50%'],
  type: ['Unconfined'],
  key: ['app', 'example.com/tier', 'cpu', 'memory', 'zone'],
  image: ['registry.example/cart:2', 'cart', 'registry.example/shop/cart@sha256:'.padEnd(98, 'a')],
  mountPath: ['/data', '/cache', '/etc/cart'],
  devicePath: ['/dev/xvda'],
  path: ['/healthz', 'a/b', 'config.yaml'],
  subPath: ['cart', 'a/b'],
  ip: ['10.0.0.1', '2001:db8::1'],
  hostIP: ['10.0.0.1'],
  topologyKey: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
  fieldPath: ['metadata.name', 'metadata.namespace', "metadata.labels['app']", 'status.podIP'],
  resource: ['limits.cpu', 'requests.memory'],
  containerName: ['cart', 'proxy'],
  operator: ['In', 'Exists'],
  serviceAccountName: ['cart'],
  restartPolicy: ['Always'],
  accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
  storageClassName: ['fast'],
  secretName: ['cart-tls'],
  claimName: ['cart-data'],
  apiVersion: ['v1'],
  apiGroup: ['snapshot.storage.k8s.io'],
  divisor: ['1'],
  conditionType: ['example.com/Ready'],
  resourceName: ['cpu', 'memory'],
  action: ['Restart'],
  whenDeleted: ['Retain', 'Delete'],
  whenScaled: ['Retain', 'Delete'],
  host: ['cart.example'],
  nameservers: ['10.0.0.10'],
  searches: ['shop.svc.cluster.local'],
  hostnames: ['cart.example'],
  command: ['/bin/cart', '-v'],
  runAsUserName: ['ContainerUser'],
  level: ['s0:c1,c2'],
  driver: ['disk.example.com'],
  recursiveReadOnly: ['Disabled', 'IfPossible'],
  seLinuxChangePolicy: ['MountOption', 'Recursive'],
  creationTimestamp: ['2026-11-21T14:05:00Z'],
  fsType: ['ext4'],
  iqn: ['iqn.2001-04.com.example:storage'],
  diskURI: ['/subscriptions/a/disks/b'],
  registry: ['quobyte.example:7861'],
}

/** The names in a list: of what the source has, or new ones. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  containers: ['cart', 'cart', 'cart', 'proxy', 'log'],
  initContainers: ['init', 'prepare'],
  volumes: ['data', 'config', 'cache'],
  volumeMounts: ['data', 'config'],
  volumeDevices: ['disk'],
  ports: ['http', 'metrics', 'grpc'],
  env: ['MODE', 'TOKEN', 'NODE_NAME'],
  httpHeaders: ['X-Probe'],
  sysctls: ['net.core.somaxconn'],
  options: ['ndots'],
  os: ['linux'],
}

const OTHERS = ['cart', 'shop', 'a', 'value-1', 'other']

/** A text for the field at `path`, whose last step is `key`. */
export function textFor(key: string, path: readonly string[], dice: Dice): string {
  const list = path.at(-1) === '[]' ? path.at(-2) : path.at(-3)
  if (key === 'name') return dice.pick(NAMES[list ?? ''] ?? NAMES[path.at(-2) ?? ''] ?? OTHERS)
  if (key === '[]') return dice.pick(TEXTS[path.at(-2) ?? ''] ?? OTHERS)
  if (key === 'key' && path.at(-1) === 'key' && path.includes('valueFrom')) return 'token'
  if (key === 'key') {
    const isOfResources = ['limits', 'requests', 'overhead', 'capacity'].includes(path.at(-1) ?? '')
    const isOfClaim = path.includes('volumeClaimTemplates') || path.includes('volumeClaimTemplate')
    if (isOfResources) return isOfClaim ? 'storage' : dice.pick(['cpu', 'memory', 'ephemeral-storage'])
    return dice.pick(['app', 'example.com/tier', 'zone'])
  }
  return dice.pick(TEXTS[key] ?? OTHERS)
}

const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  containerPort: [80, 8080, 9090],
  hostPort: [8080],
  port: [80, 8080],
  successThreshold: [1],
  weight: [1, 50, 100],
  maxSkew: [1, 2],
  defaultMode: [0o644, 0o400],
  mode: [0o644],
  terminationGracePeriodSeconds: [30, 60],
  maxSurge: [1, 2],
  maxUnavailable: [1],
  expirationSeconds: [3600],
  seconds: [1, 5],
  activeDeadlineSeconds: [60],
}

/** A whole number for the field `key`. */
export const wholeNumberFor = (key: string, dice: Dice): number => dice.pick(NUMBERS[key] ?? [1, 2, 5, 10, 100])
