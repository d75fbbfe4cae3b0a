import fc from 'fast-check'

// Every test of a law imports this for its effect. `SEED=… RUNS=… mocha …` repeats a run, or makes it longer.
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const numRuns = Number(process.env.RUNS ?? 200)
// without the last option, `maxLength: 80` generates lists of at most ten items
fc.configureGlobal({ seed, numRuns, defaultSizeToMaxWhenMaxSpecified: true })
console.log(`properties: seed ${seed}, ${numRuns} runs each`)

/** The options for laws each run of which takes many passes. */
export const LONG = { numRuns: Math.ceil(numRuns / 4) }

/** The options for laws that must hold for every input. `npm run test:laws` makes five times as many runs. */
export const LAW = { numRuns: Math.max(2_000, numRuns) }
