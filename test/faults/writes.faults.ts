import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { experimentId, forkName } from '../../common/workload/identity.ts'
import type { AuditEvent } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { condition, DEADLINE_MS, forkOf, imagesOf } from '../integration/product.ts'
import { type ApiAnswer, type Fate, statusAnswer } from './api-call.ts'
import { CONVERGED_MS, creations, historyOf, isSound, recovers } from './oracles.ts'
import { between } from './rules.ts'
import { inScene, type Scene } from './scene.ts'
import { usesProductAlone } from './scoped.ts'
import { sideBySide } from './side-by-side.ts'

/** How long an experiment without its name is watched. */
const CONFLICT_MS = 70_000

const timeout504 = statusAnswer(504, 'Timeout', 'request did not complete within the allotted timeout')
const conflict409 = statusAnswer(409, 'Conflict', 'the object has been modified; please apply your changes')

/** A foreign object under the name of a fork. */
type Foreign = (experiment: KubeObject, others: { readonly map: KubeObject; readonly experiment: KubeObject }) => object

const owner = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
})

const FOREIGN: Readonly<Record<string, Foreign>> = {
  'without owner': () => ({}),
  'of another experiment': (_, { experiment }) => owner(experiment),
  'of a ConfigMap': (_, { map }) => owner(map),
  'with our uid, but without our manager and label': (experiment) => owner(experiment),
}

const LOST: Readonly<Record<string, { readonly fate: Fate; readonly times: number }>> = {
  'is reset after it is stored': { fate: 'reset', times: 1 },
  'is reset after it is stored, as its repetitions': { fate: 'reset', times: 3 },
  'is answered with 504 after it is stored': { fate: timeout504, times: 1 },
}

interface Protection {
  readonly answer: ApiAnswer
  /** the reason of the condition `Ready` that tells of it, if any does */
  readonly reason?: string
}

const PROTECTIONS: Readonly<Record<string, Protection>> = {
  'by an admission webhook': {
    answer: statusAnswer(409, 'Conflict', 'admission webhook "usages.example.com" denied the request: it is in use'),
    reason: 'ApplyRefused',
  },
  'without a known reason': { answer: conflict409 },
}

async function losesAnswers({ place, faults }: Scene, { fate, times }: (typeof LOST)[string]): Promise<void> {
  const { namespace } = place
  let count = 0
  faults.add({
    of: { method: 'PATCH', resource: 'deployments', namespace },
    when: between(1, times),
    onAnswer: () => {
      count += 1
      return fate
    },
  })
  await place.experiment('canary', { source: 'cart' })
  await recovers(place, { canary: 'Available' })
  const history = await historyOf(namespace)
  expect(count).to.equal(times)
  expect(creations(history)).to.have.length(1)
  expect(reasonsIn(history)).not.to.include('NameConflict')
}

/** Makes an experiment whose name is taken when it applies its fork for the first time. Returns the name. */
async function taken({ place, faults }: Scene, foreign: Foreign): Promise<string> {
  const { namespace, api, path } = place
  const isTaken = Promise.withResolvers<void>()
  faults.add({
    of: { method: 'PATCH', resource: 'deployments', namespace },
    when: between(1, 1),
    onCall: async () => isTaken.promise.then(() => undefined),
  })
  await place.experiment('other', { source: 'none' })
  await place.experiment('canary', { source: 'cart' })
  const [experiment, other] = [await place.experimentAt('canary'), await place.experimentAt('other')]
  const map = await api.create(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'map' } })
  const name = forkName('cart', experiment.metadata.uid)
  const matchLabels = { [EXPERIMENT_ID]: experimentId(experiment.metadata.uid) }
  const owners = foreign(withKind(experiment), {
    map: { ...map, kind: 'ConfigMap', apiVersion: 'v1' },
    experiment: withKind(other),
  })
  const spec = { containers: [{ name: 'theirs', image: 'registry.example/theirs:1' }] }
  await api.create(path('deployments'), {
    metadata: { name, ...owners },
    spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels }, spec } },
  })
  isTaken.resolve()
  return name
}

async function meets(scene: Scene, foreign: Foreign): Promise<void> {
  const { place } = scene
  const name = await taken(scene, foreign)
  const since = performance.now()
  await place.reaches('canary', 'NameConflict')
  await pause(CONFLICT_MS - (performance.now() - since)) // until a retry was due
  const own = writesTo(name, await historyOf(place.namespace))
  expect(own.map(({ responseStatus }) => responseStatus?.code).filter((code) => code !== 409)).to.deep.equal([])
  expect(own.length).to.be.within(1, 2)
  const found = await place.deployment(name)
  expect(imagesOf(found)).to.deep.equal(['registry.example/theirs:1'])
  expect(found.metadata.labels ?? {}).to.deep.equal({})
  expect(condition(await place.experimentAt('canary'), 'Ready')?.message).to.contain(name)
  await place.api.delete(place.path('deployments', name))
  await recovers(place, { canary: 'Available', other: 'SourceNotFound' })
}

