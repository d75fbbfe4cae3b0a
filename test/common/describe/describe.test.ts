import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import {
  ANY_SCHEMA,
  aDeployment,
  anExperiment,
  aPolicy,
  FORK,
  imageOverride,
  NO_POLICIES,
  pinnedTo,
} from '../../builders.ts'
import { type Given, leftAt, someFacts, theFork } from '../plan/some-facts.ts'
import { aRun, aRunExperiment, aSource, START } from '../plan/some-run.ts'
import { described, describedFacts, withUnknownFork } from './described.ts'

const NO_TRAFFIC = '[Plan] no Service selects these pods: they will receive no traffic'
const HAZARD = '[QueueWorker] no Service selects the source: if it reads from a queue, the fork does too'
const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`
const CORRECTED = 'until this is corrected'

/** The lines without the hazard of a source that no Service selects. */
const lines = (given: Given): readonly string[] => described(given).filter((line) => line !== HAZARD)

const left = (of: Parameters<typeof anExperiment>[0] = {}) => ({
  fork: theFork({ experiment: anExperiment(of) }),
  experiment: anExperiment({ ...of, status: leftAt(3) }),
})
const { revision: REVISION } = pinnedTo()
const TILL = { kind: 'Deployment', name: 'cart', namespace: 'till' }
const PINNED = anExperiment({ onSourceChange: 'Pin' })

describe('the description of a plan', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'says that one pod is created': [{}, CREATES, NO_TRAFFIC],
    'says that several pods are created': [
      { experiment: anExperiment({ replicas: 2 }) },
      `[Plan] creates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
      NO_TRAFFIC,
    ],
    'says that no pods are created': [
      { experiment: anExperiment({ replicas: 0 }) },
      `[Plan] creates deployment/${FORK} in shop: 0 pods, from deployment/cart`,
      '[Plan] no pods, so no requests; scale it to give it some',
    ],
    'says that the fork is updated': [
      { ...left(), experiment: anExperiment({ replicas: 2, status: leftAt(3) }) },
      `[Plan] updates deployment/${FORK} in shop: 2 pods, from deployment/cart`,
      NO_TRAFFIC,
    ],
    'says that nothing changes': [left(), `[Plan] changes nothing in deployment/${FORK} in shop: 1 pod`, NO_TRAFFIC],
    'says that a repair waits': [
      { ...left(), experiment: anExperiment({ status: leftAt(2) }), driftBackoffMs: 5_000 },
      `[Plan] changes nothing in deployment/${FORK} in shop: 1 pod`,
      NO_TRAFFIC,
    ],
    'says that the base is kept before the fork is created': [
      { experiment: PINNED },
      `[Plan] creates controllerrevision/${FORK} in shop: the base that the fork keeps`,
      CREATES,
      NO_TRAFFIC,
    ],
    'says that the base is given up': [
      { ...left(), revision: REVISION },
      `[Plan] deletes controllerrevision/${FORK} in shop`,
      `[Plan] changes nothing in deployment/${FORK} in shop: 1 pod`,
      NO_TRAFFIC,
    ],
    'says that the experiment gets a finalizer where its fork is in another namespace': [
      { experiment: anExperiment({ sourceRef: TILL }) },
      '[Plan] adds a finalizer to expd/faster-cart',
      `[Plan] creates deployment/${FORK} in till: 1 pod, from deployment/cart`,
      NO_TRAFFIC,
    ],
    'says why nothing is created yet': [
      { source: undefined },
      '[SourceNotFound] no deployment/cart in shop yet; the override is checked again when it appears',
    ],
    'says why nothing is created without a schema': [
      { schema: undefined },
      '[SchemaNotAvailable] override not checked yet: no schema of Deployment was fetched',
    ],
    'says why a fork stays as it is': [
      { ...left(), source: undefined },
      '[SourceNotFound] no deployment/cart in shop; the fork stays as it is',
    ],
    'says that nothing is created while there is a mistake, which is reported elsewhere': [
      { experiment: anExperiment({ overrideSpec: { replicas: 3 } }) },
      `[Plan] creates nothing ${CORRECTED}`,
    ],
    'says that nothing changes while there is a mistake': [
      { ...left(), experiment: anExperiment({ overrideSpec: { replicas: 3 }, status: leftAt(3) }) },
      `[Plan] changes nothing ${CORRECTED}`,
    ],
    'says that a fork with a mistake does not grow': [
      { ...left(), experiment: anExperiment({ replicas: 5, overrideSpec: { replicas: 3 }, status: leftAt(3) }) },
      `[Plan] changes nothing ${CORRECTED}; the fork keeps 1 pod`,
    ],
    'says that nothing is created while the merged spec has a mistake': [
      {
        schema: {
          ...ANY_SCHEMA,
          checkWhole: (spec) =>
            Object.hasOwn(spec, 'minReadySeconds')
              ? [{ path: ['minReadySeconds'], field: 'spec.x', message: 'odd', cause: 'FieldValueInvalid' }]
              : [],
        },
        experiment: anExperiment({ overrideSpec: { minReadySeconds: 3 } }),
      },
      `[Plan] creates nothing ${CORRECTED}`,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(lines(given)).to.deep.equal(expected))

  it('names no object in a dry run of a create, because the real create gets another uid', () => {
    const found = described({ experiment: PINNED }, { isDryRunOfCreate: true })
    expect(found.slice(-3, -1)).to.deep.equal([
      '[Plan] creates controllerrevision/cart-experiment-<id> in shop: the base that the fork keeps',
      '[Plan] creates deployment/cart-experiment-<id> in shop: 1 pod, from deployment/cart',
    ])
  })

  it('says that the writes are unknown where the fork could not be read, and what it would receive', () => {
    expect(describedFacts(withUnknownFork(someFacts())).slice(-2)).to.deep.equal([
      '[Plan] the fork could not be read now (unreachable), so what is written is unknown',
      NO_TRAFFIC,
    ])
    const expired = anExperiment({ ttlSeconds: 60, metadata: { creationTimestamp: '2026-11-21T08:00:00Z' } })
    expect(describedFacts(withUnknownFork(someFacts({ experiment: expired })))).to.deep.equal([
      '[Plan] the fork could not be read now (unreachable), so what is written is unknown',
      '[Plan] expired 1m after creation (2026-11-21T08:01Z); raise spec.ttlSeconds to run it again',
    ])
  })

  it('has warnings about the source and the override first, and the plan last', () => {
    const source = aDeployment({ container: { args: ['--leader-elect'], ports: [{ containerPort: 80 }] } })
    const found = described({ source, experiment: anExperiment({ overrideSpec: imageOverride('example/cart:2') }) })
    expect(found.map((line) => line.split(' ', 1)[0])).to.deep.equal([
      '[ListReplaced]',
      '[QueueWorker]',
      ...Array(found.length - 2).fill('[Plan]'),
    ])
  })
})

