import { expect } from 'chai'
import { HEALTH_ENGINE } from '../../../../common/analysis/metrics/health.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'
import { question } from './windows.ts'

describe('the metric of health', () => {
  const health = (events: number): WindowData => ({
    is: 'events',
    treatment: [{ pod: 'fork-0', events, exposure: 30 }],
    control: Array.from({ length: 4 }, (_, pod) => ({ pod: `source-${pod}`, events: 0, exposure: 30 })),
  })

  const verdictAfter = (restarts: readonly number[]) => {
    const state = restarts.reduce<readonly number[]>(
      (former, events) => HEALTH_ENGINE.fold(former, health(events), {}) ?? [],
      [],
    )
    return HEALTH_ENGINE.judge(state, {}, question()).verdict
  }

  it('passes after 300 seconds without a restart, which begin again with each', () => {
    const quiet = (windows: number) => Array.from({ length: windows }, () => 0)
    expect(verdictAfter(quiet(9))).to.equal('Wait')
    expect(verdictAfter(quiet(10))).to.equal('Pass')
    expect(verdictAfter([...quiet(9), 1, ...quiet(9)])).to.equal('Wait')
  })

  it('N40: is not quiet while a pod is in a loop, although its restarts are one event', () => {
    const disturbed: WindowData = {
      is: 'events',
      treatment: [
        { pod: 'fork-0', events: 0, exposure: 0, isDisturbed: true },
        { pod: 'fork-1', events: 0, exposure: 30 },
      ],
      control: [{ pod: 'source-0', events: 0, exposure: 30 }],
    }
    let state: readonly number[] = []
    for (let window = 0; window < 20; window += 1) state = HEALTH_ENGINE.fold(state, disturbed, {}) ?? []
    expect(HEALTH_ENGINE.judge(state, {}, question()).verdict).to.equal('Wait')
  })

  it('fails where only the fork restarts', () => expect(verdictAfter(Array(6).fill(1))).to.equal('Fail'))
})
