import { getuid, platform } from 'node:process'
import { run } from '../run.ts'

/** Tools that only an administrator's PATH has live in sbin. */
export const TOOLS_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** What the namespace is made with, and where a Debian keeps it. */
const TOOLS = { unshare: 'util-linux', setpriv: 'util-linux', ip: 'iproute2', nft: 'nftables' }

/** A command that runs `command` in a new network namespace: root needs no other, everybody else becomes root in one. */
export const inNewNamespace = (command: readonly string[]): readonly [string, ...string[]] => [
  'unshare',
  getuid?.() === 0 ? '-n' : '-rn',
  ...command,
]

/** Why no network namespace with nftables can be had here, and what to do about it; undefined when it can. */
export async function whyNoNamespace(path = TOOLS_PATH): Promise<string | undefined> {
  if (platform !== 'linux') return `requests need a network namespace, which only Linux has; this is ${platform}`
  const env = { PATH: path }
  for (const [tool, debian] of Object.entries(TOOLS)) {
    const found = await run('/bin/sh', ['-c', `command -v ${tool}`], { env })
    if (found.code !== 0)
      return `\`${tool}\` was not found in ${path}: install Debian's package ${debian} (apt-get install ${debian}), or your system's like it`
  }
  const [command, ...args] = inNewNamespace(['/bin/sh', '-c', PROBE])
  const { code, stderr } = await run(command, args, { env })
  if (code === 0) return undefined
  const remedy =
    'are user namespaces allowed (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), and the modules veth and nf_tables?'
  return `this kernel makes no network namespace with a veth pair and an nftables table: ${stderr.trim()}; ${remedy}`
}

const PROBE = 'ip link add d0 type veth peer name d1 && nft add table ip probe'