describe('the description of a plan under policies', () => {
  const under = (spec: Parameters<typeof aPolicy>[0], of: Given = {}): Given => ({
    ...of,
    policies: { ...NO_POLICIES, policies: [aPolicy(spec)] },
  })
  const three = left({ replicas: 3 })
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'says that nothing is created': [
      under({ maxReplicas: 1 }, { experiment: anExperiment({ replicas: 2 }) }),
      '[Plan] creates nothing until policies allow it',
    ],
    'says that nothing changes': [
      under({ maxReplicas: 1 }, { ...three, experiment: anExperiment({ replicas: 5, status: leftAt(3) }) }),
      '[Plan] changes nothing until policies allow it; the fork keeps 3 pods',
    ],
    'says that the fork gets fewer pods, and nothing else changes': [
      under(
        { deniedOverridePaths: ['template'] },
        {
          ...three,
          experiment: anExperiment({ overrideSpec: imageOverride('a:2'), replicas: 2, status: leftAt(3) }),
        },
      ),
      `[Plan] scales deployment/${FORK} down to 2 pods`,
      '[Plan] changes nothing else until policies allow it',
    ],
    'U3: says in plain English that the fork gets one pod': [
      under(
        { deniedOverridePaths: ['template'] },
        { ...three, experiment: anExperiment({ overrideSpec: imageOverride('a:2'), replicas: 1, status: leftAt(3) }) },
      ),
      `[Plan] scales deployment/${FORK} down to 1 pod`,
      '[Plan] changes nothing else until policies allow it',
    ],
    'says that nothing is created while the policies are unknown': [
      { policies: undefined },
      '[Plan] creates nothing until the policies can be read',
    ],
    'says that the fork is created where policies only warn': [
      under({ maxReplicas: 0, validationActions: ['Warn'] }),
      CREATES,
      NO_TRAFFIC,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(lines(given)).to.deep.equal(expected))

  it('says that nothing is created where the share is too large', () => {
    const traffic = { services: [{ name: 'cart', selector: { app: 'cart' } }], slices: [] }
    expect(lines(under({ maxShare: '10%' }, { traffic }))).to.deep.equal([
      '[Plan] creates nothing until policies allow it',
    ])
  })
})

