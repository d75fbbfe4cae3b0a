import { expect } from 'chai'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { ExperimentReads } from '../../../controller/observe/experiment-reads.ts'
import { anExperiment } from '../../builders.ts'
import { ObjectStore } from '../../fakes/object-store.ts'

const KEY = 'shop/faster-cart'
const PATH = '/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentdeployments/faster-cart'
const { signal } = new AbortController()

/** A cache with `cached`, and an API server that has `live`. */
function reading(cached: ExperimentDeployment | undefined, live: ExperimentDeployment | undefined) {
  const world = { cached }
  const server = new ObjectStore(live ? { [PATH]: live } : {})
  const reads = new ExperimentReads({ client: server, cached: { get: () => world.cached } })
  return { world, server, reads, uid: async () => (await reads.get(KEY, signal))?.metadata.uid }
}

describe('reads of experiments', () => {
  it('come from the cache', async () => {
    const cached = anExperiment()
    const { reads, server } = reading(cached, undefined)
    expect(await reads.get(KEY, signal)).to.equal(cached)
    expect(await reading(undefined, cached).reads.get(KEY, signal)).to.equal(undefined)
    expect(server.diary).to.deep.equal([])
  })

  it('come from the API server after a write showed that the cache is too old, until the cache changes', async () => {
    const cached = anExperiment()
    const { world, server, reads } = reading(cached, anExperiment({ metadata: { resourceVersion: '11' } }))
    reads.doubt(cached)
    for (const _ of [1, 2]) expect((await reads.get(KEY, signal))?.metadata.resourceVersion).to.equal('11')
    world.cached = anExperiment({ metadata: { resourceVersion: '12' } })
    expect((await reads.get(KEY, signal))?.metadata.resourceVersion).to.equal('12')
    expect(server.diary).to.deep.equal([`get ${PATH}`, `get ${PATH}`])
  })

  for (const [sentence, live] of Object.entries({
    'is gone': undefined,
    'has another uid': anExperiment({ metadata: { uid: 'another' } }),
  }))
    it(`R1: find no experiment when the live one ${sentence}`, async () => {
      const cached = anExperiment()
      const { reads, uid } = reading(cached, live)
      reads.doubt(cached)
      expect(await uid()).to.equal(undefined)
    })
})
