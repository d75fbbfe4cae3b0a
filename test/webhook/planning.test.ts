import { expect } from 'chai'
import type { ServiceShare } from '../../common/api/types.ts'
import { changesBetween } from '../../common/workload/changes.ts'
import { type Foreseen, prediction } from '../../webhook/prediction.ts'
import { aDeployment, anExperiment, POD } from '../builders.ts'
import { anAsked, anUpdate } from './an-asked.ts'

const fork = (replicas: number) => aDeployment({ name: 'fork', spec: { replicas } })

/** What is planned for one pod that no Service selects, unless told otherwise. */
const planned = (of: Partial<Foreseen> = {}): readonly string[] =>
  prediction({
    asked: anAsked(),
    fork: fork(1),
    previous: undefined,
    obstacle: undefined,
    changes: [],
    services: [],
    now: new Date('2026-11-21T12:00:00Z'),
    ...of,
  })

const NOTHING_SENT = '[Plan] no Service selects its pods: nothing is sent to it by itself'

describe('the plan of what is done', () => {
  const update = anUpdate({}, { replicas: 2 })
  const cases: Record<string, readonly [Partial<Foreseen>, string]> = {
    'creates one pod': [{}, 'creates deployment/fork in shop: 1 pod, from deployment/cart'],
    'creates several pods': [{ fork: fork(2) }, 'creates deployment/fork in shop: 2 pods, from deployment/cart'],
    'creates none': [{ fork: fork(0) }, 'creates deployment/fork in shop: 0 pods, from deployment/cart'],
    'promises no name in a dry run: the real create has another uid': [
      { asked: anAsked({ dryRun: true }), fork: aDeployment({ name: 'cart-experiment-cd1aa1c99c' }) },
      'creates deployment/cart-experiment-<id> in shop: 11 pods, from deployment/cart',
    ],
    'updates what differs from before': [
      { asked: update, fork: fork(2), previous: fork(1) },
      'updates deployment/fork in shop: 2 pods, from deployment/cart',
    ],
    'changes nothing in what is as before': [
      { asked: update, fork: fork(2), previous: fork(2) },
      'changes nothing in deployment/fork in shop: 2 pods, from deployment/cart',
    ],
    'updates where nobody knows what was before': [
      { asked: update, fork: fork(2) },
      'updates deployment/fork in shop: 2 pods, from deployment/cart',
    ],
  }
  for (const [sentence, [of, expected]] of Object.entries(cases))
    it(sentence, () => expect(planned(of)[0]).to.equal(`[Plan] ${expected}`))

  const changesOf = (count: number) => {
    const annotations = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 'x']))
    return changesBetween(aDeployment().spec, aDeployment({ podAnnotations: annotations }).spec, POD)
  }

  it('names five changes, and of more how many there are', () => {
    const lines = (count: number) => planned({ changes: changesOf(count) }).slice(1, -1)
    expect(lines(5)).to.have.length(5)
    expect(lines(5).at(-1)).to.equal('[Plan] template.metadata.annotations.a4: set')
    expect(lines(7)).to.have.length(6)
    expect(lines(7).at(-1)).to.equal('[Plan] and 2 more changes')
  })
})

