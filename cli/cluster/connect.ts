import type { Random } from '../../common/program/clock.ts'
import { VERSION } from '../../common/program/version.ts'
import type { Io } from '../process/io.ts'
import type { Connect } from './connection.ts'

interface Options extends Pick<Io, 'vars' | 'timers' | 'clock' | 'signal'> {
  readonly random: Random
  /** whether standard input is a terminal, on which a credential plugin may ask somebody to log in */
  readonly isTerminal: boolean
}

/** How many connections: a view is made of a few reads at once, and each connection costs a handshake. */
export const CONNECTIONS = 3

/**
 * Connects as kubectl does, by the flags, `$KUBECONFIG`, `~/.kube/config` and the service account of a pod. The client
 * is loaded only now: help and completion of words have no use for it.
 */
export const connector =
  ({ vars, timers, clock, signal, random, isTerminal }: Options): Connect =>
  async ({ asGroup, ...flags }) => {
    const [{ clientWith }, { Credentials }, { chooseKubeconfig }] = await Promise.all([
      import('../../common/kube/client/client.ts'),
      import('../../common/kube/client/credentials.ts'),
      import('../../common/kube/client/kubeconfig-choice.ts'),
    ])
    const kubeconfig = chooseKubeconfig({ ...flags, asGroups: asGroup }, vars)
    const { requestTimeoutMs, connection } = kubeconfig
    const credentials = new Credentials({
      kubeconfig,
      vars,
      clock,
      isTerminal,
      signal,
      timers,
      connections: CONNECTIONS,
    })
    const userAgent = `kubectl-experiment/${VERSION}`
    const client = clientWith(credentials, { userAgent, timers, random, requestTimeoutMs })
    return { client, namespace: connection.namespace }
  }
