import { expect } from 'chai'
import { evidenceLines } from '../../../cli/render/evidence.ts'
import type { ViewAnalysis } from '../../../common/view/experiment-view.ts'
import { text } from '../../../common/view/text.ts'
import { NOW } from '../some-experiments.ts'

const analysis: ViewAnalysis = {
  ...{ verdict: 'Fail', reason: text('HarmFound'), message: text('latency +22%') },
  metrics: [
    {
      ...{ name: 'latency', verdict: 'Fail', reason: 'Harm', since: '2026-11-28T14:05:00Z' },
      harm: { logE: Math.log(123), needs: Math.log(40) },
      effect: { estimate: -22.4, atLeast: 5, of: 'median' },
    },
    { name: 'errors', verdict: 'NoData', reason: 'NoTraffic\u0007', since: 'soon' },
  ],
}

describe('the evidence of an analysis', () => {
  it('has a row for each metric, and a dash for what is not known', () =>
    expect(evidenceLines(analysis, { now: NOW, style: { hasColour: false, isPlain: true } })).to.deep.equal([
      'Verdict:  Fail  HarmFound: latency +22%',
      '',
      'METRIC   VERDICT                   EFFECT           HARM       SAFE  SAMPLES  SINCE',
      'latency  X Fail Harm               -22% (+5% to ?)  123 of 40  -     -        19m',
      'errors   ! NoData NoTraffic\\u0007  -                -          -     -        -',
    ]))
})