describe('the description of the changes', () => {
  const annotated = (count: number): JsonObject => ({
    template: {
      metadata: { annotations: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 'x'])) },
    },
  })
  const changesOf = (overrideSpec: JsonObject) =>
    described({ experiment: anExperiment({ overrideSpec }) }).filter((line) => /: (set|added)|->|more/.test(line))

  it('names five changes, and then how many more there are', () => {
    expect(changesOf(annotated(5))).to.have.length(5)
    expect(changesOf(annotated(5)).at(-1)).to.equal('[Plan] template.metadata.annotations.a4: set')
    expect(changesOf(annotated(7))).to.have.length(6)
    expect(changesOf(annotated(7)).at(-1)).to.equal('[Plan] and 2 more changes')
  })

  it('U3: says in plain English that there is one more change', () =>
    expect(changesOf(annotated(6)).at(-1)).to.equal('[Plan] and 1 more change'))

  it('shows images first', () => {
    const containers = [{ name: 'cart', image: 'example/cart:2', args: ['x'] }]
    expect(changesOf({ template: { spec: { containers } } })).to.deep.equal([
      '[Plan] containers[cart].image: example/cart:1 -> example/cart:2',
      '[Plan] containers[cart].args[0]: added',
    ])
  })

  it('names a container that is added', () => {
    const containers = [
      { name: 'cart', image: 'example/cart:1' },
      { name: 'new', image: 'n:1' },
    ]
    expect(changesOf({ template: { spec: { containers } } })).to.deep.equal(['[Plan] containers[new]: none -> n:1'])
  })

  it('is left out where nothing is written', () => {
    const experiment = { overrideSpec: imageOverride('example/cart:2') }
    const fork = theFork({ experiment: anExperiment(experiment) })
    const lines = described({ fork, experiment: anExperiment({ ...experiment, status: leftAt(3) }) })
    expect(lines.join()).to.contain('changes nothing in').and.not.contain('->')
  })
})

describe('the description of the end', () => {
  const created = (creationTimestamp: string, ttlSeconds: number) =>
    anExperiment({ ttlSeconds, metadata: { creationTimestamp } })
  const endOf = (experiment: Given['experiment'], now: string, of: Given = {}) =>
    described({ ...of, ...(experiment ? { experiment } : {}), now: new Date(now) }).filter((line) =>
      /removed|expired|deletes/.test(line),
    )
  const NOON = '2026-11-21T12:00:00Z'

  it('does not exist without ttlSeconds', () => expect(endOf(anExperiment(), NOON)).to.deep.equal([]))

  it('is ttlSeconds after the creation', () =>
    expect(endOf(created('2026-11-21T11:00:00Z', 5_400), NOON)).to.deep.equal([
      '[Plan] removed 2026-11-21T12:30Z (in 30m)',
    ]))

  it('is as far away as the author asked for, although a create takes a moment', () =>
    expect(endOf(created(NOON, 7_200), '2026-11-21T12:00:00.900Z')).to.deep.equal([
      '[Plan] removed 2026-11-21T14:00Z (in 2h)',
    ]))

  it('is past at the very second, and not one before', () => {
    const expired = '[Plan] expired 1h after creation (2026-11-21T12:00Z); raise spec.ttlSeconds to run it again'
    expect(endOf(created('2026-11-21T11:00:00Z', 3_600), NOON)).to.deep.equal([expired])
    expect(endOf(created('2026-11-21T11:00:00Z', 3_601), NOON)[0]).to.match(/^\[Plan\] removed 2026-11-21T12:00Z/)
  })

  it('deletes the fork', () => {
    const experiment = created('2026-11-21T11:00:00Z', 60)
    expect(described({ experiment, fork: theFork(), now: new Date(NOON) })).to.deep.equal([
      `[Plan] scales deployment/${FORK} down to 0 pods`,
      '[Plan] expired 1m after creation (2026-11-21T11:01Z); raise spec.ttlSeconds to run it again',
    ])
  })

  it('comes after the end of a promotion that has written the source', () => {
    const metadata = { creationTimestamp: START.toISOString() }
    const run = aRun(aRunExperiment({ metadata, ttlSeconds: 10, strategy: undefined, promotion: {} }))
    run.rest()
    run.world.source = aSource(10, 'example/cart:2')
    run.rest()
    run.wait(11)
    const lines = describedFacts(run.facts())
    expect(lines.filter((line) => /expired|deletes|retry/.test(line))).to.deep.equal([])
    expect(lines).to.include('[Plan] removed when its promotion is over')
  })

  it('comes with a deletion: first the fork goes, then the finalizer', () => {
    const finalizers = ['experiment-controller.example.com/fork']
    const metadata = { deletionTimestamp: '2026-11-21T09:00:00Z', finalizers }
    const experiment = anExperiment({ sourceRef: TILL, metadata })
    const fork = theFork({ experiment: anExperiment({ sourceRef: TILL }) })
    expect(described({ experiment, fork })).to.deep.equal([`[Plan] scales deployment/${FORK} down to 0 pods`])
    expect(described({ experiment })).to.deep.equal(['[Plan] removes the finalizer of expd/faster-cart'])
    expect(describedFacts({ ...someFacts({ experiment }), kind: unknown('odd') })).to.deep.equal([])
    expect(describedFacts({ ...someFacts({ experiment }), fork: known(fork), schema: unknown('odd') })).to.deep.equal([
      `[Plan] scales deployment/${FORK} down to 0 pods`,
    ])
  })
})
