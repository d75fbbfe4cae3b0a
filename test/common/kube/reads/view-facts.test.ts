import { expect } from 'chai'
import type { KubeErrorKind } from '../../../../common/api/failure.ts'
import { ANALYSIS_RUN, EXPERIMENT_DEPLOYMENT } from '../../../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../../common/api/types.ts'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import { resourcePath } from '../../../../common/kube/client/resources.ts'
import {
  decodedExperiment,
  fetchFactsOf,
  fetchViewFacts,
  findExperiment,
} from '../../../../common/kube/reads/view-facts.ts'
import { viewOf } from '../../../../common/view/view.ts'
import { aRollout, FORK } from '../../../builders.ts'
import { aReader, failing } from '../../../fakes/reader.ts'
import { anAnalysisRun, anEvent, aPausedRun, aPod, NOW } from '../../view/some-view.ts'

const { world } = aPausedRun()
const UID = world.experiment.metadata.uid
const RUN: KubeObject = {
  ...{ apiVersion: ANALYSIS_RUN.apiVersion, kind: ANALYSIS_RUN.kind },
  ...(anAnalysisRun() as unknown as Pick<KubeObject, 'metadata'>),
}
const ref = { kind: 'Deployment', namespace: 'shop', name: FORK, uid: world.fork?.metadata.uid ?? '' }
const EXPERIMENT: ExperimentDeployment = {
  ...world.experiment,
  status: {
    ...world.experiment.status,
    experimentResourceRef: { apiVersion: 'apps/v1', generation: 1, ...ref },
    analysis: {
      ...{ run: RUN.metadata.name, verdict: 'Wait', reason: 'r', message: 'm', attempt: 1 },
      since: NOW.toISOString(),
    },
  },
}
const POD = aPod()
const objects = (...more: readonly (KubeObject | undefined)[]): readonly KubeObject[] =>
  [EXPERIMENT, world.source, world.fork, POD, RUN, ...EVENTS, ...more].filter((each) => each !== undefined)
const EVENTS = [
  anEvent({ kind: 'ExperimentDeployment', name: 'faster-cart', uid: UID }),
  anEvent(ref),
  anEvent({ kind: 'Pod', name: POD.metadata.name, uid: POD.metadata.uid ?? '' }),
  anEvent({ kind: 'Pod', name: 'of somebody else', uid: 'other' }),
]
const PLACE = { namespace: 'shop', name: 'faster-cart' }
const PODS = '/api/v1/namespaces/shop/pods'
const CORE_EVENTS = '/api/v1/namespaces/shop/events'
const SELF = resourcePath(EXPERIMENT_DEPLOYMENT, PLACE)
const FORK_PATH = `/apis/apps/v1/namespaces/shop/deployments/${FORK}`

const failureOf = async (promise: Promise<unknown>): Promise<KubeErrorKind | undefined> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof KubeError) return error.kind
    throw error
  }
  return undefined
}

