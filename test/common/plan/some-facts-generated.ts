import fc from 'fast-check'
import { ABSENT, type Known, known, unknown } from '../../../common/api/known.ts'
import { FORK_FINALIZER, IS_EXPERIMENT } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { Facts, PolicyFacts } from '../../../common/facts/facts.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import type { SpecSchema } from '../../../common/override/spec-schema.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
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
import { trafficOf } from '../describe/described.ts'
import { leftAt, someFacts, theFork } from './some-facts.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const AN_HOUR_AGO = '2026-11-21T09:00:00Z'

/** A schema that refuses `minReadySeconds` in the merged spec. */
const REFUSING: SpecSchema = {
  ...ANY_SCHEMA,
  hash: 'refusing',
  checkWhole: (spec) =>
    Object.hasOwn(spec, 'minReadySeconds')
      ? [{ path: ['minReadySeconds'], field: 'spec.minReadySeconds', message: 'odd', cause: 'FieldValueInvalid' }]
      : [],
}

const OVERRIDES = {
  none: {},
  image: imageOverride('example/cart:2'),
  'a mistake of the override': { replicas: 3 },
  'a mistake of the merged spec': { minReadySeconds: 3 },
} as const satisfies Readonly<Record<string, JsonObject>>

const LIMITS: Readonly<Record<string, ExperimentPolicySpec>> = {
  none: {},
  content: { maxReplicas: 1 },
  'the override': { deniedOverridePaths: ['template'] },
  share: { maxShare: '20%' },
  count: { maxExperimentsPerSource: 1 },
  alone: { aloneBehindService: 'Deny' },
  'a warning': { maxReplicas: 0, validationActions: ['Warn'] },
}

/** One of the words, the first ones more often. */
const mostly = <const Usual extends string, const Other extends string>(
  usual: readonly Usual[],
  other: readonly Other[],
): fc.Arbitrary<Usual | Other> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<Usual | Other>(...usual) },
    { weight: 2, arbitrary: fc.constantFrom<Usual | Other>(...other) },
  )
const rarely = fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })

/** What facts are about, in words, so that a counterexample can be read. */
export const aFactsCase = fc.record({
  override: mostly(['none', 'image'], ['a mistake of the override', 'a mistake of the merged spec']),
  replicas: fc.nat(3),
  ttl: mostly(['none', 'live'], ['expired']),
  isPinned: fc.boolean(),
  namespace: mostly(['shop'], ['till']),
  hasFinalizer: fc.boolean(),
  isBeingDeleted: rarely,
  kind: mostly(['known', 'known', 'known'], ['known', 'absent', 'unknown']),
  source: mostly(['known', 'changed'], ['absent', 'unknown', 'being deleted', 'an experiment']),
  schema: mostly(['known'], ['refusing', 'absent']),
  revision: mostly(['absent', 'known'], ['unknown']),
  fork: mostly(['absent', 'as left', 'drifted', 'scaled'], ['of another override', 'unknown']),
  forkIsBeingDeleted: rarely,
  nameIsTaken: rarely,
  policies: mostly(
    ['none', 'content', 'the override', 'share', 'count', 'alone'],
    ['a warning', 'not shared', 'unknown'],
  ),
  isExcluded: rarely,
  driftBackoffMs: fc.constantFrom(0, 0, 5_000),
  contestedMs: fc.constantFrom(0, 0, 90_000),
  knowsTraffic: fc.boolean(),
  alone: mostly(['no'], ['now', 'for long']),
})

type Case = typeof aFactsCase extends fc.Arbitrary<infer Of> ? Of : never

/** The facts of a case: all that either program can have, and more. */
export function factsOf(of: Case): Facts {
  const experiment = experimentOf(of)
  const facts = someFacts({
    now: NOW,
    experiment,
    policies: NO_POLICIES,
    traffic: trafficOf(of.alone === 'no' ? 3 : 0, FORK),
  })
  return {
    ...facts,
    kind: of.kind === 'known' ? facts.kind : of.kind === 'absent' ? ABSENT : unknown('this version'),
    source: sourceOf(of),
    schema: of.schema === 'absent' ? ABSENT : known(of.schema === 'known' ? ANY_SCHEMA : REFUSING),
    revision: revisionOf(of, experiment),
    fork: forkOf(of),
    revisionHolder: undefined,
    nameHolder: of.nameIsTaken ? aDeployment({ name: FORK }) : undefined,
    policies: policiesOf(of),
    surroundings: {
      ...facts.surroundings,
      ...(of.knowsTraffic ? {} : { traffic: unknown('the Services') }),
    },
    isExcluded: of.isExcluded,
    driftBackoffMs: of.driftBackoffMs,
    contestedMs: of.contestedMs,
  }
}

