import { expect } from 'chai'
import { describedIn, Metrics } from '../../../common/program/metrics.ts'

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

  it('counts several at once', async () => {
    const metrics = new Metrics()
    const count = metrics.counter({ name: 'windows_total', help: 'Windows.', labels: ['outcome'] })
    count({ outcome: 'empty' }, 3)
    expect(await linesOf(metrics)).to.include('windows_total{outcome="empty"} 3')
  })

  it('registers the metrics of a table with a prefix', async () => {
    const metrics = new Metrics()
    const table = {
      bugs_total: { is: 'counter', help: 'Bugs.' },
      wait_seconds: { is: 'histogram', help: 'Wait.', labels: ['kind'], seconds: [7] },
    } as const
    const of = describedIn(table, 'program_')
    metrics.counter(of('bugs_total'))({}, 2)
    metrics.histogram(of('wait_seconds'))({ kind: 'a' }, 8)
    expect(await linesOf(metrics)).to.include.members([
      'program_bugs_total 2',
      'program_wait_seconds_bucket{le="7",kind="a"} 0',
    ])
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

  it('reads all series of a gauge at each scrape, and drops those that are gone', async () => {
    const metrics = new Metrics()
    let found: readonly (readonly [{ readonly kind: string }, number])[] = [
      [{ kind: 'a' }, 1],
      [{ kind: 'b' }, 2],
    ]
    metrics.gauges({ name: 'objects', help: 'Objects.', labels: ['kind'], read: () => found })
    expect(await linesOf(metrics)).to.include.members(['objects{kind="a"} 1', 'objects{kind="b"} 2'])
    found = [[{ kind: 'b' }, 3]]
    expect((await linesOf(metrics)).filter((line) => line !== '')).to.deep.equal(['objects{kind="b"} 3'])
  })

  it('reads a counter that somebody else keeps', async () => {
    const metrics = new Metrics()
    let dropped = 2
    metrics.total({ name: 'dropped_total', help: 'Dropped.', read: () => dropped })
    expect(await linesOf(metrics)).to.include('dropped_total 2')
    dropped = 3
    expect(await linesOf(metrics)).to.include('dropped_total 3')
  })

  it('records seconds that were measured elsewhere', async () => {
    const metrics = new Metrics()
    const record = metrics.histogram({ name: 'wait_seconds', help: 'Wait.', seconds: [1, 5] })
    record({}, 3)
    expect(await linesOf(metrics)).to.include.members(['wait_seconds_bucket{le="1"} 0', 'wait_seconds_sum 3'])
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
