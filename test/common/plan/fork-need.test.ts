import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { AnalysisState } from '../../../common/assess/analysis.ts'
import { stalled } from '../../../common/facts/decision.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { type ForkNeed, needOf } from '../../../common/plan/fork-need.ts'
import { evaluate } from '../../../common/plan/plan.ts'
import type { PodsForbidden } from '../../../common/plan/pods-forbidden.ts'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aPolicy, aRollout, imageOverride, NO_POLICIES } from '../../builders.ts'
import { aCutOver } from '../run/blue-greens.ts'

import { leftAt, someFacts, theFork } from './some-facts.ts'

/** What the fork of `facts` needs. */
function need(facts: Facts, forbidden?: PodsForbidden): ForkNeed {
  const situation = situationOf(facts)
  const { assessment, policy, podsForbidden = forbidden } = evaluate(situation)
  if (assessment.is !== 'wanted') throw new Error(`no fork is wanted: ${assessment.decision.message}`)
  return needOf({ situation, wanted: assessment, policy, podsForbidden, isNewQuestion: false })
}

const fork = theFork()
const converged = (replicas = 1, of: KubeObject = fork) =>
  someFacts({ experiment: anExperiment({ replicas, status: leftAt(3) }), fork: of })
const denying = known({ ...NO_POLICIES, policies: [aPolicy({ maxReplicas: 0 })] })

/** A blue-green whose active Service sends to its fork, after an edit of the source. */
function followed(replicas: number): Facts {
  const run = aCutOver()
  run.world.source = run.world.source && {
    ...run.world.source,
    spec: { ...objectOr(run.world.source.spec), ...imageOverride('example/cart:9'), replicas },
  }
  return run.facts()
}

const CASES: readonly (readonly [string, () => Facts, ForkNeed['is']])[] = [
  ['cannot be read', () => ({ ...converged(), fork: unknown('timeout') }), 'unknown'],
  [
    'is being deleted',
    () => converged(1, { ...fork, metadata: { ...fork.metadata, deletionTimestamp: '2026-11-21T10:00:00Z' } }),
    'leaves',
  ],
  ['is missing', () => someFacts({ experiment: anExperiment() }), 'create'],
  [
    'is missing, and a policy denies it',
    () => ({ ...someFacts({ experiment: anExperiment() }), policies: denying }),
    'hold',
  ],
  ['is as it should be', () => converged(), 'asWanted'],
  ['has another size', () => converged(2), 'apply'],
  ['has another size, and a policy denies it', () => ({ ...converged(2), policies: denying }), 'hold'],
  ['is as it should be, and a policy denies it', () => ({ ...converged(), policies: denying }), 'asWanted'],
  ['gets all requests while its source has another template', () => followed(10), 'asWanted'],
  ['gets all requests while its source has another template and size', () => followed(12), 'resize'],
]

describe('a fork needs', () => {
  for (const [sentence, facts, is] of CASES)
    it(`${is} where it ${sentence}`, () => expect(need(facts()).is).to.equal(is))

  const overriding = (overrideSpec: JsonObject) => anExperiment({ overrideSpec, status: leftAt(3) })
  const needWith = (overrideSpec: JsonObject, more: Partial<Facts> = {}) =>
    need({ ...converged(), experiment: overriding(overrideSpec), ...more })
  const inContainer = (fields: JsonObject): JsonObject => ({
    template: { spec: { containers: [{ name: 'cart', image: 'example/cart:2', ...fields }] } },
  })
  // a rule of the API server that this version copies
  const DOUBTFUL = inContainer({ ports: [{ containerPort: 70_000 }] })

  it('to be held where no pod can run with a value that the API server stores', () =>
    expect(needWith(inContainer({ image: 'cart :1' }))).to.have.property('is', 'hold'))

  it('to be held where the schema of the cluster has another type', () => {
    const error = { path: ['x'], field: 'spec.x', message: 'is wrong', cause: 'FieldValueInvalid' } as const
    const schema = known({ ...ANY_SCHEMA, checkWhole: (spec: JsonObject) => (Object.hasOwn(spec, 'x') ? [error] : []) })
    expect(needWith({ x: 1 }, { schema })).to.have.property('is', 'hold')
  })

  it('to be held where it is a Rollout, whose pods the API server does not check', () => {
    const experiment = anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' }, overrideSpec: DOUBTFUL })
    const facts = someFacts({ kind: known(rollout), source: aRollout(), experiment })
    expect(need(facts)).to.have.property('is', 'hold')
  })

  /** The doubt with which the fork is sent. */
  function doubt() {
    const found = needWith(DOUBTFUL)
    if (found.is !== 'apply' || !found.doubt) throw new Error(`it is sent with a doubt, not ${found.is}`)
    return found.doubt
  }

  it('to be sent where only a copied rule of the API server says that it is wrong', () =>
    expect(doubt().mistakes.map(({ field }) => field)).to.deep.equal([
      'spec.overrideSpec.template.spec.containers[0].ports[0].containerPort',
    ]))

  it('not to be sent again after a refusal, until the source, the override or the schema is another one', () => {
    const decision = stalled('ApplyRefused', 'the API server refuses it')
    const refused = { of: doubt().of, decision }
    expect(needWith(DOUBTFUL, { refused })).to.deep.equal({ is: 'refused', decision })
    const others: Readonly<Record<string, Partial<Facts>>> = {
      override: { experiment: overriding(inContainer({ ports: [{ containerPort: 80_000 }] })) },
      source: { source: known({ object: aDeployment({ spec: { minReadySeconds: 7 } }), referents: [] }) },
      schema: { schema: known({ ...ANY_SCHEMA, hash: 'another' }) },
    }
    for (const [what, more] of Object.entries(others))
      expect(needWith(DOUBTFUL, { refused, ...more }).is, what).to.equal('apply')
  })

  it('A68: its size alone to change where its pods must go, because an apply may be refused', () => {
    const experiment = anExperiment({ overrideSpec: DOUBTFUL, status: leftAt(3) })
    const facts = { ...converged(), experiment }
    const analysis = { is: 'known' } as unknown as AnalysisState
    const podsForbidden = { because: 'rolledBack', analysis } as const
    const hold = need(facts, podsForbidden)
    expect([hold.is, hold.is === 'hold' && hold.decision.reason]).to.deep.equal(['hold', 'RolledBack'])
    const empty = { ...fork, spec: { ...objectOr(fork.spec), replicas: 0 } }
    expect(need({ ...facts, fork: known(empty) }, podsForbidden)).to.have.property('is', 'apply')
  })
})
