import { expect } from 'chai'
import type { KubeErrorKind } from '../../../common/api/failure.ts'
import { COMMAND, FORK_FINALIZER } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Condition } from '../../../common/api/types.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { observe } from '../../../controller/observe/observe.ts'
import { cutOverFacts, gateFacts, placeOfFork, promotionFacts } from '../../../controller/observe/run-facts.ts'
import { aDeployment, anExperiment, FORK, installing } from '../../builders.ts'
import { aGatedPod } from '../../common/strategy/gated-pods.ts'
import { NOW, observing } from './observing.ts'

const KEY = 'shop/faster-cart'
const SERVICES = { strategy: { blueGreen: { activeService: 'cart', previewService: 'cart-preview' } } }
const BLUE_GREEN = anExperiment(SERVICES)

function portsWith(services: Readonly<Record<string, KubeObject>>) {
  const { ports } = observing({ live: aDeployment() })
  return {
    ...ports,
    installed: installing('cutOver'),
    service: async (_namespace: string, name: string) => services[name],
  }
}
const aService = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name } })

describe('the facts of a deletion', () => {
  /** The Services cannot be read. */
  const factsWithout = (kind: KubeErrorKind, of: Parameters<typeof anExperiment>[0]) => {
    const metadata = { deletionTimestamp: '2026-11-21T10:00:00Z', finalizers: [FORK_FINALIZER] }
    const { ports } = observing({ experiment: anExperiment({ ...of, metadata }) })
    const service = () => Promise.reject(new KubeError({ kind, message: 'no' }))
    return observe({ ...ports, installed: installing('cutOver'), service }, KEY, NOW)
  }

  it('fail while the API server does not answer for the Services of a blue-green, however long ago it was', async () =>
    expect(await factsWithout('server', SERVICES).catch((error: unknown) => error)).to.be.instanceOf(KubeError))

  it('have the Services of a blue-green as the caches show them, where these may not be read', async () => {
    const facts = await factsWithout('forbidden', SERVICES)
    expect([facts?.cutOver, facts?.surroundings.traffic.is]).to.deep.equal([undefined, 'known'])
  })

  it('do not depend on Services without a blue-green', async () => {
    const facts = await factsWithout('server', {})
    expect([facts?.cutOver?.services.is, facts?.surroundings.traffic.is]).to.deep.equal(['unknown', 'unknown'])
  })
})

