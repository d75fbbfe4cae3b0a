/** `npm run fuzz [-- [admission] COUNT [SEED]]`: the fuzz tests of `npm test`, with any number of inputs. */
import fc from 'fast-check'
import { commandLine } from '../../sandbox/command-line.ts'
import { fuzzAdmission } from './admission/main.ts'
import { examine, type Reached } from './examine.ts'
import { aHostileInput } from './hostile.ts'

const BATCH = 20_000

const USAGE = `npm run fuzz [-- COUNT [SEED]]
npm run fuzz -- admission [COUNT [SEED]]

Runs the fuzz test of npm test with COUNT inputs, by default 1000000. The same SEED gives the same inputs.

With "admission": asks the webhook and the API server of a control plane of its own about COUNT overrides of each kind,
by default 2000, half of them with mistakes, and prints where the two differ.

  --help`

const { positionals, refuse } = commandLine(USAGE, { allowPositionals: true })
const isAdmission = positionals[0] === 'admission'
const numbers = isAdmission ? positionals.slice(1) : positionals
const [count = isAdmission ? 2_000 : 1_000_000, seed = Math.floor(Math.random() * 2 ** 31)] = numbers.map(Number)
if (numbers.length > 2 || ![count, seed].every((number) => Number.isSafeInteger(number) && number >= 0))
  refuse(`COUNT and SEED are whole numbers, not: ${numbers.join(' ')}`)
await (isAdmission ? fuzzAdmission(count, seed) : fuzzHostile())

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
      console.error(`repeat with: npm run fuzz -- ${numRuns} ${batchSeed}`)
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
