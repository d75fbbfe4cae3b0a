import { expect } from 'chai'
import { experiments } from '../bench/forks.ts'
import { type CrowdOf, type Restarted, restartFilled, withoutPods } from '../bench/restarted.ts'
import { withProduct } from '../bench/stand.ts'
import { heapFlags, shippedMemoryMiB } from '../manifests/shipped.ts'
import { needs } from '../needs.ts'
import { QUIET_MS } from './oracles.ts'

const COUNT = 5_000
/** Only the first have pods. */
const CROWDS: readonly CrowdOf[] = [
  { side: experiments, count: 100 },
  ...[1_000, 1_000, 1_000, 1_000, 900].map((count) => ({ side: withoutPods, count })),
]
/** As in the benchmark. What is not begun by then is left out, and the test fails: fewer would prove less. */
const FILLING_MS = 1_200_000
const LIMIT_MS = 2_400_000
const PAGE = 500

/** The kinds of which there are thousands. */
const CROWDED = ['deployments', 'experimentdeployments']

describe(`F33: a restart with ${COUNT} converged experiments, on a control plane of its own`, function () {
  this.timeout(LIMIT_MS)
  needs('controlPlane')
  let restarted: Restarted
  let metrics = ''
  const metric = (name: string) =>
    [...metrics.matchAll(new RegExp(`^experiment_controller_${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))]
      .map(([, value]) => Number(value))
      .reduce((sum, value) => sum + value, 0)

  before('it was restarted', async () => {
    const tell = (line: string) => console.log(`    ${line}`)
    const restart = async (stand: Parameters<typeof restartFilled>[0]) => {
      const of = { crowds: CROWDS, fillingMs: FILLING_MS, settledMs: 0, quietMs: QUIET_MS }
      restarted = await restartFilled(stand, tell, of)
      const answer = await fetch(`http://127.0.0.1:${stand.product.healthPorts.controller}/metrics`)
      metrics = await answer.text()
      const { count, writes, lists, end } = restarted
      const memory = `${end.peakMiB.toFixed(0)} of ${shippedMemoryMiB()} MiB`
      tell(`${count} of ${COUNT} experiments: ${writes.length} writes, ${lists.length} lists, ${memory}`)
    }
    await withProduct(tell, restart, { controllerFlags: heapFlags() })
  })

  it(`F33: was one with ${COUNT}`, () => expect(restarted.count).to.equal(COUNT))

  it('F33: writes nothing', () => expect(restarted.writes).to.deep.equal([]))

  for (const resource of CROWDED)
    it(`F33: reads ${resource} by pages of ${PAGE}`, () => {
      const lists = restarted.lists
        .filter(({ objectRef }) => objectRef?.resource === resource)
        .map(({ requestURI }) => new URL(requestURI, 'https://api').searchParams)
      expect(lists.map((query) => query.get('limit'))).to.deep.equal(lists.map(() => `${PAGE}`))
      const views = Map.groupBy(lists, (query) => query.get('labelSelector'))
      for (const pages of views.values()) expect(pages.filter((query) => !query.has('continue'))).to.have.length(1)
      // Forks and other workloads are listed apart.
      expect(lists.length).to.be.at.least(restarted.count / PAGE)
    })

  it('F33: has looked at each, and has nothing left to do', () => {
    expect(metric('reconcile_total')).to.be.at.least(restarted.count)
    expect([metric('queue_depth'), metric('workers_busy')]).to.deep.equal([0, 0])
  })

  it('F33: stays within the memory of the manifest, which does not grow', () => {
    const { idle, end } = restarted
    expect(end.peakMiB).to.be.at.most(shippedMemoryMiB())
    expect(end.residentMiB).to.be.at.most(idle.residentMiB * 1.1)
  })
})
