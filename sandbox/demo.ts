/**
 * `npm run demo`: shows the product on a real control plane, step by step. With --exit or without a terminal it then
 * ends.
 */
import { commandLine } from './command-line.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { stageOf } from './demo/stage.ts'
import { prepare, STORY, toTry } from './demo/story.ts'
import { crds, EVERYTHING, install } from './installation.ts'
import { settledOrAborted, stopSignal, untilAborted } from './stop-signal.ts'

const USAGE = `npm run demo [-- --exit]

Shows the product on a real Kubernetes, step by step. In a terminal it then keeps everything running until Ctrl-C.

  --exit   ends after the last step
  --help`

const { values } = commandLine(USAGE, { options: { exit: { type: 'boolean' } } })
const stays = process.stdout.isTTY === true && !values.exit
const stopping = stopSignal()
const print = (line: string): void => console.log(line)

async function play(plane: ControlPlane): Promise<void> {
  print('Installing: CRDs, roles, and webhook and controller as two processes, each with its own ServiceAccount')
  await install(plane, EVERYTHING)
  const stage = stageOf({ plane, print, isColoured: process.stdout.isTTY === true })
  await prepare(stage)
  for (const [index, { title, play: act }] of STORY.entries()) {
    stage.explain(`${index + 1}/${STORY.length}  ${title}`)
    await act(stage)
  }
}

const started = performance.now()
let plane: ControlPlane | undefined
try {
  plane = await startControlPlane({ say: print, crds: await crds(), signal: stopping })
  await settledOrAborted(stopping, play(plane))
  print(`\nEvery step succeeded, in ${Math.round((performance.now() - started) / 1000)} s.`)
  if (stays) {
    print(toTry(plane))
    await untilAborted(stopping)
  }
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = stopping.aborted ? 130 : 1
} finally {
  await plane?.stop()
}
// a step that Ctrl-C interrupted may still wait for its kubectl
process.exit()