function experimentOf(of: Case): ExperimentDeployment {
  const { override, replicas, ttl, isPinned, namespace, fork } = of
  return anExperiment({
    sourceRef: { kind: 'Deployment', name: 'cart', namespace },
    overrideSpec: OVERRIDES[override],
    replicas,
    ...(ttl === 'none' ? {} : { ttlSeconds: ttl === 'live' ? 86_400 : 60 }),
    ...(isPinned ? { onSourceChange: 'Pin' } : {}),
    metadata: {
      creationTimestamp: AN_HOUR_AGO,
      ...(of.hasFinalizer ? { finalizers: [FORK_FINALIZER] } : {}),
      ...(of.isBeingDeleted ? { deletionTimestamp: AN_HOUR_AGO } : {}),
    },
    ...(fork === 'absent' ? {} : { status: { ...leftAt(fork === 'drifted' ? 2 : 3), ...aloneSince(of) } }),
  })
}

const aloneSince = ({ alone }: Case) => (alone === 'for long' ? { aloneSince: AN_HOUR_AGO } : {})

function sourceOf({ source }: Case): Facts['source'] {
  const found = (object: KubeObject) => known({ object, referents: [] })
  switch (source) {
    case 'known':
      return found(aDeployment())
    case 'changed':
      return found(aDeployment({ image: 'example/cart:9', metadata: { generation: 2 } }))
    case 'being deleted':
      return found(aDeployment({ metadata: { deletionTimestamp: AN_HOUR_AGO } }))
    case 'an experiment':
      return found(aDeployment({ labels: { [IS_EXPERIMENT]: 'true' } }))
    case 'absent':
      return ABSENT
    case 'unknown':
      return unknown('unreachable')
  }
}

function revisionOf({ revision }: Case, experiment: ExperimentDeployment): Known<KubeObject> {
  if (revision !== 'known') return revision === 'absent' ? ABSENT : unknown('unreachable')
  return known(pinnedTo(aDeployment(), experiment).revision)
}

const forks = new Map<string, KubeObject>()

/** The fork that `image` or nothing overrides; derived once, because that takes most of the time. */
function derivedFork(image: boolean, namespace: 'shop' | 'till', replicas: number): KubeObject {
  const key = JSON.stringify([image, namespace, replicas])
  const overrideSpec = image ? OVERRIDES.image : {}
  const experiment = anExperiment({
    sourceRef: { kind: 'Deployment', name: 'cart', namespace },
    overrideSpec,
    replicas,
  })
  const fork = forks.get(key) ?? theFork({ experiment })
  forks.set(key, fork)
  return fork
}

function forkOf(of: Case): Known<KubeObject> {
  if (of.fork === 'absent') return ABSENT
  if (of.fork === 'unknown') return unknown('unreachable')
  const isImage = (of.override === 'image') !== (of.fork === 'of another override')
  const fork = derivedFork(isImage, of.namespace, of.replicas)
  return known({
    ...fork,
    metadata: {
      ...fork.metadata,
      ...(of.forkIsBeingDeleted ? { deletionTimestamp: AN_HOUR_AGO } : {}),
    },
    ...(of.fork === 'scaled' ? { spec: { ...objectOr(fork.spec), replicas: 2 } } : {}),
  })
}

function policiesOf({ policies, namespace }: Case): Known<PolicyFacts> {
  if (policies === 'unknown') return unknown('nobody may read it')
  if (policies === 'not shared') return known({ ...NO_POLICIES, isShared: false })
  const sourceNamespace = { name: namespace, labels: {} }
  const other = anExperiment({ metadata: { uid: 'uid-of-another', name: 'another', creationTimestamp: AN_HOUR_AGO } })
  return known({
    ...NO_POLICIES,
    sourceNamespace,
    policies: policies === 'none' ? [] : [aPolicy(LIMITS[policies])],
    others: policies === 'count' ? [{ experiment: other, replicas: 1 }] : [],
  })
}
