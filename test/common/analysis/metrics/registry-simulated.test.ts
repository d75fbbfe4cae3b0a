import { expect } from 'chai'
import { ALPHA, AT_THE_LIMIT, BETA, HARMLESS, played, type Story } from '../../../bench/verdict-stories.ts'
import { TABLE } from '../../../bench/verdict-table.ts'

/** A twentieth of `npm run bench -- verdicts`, and a quarter of its looks. */
const [RUNS, LOOKS] = [100, 100]
const SEED = Number(process.env.SEED ?? 1)
console.log(`simulated experiments: seeds from ${SEED}`)

const endings = (story: Story, ends: 'Pass' | 'Fail') =>
  Array.from({ length: RUNS }, (_, run) =>
    played({ ...story, windows: Math.min(LOOKS, story.windows) }, SEED + run, ends),
  )
const count = (story: Story, verdict: 'Pass' | 'Fail') =>
  endings(story, verdict).filter((each) => each.verdict === verdict).length
/** Four standard errors above: with other seeds it fails once in some thousand times. */
const most = (part: number) => RUNS * part + 4 * Math.sqrt(RUNS * part * (1 - part))

describe('simulated experiments', function () {
  this.timeout(300_000) // a few seconds each on an idle machine
  for (const name of [
    'samples at the tolerance, σ 0.5',
    'coarse buckets at the tolerance, σ 1',
    'coarse buckets at the tolerance, most requests in the lowest',
    'errors at the tolerance',
    'restarts of equal versions, 1 pod beside 1',
  ])
    it(`seldom fail without harm: ${name}`, () => {
      const story = HARMLESS[name]
      expect(story && count(story, 'Fail')).to.be.at.most(most(ALPHA))
    })

  for (const name of ['samples exactly at M', 'errors exactly at M'])
    it(`seldom pass: ${name}`, () => {
      const story = AT_THE_LIMIT[name]
      expect(story && count(story, 'Pass')).to.be.at.most(most(BETA))
    })

  for (const name of ['samples, +100 %, σ 1', 'coarse buckets, +100 %, σ 1'])
    it(`fail with much harm: ${name}`, () => {
      const story = TABLE[name]?.story
      expect(story && count({ ...story, windows: 19 }, 'Fail')).to.be.above(0.9 * RUNS)
    })
})
