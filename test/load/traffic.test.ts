import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { type Addresses, type AnswerCounts, experimentAddresses, sidesOf } from '../../sandbox/traffic/sides.ts'
import { usesKubeProxy } from '../integration/kube-proxy.ts'
import { aSource, DEADLINE_MS, forkOf, usesProduct } from '../integration/product.ts'

const REQUESTS = 2_000
/** By chance, one run in 16,000 deviates more. */
const SIGMAS = 4
/**
 * The product promises two seconds after the deletion of the experiment, on a cluster with enough processors. Here
 * Kubernetes alone uses half of that, and a machine that runs the whole suite at once may need several times as long.
 */
const WITHOUT_TRAFFIC_WITHIN_MS = 15_000

/** An experiment that receives its share, and the number of requests through its Service so far. */
interface Running {
  readonly fork: string
  readonly addresses: Addresses
  readonly share: { readonly experimentEndpoints: number; readonly readyEndpoints: number }
  /** Sends requests and returns which pods answered. @throws AssertionError when one of them fails */
  readonly send: (count: number) => Promise<AnswerCounts>
}

describe('real requests through a Service, on the real control plane', () => {
  const place = usesProduct()
  const traffic = usesKubeProxy()

  /** One pod of an experiment beside three of its source. kube-proxy knows all four. */
  async function running(name: string): Promise<Running> {
    const { api, namespace } = place()
    await aSource(place(), name, { replicas: 3 })
    await place().experiment(`${name}-exp`, { source: name })
    const shown = await place().shows(`${name}-exp`, '25%', ({ status }) => status?.share === '25%')
    const [share] = shown.status?.services ?? []
    if (!share) throw new Error('no Service in the status')
    const { requests } = traffic()
    await eventually(`all four pods of ${name} to be asked`, DEADLINE_MS, async () => {
      const { byPod, failures } = await requests(100, { namespace, service: name })
      expect([Object.keys(byPod).length, failures]).to.deep.equal([4, {}])
    })
    const addresses = await experimentAddresses(api, namespace, `app=${name}`)
    expect(addresses.size).to.equal(1)
    const send = async (count: number) => {
      const answers = await requests(count, { namespace, service: name })
      expect(answers.failures).to.deep.equal({})
      return sidesOf(answers, addresses)
    }
    return { fork: forkOf(shown), addresses, share, send }
  }

  async function dropsToZero({ send }: Running): Promise<void> {
    let failure: unknown
    await eventually('requests to pass the experiment by', WITHOUT_TRAFFIC_WITHIN_MS, async () => {
      if (failure) return
      const sides = await send(100).catch((error: unknown) => {
        failure = error // not tried again: no request may fail
      })
      if (sides) expect(sides.experiment).to.equal(0)
    })
    if (failure) throw failure
    expect(await send(REQUESTS)).to.deep.equal({ source: REQUESTS, experiment: 0, failed: 0 })
  }

  it('reach the experiment as often as its status says, within the binomial error', async () => {
    const { share, send } = await running('fair')
    const { experiment } = await send(REQUESTS)
    const p = share.experimentEndpoints / share.readyEndpoints
    const sigma = Math.sqrt(REQUESTS * p * (1 - p))
    expect(p).to.equal(0.25)
    expect(experiment, 'requests to the experiment').to.be.closeTo(REQUESTS * p, SIGMAS * sigma)
  })

  it('no longer reach an experiment that is deleted, and none of them fails', async () => {
    const experiment = await running('deleted')
    await place().api.delete(place().path('experiments', 'deleted-exp'))
    await dropsToZero(experiment)
  })

  it('no longer reach an experiment that is not ready, and none of them fails', async () => {
    const experiment = await running('unready')
    const { api, path, namespace } = place()
    const pods = await api.list(`/api/v1/namespaces/${namespace}/pods`)
    const pod = pods.find(({ metadata }) => metadata.name.startsWith(experiment.fork))
    // as a kubelet does when a container is not ready: it would set Ready again if only that were False
    const conditions = ['ContainersReady', 'Ready'].map((type) => ({ type, status: 'False' }))
    await api.patch(`${path('pods', pod?.metadata.name)}/status`, { status: { conditions } }, 'strategic')
    await dropsToZero(experiment)
    const { status } = await place().shows('unready-exp', 'no share', ({ status }) => status?.share !== '25%')
    expect(status?.services?.[0]).to.include({ experimentEndpoints: 0, readyEndpoints: 3 })
  })
})
