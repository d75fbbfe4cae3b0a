import { expect } from 'chai'
import type { AnalysisRun } from '../../../common/analysis/kinds/run.ts'
import { abortedStatus } from '../../../common/analysis/run/ended.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { Write } from '../../../common/writes/write.ts'
import { OrphanedRuns } from '../../../controller/orphans/orphaned-analysis-runs.ts'
import { anExperiment } from '../../builders.ts'
import { aRun, CREATED_MS } from '../../common/analysis/run/runs.ts'
import { diaryLog, turn, VirtualTime } from '../../virtual-time.ts'

const NOW = new Date(CREATED_MS + 3_600_000)
const DAY_MS = 86_400_000

function of(name: string, uid: string, endedBeforeMs?: number): AnalysisRun {
  const run = aRun({ spec: { experiment: { name: 'cart', uid, generation: 1 } } })
  const named = { ...run, metadata: { ...run.metadata, name, uid: `uid-of-${name}` } }
  return endedBeforeMs === undefined
    ? named
    : { ...named, status: abortedStatus(run, new Date(NOW.getTime() - endedBeforeMs)) }
}

interface Given {
  /** how a write fails */
  readonly failure?: Error
  /** what the API server says of the experiment */
  readonly live?: () => Promise<KubeObject | undefined>
}

function world(runs: readonly AnalysisRun[], { failure, live = async () => undefined }: Given = {}) {
  const written: string[] = []
  const asked: string[] = []
  const timers = new VirtualTime()
  const log = diaryLog()
  const orphaned = new OrphanedRuns({
    live: ({ namespace, name }) => {
      asked.push(`${namespace}/${name}`)
      return live()
    },
    runs: { list: () => runs },
    experiment: (key) => (key === 'shop/cart' ? anExperiment({ metadata: { uid: 'alive' } }) : undefined),
    write: async (write: Write) => {
      written.push(`${write.verb} ${'of' in write ? write.of.metadata.name : ''}`)
      if (failure) throw failure
    },
    clock: () => NOW,
    timers,
    log,
  })
  return { orphaned, written, asked, timers, log }
}

describe('the analysis runs of experiments that are gone', () => {
  it('end, and those of living experiments go on', async () => {
    const { orphaned, written } = world([of('gone', 'dead'), of('going', 'alive'), of('ended', 'dead', 1_000)])
    await orphaned.sweep()
    expect(written).to.deep.equal(['patch gone'])
  })

  it('go on while the API server has their experiments, which the cache may not have yet', async () => {
    const runs = [of('going', 'new'), of('other', 'dead'), of('old', 'new', 8 * DAY_MS)]
    const live = async () => anExperiment({ metadata: { uid: 'new' } })
    const { orphaned, written } = world(runs, { live })
    await orphaned.sweep()
    expect(written, 'the run of a former experiment of this name ends').to.deep.equal(['patch other'])
  })

  it('go on while the API server does not tell whether their experiments exist', async () => {
    const live = () => Promise.reject(new KubeError({ kind: 'unreachable', message: 'no answer' }))
    const { orphaned, written, log } = world([of('going', 'dead')], { live })
    await orphaned.sweep()
    expect([written, log.lines.length]).to.deep.equal([[], 1])
  })

  it('cost one request for an experiment, and none while their records are kept', async () => {
    const kept = [of('kept', 'dead', 1_000), of('record', 'other', 2_000)]
    const { orphaned, written, asked } = world([...kept, of('a', 'dead'), of('b', 'dead'), of('alive', 'alive')])
    await orphaned.sweep()
    expect(asked).to.deep.equal(['shop/cart'])
    expect(written).to.deep.equal(['patch a', 'patch b'])
    const records = world(kept)
    await records.orphaned.sweep()
    expect(records.asked).to.deep.equal([])
  })

  it('are deleted after seven days, or when they are more than ten', async () => {
    const many = Array.from({ length: 11 }, (_, index) => of(`ended-${index}`, 'dead', 1_000 * index))
    const { orphaned, written } = world([...many, of('old', 'other', 8 * DAY_MS), of('kept', 'alive', 8 * DAY_MS)])
    await orphaned.sweep()
    expect(written).to.deep.equal(['delete ended-10', 'delete old'])
  })

  it('are 200 in a namespace', async () => {
    const many = Array.from({ length: 201 }, (_, index) => of(`ended-${index}`, `dead-${index}`, 1_000 * index))
    const { orphaned, written } = world(many)
    await orphaned.sweep()
    expect(written).to.deep.equal(['delete ended-200'])
  })

  it('are looked at again when a write is refused', async () => {
    const failure = new KubeError({ kind: 'conflict', attempted: 'patch', message: 'no' })
    const { orphaned, written, timers, log } = world([of('a', 'dead'), of('b', 'dead')], { failure })
    orphaned.start()
    await turn()
    expect(written).to.deep.equal(['patch a', 'patch b'])
    expect(log.lines).to.have.length(2)
    await timers.pass(30_000)
    await turn()
    expect(written).to.have.length(4)
    await orphaned.stop()
    await timers.pass(60_000)
    await turn()
    expect(written).to.have.length(4)
  })

  it('are left to the next sweep after a write in their namespace that was not answered in time', async () => {
    const failure = new KubeError({ kind: 'timeout', attempted: 'patch', message: 'timed out after 30000 ms' })
    const { orphaned, written } = world([of('a', 'dead'), of('b', 'dead')], { failure })
    await orphaned.sweep()
    expect(written).to.deep.equal(['patch a'])
    await orphaned.sweep()
    expect(written).to.deep.equal(['patch a', 'patch b'])
  })

  it('O6: are tried again once a minute while a fault lasts, and ever fewer of their failures are logged', async () => {
    const failure = new KubeError({ kind: 'unreachable', attempted: 'patch', message: 'no answer' })
    const { orphaned, written, timers, log } = world([of('a', 'dead')], { failure })
    orphaned.start()
    await timers.pass(30_000)
    expect(written).to.have.length(2)
    for (let minute = 1; minute <= 6; minute += 1) {
      await timers.pass(60_000)
      expect(written).to.have.length(2 + minute)
    }
    expect(log.lines.map(({ facts }) => [facts.run, facts.failures])).to.deep.equal(
      [1, 2, 4, 8].map((each) => ['a', each]),
    )
    await orphaned.stop()
  })
})
