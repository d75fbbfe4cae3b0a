import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { aQuietController } from '../quiet-controller.ts'
import { INPUTS, type Input } from './inputs.ts'

/** The rows of the table "What wakes an experiment": each input, and the bound in milliseconds. */
const ROWS = new Map(
  [
    ...readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| `([\w.]+)` \| .+ \| (at once|never|(\d+) s) \|$/gm),
  ].map(([, input = '', bound, seconds]) => [input, { bound, boundMs: 1_000 * Number(seconds ?? 0) }] as const),
)

describe('R7: the table of what wakes an experiment', () => {
  it('has a row for each input of observe, and no other', () =>
    expect([...ROWS.keys()].toSorted()).to.deep.equal(Object.keys(INPUTS).toSorted()))

  it('promises nothing later than after 60 s', () =>
    expect(Math.max(...[...ROWS.values()].map(({ boundMs }) => boundMs))).to.equal(60_000))

  for (const [input, changes] of Object.entries<Readonly<Record<string, Input>>>(INPUTS)) {
    const { boundMs = 0 } = ROWS.get(input) ?? {}
    for (const [what, { objects, first, change, isSeen, withinMs = boundMs }] of Object.entries(changes))
      it(`is right about ${input}, ${withinMs === 0 ? 'at once' : `within ${withinMs / 1_000} s`}: ${what}`, async () => {
        const world = await aQuietController(objects, first)
        const wasSeen = isSeen(world)
        await change(world)
        await world.pass(withinMs)
        const seen = isSeen(world)
        await world.controller.stop()
        expect([wasSeen, seen], world.words()).to.deep.equal([false, true])
      })
  }

  it('is right about isExcluded, which cannot change while the program runs', () => {
    expect(ROWS.get('isExcluded')?.bound).to.equal('never')
  })
})
