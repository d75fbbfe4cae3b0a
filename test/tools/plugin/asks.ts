/** Asks for `/version` as the plugin of kubectl does: `node asks.ts FLAGS`, with its flags as JSON. For a terminal. */
import { clientWith } from '../../../common/kube/client/client.ts'
import { Credentials } from '../../../common/kube/client/credentials.ts'
import { chooseKubeconfig } from '../../../common/kube/client/kubeconfig-choice.ts'
import { realTimers } from '../../../common/program/clock.ts'

const kubeconfig = chooseKubeconfig(JSON.parse(process.argv[2] ?? '{}'), process.env)
const timers = realTimers()
const credentials = new Credentials({
  kubeconfig,
  vars: process.env,
  clock: () => new Date(),
  isTerminal: process.stdin.isTTY,
  timers,
})
const client = clientWith(credentials, { userAgent: 'asks', timers, random: Math.random })
await client.request({ verb: 'get', path: '/version' })
await client.close()
