import { expect } from 'chai'
import { needs } from '../needs.ts'
import { runScript } from '../scripts.ts'

/** Each step has its own deadline, and its error says what it waited for. */
const DEMO_MS = 600_000

describe('the demo, on the real control plane', () => {
  needs('controlPlane', 'kubernetesFiles')
  it('succeeds in every step', async function () {
    this.timeout(DEMO_MS)
    const { code, said } = await runScript('demo', '--exit')
    expect(code, said).to.equal(0)
    expect(said).to.contain('Every step succeeded')
    // the second story: a canary, its promotion and its undo
    for (const words of ['3/7 Paused', '7/7 Promoted', '"verb": "undo"', '"answer": "Done"'])
      expect(said).to.contain(words)
    // the third story: a blue-green, its cut-over and its way back
    for (const words of ['2/10 Paused', '5/10 Paused', 'CutOver    service/frontend', 'Returned   service/frontend'])
      expect(said).to.contain(words)
    // the fourth story: an analysis that finds a slow version out
    expect(said).to.match(/its pods were taken \d+ s after|no requests can be sent here|no metrics here/)
    // the fifth story: a canary inside the size of its source
    for (const words of ['8/12 Paused', '2 -> 1 pods, the label says 5', '5 -> 5 pods, without the label'])
      expect(said).to.contain(words)
  })
})
