import { expect } from 'chai'
import { ALPHA, AT_THE_LIMIT, BETA, HARMLESS, played, type Story } from '../../../bench/verdict-stories.ts'
import { TABLE } from '../../../bench/verdict-table.ts'
import { playedWorld } from '../../../bench/world-play.ts'
import { WORLD_STORIES } from '../../../bench/world-stories.ts'

/** A twentieth of `npm run bench -- verdicts`, and a quarter of its looks. */
const [RUNS, LOOKS] = [100, 100]
/** Of stories that are judged window by window, as the controller does. */
const [FEW, MOST_OF_FEW] = [20, 4]
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
  ])
    it(`seldom fail without harm: ${name}`, () => {
      const story = HARMLESS[name]
      expect(story && count(story, 'Fail')).to.be.at.most(most(ALPHA))
    })

  /** How many of a few experiments reach a verdict, in at most so many windows. */
  const reaching = (name: string, verdict: 'Pass' | 'Fail', windows = 60) => {
    const found = WORLD_STORIES[name]
    if (!found) throw new Error(`no story called ${name}`)
    const { of: _rivals, ...story } = found
    const ended = Array.from({ length: FEW }, (_, run) => playedWorld({ ...story, windows }, SEED + run))
    return ended.filter(({ ours }) => ours[verdict] !== undefined).length
  }

  for (const name of [
    'N38: one of two pods twice as slow',
    'N38: one of two pods with 4 % errors',
    'N38: one of two pods twice as slow, and the other one missed now and then',
    'N38: one of two pods with 4 % errors, and the other one missed now and then',
    'N39: bursts of 10',
    'N39: retries at the same pod',
    'N39: outages in which a pod completes few requests, 1 beside 10',
    'N40: crash loops in both versions, 2 beside 8',
    'N41: twin and fork fill their caches',
    'N44: probes, and a source with little traffic a pod',
    'N44: probes, and a source with little traffic a pod, stratified',
    'restarts of equal versions, 1 beside 1',
  ])
    it(`${name}: seldom fails`, () => expect(reaching(name, 'Fail')).to.be.at.most(MOST_OF_FEW))

  for (const name of [
    'N38: at M, and one pod of the source twice as slow',
    'N38: at M, one of two pods of the source twice as slow, and the other one missed now and then',
    'N43: at M, coarse and wide (σ 2)',
    'N44: probes, and a fork with little traffic a pod that is at M, stratified',
  ])
    it(`${name}: seldom passes`, () => expect(reaching(name, 'Pass')).to.be.at.most(MOST_OF_FEW))

  for (const [name, windows] of [
    ['N42: many rollouts, and then a fork twice as slow', 60],
    ['N40: one of two pods restarts all the time', 20],
    ['errors 0.5 → 50 %, 2 beside 5', 11],
    ['N44: probes, little traffic of the control, +50 %, stratified', 12],
  ] as const)
    it(`${name}: fails in time`, () => expect(reaching(name, 'Fail', windows)).to.be.at.least(FEW - MOST_OF_FEW))

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
