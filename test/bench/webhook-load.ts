/** `node webhook-load.ts LOAD`: calls a webhook continuously, and prints the results as JSON. */

import { Client } from 'undici'
import { REVIEW } from './webhook-review.ts'

/** The calls to make, and for how long. */
export interface Load {
  readonly port: number
  /** a pair is one call of each */
  readonly paths: readonly string[]
  readonly connections: number
  readonly warmMs: number
  readonly measuredMs: number
}

/** The results. Every answer is checked: a failed call ends the load. */
export interface Loaded {
  /** the number of all answered pairs */
  readonly pairs: number
  /** after the warm-up, like the next member */
  readonly pairsPerSecond: number
  readonly p99Ms: number
}

const load: Load = JSON.parse(process.argv[2] ?? '{}')
const origin = `https://127.0.0.1:${load.port}`
const headers = { 'content-type': 'application/json' }
const begun = performance.now()
const [warm, end] = [begun + load.warmMs, begun + load.warmMs + load.measuredMs]
const times: number[] = []
let calls = 0

/** One connection: the next call starts when the last one is answered. */
async function connection(): Promise<void> {
  const client = new Client(origin, { connect: { rejectUnauthorized: false } }) // the server is known
  for (let call = 0; performance.now() < end; call += 1) {
    const path = load.paths[call % load.paths.length] ?? ''
    const started = performance.now()
    const { statusCode, body } = await client.request({ method: 'POST', path, headers, body: REVIEW })
    const text = await body.text()
    const now = performance.now()
    if (statusCode !== 200 || !text.includes('"allowed":true')) throw new Error(`${path}: ${statusCode} ${text}`)
    calls += 1
    if (started >= warm && now < end) times.push(now - started)
  }
  await client.close()
}

await Promise.all(Array.from({ length: load.connections }, connection))
const sorted = times.toSorted((a, b) => a - b)
const loaded: Loaded = {
  pairs: calls / load.paths.length,
  pairsPerSecond: times.length / load.paths.length / (load.measuredMs / 1_000),
  p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
}
console.log(JSON.stringify(loaded))
