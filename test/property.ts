import fc from 'fast-check'

// Imported for its effect by every test that states a law. `SEED=… RUNS=… mocha …` repeats a run, or makes it longer.
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const numRuns = Number(process.env.RUNS ?? 200)
// without the last, `maxLength: 80` makes lists of ten
fc.configureGlobal({ seed, numRuns, defaultSizeToMaxWhenMaxSpecified: true })
console.log(`properties: seed ${seed}, ${numRuns} runs each`)

/** For what must hold whatever is merged, derived or selected. */
export const LAW = { numRuns: Math.max(10_000, numRuns) }
