/** Users of the real API server, by their name alone: the administrator impersonates them. */
import type { ControlPlane } from '../../sandbox/control-plane.ts'
import { controlPlane } from './fixture.ts'

/** Grants `user` a ClusterRole in `namespace`, or in all namespaces. */
export async function granted(user: string, role: string, namespace?: string): Promise<void> {
  const { kubectl } = await controlPlane()
  const name = `${user}-${role}`
  const binding = namespace === undefined ? ['clusterrolebinding', name] : ['-n', namespace, 'rolebinding', name]
  await successful(kubectl, ['create', ...binding, `--clusterrole=${role}`, `--user=${user}`])
}

/** Grants `user` the verbs on resources such as `rollouts.argoproj.io` in `namespace`, or in all namespaces. */
export async function grantedRights(
  user: string,
  namespace: string | undefined,
  rights: { readonly verbs: string; readonly resources: string },
): Promise<void> {
  const { kubectl } = await controlPlane()
  const role = `${user}-${rights.verbs}-${rights.resources}`.replaceAll(/[^a-z]+/g, '-')
  await successful(kubectl, ['create', 'clusterrole', role, `--verb=${rights.verbs}`, `--resource=${rights.resources}`])
  await granted(user, role, namespace)
}

/** How kubectl ends when `user` runs it, and what it prints, both streams in one text. */
export async function ranAs(user: string, args: readonly string[], input?: object) {
  const { kubectl } = await controlPlane()
  const options = input === undefined ? {} : { input: JSON.stringify(input) }
  const { code, stdout, stderr } = await kubectl([`--as=${user}`, ...args], options)
  return { code, text: `${stderr}${stdout}` }
}

/** What kubectl prints when `user` runs it. */
export const asUser = async (user: string, args: readonly string[], input?: object): Promise<string> =>
  (await ranAs(user, args, input)).text

async function successful(kubectl: ControlPlane['kubectl'], args: readonly string[]): Promise<void> {
  const { code, stderr } = await kubectl(args)
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
}
