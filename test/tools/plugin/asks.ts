/** Asks for `/version` as the plugin of kubectl does: `node asks.ts FLAGS`, with its flags as JSON. For a terminal. */
import { kubeClient } from '../../../common/kube/client/client.ts'
import { chooseKubeconfig } from '../../../common/kube/client/kubeconfig-choice.ts'
import { realTimers } from '../../../common/program/clock.ts'

const kubeconfig = chooseKubeconfig(JSON.parse(process.argv[2] ?? '{}'), process.env)
const client = kubeClient({
  kubeconfig,
  vars: process.env,
  clock: () => new Date(),
  isTerminal: process.stdin.isTTY,
  userAgent: 'asks',
  timers: realTimers(),
  random: Math.random,
})
await client.request({ verb: 'get', path: '/version' })
await client.close()
