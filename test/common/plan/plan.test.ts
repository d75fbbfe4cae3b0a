import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { unknown } from '../../../common/api/known.ts'
import { EXPERIMENT_ID, IS_EXPERIMENT } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { wholeForkHash } from '../../../common/fork/derive.ts'
import { objectOr } from '../../../common/json/json.ts'
import { validator } from '../../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, FORK, imageOverride, UID } from '../../builders.ts'
import { aReader } from '../../fakes/reader.ts'
import { aRequest, aService, linesOf, validatorDeps } from '../../webhook/reviews.ts'
import { plan } from '../of-facts.ts'
import { applied, type Given, leftAt, someFacts, theFork } from './some-facts.ts'

interface Case {
  readonly because: string
  readonly given: Given
  readonly reason: string
  readonly writes: readonly string[]
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
    writes: ['apply newFork'],
    says: 'deployment/cart-experiment-cd1aa1c99c: created',
  },
  'U3: creates a fork again that somebody deleted, and says so': {
    because: 'its author did not ask for a new one',
    given: { experiment: anExperiment({ status: leftAt(3) }) },
    reason: 'Updating',
    writes: ['apply newFork'],
    says: 'created again: it had been deleted',
  },
  'writes nothing for a fork that did not change': {
    because: 'a converged experiment needs no writes',
    given: { fork: theFork(), experiment: anExperiment({ status: leftAt(3) }) },
    reason: 'Available',
    writes: [],
  },
  'applies the fork again when its generation changed': {
    because: 'another client changed it',
    given: { fork: theFork(), experiment: anExperiment({ status: leftAt(2) }) },
    reason: 'Updating',
    writes: ['apply fork'],
    says: 'restored',
  },
  'applies the fork again when one of its labels is gone': {
    because: 'labels do not change the generation',
    given: {
      fork: { ...theFork(), metadata: { ...theFork().metadata, labels: { [EXPERIMENT_ID]: 'cd1aa1c99c' } } },
      experiment: anExperiment({ status: leftAt(3) }),
    },
    reason: 'Updating',
    writes: ['apply fork'],
    says: 'restored',
  },
  'applies the fork again when no status has its generation': {
    because: 'the process may have ended between apply and status',
    given: { fork: theFork() },
    reason: 'Updating',
    writes: ['apply fork'],
  },
  'R2: takes a fork back that has lost its owner': {
    because: 'garbage collection would not delete it',
    given: { fork: without('ownerReferences'), experiment: anExperiment({ status: leftAt(3) }) },
    reason: 'Updating',
    writes: ['apply fork'],
    says: 'restored: another client had modified it',
  },
  'R2: takes a fork back that has lost its managed fields': {
    because: 'no later apply could remove a field',
    given: { fork: without('managedFields'), experiment: anExperiment({ status: leftAt(3) }) },
    reason: 'Updating',
    writes: ['apply fork'],
    says: 'restored: another client had modified it',
  },
  'follows a source whose template changed': {
    because: 'the fork has the changes of its source',
    given: {
      fork: theFork(),
      experiment: anExperiment({ status: leftAt(3) }),
      source: aDeployment({ image: 'example/cart:2', metadata: { generation: 2 } }),
    },
    reason: 'Updating',
    writes: ['apply fork'],
    says: 'follows generation 2',
  },
  'ignores a source that was only scaled': {
    because: 'the experiment has its own number of replicas',
    given: {
      fork: theFork(),
      experiment: anExperiment({ status: leftAt(3) }),
      source: aDeployment({ spec: { replicas: 30 }, metadata: { generation: 9 } }),
    },
    reason: 'Available',
    writes: [],
  },
  'waits for a source that does not exist yet': {
    because: 'source and experiment may be created in any order',
    given: { source: undefined },
    reason: 'SourceNotFound',
    writes: [],
    says: 'no deployment/cart in shop yet; the override is checked again when it appears',
  },
  'keeps the fork when its source is deleted': {
    because: 'only the author ends an experiment',
    given: { source: undefined, fork: theFork() },
    reason: 'SourceNotFound',
    writes: [],
    says: 'stays as it is',
  },
  'treats a source that is being deleted as missing': {
    because: 'it will be gone soon',
    given: { source: aDeployment({ metadata: { deletionTimestamp: '2026-11-21T09:59:59Z' } }) },
    reason: 'SourceNotFound',
    writes: [],
  },
  'refuses a source that is a fork': {
    because: 'a fork of a fork would never converge',
    given: { source: aDeployment({ labels: { [IS_EXPERIMENT]: 'true' } }) },
    reason: 'SourceIsExperiment',
    writes: [],
  },
  'does not touch another object that has the name of the fork': {
    because: 'names prove nothing',
    given: { nameHolder: aDeployment({ name: FORK }) },
    reason: 'NameConflict',
    writes: [],
    says: `deployment/${FORK} already exists and is not managed by this experiment`,
  },
  'waits for the schema': {
    because: 'an override is checked before it is applied',
    given: { schema: undefined },
    reason: 'SchemaNotAvailable',
    writes: [],
  },
  'reports the errors of the schema': {
    because: 'the experiment may be older than the webhook',
    given: {
      schema: {
        ...ANY_SCHEMA,
        hash: 'strict',
        check: () => [{ field: 'spec.overrideSpec.x', message: 'unknown field', cause: 'FieldValueInvalid' }],
      },
    },
    reason: 'InvalidOverride',
    writes: [],
    says: 'spec.overrideSpec.x: unknown field',
  },
  'refuses an override of the replicas': {
    because: 'only spec.replicas sets them',
    given: { experiment: anExperiment({ overrideSpec: { replicas: 3 } }) },
    reason: 'InvalidOverride',
    writes: [],
    says: 'spec.overrideSpec.replicas: cannot be set here; use spec.replicas',
  },
  'refuses an override 5,000 levels deep': {
    because: 'merging recurses',
    given: { experiment: anExperiment({ overrideSpec: deep(5_000) }) },
    reason: 'InvalidOverride',
    writes: [],
    says: 'nested deeper than 64 levels',
  },
  'refuses a prototype as a key': {
    because: 'no valid spec has such a key',
    given: { experiment: anExperiment({ overrideSpec: JSON.parse('{"template": {"__proto__": {"x": 1}}}') }) },
    reason: 'InvalidOverride',
    writes: [],
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
    writes: [],
    says: 'spec.template.spec.containers[0].ports[1]',
  },
  'waits for a kind that it does not know': {
    because: 'the resource may come from a newer version',
    given: { kind: unknown('newer'), source: undefined },
    reason: 'KindNotAvailable',
    writes: [],
  },
}

