import { expect } from 'chai'
import { Metrics } from '../../../common/program/metrics.ts'

const linesOf = async (metrics: Metrics) => (await metrics.text()).split('\n').filter((line) => !line.startsWith('#'))

describe('Metrics', () => {
  it('counts by label, and from 0 without labels', async () => {
    const metrics = new Metrics()
    const count = metrics.counter({ name: 'reviews_total', help: 'Reviews.', labels: ['outcome'] })
    metrics.counter({ name: 'bugs_total', help: 'Bugs.' })
    count({ outcome: 'allowed' })
    count({ outcome: 'allowed' })
    expect(await linesOf(metrics)).to.include.members(['reviews_total{outcome="allowed"} 2', 'bugs_total 0'])
  })

  it('reads a gauge at each scrape', async () => {
    const metrics = new Metrics()
    let depth: number | undefined = 1
    metrics.gauge({ name: 'depth', help: 'Depth.', read: () => depth })
    depth = 3
    expect(await linesOf(metrics)).to.include('depth 3')
    depth = undefined
    expect(await linesOf(metrics)).to.include('depth 3')
  })

  it('records durations under the labels given at their end', async () => {
    const metrics = new Metrics()
    const start = metrics.durations({ name: 'seconds', help: 'Seconds.', labels: ['path'], seconds: [60] })
    start()({ path: 'validate' })
    expect(await linesOf(metrics)).to.include.members([
      'seconds_bucket{le="60",path="validate"} 1',
      'seconds_count{path="validate"} 1',
    ])
  })

  it('does not share metrics with another instance', () => {
    for (const metrics of [new Metrics(), new Metrics()]) metrics.counter({ name: 'same_total', help: 'Same.' })
  })

  it('reports the default metrics of Node under our prefix', async () => {
    const metrics = new Metrics()
    metrics.addNode('ours_')
    const text = await metrics.text()
    expect(text).to.include('ours_nodejs_eventloop_lag_p99_seconds ').and.include('ours_process_resident_memory_bytes ')
  })
})
