import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AUDIT_POLICY } from './audit.ts'
import type { Binaries } from './binaries.ts'
import type { Layout } from './components.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { freePorts } from './ports.ts'

/** Users with all permissions. Each program has its own name, so that the audit log distinguishes it from people. */
const MASTERS = ['admin', 'system:kube-controller-manager', 'system:kube-scheduler', 'kwok', 'argo-rollouts'] as const
/** People without permissions, until a test binds a role. */
const RESTRICTED = ['alice', 'bob'] as const
/** Users whose permissions come with Kubernetes. */
const BOOTSTRAPPED = ['system:kube-proxy'] as const

/** A person without permissions, until a test binds a role. */
export type RestrictedUser = (typeof RESTRICTED)[number]
/** Every user with a token. */
export type User = (typeof MASTERS)[number] | (typeof BOOTSTRAPPED)[number] | RestrictedUser

/** The files that exist before the first program starts. */
export interface State {
  readonly layout: Layout
  readonly tokens: Readonly<Record<User, string>>
  readonly kubeconfigOf: (user: string, token: string) => Promise<string>
}

const newToken = (): string => randomBytes(24).toString('base64url')

/** Writes keys, tokens, audit policy and kubeconfigs into `stateDirectory`, and chooses the ports. */
export async function prepareState(stateDirectory: string, binaries: Binaries): Promise<State> {
  const inState = (file: string): string => join(stateDirectory, file)
  const [etcd = 0, etcdPeer = 0, apiserver = 0] = await freePorts(3)
  const ports = { etcd, etcdPeer, apiserver }
  const server = `https://127.0.0.1:${apiserver}` // not localhost, because its certificate is for this address
  const caFile = inState('certs/apiserver.crt')
  const tokens: Record<User, string> = {
    admin: newToken(),
    'system:kube-controller-manager': newToken(),
    'system:kube-scheduler': newToken(),
    kwok: newToken(),
    'argo-rollouts': newToken(),
    'system:kube-proxy': newToken(),
    alice: newToken(),
    bob: newToken(),
  }
  const row = (user: User, groups: string): string => `${tokens[user]},${user},${user},"${groups}"\n`
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }) // much faster to create than RSA
  const secret = { mode: 0o600 }

  await Promise.all(['certs', 'kubeconfigs'].map((folder) => mkdir(inState(folder))))
  await Promise.all([
    writeFile(inState('ports.json'), JSON.stringify(ports)),
    writeFile(inState('audit-policy.json'), JSON.stringify(AUDIT_POLICY)),
    writeFile(inState('service-account.key'), privateKey.export({ type: 'sec1', format: 'pem' }), secret),
    writeFile(
      inState('tokens.csv'),
      [
        ...MASTERS.map((user) => row(user, 'system:masters')),
        ...[...BOOTSTRAPPED, ...RESTRICTED].map((user) => row(user, '')),
      ].join(''),
      secret,
    ),
  ])

  const kubeconfigOf = (user: string, token: string): Promise<string> =>
    writeKubeconfig(inState(`kubeconfigs/${user.replaceAll(/[^\w.-]+/g, '-')}.yaml`), { server, caFile, user, token })

  const layout: Layout = {
    binaries,
    stateDirectory,
    ports,
    server,
    caFile,
    certDir: inState('certs'),
    serviceAccountKey: inState('service-account.key'),
    tokens: inState('tokens.csv'),
    auditPolicy: inState('audit-policy.json'),
    auditLog: inState('audit.log'),
    stages: fileURLToPath(new URL('stages.yaml', import.meta.url)),
    kubeconfigs: {
      'kube-controller-manager': await kubeconfigOf(
        'system:kube-controller-manager',
        tokens['system:kube-controller-manager'],
      ),
      'kube-scheduler': await kubeconfigOf('system:kube-scheduler', tokens['system:kube-scheduler']),
      kwok: await kubeconfigOf('kwok', tokens.kwok),
    },
  }
  return { layout, tokens, kubeconfigOf }
}
