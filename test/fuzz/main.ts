/**
 * `node test/fuzz/main.ts [COUNT] [SEED]`: the fuzz test of `npm test`, with any number of inputs.
 * `node test/fuzz/main.ts admission [COUNT] [SEED]`: the webhook against the API server, COUNT overrides of each kind.
 */
import fc from 'fast-check'
import { fuzzAdmission } from './admission/main.ts'
import { examine, type Reached } from './examine.ts'
import { aHostileInput } from './hostile.ts'

const BATCH = 20_000

const [first, ...others] = process.argv.slice(2)
const isAdmission = first === 'admission'
const numbers = (isAdmission ? others : process.argv.slice(2)).map(Number)
const [count = isAdmission ? 2_000 : 1_000_000, seed = Math.floor(Math.random() * 2 ** 31)] = numbers
if (![count, seed].every((number) => Number.isSafeInteger(number) && number >= 0)) {
  console.error('usage: node test/fuzz/main.ts [admission] [COUNT] [SEED], whole numbers')
  process.exit(2)
}
if (isAdmission) await fuzzAdmission(count, seed)
else await fuzzHostile()

async function fuzzHostile(): Promise<void> {
  console.log(`fuzz: ${count} inputs, seed ${seed}`)

  const reached = new Map<Reached, number>()
  let slowestMs = 0
  const started = performance.now()
  for (let done = 0; done < count; ) {
    const numRuns = Math.min(BATCH, count - done)
    const batchSeed = (seed + done) % 2 ** 31 // each batch has its own seed, so that it can be repeated alone
    const law = fc.property(aHostileInput, (input) => {
      const before = performance.now()
      const found = examine(input)
      slowestMs = Math.max(slowestMs, performance.now() - before)
      reached.set(found, (reached.get(found) ?? 0) + 1)
    })
    const result = await fc.check(law, { numRuns, seed: batchSeed })
    if (result.failed) {
      console.error(`repeat with: node test/fuzz/main.ts ${numRuns} ${batchSeed}`)
      console.error(result.counterexample?.[0].slice(0, 4_000))
      console.error(result.errorInstance)
      process.exit(1)
    }
    done += numRuns
    const seconds = Math.round((performance.now() - started) / 1_000)
    const megabytes = Math.round(process.memoryUsage().rss / 1e6)
    const ways = [...reached].sort().map(([way, times]) => `${times} ${way}`)
    console.log(`${done} in ${seconds} s, slowest ${Math.round(slowestMs)} ms, ${megabytes} MB: ${ways.join(', ')}`)
  }
}
