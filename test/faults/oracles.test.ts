import { expect } from 'chai'
import { OWNER_UID } from '../../common/api/names.ts'
import { experimentId, roleUid } from '../../common/workload/identity.ts'
import type { AuditEvent } from '../../sandbox/audit.ts'
import { creations, violations } from './oracles.ts'

const CONTROLLER = 'system:serviceaccount:experiment-controller-system:experiment-controller'
const FORK = `cart-experiment-${experimentId('u1')}`
const TWIN = `cart-experiment-${experimentId(roleUid('u1', 'control'))}`
const OTHER = `shop-experiment-${experimentId('u1')}`

let count = 0

/** A request of the controller that was answered with `code`. */
function sent(verb: string, name: string, code: number, more: object = {}): AuditEvent {
  count += 1
  const stageTimestamp = new Date(count * 1_000).toISOString()
  return {
    auditID: `${count}`,
    stage: 'ResponseComplete',
    verb,
    requestURI: '/',
    user: { username: CONTROLLER },
    objectRef: { resource: 'deployments', namespace: 'shop', name },
    responseStatus: { code },
    requestReceivedTimestamp: stageTimestamp,
    stageTimestamp,
    ...more,
  }
}

const aFork = (uid: string) => ({
  responseObject: { metadata: { ownerReferences: [{ kind: 'ExperimentDeployment', uid }] } },
})
/** One that has no owner reference, because its experiment is in another namespace. */
const labelled = (uid: string) => ({ responseObject: { metadata: { labels: { [OWNER_UID]: uid } } } })
const revision = (name: string, of: object) =>
  sent('create', name, 201, { objectRef: { resource: 'controllerrevisions', namespace: 'shop', name }, ...of })
const byUid = { requestObject: { preconditions: { uid: 'f1' } } }
const status = (observedGeneration: number, generation: number, resourceVersion: string, ready = 'False') =>
  sent('patch', 'canary', 200, {
    objectRef: { resource: 'experimentdeployments', subresource: 'status', namespace: 'shop', name: 'canary' },
    responseObject: {
      metadata: { name: 'canary', uid: 'u1', generation, resourceVersion },
      status: { observedGeneration, conditions: [{ type: 'Ready', status: ready }] },
    },
  })

const RECORD = `${FORK}-promotion`
const CHANGED = {
  forward: { replicas: 2, labels: { tier: 'b' }, items: ['a'] },
  inverse: { replicas: 1, labels: null, items: ['b'] },
}
const recorded = (data: object = { forward: { replicas: 2 }, inverse: { replicas: 1 } }) =>
  sent('create', RECORD, 201, {
    objectRef: { resource: 'controllerrevisions', namespace: 'shop', name: RECORD },
    requestObject: { metadata: { name: RECORD }, data },
  })
const written = (spec: object, generation: number, more: object = {}) =>
  sent('patch', 'cart', 200, {
    requestURI: '/apis/apps/v1/namespaces/shop/deployments/cart?fieldManager=experiment-controller-promotion',
    requestObject: { metadata: { uid: 's1', resourceVersion: '7' }, spec },
    responseObject: { metadata: { generation } },
    ...more,
  })

/** The status of an experiment that asks for a smaller source, and a write of that. */
const LABEL = '/metadata/labels/experiment-controller.example.com~1scaled'
const scaling = (scaleDownSource: boolean) =>
  sent('patch', 'canary', 200, {
    objectRef: { resource: 'experimentdeployments', subresource: 'status', namespace: 'shop', name: 'canary' },
    responseObject: {
      metadata: { name: 'canary', uid: 'u1', generation: 1, resourceVersion: '10' },
      spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, strategy: { canary: { scaleDownSource } } },
      status: { observedGeneration: 1, strategy: { scaled: { uid: 's1', size: 5, written: 4 } } },
    },
  })
const smaller = (more: object = {}) =>
  sent('patch', 'cart', 200, {
    requestURI: '/apis/apps/v1/namespaces/shop/deployments/cart?fieldManager=experiment-controller-scale',
    requestObject: [
      { op: 'test', path: '/metadata/uid', value: 's1' },
      { op: 'test', path: '/spec/replicas', value: 5 },
      { op: 'test', path: '/metadata/resourceVersion', value: '7' },
      { op: 'replace', path: '/spec/replicas', value: 4 },
      { op: 'add', path: LABEL, value: 'u1.5.4' },
    ],
    ...more,
  })

