/** `npm run sandbox`: runs the control plane, with what its options name, until it is stopped. Or gives it an order. */
import { dirname } from 'node:path'
import { env } from 'node:process'
import type { Program } from './bundles.ts'
import { commandLine } from './command-line.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { hints, NAMESPACE } from './hints.ts'
import { crds, EVERYTHING, type Installation, install } from './installation.ts'
import { giveOrder, mistakeIn, type Take, takeOrders } from './orders.ts'
import { type Simulation, simulate, whyNoSimulation } from './simulation.ts'
import { settledOrAborted, stopSignal, untilAborted } from './stop-signal.ts'

const USAGE = `npm run sandbox [-- --product] [--traffic] [--prometheus]

Starts a real Kubernetes with three simulated nodes, prints how to use it, and stops it after Ctrl-C.

  --product      also installs our CRDs, and runs the webhook and the controller with all components
  --traffic      also sends requests to every Service, through Kubernetes' own kube-proxy
  --prometheus   also runs a Prometheus that scrapes all pods; includes --traffic. With --product, analyses can ask it
  --help

In another terminal, for the sandbox whose KUBECONFIG is set there:

npm run sandbox restart controller     (or webhook) stops the program as a rollout does, and starts it again
npm run sandbox requests SERVICE [N]   sends N requests, by default 100, to NAMESPACE/NAME or NAME, and shows who answered`

const { values, positionals, refuse } = commandLine(USAGE, {
  options: { product: { type: 'boolean' }, traffic: { type: 'boolean' }, prometheus: { type: 'boolean' } },
  allowPositionals: true,
})
const say = (line: string): void => console.error(line)
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const { product = false, prometheus = false, traffic = prometheus } = values

if (positionals.length > 0) await order(positionals)
else await run(stopSignal())
// an installation that Ctrl-C interrupted may still wait for its kubectl
process.exit()

async function order(words: readonly string[]): Promise<void> {
  if (Object.keys(values).length > 0) refuse(`options are not for "${words[0]}"`)
  const mistake = mistakeIn(words)
  if (mistake !== undefined) refuse(mistake)
  try {
    console.log(await giveOrder(env.KUBECONFIG, words))
  } catch (error) {
    say(messageOf(error))
    process.exitCode = 1
  }
}

async function run(stopping: AbortSignal): Promise<void> {
  let plane: ControlPlane | undefined
  let simulation: Simulation | undefined
  try {
    const impossible = traffic ? await whyNoSimulation({ prometheus }) : undefined
    if (impossible !== undefined) throw new Error(impossible)
    plane = await startControlPlane({ say, crds: product ? await crds() : [], signal: stopping })
    await usesNamespace(plane)
    const installed = product ? await settledOrAborted(stopping, install(plane, EVERYTHING)) : undefined
    if (traffic) simulation = await settledOrAborted(stopping, simulate(plane, { product, prometheus, say }))
    await takeOrders(plane.stateDirectory, ordersFor(installed, simulation))
    console.log(`export KUBECONFIG=${plane.kubeconfig}`)
    console.log(`export PATH="${dirname(plane.binaries.kubectl)}:$PATH"   # has a kubectl of the same version`)
    say(hints({ product, traffic, prometheus: simulation?.prometheus }))
    await untilAborted(stopping)
    say('stopping')
  } catch (error) {
    say(messageOf(error))
    process.exitCode = stopping.aborted ? 130 : 1
  } finally {
    await simulation?.end().catch((error: unknown) => say(messageOf(error)))
    await plane?.stop()
  }
}

/** Creates the namespace of the guides. kubectl uses it where no other one is named. */
async function usesNamespace({ api, kubectl }: ControlPlane): Promise<void> {
  await api.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  const { code, stderr } = await kubectl(['config', 'set-context', '--current', `--namespace=${NAMESPACE}`])
  if (code !== 0) throw new Error(stderr.trim())
}

function ordersFor(installed: Installation | undefined, simulation: Simulation | undefined): Take {
  let last: Promise<unknown> = Promise.resolve()
  return async ([verb, ...words]) => {
    if (verb === 'restart') {
      if (!installed) throw new Error('this sandbox has no webhook and no controller: start it with --product')
      const restart = last.then(() => restarted(installed, words[0] === 'webhook' ? 'webhook' : 'controller'))
      last = restart.catch(() => undefined) // one after the other: a program must not be started twice
      return restart
    }
    if (!simulation) throw new Error('this sandbox sends no requests: start it with --traffic')
    const [name = '', count = '100'] = words
    const [service = '', namespace = NAMESPACE] = name.split('/').reverse()
    return simulation.requests({ namespace, service }, Number(count))
  }
}

/** Stops a program as a rollout does, and starts it again. */
async function restarted(installed: Installation, program: Program): Promise<string> {
  const running = program === 'webhook' ? installed.webhook : installed.controller()
  await running.stop()
  const { pid } = await (program === 'webhook' ? installed.startWebhook() : installed.startController())
  return `the ${program} runs again: process ${pid} instead of ${running.pid}`
}
