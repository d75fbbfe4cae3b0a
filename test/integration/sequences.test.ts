import { expect } from 'chai'
import { Sequences } from '../faults/sequences/run.ts'
import { openCourt } from '../fuzz/admission/court.ts'
import { controlPlane } from './fixture.ts'
import { usesProduct } from './product.ts'
import { usesCollectedRollouts } from './rollout-crds.ts'

/** `npm run test:faults` takes a thousand steps with any seed. */
const SEED = 240
const LANES = 4
const STEPS = 20
const LIMIT_MS = 120_000

describe('a few generated sequences of changes', () => {
  const place = usesProduct()
  usesCollectedRollouts(place)

  it('lead to the fork that a plain merge gives, and what is invalid changes nothing', async function () {
    this.timeout(2 * LIMIT_MS)
    const opened = await openCourt(await controlPlane(), place().namespace)
    try {
      const sequences = new Sequences({ api: place().api, opened })
      const failures = await sequences.run({ lanes: LANES, runs: 1, steps: STEPS, seed: SEED, limitMs: LIMIT_MS })
      expect(failures.join('\n\n')).to.equal('')
      expect(sequences.total, `${sequences}`).to.equal(40)
    } finally {
      await opened.close()
    }
  })
})
