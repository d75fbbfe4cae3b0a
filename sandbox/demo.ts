/**
 * `npm run demo`: shows the product on a real control plane, step by step. With --exit or without a terminal it then
 * ends.
 */
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { stageOf } from './demo/stage.ts'
import { prepare, STORY, toTry } from './demo/story.ts'
import { crds, install } from './installation.ts'

const stays = process.stdout.isTTY === true && !process.argv.includes('--exit')
const goodbye = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => goodbye.abort(new Error(`stopped by ${signal}`)))

const print = (line: string): void => console.log(line)
const isGone = new Promise<never>((_, reject) => {
  goodbye.signal.addEventListener('abort', () => reject(goodbye.signal.reason))
})
isGone.catch(() => undefined) // handled where it is raced against

async function play(plane: ControlPlane): Promise<void> {
  print('Installing: CRDs, roles, and webhook and controller as two processes, each with its own ServiceAccount')
  await install(plane)
  const stage = stageOf({ plane, print, isColoured: process.stdout.isTTY === true })
  await prepare(stage)
  for (const [index, { title, play: act }] of STORY.entries()) {
    stage.explain(`${index + 1}/${STORY.length}  ${title}`)
    await act(stage)
  }
}

async function stay(plane: ControlPlane): Promise<void> {
  print(toTry(plane))
  const awake = setInterval(() => undefined, 2 ** 30)
  await isGone.catch(() => undefined)
  clearInterval(awake)
}

const started = performance.now()
let plane: ControlPlane | undefined
try {
  plane = await startControlPlane({ say: print, crds: await crds(), signal: goodbye.signal })
  await Promise.race([play(plane), isGone])
  print(`\nEvery step succeeded, in ${Math.round((performance.now() - started) / 1000)} s.`)
  if (stays) await stay(plane)
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = goodbye.signal.aborted ? 130 : 1
} finally {
  await plane?.stop()
}
// a step that Ctrl-C interrupted may still wait for its kubectl
process.exit()
