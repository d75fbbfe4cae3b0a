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
