/** `npm run sandbox`: runs the control plane without the product, until it is stopped. */
import { dirname } from 'node:path'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const goodbye = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => goodbye.abort(new Error(`stopped by ${signal}`)))

const say = (line: string): void => console.error(line)

async function stayUntilGoodbye(cluster: ControlPlane): Promise<void> {
  console.log(`export KUBECONFIG=${cluster.kubeconfig}`)
  console.log(`export PATH="${dirname(cluster.binaries.kubectl)}:$PATH"   # has a kubectl of the same version`)
  say(
    'Kubernetes runs, with three nodes. Paste the two lines above into another terminal. Ctrl-C here stops everything.',
  )
  const stay = setInterval(() => undefined, 2 ** 30) // keeps this process running
  await new Promise<void>((resolve) => {
    if (goodbye.signal.aborted) return resolve()
    goodbye.signal.addEventListener('abort', () => resolve())
  })
  clearInterval(stay)
  say('stopping')
  await cluster.stop()
}

try {
  await stayUntilGoodbye(await startControlPlane({ say, signal: goodbye.signal }))
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = goodbye.signal.aborted ? 130 : 1
}
