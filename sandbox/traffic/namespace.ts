import { getuid, platform } from 'node:process'
import { run } from '../run.ts'

/** A PATH with the sbin folders, which only an administrator's PATH has by default. */
export const TOOLS_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The tools that create the namespace, with their Debian packages. */
const TOOLS = { unshare: 'util-linux', nsenter: 'util-linux', setpriv: 'util-linux', ip: 'iproute2', nft: 'nftables' }

/**
 * A command that runs `command` in a new network namespace. Other users than root become root in a new user namespace.
 */
export const inNewNamespace = (command: readonly string[]): readonly [string, ...string[]] => [
  'unshare',
  getuid?.() === 0 ? '-n' : '-rn',
  ...command,
]

/** A command that runs `command` in the network namespace of a process that `inNewNamespace` started. */
export const inNamespaceOf = (pid: number, command: readonly string[]): readonly [string, ...string[]] => {
  const users = getuid?.() === 0 ? [] : ['--user', '--preserve-credentials']
  return ['nsenter', `--target=${pid}`, '--net', ...users, '--', ...command]
}

/** Why a network namespace with nftables is not possible here, and what to do about it. Undefined if it is possible. */
export async function whyNoNamespace(path = TOOLS_PATH): Promise<string | undefined> {
  if (platform !== 'linux') return `requests need a network namespace, which only Linux has; this system is ${platform}`
  const env = { PATH: path }
  for (const [tool, debian] of Object.entries(TOOLS)) {
    const found = await run('/bin/sh', ['-c', `command -v ${tool}`], { env })
    if (found.code !== 0)
      return `\`${tool}\` was not found in ${path}: install Debian's package ${debian} (apt-get install ${debian}), or the package of your system`
  }
  const [command, ...args] = inNewNamespace(['/bin/sh', '-c', PROBE])
  const { code, stderr } = await run(command, args, { env })
  if (code === 0) return undefined
  const remedy =
    'are user namespaces allowed (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), and the modules veth and nf_tables?'
  return `this kernel did not create a network namespace with a veth pair and an nftables table: ${stderr.trim()}; ${remedy}`
}

const PROBE = 'ip link add d0 type veth peer name d1 && nft add table ip probe'
