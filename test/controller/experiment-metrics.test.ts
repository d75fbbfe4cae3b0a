import { expect } from 'chai'
import type { RunPhase, Strategy } from '../../common/api/strategy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { Metrics } from '../../common/program/metrics.ts'
import { measureExperiments } from '../../controller/experiment-metrics.ts'
import { anExperiment } from '../builders.ts'
import { ready } from './ready-condition.ts'

const of = (...condition: Parameters<typeof ready>) => anExperiment({ status: { conditions: [ready(...condition)] } })

/** What a scrape at one o'clock returns of the metric `name`. */
async function scraped(name: string, ...found: readonly ExperimentDeployment[]) {
  const metrics = new Metrics()
  measureExperiments(metrics, '', { experiments: () => found, clock: () => new Date('2026-11-22T13:00:00Z') })
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
}

describe('the metrics of experiments', () => {
  it('count experiments by kind and by the condition Ready', async () => {
    const found = [of('True', 'Available'), of('True', 'Available'), of('False', 'ApplyRefused'), anExperiment()]
    expect(await scraped('experiments', ...found)).to.deep.equal([
      'experiments{kind="Deployment",ready="True",reason="Available"} 2',
      'experiments{kind="Deployment",ready="False",reason="ApplyRefused"} 1',
      'experiments{kind="Deployment",ready="Unknown",reason="Other"} 1',
    ])
  })

  it('have for each reason the longest time that one of its experiments has not been ready', async () => {
    const found = [
      of('False', 'PodsNotReady', '12:59:00'),
      of('False', 'PodsNotReady', '12:30:00'),
      of('False', 'PodsNotReady', '12:58:00'),
      of('False', 'ApplyRefused', '12:00:00'),
      of('True', 'Available', '11:00:00'),
      anExperiment(),
    ]
    expect(await scraped('longest_not_ready_seconds', ...found)).to.deep.equal([
      'longest_not_ready_seconds{kind="Deployment",reason="PodsNotReady"} 1800',
      'longest_not_ready_seconds{kind="Deployment",reason="ApplyRefused"} 3600',
    ])
  })

  it('ignore a text that is no time, and a time that is to come', async () => {
    const found = [of('False', 'Updating', 'noon'), of('False', 'Paused', '14:00:00')]
    expect(await scraped('longest_not_ready_seconds', ...found)).to.deep.equal([])
  })

  it('count runs by phase, and no experiment without a run', async () => {
    const running = (phase: RunPhase, strategy?: Strategy) =>
      anExperiment({
        ...(strategy === undefined ? {} : { strategy }),
        status: {
          strategy: {
            run: 'aaaa',
            revision: '1f2e',
            path: 'Forward',
            phase,
            stepIndex: 0,
            stepName: 'setWeight 20%',
            since: '2026-11-22T12:00:00.000Z',
            step: `0/5 ${phase}`,
          },
        },
      })
    const runs = (...found: readonly ExperimentDeployment[]) => scraped('runs', ...found)
    expect(await runs(running('Paused'), running('Promoted'), running('Paused'), anExperiment())).to.deep.equal([
      'runs{strategy="None",phase="Paused"} 2',
      'runs{strategy="None",phase="Promoted"} 1',
    ])
    const strategies = [{ canary: {} }, { blueGreen: { activeService: 'cart' } }]
    expect(await runs(...strategies.map((strategy) => running('Paused', strategy)))).to.deep.equal([
      'runs{strategy="Canary",phase="Paused"} 1',
      'runs{strategy="BlueGreen",phase="Paused"} 1',
    ])
    expect(await runs(anExperiment())).to.deep.equal([])
  })
})