/** The fork after somebody has emptied a list of its metadata. */
function without(list: 'ownerReferences' | 'managedFields'): KubeObject {
  const fork = theFork()
  return { ...fork, metadata: { ...fork.metadata, [list]: [] } }
}

describe('plan', () => {
  for (const [sentence, { because, given, reason, writes, says }] of Object.entries(cases))
    it(`${sentence}: ${because}`, () => {
      const planned = plan(someFacts(given))
      expect(planned.conclusion.reason).to.equal(reason)
      expect(planned.writes.map(({ verb, role }) => `${verb} ${role}`)).to.deep.equal(writes)
      if (says) expect(planned.conclusion.message).to.contain(says)
    })

  it('M8: names the field of the override, or the source, when the pods of the fork are refused', () => {
    const message = 'Pod "x" is invalid: spec.containers[0].image: Invalid value'
    const says = (experiment: ExperimentDeployment) => {
      const made = theFork({ experiment })
      const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }]
      const fork = { ...made, status: { ...objectOr(made.status), conditions } }
      return plan(someFacts({ experiment: { ...experiment, status: leftAt(3) }, fork })).conclusion.message
    }
    expect(says(anExperiment())).to.contain('spec.template.spec.containers[0].image (from the source): Invalid')
    expect(says(anExperiment({ overrideSpec: imageOverride('a:1') }))).to.contain(
      'spec.overrideSpec.template.spec.containers[0].image: Invalid',
    )
  })

  it('writes the uid of a fork that exists, so that it is never re-created', () => {
    const fresh = applied()
    expect([fresh?.role, fresh?.object.metadata.uid]).to.deep.equal(['newFork', undefined])
    const again = applied({ fork: theFork() })
    expect([again?.role, again?.object.metadata.uid]).to.deep.equal(['fork', 'uid-of-fork'])
  })

  it('gives equal facts equal hashes, and another override another hash', () => {
    const hash = (given: Given) => wholeForkHash(applied(given)?.object ?? aDeployment())
    expect(hash({})).to.be.a('string')
    expect(hash({ experiment: anExperiment() })).to.equal(hash({}))
    expect(hash({ experiment: anExperiment({ overrideSpec: imageOverride('example/cart:2') }) })).not.to.equal(hash({}))
  })

  it('gives an experiment that was created again another fork', () => {
    const other = applied({ experiment: anExperiment({ metadata: { uid: `${UID}0` } }) })
    expect(other?.object.metadata.name).not.to.equal(FORK)
  })
})

const SCRIPT = `const { planCalls } = await import('./test/bench/plan-calls.ts'); console.log(JSON.stringify(await planCalls()))`

/** How often one plan calls each function that says what the facts mean, counted in a process of its own. */
function planCalls(): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const { NODE_V8_COVERAGE: _, ...env } = process.env // the count would end the count of the coverage
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { env, encoding: 'utf8' }))
}

describe('a plan', () => {
  it('hashes its run once, and derives its state for the stored revision and for the wanted one', () => {
    const counts = Object.entries(planCalls())
    expect(counts.map(([name]) => name)).to.deep.equal(['paused canary', 'blue-green in its preview'])
    for (const [name, calls] of counts) {
      expect(calls.runHash, `${name}: runHash`).to.equal(1)
      expect(calls.runState, `${name}: runState`).to.be.within(1, 2)
    }
  })
})

const SOURCE: KubeObject = aDeployment({
  podLabels: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`label-${index}`, 'v'])),
})
const MESSAGE =
  'deployment/cart cannot be forked: spec.template.metadata.labels: 60001 labels, more than 512; ' +
  'remove those that nobody needs'

describe('a source that is beyond the bounds', () => {
  it('N29: keeps its fork as it is, and the status says why', () => {
    const experiment = anExperiment({ status: leftAt(3), overrideSpec: { minReadySeconds: 5 } })
    const traffic = { services: [{ name: 'cart', selector: { app: 'cart' } }], slices: [] }
    const { writes, conclusion } = plan(someFacts({ experiment, source: SOURCE, fork: theFork(), traffic }))
    expect(writes.filter(({ role }) => role === 'fork')).to.deep.equal([])
    expect([conclusion.reason, conclusion.message]).to.deep.equal([
      'SourceNotForkable',
      `spec.sourceRef.name: ${MESSAGE}`,
    ])
    expect(conclusion.fork?.metadata.uid).to.equal('uid-of-fork')
  })

  it('N29: is refused at apply', async () => {
    const decide = validator(validatorDeps(aReader([SOURCE, aService()]).kube, ANY_SCHEMA))
    expect(linesOf(await decide(aRequest()))).to.deep.equal([`spec.sourceRef.name: ${MESSAGE}`])
  })
})
