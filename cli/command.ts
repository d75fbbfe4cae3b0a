import { type Command, Option } from 'commander'
import type { ConnectionFlags } from './cluster/connection.ts'
import { COLOURS } from './render/style.ts'

/** The flags that every command has. */
export interface OutputFlags extends ConnectionFlags {
  readonly color: (typeof COLOURS)[number]
  readonly ascii?: boolean
}

/**
 * Adds a command to `root`: its name, what stands for its arguments in its help, and there what `-n` is. It has the
 * flags that say which cluster.
 */
export function command(
  root: Command,
  [name, usage, namespace = 'the namespace; default: that of the context']: readonly [string, string, string?],
  description: string,
): Command {
  const added = root
    .command(name)
    .description(description)
    .usage(`${usage} [flags]`.trim())
    .helpOption('-h, --help', 'show this help')
    .option('-n, --namespace <name>', namespace)
    .addOption(new Option('--color <when>', 'colour the marks').choices(COLOURS).default('auto'))
    .option('--ascii', 'print only ASCII')
  for (const [flags, text] of CONNECTION) added.addOption(new Option(flags, text).helpGroup('Connection:'))
  const groups = new Option('--as-group <group>', 'act as a member of this group; may be repeated')
  return added.addOption(groups.argParser<readonly string[]>(collected).helpGroup('Connection:'))
}

const CONNECTION: readonly (readonly [flags: string, text: string])[] = [
  ['--kubeconfig <file>', 'the kubeconfig; default: $KUBECONFIG, then ~/.kube/config'],
  ['--context <name>', 'the context of the kubeconfig'],
  ['--cluster <name>', 'the cluster of the kubeconfig'],
  ['--user <name>', 'the user of the kubeconfig'],
  ['--server <url>', 'the address of the API server'],
  ['--token <token>', 'the bearer token'],
  ['--request-timeout <duration>', 'how long a request may take, such as 10s'],
  ['--as <user>', 'act as this user'],
  ['--as-uid <uid>', 'act with this uid'],
]

const collected = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

/** Lines of help with examples of a command. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  kubectl experiment ${line}`).join('\n')}`
