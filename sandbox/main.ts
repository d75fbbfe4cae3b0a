/** `npm run sandbox [-- --product]`: runs the control plane, with or without the product, until it is stopped. */
import { dirname } from 'node:path'
import { commandLine } from './command-line.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { crds, EVERYTHING, install } from './installation.ts'
import { settledOrAborted, stopSignal, untilAborted } from './stop-signal.ts'

const USAGE = `npm run sandbox [-- --product]

Starts a real Kubernetes with three simulated nodes, prints how to use it, and stops it after Ctrl-C.

  --product   also installs our CRDs, and runs the webhook and the controller with all components
  --help`

const { values } = commandLine(USAGE, { options: { product: { type: 'boolean' } } })
const stopping = stopSignal()
const say = (line: string): void => console.error(line)

async function stay({ kubeconfig, binaries }: ControlPlane): Promise<void> {
  console.log(`export KUBECONFIG=${kubeconfig}`)
  console.log(`export PATH="${dirname(binaries.kubectl)}:$PATH"   # has a kubectl of the same version`)
  const runs = values.product ? 'Kubernetes, our webhook and our controller run' : 'Kubernetes runs'
  say(`${runs}, with three nodes. Paste the two lines above into another terminal. Ctrl-C here stops everything.`)
  await untilAborted(stopping)
  say('stopping')
}

let plane: ControlPlane | undefined
try {
  plane = await startControlPlane({ say, crds: values.product ? await crds() : [], signal: stopping })
  if (values.product) await settledOrAborted(stopping, install(plane, EVERYTHING))
  await stay(plane)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = stopping.aborted ? 130 : 1
} finally {
  await plane?.stop()
}
// an installation that Ctrl-C interrupted may still wait for its kubectl
process.exit()
