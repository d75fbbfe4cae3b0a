import type { Binaries, BinaryName } from './binaries.ts'
import type { ProcessSpec } from './messages.ts'

/** What the programs need to know about each other. Paths are absolute. */
export interface Layout {
  readonly binaries: Binaries
  readonly stateDirectory: string
  readonly ports: { readonly etcd: number; readonly etcdPeer: number; readonly apiserver: number }
  readonly server: string
  readonly certDir: string
  readonly caFile: string
  readonly serviceAccountKey: string
  readonly tokens: string
  readonly auditPolicy: string
  readonly auditLog: string
  readonly stages: string
  /** One for each program, so that the audit log distinguishes them. */
  readonly kubeconfigs: Readonly<Record<'kube-controller-manager' | 'kube-scheduler' | 'kwok', string>>
}

/** An address that nobody connects to. All addresses are in 198.18.0.0/15, which RFC 2544 reserves for benchmarks. */
export const NOBODY = '198.18.255.1'
const NODE_ADDRESS = '198.18.255.2'
/** The addresses of pods. */
export const POD_RANGE = '198.18.0.0/20'
/** The addresses of Services. */
export const SERVICE_RANGE = '198.19.0.0/16'

const spec = ({ binaries, stateDirectory }: Layout, name: BinaryName, args: readonly string[]): ProcessSpec => ({
  name,
  command: binaries[name],
  args,
  // all settings are arguments, except this one: garbage collection took a tenth of the processor time
  env: { HOME: stateDirectory, PATH: '/usr/bin:/bin', GOGC: '400' },
})

/** Holds all objects. Nothing survives the sandbox, so nothing is synced to disk. */
export function etcd(layout: Layout): ProcessSpec {
  const client = `http://127.0.0.1:${layout.ports.etcd}`
  const peer = `http://127.0.0.1:${layout.ports.etcdPeer}`
  return spec(layout, 'etcd', [
    '--name=n0',
    `--data-dir=${layout.stateDirectory}/etcd`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=n0=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ])
}

/** Creates its own certificate in `certDir`. Its clients use the certificate as the certificate authority, too. */
export const apiserver = (layout: Layout): ProcessSpec =>
  spec(layout, 'kube-apiserver', [
    `--etcd-servers=http://127.0.0.1:${layout.ports.etcd}`,
    `--cert-dir=${layout.certDir}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${layout.ports.apiserver}`,
    `--advertise-address=${NOBODY}`, // a loopback address is refused
    '--endpoint-reconciler-type=none',
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    // is off by default, and on in OpenShift: an owner reference with blockOwnerDeletion needs a permission of its own
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
    `--token-auth-file=${layout.tokens}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${layout.serviceAccountKey}`,
    `--service-account-signing-key-file=${layout.serviceAccountKey}`,
    '--profiling=false',
    `--audit-policy-file=${layout.auditPolicy}`,
    `--audit-log-path=${layout.auditLog}`,
    '--audit-log-maxsize=100000', // in megabytes; a test that counts requests must find all of them in one file
  ])

/** Without the request limits that protect a production API server, and without a port. */
const controllerArgs = (kubeconfig: string): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--leader-elect=false',
  '--bind-address=127.0.0.1',
  '--secure-port=0',
  '--kube-api-qps=1000',
  '--kube-api-burst=2000',
]

/** All controllers run. Node lifecycle is needed too: it removes the taint that keeps pods off new nodes. */
export const controllerManager = (layout: Layout): ProcessSpec =>
  spec(layout, 'kube-controller-manager', [
    ...controllerArgs(layout.kubeconfigs['kube-controller-manager']),
    `--service-account-private-key-file=${layout.serviceAccountKey}`,
    `--root-ca-file=${layout.caFile}`,
    '--horizontal-pod-autoscaler-sync-period=1s', // tests wait for it; the default is 15 s
  ])

/** Places pods on nodes. */
export const scheduler = (layout: Layout): ProcessSpec =>
  spec(layout, 'kube-scheduler', controllerArgs(layout.kubeconfigs['kube-scheduler']))

/** Simulates nodes and pods, by the stages in `stages.yaml`. */
export const kwok = (layout: Layout): ProcessSpec =>
  spec(layout, 'kwok', [
    `--kubeconfig=${layout.kubeconfigs.kwok}`,
    `--config=${layout.stages}`,
    '--manage-all-nodes=true',
    `--cidr=${POD_RANGE}`,
    `--node-ip=${NODE_ADDRESS}`,
    '--node-lease-duration-seconds=40',
  ])
