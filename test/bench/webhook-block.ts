import { median } from './figure.ts'
import { BODIES } from './webhook-bodies.ts'
import { call } from './webhook-call.ts'
import type { Side } from './webhook-side.ts'

const TIMES = 5

/** How long one body blocks all other requests, in milliseconds. */
export interface Block {
  readonly body: string
  readonly ms: number
}

/** The longest block of the event loop by each body, for the path on which it blocks longest. */
export async function blocks(side: Side): Promise<readonly Block[]> {
  const found: Block[] = []
  for (const [body, make] of Object.entries(BODIES)) {
    const text = make()
    const times: number[] = []
    for (let time = 0; time < TIMES; time += 1) {
      await side.ask('watch')
      await call(side.port, '/validate', text)
      times.push(await side.ask('block'))
    }
    found.push({ body, ms: median(times) })
  }
  return found
}

/** The milliseconds of three plain parses of the largest body, in the same process with the same flags and heap. */
export async function threeParses(side: Side): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < TIMES; time += 1) times.push(await side.ask('parses'))
  return median(times)
}
