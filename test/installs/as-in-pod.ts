/**
 * `node as-in-pod.ts CONTAINER`: becomes the program of a container, as a kubelet and a container runtime start it,
 * without a container. `CONTAINER` is JSON.
 */
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a container has. */
export interface Container {
  /** the working directory, with Node and the bundles */
  readonly app: string
  /** the arguments of Node */
  readonly args: readonly string[]
  /** more variables */
  readonly env: Readonly<Record<string, string>>
  readonly user: number
  readonly group: number
  /** the file that takes processes into its cgroup; absent: they are not limited */
  readonly procs?: string | undefined
}

/** Variables with the names of files that a pod mounts, so that its user may read them. */
const MOUNTED = ['KUBECONFIG', 'TLS_CERT_FILE', 'TLS_KEY_FILE']

if (import.meta.main) become(JSON.parse(process.argv[2] ?? ''))

function become({ app, args, env, user, group, procs }: Container): void {
  for (const file of MOUNTED.map((name) => process.env[name])) if (file !== undefined) chownSync(file, user, group)
  if (procs) writeFileSync(procs, `${process.pid}`)
  process.chdir(app)
  process.setgroups?.([])
  process.setgid?.(group)
  process.setuid?.(user)
  const node = join(app, 'node')
  process.execve?.(node, [node, ...args], { ...process.env, ...env })
}