describe('the plan of what is sent to it', () => {
  const service = (of: Partial<ServiceShare> = {}): ServiceShare => ({
    name: 'cart',
    selected: true,
    experimentEndpoints: 0,
    readyEndpoints: 3,
    ...of,
  })
  const cases: Record<string, readonly [Partial<Foreseen>, ...string[]]> = {
    'is its part of all endpoints, as there will be': [
      { services: [service()] },
      '[Plan] service/cart: about 25% of new connections (1 of 4 endpoints)',
    ],
    'does not count the pods that it has already': [
      { services: [service({ experimentEndpoints: 2, readyEndpoints: 5 })], fork: fork(3) },
      '[Plan] service/cart: about 50% of new connections (3 of 6 endpoints)',
    ],
    'comes with what bends it': [
      { services: [service({ message: 'clients stay with a pod' })] },
      '[Plan] service/cart: about 25% of new connections (1 of 4 endpoints)',
      '[Plan] service/cart: clients stay with a pod',
    ],
    'is nothing from a Service that does not select it': [
      { services: [service({ selected: false })] },
      '[Plan] service/cart: no requests; it does not select the pods',
    ],
    'is nothing for its labels, which are of its author’s planning': [
      { services: [service({ selected: false, reason: 'LabelsDoNotMatch', message: 'lacks app=cart' })] },
      '[Plan] service/cart: no requests; lacks app=cart',
    ],
    'is nothing for what the source’s controller decides, which is not': [
      { services: [service({ selected: false, reason: 'PinnedByRollout', message: 'it is pinned' })] },
      '[PinnedByRollout] service/cart: no requests; it is pinned',
    ],
    'is no number where something else than endpoints decides': [
      { services: [service({ reason: 'RoutedByRollout', message: 'routes decide' })] },
      '[RoutedByRollout] service/cart: routes decide',
    ],
    'is told of each Service': [
      { services: [service(), service({ name: 'till', selected: false })] },
      '[Plan] service/cart: about 25% of new connections (1 of 4 endpoints)',
      '[Plan] service/till: no requests; it does not select the pods',
    ],
    'is nothing where no Service concerns it': [{}, NOTHING_SENT],
    'is nothing for no pods': [
      { services: [service()], fork: fork(0) },
      '[Plan] no pods, so no requests; scale it to give it some',
    ],
    'is unknown where nobody could read the Services': [
      { services: undefined },
      '[Plan] the share of requests is unknown: the Services could not be read',
    ],
  }
  for (const [sentence, [of, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(planned(of).slice(1)).to.deep.equal(expected))
})

describe('the plan of what policies deny and yet admit, for it is old', () => {
  const NOTHING = '[Plan] nothing is made or changed until policies allow it'
  const shrunk = anUpdate({ replicas: 5 }, { replicas: 2 })
  const cases: Record<string, readonly [Partial<Foreseen>, ...string[]]> = {
    'is nothing where they deny its terms': [{ obstacle: 'terms', asked: anUpdate({}, { replicas: 2 }) }, NOTHING],
    'is nothing where they deny the terms of as many pods as before': [
      { obstacle: 'terms', asked: anUpdate({}, { ttlSeconds: 9_000 }) },
      NOTHING,
      '[Plan] removed 2026-11-21T14:30Z (in 2h30m)',
    ],
    'is to shrink where that is what is asked': [
      { obstacle: 'terms', asked: shrunk },
      '[Plan] keeps at most 2 pods; nothing else is made or changed until policies allow it',
    ],
    'depends on what is there where they deny the share': [
      { obstacle: 'share', asked: shrunk },
      '[Plan] updates deployment/fork in shop: 1 pod, from deployment/cart',
      '[Plan] if it is not there yet or has to grow, nothing is made or changed until policies allow it',
      NOTHING_SENT,
    ],
    'depends on whether it is there where they deny it a place': [
      { obstacle: 'places', asked: shrunk },
      '[Plan] updates deployment/fork in shop: 1 pod, from deployment/cart',
      '[Plan] if it is not there yet, it is not made until policies allow it',
      NOTHING_SENT,
    ],
  }
  for (const [sentence, [of, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(planned(of)).to.deep.equal(expected))
})

describe('the plan of its end', () => {
  const end = (asked: Foreseen['asked'], now = '2026-11-21T12:00:00Z') =>
    planned({ asked, now: new Date(now) }).filter((line) => /removed|over/.test(line))
  const created = (creationTimestamp: string, ttlSeconds: number) => ({
    ttlSeconds,
    metadata: { creationTimestamp },
  })
  const renewed = (ttlSeconds: number) => anUpdate({}, created('2026-11-21T11:00:00Z', ttlSeconds))

  it('is none without a TTL', () => expect(end(anAsked())).to.deep.equal([]))

  it('is a TTL from now, for what is not stored yet', () =>
    expect(end(anAsked({ object: anExperiment({ ttlSeconds: 7_200 }) }))).to.deep.equal([
      '[Plan] removed 2026-11-21T14:00Z (in 2h)',
    ]))

  it('is as far away as was asked for, although a create takes a moment', () => {
    const asked = anAsked({ object: anExperiment(created('2026-11-21T12:00:00Z', 7_200)) })
    expect(end(asked, '2026-11-21T12:00:00.900Z')).to.deep.equal(['[Plan] removed 2026-11-21T14:00Z (in 2h)'])
  })

  it('is a TTL from its creation, for what was stored before', () =>
    expect(end(renewed(5_400))).to.deep.equal(['[Plan] removed 2026-11-21T12:30Z (in 30m)']))

  it('is past at the very second, and not one before', () => {
    expect(end(renewed(3_600))).to.deep.equal([
      '[Plan] over since 2026-11-21T12:00Z; raise spec.ttlSeconds to revive it',
    ])
    expect(end(renewed(3_601))[0]).to.match(/^\[Plan\] removed 2026-11-21T12:00Z/)
  })
})
