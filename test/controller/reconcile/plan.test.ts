import { expect } from 'chai'
import { DERIVED_HASH, EXPERIMENT_ID, IS_EXPERIMENT } from '../../../common/api/names.ts'
import type { Observed } from '../../../controller/reconcile/observe.ts'
import { plan } from '../../../controller/reconcile/plan.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, FORK, imageOverride, UID } from '../../builders.ts'
import { anObserved, applied, leftAt, theFork } from './observed.ts'

interface Case {
  readonly because: string
  readonly given: Partial<Observed>
  readonly reason: string
  readonly actions: readonly string[]
  readonly says?: string
}

const deep = (levels: number): Record<string, never> => {
  let value = {}
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}

const cases: Record<string, Case> = {
  'applies the fork of a fresh experiment': {
    because: 'this is what the product is for',
    given: {},
    reason: 'Updating',
    actions: ['apply'],
  },
  'leaves a fork alone that is as it was left': {
    because: 'converged means no writes',
    given: { fork: theFork(), experiment: anExperiment({ status: leftAt(3) }) },
    reason: 'Available',
    actions: [],
  },
  'applies again where the fork’s generation moved on': {
    because: 'somebody changed it',
    given: { fork: theFork(), experiment: anExperiment({ status: leftAt(2) }) },
    reason: 'Updating',
    actions: ['apply'],
    says: 'restored',
  },
  'applies again where a label of ours is gone': {
    because: 'labels do not move the generation',
    given: {
      fork: { ...theFork(), metadata: { ...theFork().metadata, labels: { [EXPERIMENT_ID]: 'cd1aa1c99c' } } },
      experiment: anExperiment({ status: leftAt(3) }),
    },
    reason: 'Updating',
    actions: ['apply'],
    says: 'restored',
  },
  'applies again where the status does not say how the fork was left': {
    because: 'the process may have died between apply and status',
    given: { fork: theFork() },
    reason: 'Updating',
    actions: ['apply'],
  },
  'follows a source whose template changed': {
    because: 'the fork is in step with its source',
    given: {
      fork: theFork(),
      experiment: anExperiment({ status: leftAt(3) }),
      source: aDeployment({ image: 'example/cart:2', metadata: { generation: 2 } }),
    },
    reason: 'Updating',
    actions: ['apply'],
    says: 'follows generation 2',
  },
  'ignores a source that was only scaled': {
    because: 'replicas are the experiment’s own',
    given: {
      fork: theFork(),
      experiment: anExperiment({ status: leftAt(3) }),
      source: aDeployment({ spec: { replicas: 30 }, metadata: { generation: 9 } }),
    },
    reason: 'Available',
    actions: [],
  },
  'waits for a source that is not there yet': {
    because: 'the order of applies must not matter',
    given: { source: undefined },
    reason: 'SourceNotFound',
    actions: [],
    says: 'no deployment/cart in shop yet',
  },
  'keeps the fork of a source that went': {
    because: 'nobody asked for its removal',
    given: { source: undefined, fork: theFork() },
    reason: 'SourceNotFound',
    actions: [],
    says: 'stays as it is',
  },
  'takes a source that is being deleted for gone': {
    because: 'it will be in a moment',
    given: { source: aDeployment({ metadata: { deletionTimestamp: '2026-11-21T09:59:59Z' } }) },
    reason: 'SourceNotFound',
    actions: [],
  },
  'refuses a source that is an experiment': {
    because: 'a copy of a copy drifts without end',
    given: { source: aDeployment({ labels: { [IS_EXPERIMENT]: 'true' } }) },
    reason: 'SourceIsExperiment',
    actions: [],
  },
  'leaves a foreign object of the fork’s name alone': {
    because: 'names prove nothing',
    given: { occupant: aDeployment({ name: FORK }) },
    reason: 'NameConflict',
    actions: [],
    says: `deployment/${FORK} is there`,
  },
  'waits for the schema': {
    because: 'an override is checked before it is applied',
    given: { schema: undefined },
    reason: 'SchemaNotAvailable',
    actions: [],
  },
  'tells what the schema finds': {
    because: 'the webhook may have been off',
    given: {
      schema: {
        ...ANY_SCHEMA,
        hash: 'strict',
        check: () => [{ field: 'spec.overrideSpec.x', message: 'unknown field', cause: 'FieldValueInvalid' }],
      },
    },
    reason: 'InvalidOverride',
    actions: [],
    says: 'spec.overrideSpec.x: unknown field',
  },
  'refuses an override of the replicas': {
    because: 'they have one home',
    given: { experiment: anExperiment({ overrideSpec: { replicas: 3 } }) },
    reason: 'InvalidOverride',
    actions: [],
    says: 'spec.overrideSpec.replicas: not here; set spec.replicas',
  },
  'refuses an override 5,000 levels deep': {
    because: 'merging recurses',
    given: { experiment: anExperiment({ overrideSpec: deep(5_000) }) },
    reason: 'InvalidOverride',
    actions: [],
    says: 'nested deeper than 64 levels',
  },
  'refuses a prototype as a key': {
    because: 'it is never data',
    given: { experiment: anExperiment({ overrideSpec: JSON.parse('{"template": {"__proto__": {"x": 1}}}') }) },
    reason: 'InvalidOverride',
    actions: [],
    says: 'spec.overrideSpec.template.__proto__',
  },
  'names the port that a source holds twice': {
    because: 'server-side apply refuses it',
    given: {
      source: aDeployment({
        container: {
          ports: [
            { containerPort: 80, name: 'a' },
            { containerPort: 80, name: 'b' },
          ],
        },
      }),
    },
    reason: 'SourceNotForkable',
    actions: [],
    says: 'spec.template.spec.containers[0].ports[1]',
  },
  'waits for a kind it does not know': {
    because: 'the resource may come from a newer version',
    given: { kind: undefined, source: undefined },
    reason: 'KindNotAvailable',
    actions: [],
  },
}

describe('plan', () => {
  for (const [sentence, { because, given, reason, actions, says }] of Object.entries(cases))
    it(`${sentence}: ${because}`, () => {
      const planned = plan(anObserved(given))
      expect(planned.outcome.reason).to.equal(reason)
      expect(planned.actions.map((action) => action.do)).to.deep.equal(actions)
      if (says) expect(planned.outcome.message).to.contain(says)
    })

  it('writes the uid of a fork that exists, so that it is never re-created', () => {
    const fresh = applied()
    expect([fresh?.exists, fresh?.fork.metadata.uid]).to.deep.equal([false, undefined])
    const again = applied({ fork: theFork() })
    expect([again?.exists, again?.fork.metadata.uid]).to.deep.equal([true, 'uid-of-fork'])
  })

  it('gives equal worlds equal hashes, and other overrides others', () => {
    const hash = (given: Partial<Observed>) => applied(given)?.fork.metadata.annotations?.[DERIVED_HASH]
    expect(hash({})).to.be.a('string')
    expect(hash({ experiment: anExperiment() })).to.equal(hash({}))
    expect(hash({ experiment: anExperiment({ overrideSpec: imageOverride('example/cart:2') }) })).not.to.equal(hash({}))
  })

  it('gives a re-created resource another fork', () => {
    const other = applied({ experiment: anExperiment({ metadata: { uid: `${UID}0` } }) })
    expect(other?.fork.metadata.name).not.to.equal(FORK)
  })
})
