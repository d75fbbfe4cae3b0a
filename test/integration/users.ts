/** Users of the real API server, by their name alone: the administrator impersonates them. */
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { controlPlane } from './fixture.ts'

/** Grants `user` a ClusterRole in `namespace`, or in all namespaces. */
export async function granted(user: string, role: string, namespace?: string): Promise<void> {
  const { kubectl } = await controlPlane()
  const name = `${user}-${role}-${namespace ?? 'everywhere'}`
  const binding = namespace === undefined ? ['clusterrolebinding', name] : ['-n', namespace, 'rolebinding', name]
  await successful(kubectl, ['create', ...binding, `--clusterrole=${role}`, `--user=${user}`])
}

/** Grants `user` in `namespace` the verbs on resources such as `rollouts.argoproj.io`, and nothing else. */
export async function grantedRights(
  user: string,
  namespace: string,
  rights: { readonly verbs: string; readonly resources: string },
): Promise<void> {
  const { kubectl } = await controlPlane()
  const name = `${user}-${rights.verbs}-${rights.resources}`.replaceAll(/[^a-z]+/g, '-').slice(0, 60)
  const role = ['role', name, `--verb=${rights.verbs}`, `--resource=${rights.resources}`]
  await successful(kubectl, ['-n', namespace, 'create', ...role])
  await successful(kubectl, ['-n', namespace, 'create', 'rolebinding', name, `--role=${name}`, `--user=${user}`])
}

/** What kubectl prints when `user` runs it, both streams in one text. */
export async function asUser(user: string, args: readonly string[], input?: object): Promise<string> {
  const { kubectl } = await controlPlane()
  const { stdout, stderr } = await kubectl(
    [`--as=${user}`, ...args],
    input === undefined ? {} : { input: JSON.stringify(input) },
  )
  return `${stderr}${stdout}`
}

async function successful(kubectl: ControlPlane['kubectl'], args: readonly string[]): Promise<void> {
  const { code, stderr } = await kubectl(args)
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
}
