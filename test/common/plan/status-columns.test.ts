import { expect } from 'chai'
import { known } from '../../../common/api/known.ts'
import { at, type JsonObject, objectOr } from '../../../common/json/json.ts'
import { anExperiment, imageOverride } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'

const statusWith = (given: Given) => {
  const facts = someFacts(given)
  return statusOf(facts, plan(facts).conclusion)
}
/** A ready fork of this override. */
const forked = (overrideSpec: JsonObject, replicas = 1): Given => ({
  fork: theFork({ experiment: anExperiment({ overrideSpec, replicas }) }),
  experiment: anExperiment({ overrideSpec, replicas, status: leftAt(3) }),
})

describe('the columns of kubectl get', () => {
  it('U2: count the pods of the fork', () => {
    const { fork, experiment } = forked({}, 3)
    if (!fork || !experiment) throw new Error('there are both')
    const status = { ...(fork.status as JsonObject), readyReplicas: 2 }
    expect(statusWith({ experiment, fork: { ...fork, status } }).pods).to.equal('2/3')
    expect(statusWith(forked({}, 0)).pods).to.equal('0/0')
  })

  it('U2: have no pods and no changes before the fork exists', () =>
    expect(statusWith({ source: undefined })).to.not.have.any.keys('pods', 'changes'))

  const env = [{ name: 'LEVEL', value: 'secret' }]
  const cases: Readonly<Record<string, readonly [JsonObject, string]>> = {
    'name the field that the override changes': [imageOverride('example/cart:2'), 'containers[cart].image'],
    'say that the override changes nothing': [{}, 'none'],
    'name two fields': [
      { minReadySeconds: 3, ...imageOverride('example/cart:2') },
      'containers[cart].image, minReadySeconds',
    ],
    'count what is too long to name': [
      { template: { metadata: { annotations: Object.fromEntries([...'abc'].map((key) => [`x.io/${key}`, 'v'])) } } },
      '3 fields',
    ],
    'show no value': [
      { template: { spec: { containers: [{ name: 'cart', image: 'example/cart:1', env }] } } },
      'containers[cart].env[LEVEL]',
    ],
  }
  for (const [sentence, [overrideSpec, expected]] of Object.entries(cases))
    it(`U2: ${sentence}`, () => expect(statusWith(forked(overrideSpec)).changes).to.equal(expected))

  it('U2: keep the changes of a fork that is not derived now', () => {
    const { experiment, fork } = forked(imageOverride('example/cart:2'))
    const status = { ...experiment?.status, changes: 'containers[cart].image' }
    const held = anExperiment({ overrideSpec: imageOverride('example/cart:2'), status })
    expect(statusWith({ experiment: held, fork, source: undefined }).changes).to.equal('containers[cart].image')
  })
})

describe('what others wrote', () => {
  const HOSTILE = 'x\u001b[2J\u009b1A\u202e\ny'
  /** A name for each text in `value` with characters that a terminal does not show. */
  const invisibleIn = (value: unknown, path = ''): readonly string[] =>
    typeof value === 'string'
      ? /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)
        ? [path]
        : []
      : Object.entries(value ?? {}).flatMap(([key, inner]) => invisibleIn(inner, `${path}.${key}`))

  it('N37b: has no control characters in the status: an Event, a condition, an image, a Service', () => {
    const { fork: made, experiment } = forked({})
    if (!made || !experiment) throw new Error('there are both')
    const containers = [
      { name: 'cart', image: 'example/cart:1' },
      { name: 'injected', image: HOSTILE },
    ]
    const template = { ...objectOr(at(made, 'spec', 'template')), spec: { containers } }
    const fork = { ...made, spec: { ...objectOr(made.spec), template } }
    const failed = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: HOSTILE }
    const progress = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: HOSTILE }
    const traffic = { services: [{ name: 'cart', selector: { app: 'cart', [HOSTILE]: HOSTILE } }], slices: [] }
    for (const conditions of [[], [failed], [progress]]) {
      const status = { ...(made.status as JsonObject), readyReplicas: 0, availableReplicas: 0, conditions }
      const facts = {
        ...someFacts({ experiment, fork: { ...fork, status }, traffic }),
        podRefusal: known(HOSTILE),
      }
      const found = statusOf(facts, plan(facts).conclusion)
      expect(found.image).to.equal('example/cart:1,x\\u001b[2J\\u009b1A\\u202e\\u000ay')
      expect(invisibleIn(found)).to.deep.equal([])
    }
  })
})