const cases: Readonly<Record<string, readonly [events: () => readonly AuditEvent[], finding: string | undefined]>> = {
  'a fork that is created, deleted and created again': [
    () => [sent('patch', FORK, 201), sent('delete', FORK, 200, byUid), sent('patch', OTHER, 201)],
    undefined,
  ],
  'a second fork beside the first': [() => [sent('patch', FORK, 201), sent('patch', OTHER, 201)], 'forks of one'],
  'a second fork that was refused': [() => [sent('patch', FORK, 201), sent('patch', OTHER, 403)], undefined],
  'a fork of its experiment': [() => [sent('patch', FORK, 200, aFork('u1'))], undefined],
  'a fork that gets another owner': [() => [sent('patch', FORK, 200, aFork('u2'))], 'for another experiment'],
  'a fork whose label names its experiment': [() => [sent('patch', FORK, 200, labelled('u1'))], undefined],
  'a fork whose label names another one': [() => [sent('patch', FORK, 200, labelled('u2'))], 'for another experiment'],
  'a twin of its experiment': [() => [sent('patch', TWIN, 201, aFork('u1'))], undefined],
  'a twin of another one': [() => [sent('patch', TWIN, 201, labelled('u2'))], 'for another experiment'],
  'a pinned base and a record of their experiment': [
    () => [revision(FORK, aFork('u1')), revision(RECORD, labelled('u1'))],
    undefined,
  ],
  'a pinned base of another one': [() => [revision(FORK, aFork('u2'))], 'for another experiment'],
  'a pinned base whose label names another one': [() => [revision(FORK, labelled('u2'))], 'for another experiment'],
  'a record whose label names another one': [() => [revision(RECORD, labelled('u2'))], 'for another experiment'],
  'a deletion without uid': [() => [sent('delete', FORK, 200)], 'without uid'],
  'a deletion without uid by somebody else': [
    () => [sent('delete', FORK, 200, { user: { username: 'admin' } })],
    undefined,
  ],
  'a status that follows the generation': [() => [status(1, 1, '9'), status(2, 2, '10', 'True')], undefined],
  'a status that goes back': [() => [status(2, 2, '10'), status(1, 2, '11')], 'observed generation 2, then 1'],
  'statuses whose answers overtook each other': [() => [status(2, 2, '10'), status(1, 1, '9')], undefined],
  'a promotion, its undo, and another promotion': [
    () => [recorded(), written({ replicas: 2 }, 2), written({ replicas: 1 }, 3), written({ replicas: 2 }, 4)],
    undefined,
  ],
  'a promotion that is written twice': [
    () => [recorded(), written({ replicas: 2 }, 2), written({ replicas: 2 }, 2)],
    'was written already',
  ],
  'a promotion that was written once, after a conflict': [
    () => [recorded(), written({ replicas: 2 }, 0, { responseStatus: { code: 409 } }), written({ replicas: 2 }, 2)],
    undefined,
  ],
  'a promotion without a record': [() => [written({ replicas: 2 }, 2)], 'what no record says'],
  'a promotion that differs from its record': [() => [recorded(), written({ replicas: 3 }, 2)], 'what no record says'],
  'an undo of what others left': [
    () => [recorded(CHANGED), written(CHANGED.forward, 2), written({ labels: { tier: null }, items: ['b', 'c'] }, 3)],
    undefined,
  ],
  'an undo that differs from its record': [
    () => [recorded(CHANGED), written(CHANGED.forward, 2), written({ labels: { tier: null, team: null } }, 3)],
    'what no record says',
  ],
  'a promotion of a part of its record': [
    () => [recorded(CHANGED), written({ replicas: 2 }, 2)],
    'what no record says',
  ],
  'a promotion of what was not read': [
    () => [recorded(), written({ replicas: 2 }, 2, { requestObject: { spec: { replicas: 2 } } })],
    'has not read',
  ],
  'a source that is written under another name': [
    () => [recorded(), written({ replicas: 2 }, 2, { requestURI: '/?fieldManager=experiment-controller' })],
    'is no promotion',
  ],
  'a source that gets smaller for a canary that asked for it': [() => [scaling(true), smaller()], undefined],
  'a source that gets smaller for a canary that did not': [() => [scaling(false), smaller()], 'did not ask for that'],
  'a source that gets smaller under another name': [
    () => [scaling(true), smaller({ requestURI: '/?fieldManager=experiment-controller' })],
    'is no promotion',
  ],
  'a source that is deleted': [() => [sent('delete', 'cart', 200, byUid)], 'is no promotion'],
  'an old generation that is called ready': [() => [status(1, 2, '10', 'True')], 'ready with an old generation'],
}

describe('violations', () => {
  for (const [what, [events, finding]] of Object.entries(cases))
    it(`${finding ? 'finds' : 'allows'} ${what}`, () => {
      const found = violations(events())
      if (finding) expect(found.join()).to.contain(finding)
      else expect(found).to.deep.equal([])
    })
})

it('creations are the applies that were answered with 201', () => {
  const events = [sent('patch', FORK, 201), sent('patch', FORK, 200), sent('patch', 'cart', 201)]
  expect(creations(events)).to.deep.equal(events.slice(0, 1))
})