describe('fetchViewFacts', () => {
  it('reads all that a view shows, in at most ten requests, each with its time limit', async () => {
    const { kube, requests } = aReader(objects())
    const facts = await fetchViewFacts(kube, PLACE, { now: NOW })
    const { source, fork, pods, events, run } = facts
    expect([source, fork, pods, run].map(({ is }) => is)).to.deep.equal(['known', 'known', 'known', 'known'])
    expect(events.is === 'known' && events.value.length).to.equal(3)
    expect(facts.unread).to.deep.equal([])
    expect(requests).to.have.length(8)
    expect(new Set(requests.map(({ deadlineMs }) => deadlineMs))).to.deep.equal(new Set([5_000]))
    expect(requests.filter(({ path }) => path === CORE_EVENTS).map(({ query }) => query?.fieldSelector)).to.deep.equal(
      [UID, ref.uid, POD.metadata.uid].map((uid) => `involvedObject.uid=${uid}`),
    )
    expect(viewOf(facts).unread).to.deep.equal([])
  })

  it('reads a source of two objects, by the name of its fork, in ten requests', async () => {
    const revision = { stableRS: 'abc', currentPodHash: 'abc' }
    const source = { ...aRollout(), status: revision }
    const spec = { ...EXPERIMENT.spec, sourceRef: { kind: 'Rollout', name: 'cart' } }
    const { kube, requests } = aReader(
      objects(source).map((each) => (each === EXPERIMENT ? { ...EXPERIMENT, spec } : each)),
    )
    const facts = await fetchViewFacts(kube, { namespace: 'shop', name: FORK }, { now: NOW })
    expect(facts.source.is).to.equal('known')
    expect(requests).to.have.length(10)
  })

  it('asks nothing about pods that are ready, or only wait to be opened', async () => {
    const shut = { conditions: [{ type: 'ContainersReady', status: 'True' }] }
    for (const pod of [aPod({ isReady: true }), aPod({ status: shut })]) {
      const { kube, requests } = aReader(objects().map((each) => (each === POD ? pod : each)))
      await fetchViewFacts(kube, PLACE, { now: NOW })
      expect(requests.filter(({ path }) => path === CORE_EVENTS)).to.have.length(2)
    }
  })

  it('reads no analysis run and no fork where the status names none', async () => {
    const { analysis: _analysis, experimentResourceRef: _ref, ...status } = EXPERIMENT.status ?? {}
    const { kube, asked } = aReader([{ ...EXPERIMENT, status }])
    const facts = await fetchViewFacts(kube, PLACE, { now: NOW })
    expect([facts.fork.is, facts.run.is, facts.source.is]).to.deep.equal(['absent', 'absent', 'absent'])
    expect(asked.filter((path) => path.includes(FORK) || path.includes('analysisrun'))).to.deep.equal([])
  })

  for (const kind of ['forbidden', 'unreachable', 'invalid', 'unread', 'kindAbsent'] as const)
    it(`leaves out what is ${kind}, and says so`, async () => {
      const paths = [PODS, FORK_PATH, CORE_EVENTS]
      const { kube } = aReader(objects(), { instead: Object.fromEntries(paths.map((path) => [path, failing(kind)])) })
      const facts = await fetchViewFacts(kube, PLACE, { now: NOW })
      expect([facts.pods.is, facts.fork.is, facts.events.is, facts.source.is]).to.deep.equal([
        ...['unknown', 'unknown', 'unknown', 'known'],
      ])
      expect(viewOf(facts).unread.map(({ because }) => because)).to.include(`made to fail: ${kind}`)
    })

  it('takes a fork that does not exist, or is another object with its name, as absent', async () => {
    const gone = aReader(objects().filter((each) => each !== world.fork))
    expect((await fetchViewFacts(gone.kube, PLACE, { now: NOW })).fork.is).to.equal('absent')
    const other = world.fork && { ...world.fork, metadata: { ...world.fork.metadata, uid: 'another' } }
    const taken = aReader([...(other ? [other] : []), ...objects().filter((each) => each !== world.fork)])
    expect((await fetchViewFacts(taken.kube, PLACE, { now: NOW })).fork.is).to.equal('absent')
  })

  it('has the Events that could be read', async () => {
    let asked = 0
    const instead = () => {
      asked += 1
      return asked === 1 ? { items: [EVENTS[0]] } : failing('forbidden')()
    }
    const { kube } = aReader(objects(), { instead: { [CORE_EVENTS]: instead } })
    const facts = await fetchViewFacts(kube, PLACE, { now: NOW })
    expect(facts.events).to.deep.equal({ is: 'known', value: [EVENTS[0]] })
    expect(facts.unread?.map(({ what }) => what)).to.deep.equal([
      'the Events about its fork',
      'the Events about its pod',
    ])
  })

  it('throws if the experiment itself cannot be read', async () => {
    for (const kind of ['forbidden', 'kindAbsent', 'unread', 'unreachable'] as const) {
      const { kube } = aReader(objects(), { instead: { [SELF]: failing(kind) } })
      expect(await failureOf(fetchViewFacts(kube, PLACE, { now: NOW }))).to.equal(kind)
    }
  })

  it('says what of a status is not as the API says', async () => {
    const status = { ...EXPERIMENT.status, services: 'cart', replicas: 'one' }
    const { kube } = aReader([{ ...EXPERIMENT, status } as unknown as KubeObject])
    const { unread } = await fetchViewFacts(kube, PLACE, { now: NOW })
    expect(unread?.map(({ what, because }) => `${what} ${because}`)).to.deep.equal([
      'status.replicas must be a whole number from -2147483648 to 2147483647',
      'status.services must be a list',
    ])
  })
})

describe('fetchFactsOf', () => {
  it('reads nothing of the experiment, and survives names that no path can have', async () => {
    const status = {
      ...EXPERIMENT.status,
      experimentResourceRef: { apiVersion: 'apps/v1', generation: 1, ...ref, name: '..' },
    }
    const { kube, asked } = aReader(objects())
    const facts = await fetchFactsOf(kube, { ...EXPERIMENT, status }, { now: NOW })
    expect(facts.fork.is).to.equal('unknown')
    expect(asked).to.not.include(SELF)
  })

  it('throws the reason of its signal', async () => {
    const { kube } = aReader(objects())
    const signal = AbortSignal.abort(new RangeError('enough'))
    const failed = await fetchFactsOf(kube, EXPERIMENT, { now: NOW, signal }).catch((error: unknown) => error)
    expect(failed).to.equal(signal.reason)
  })
})

describe('findExperiment', () => {
  const nameOf = async (name: string, kube = aReader(objects()).kube) =>
    (await findExperiment(kube, { namespace: 'shop', name })).metadata.name

  it('takes its name, also with its kind, and the name of its fork', async () => {
    for (const name of ['faster-cart', 'expd/faster-cart', 'ExperimentDeployment/faster-cart', FORK])
      expect(await nameOf(name), name).to.equal('faster-cart')
  })

  it('lists nothing where the name is that of an experiment', async () => {
    const { kube, requests } = aReader(objects())
    await nameOf('faster-cart', kube)
    expect(requests.map(({ verb }) => verb)).to.deep.equal(['get'])
  })

  it('finds none by a name that no experiment and no fork has', async () => {
    for (const name of ['slower-cart', `expd/${FORK}`]) expect(await failureOf(nameOf(name))).to.equal('notFound')
  })

  it('does not take an item that is too large for an experiment', async () => {
    const large = { metadata: { name: 'x' }, status: { experimentResourceRef: { name: 'y' } }, [UNREAD]: 'too many' }
    const list = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace: 'shop' })
    const { kube } = aReader([], { instead: { [list]: () => ({ items: [large] }) } })
    expect(await failureOf(nameOf('y', kube))).to.equal('unread')
  })
})

describe('decodedExperiment', () => {
  it('throws for a spec that is not as the API says', () => {
    const wrong = { ...EXPERIMENT, spec: { sourceRef: 1 } } as unknown as KubeObject
    expect(() => decodedExperiment(wrong)).to.throw(KubeError, /^expd\/faster-cart: spec\./)
  })
})