async function conflicts({ place, faults }: Scene): Promise<void> {
  const { namespace } = place
  const answered = Promise.withResolvers<void>()
  let count = 0
  faults.add({
    of: { resource: EXPERIMENT_DEPLOYMENT.plural, subresource: 'status', namespace },
    when: between(1, 10),
    onCall: () => {
      count += 1
      if (count === 5) answered.resolve()
      return conflict409
    },
  })
  await place.experiment('canary', { source: 'cart' })
  await answered.promise
  await place.api.patch(place.path('experiments', 'canary'), { spec: { replicas: 2 } })
  await recovers(place, { canary: 'Available' }, 2 * CONVERGED_MS)
  const fork = await place.deployment(forkOf(await place.experimentAt('canary')))
  expect(at(fork.spec, 'replicas')).to.equal(2)
  expect(creations(await historyOf(namespace))).to.have.length(1)
  expect(count).to.equal(10)
  await isSound(namespace)
}

/** The fork of an expired experiment cannot be deleted. Then its author lets the experiment go on. */
async function isProtected({ place, faults }: Scene, { answer, reason }: Protection): Promise<void> {
  const { namespace, api, path } = place
  const refused = Promise.withResolvers<void>()
  await place.experiment('canary', { source: 'cart' })
  const fork = forkOf(await place.reaches('canary', 'Available'))
  faults.add({
    of: { method: 'DELETE', resource: 'deployments', namespace },
    onCall: () => {
      refused.resolve()
      return answer
    },
  })
  await api.patch(path('experiments', 'canary'), { spec: { ttlSeconds: 1 } })
  await refused.promise
  if (reason) expect(forkOf(await place.reaches('canary', reason)), 'the fork in the status').to.equal(fork)
  await api.patch(path('experiments', 'canary'), { spec: { ttlSeconds: 86_400, replicas: 2 } })
  await recovers(place, { canary: 'Available' })
  expect(at((await place.deployment(fork)).spec, 'replicas')).to.equal(2)
}

/** The experiment changes while its watch is held back, and then its source: that makes another status. */
async function overtaken({ place, faults }: Scene): Promise<void> {
  const { namespace, api, path } = place
  const isStatus = { resource: EXPERIMENT_DEPLOYMENT.plural, subresource: 'status', namespace }
  await place.experiment('canary', { source: 'cart' })
  await place.reaches('canary', 'Available')
  const { release, holds } = faults.freeze({ resource: EXPERIMENT_DEPLOYMENT.plural })
  const answers: number[] = []
  faults.add({ of: isStatus, onAnswer: (_, { status }) => void answers.push(status) })
  await api.patch(path('experiments', 'canary'), { spec: { replicas: 2 } })
  await holds
  const containers = [{ name: 'cart', image: 'registry.example/cart:2' }]
  await api.patch(path('deployments', 'cart'), { spec: { template: { spec: { containers } } } }, 'strategic')
  await eventually('a status of the generation before to be refused', DEADLINE_MS, () =>
    expect(answers).to.include(409),
  )
  release()
  await recovers(place, { canary: 'Available' })
  const fork = await place.deployment(forkOf(await place.experimentAt('canary')))
  expect([at(fork.spec, 'replicas'), imagesOf(fork)]).to.deep.equal([2, ['registry.example/cart:2']])
  const outdated = (await historyOf(namespace)).filter(
    ({ objectRef, responseStatus, responseObject }) =>
      objectRef?.resource === EXPERIMENT_DEPLOYMENT.plural &&
      objectRef.subresource === 'status' &&
      responseStatus?.code === 200 &&
      at(responseObject, 'status', 'observedGeneration') !== responseObject?.metadata?.generation,
  )
  expect(outdated).to.deep.equal([])
}

describe('writes fail, on the real control plane', function () {
  this.timeout(5 * DEADLINE_MS)
  usesProductAlone()

  const rows = (title: (what: string) => string, stories: Readonly<Record<string, (scene: Scene) => Promise<void>>>) =>
    Object.fromEntries(Object.entries(stories).map(([what, story]) => [title(what), () => inScene(story)]))
  sideBySide({
    ...rows(
      (what) => `F5: the first apply of a fork ${what}: the repetition finds our object`,
      mapped(LOST, (how) => (scene) => losesAnswers(scene, how)),
    ),
    ...rows(
      (what) => `F6: an object ${what} has the name of a fork: it stays, and the experiment gets its fork when it goes`,
      mapped(FOREIGN, (foreign) => (scene) => meets(scene, foreign)),
    ),
    ...rows(
      (what) => `F26: each delete of a fork is denied with 409 ${what}: the experiment goes on when its time is raised`,
      mapped(PROTECTIONS, (protection) => (scene) => isProtected(scene, protection)),
    ),
    'F16: ten writes of a status are answered with 409: it tells of the last generation': () => inScene(conflicts),
    'F16: a status is written from an old generation, because the watch is late: it never lands over a newer one': () =>
      inScene(overtaken),
  })
})

/** The record with each value changed. */
function mapped<From, To>(record: Readonly<Record<string, From>>, map: (from: From) => To) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

const withKind = <T extends KubeObject>(object: T): KubeObject => ({
  ...object,
  apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
  kind: EXPERIMENT_DEPLOYMENT.kind,
})

/** The requests of the controller that could have changed the object `name`. */
const writesTo = (name: string, history: readonly AuditEvent[]): readonly AuditEvent[] =>
  history.filter(
    ({ objectRef, user, verb }) =>
      objectRef?.name === name && user.username.endsWith(':experiment-controller') && verb !== 'get',
  )

/** The reasons that the condition `Ready` ever had. */
const reasonsIn = (history: readonly AuditEvent[]): readonly unknown[] =>
  history
    .filter(({ objectRef }) => objectRef?.subresource === 'status')
    .flatMap(({ responseObject }) => listOr(at(responseObject, 'status', 'conditions')))
    .map((each) => at(each, 'reason'))