describe('the facts of a run', () => {
  it('have the Services of a blue-green and its source, as they are now', async () => {
    const active = aService('cart')
    const facts = await cutOverFacts(portsWith({ cart: active }), KEY, BLUE_GREEN, deployment)
    expect(facts?.services).to.deep.equal({
      is: 'known',
      value: {
        active: { is: 'known', value: active },
        preview: { is: 'absent' },
        source: { is: 'known', value: aDeployment() },
        slices: [],
        repairInMs: 0,
        previewRepairInMs: 0,
        isContested: false,
        unchangedMs: 0,
        listedMs: 0,
        previewListedMs: 0,
        shortMs: undefined,
      },
    })
  })

  it('say whether somebody takes the pin away again and again', async () => {
    const isActive = (key: string) => key === 'shop/faster-cart/cart'
    const pins = {
      waitMs: (key: string) => (isActive(key) ? 250 : 500),
      contestedMs: (key: string) => (isActive(key) ? 60_000 : 0),
    }
    const ports = { ...portsWith({}), pins }
    const facts = await cutOverFacts(ports, KEY, BLUE_GREEN, deployment)
    expect(facts?.services).to.nested.include({
      'value.repairInMs': 250,
      'value.previewRepairInMs': 500,
      'value.isContested': true,
    })
  })

  it('know no Services of another strategy, and none where they may not be written', async () => {
    const canary = anExperiment({ strategy: { canary: {} } })
    expect((await cutOverFacts(portsWith({}), KEY, canary, deployment))?.services.is).to.equal('unknown')
    expect(await cutOverFacts(observing().ports, KEY, BLUE_GREEN, deployment)).to.equal(undefined)
  })

  it('N6: have since when the status says that the fork has too few pods', async () => {
    const since = '2026-11-21T10:00:00Z'
    const condition = { type: 'TooFewPods', status: 'True', reason: 'TooFewPods', message: '', observedGeneration: 1 }
    const status = { conditions: [{ ...condition, lastTransitionTime: since } as Condition] }
    const ports = portsWith({})
    const steps = { ...ports.steps, shortMs: (_key: string, at?: string) => (at === since ? 7_000 : undefined) }
    const facts = await cutOverFacts({ ...ports, steps }, KEY, anExperiment({ ...SERVICES, status }), deployment)
    expect(facts?.services).to.nested.include({ 'value.shortMs': 7_000 })
  })

  it('N2: have pods without a gate only of a fork that should have one', () => {
    const pods = () => [aGatedPod('gated'), aGatedPod('ungated', { isUngated: true })]
    const of = (experiment: typeof BLUE_GREEN) => {
      const found = gateFacts({ ...observing().ports, installed: installing('gate'), pods }, experiment)?.pods
      return found?.is === 'known' ? found.value.map(({ name }) => name) : []
    }
    expect(of(BLUE_GREEN)).to.deep.equal(['gated', 'ungated'])
    expect(of(anExperiment())).to.deep.equal(['gated'])
  })

  it('have no pods where these may not be read', () =>
    expect(gateFacts(observing().ports, BLUE_GREEN)).to.equal(undefined))

  it('have the source only at a step that writes it', async () =>
    expect(await promotionFacts(observing().ports, BLUE_GREEN, deployment)).to.equal(undefined))

  it('N31: have the record alone at other steps, where an earlier version stored no whole hash of it', async () => {
    const run = { run: 'r', revision: 'r', path: 'Forward', phase: 'Promoted', stepIndex: 4, stepName: 'none' } as const
    const strategy = { ...run, since: '2026-11-21T10:00:00.000Z', step: '4/4 Promoted' }
    const read = async (record: { readonly name: string; readonly hash: string; readonly wholeHash?: string }) => {
      const status = { strategy, promotion: { mode: 'Manual', record } } as const
      const facts = await promotionFacts(observing().ports, anExperiment({ ...SERVICES, status }), deployment)
      return [facts?.record.is, facts?.source.is]
    }
    expect(await read({ name: 'record', hash: 'hash' })).to.deep.equal(['absent', 'unknown'])
    expect(await read({ name: 'record', hash: 'hash', wholeHash: 'whole' })).to.deep.equal([undefined, undefined])
  })

  it('N11: have the source and the record for an undo that is not answered', async () => {
    const run = { run: 'r', revision: 'r', path: 'Forward', phase: 'Promoted', stepIndex: 4, stepName: 'none' } as const
    const at = '2026-11-21T10:00:00.000Z'
    const read = async (command: string, answered: string) => {
      const answer = { verb: 'undo', at: answered, answer: 'Done', message: '' } as const
      const strategy = { ...run, since: at, step: '4/4 Promoted', command: answer }
      const metadata = { annotations: { [COMMAND]: `${command} step=4 revision=aa at=${at}` } }
      const experiment = anExperiment({ ...SERVICES, metadata, status: { strategy, promotion: { mode: 'Manual' } } })
      const facts = await promotionFacts(observing({ live: aDeployment() }).ports, experiment, deployment)
      return facts?.source.is
    }
    expect(await read('undo', '2026-11-20T10:00:00.000Z')).to.equal('known')
    expect(await read('undo', at)).to.equal(undefined)
    expect(await read('pause', '2026-11-20T10:00:00.000Z')).to.equal(undefined)
  })

  it('look for the fork beside its source', () => expect(placeOfFork(BLUE_GREEN)).to.deep.equal(['shop', FORK]))
})
