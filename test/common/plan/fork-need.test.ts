import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { objectOr } from '../../../common/json/json.ts'
import { type ForkNeed, needOf } from '../../../common/plan/fork-need.ts'
import { evaluate } from '../../../common/plan/plan.ts'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { anExperiment, aPolicy, imageOverride, NO_POLICIES } from '../../builders.ts'
import { aCutOver } from '../run/blue-greens.ts'

import { leftAt, someFacts, theFork } from './some-facts.ts'

/** What the fork of `facts` needs. */
function need(facts: Facts): ForkNeed {
  const situation = situationOf(facts)
  const { assessment, policy, podsForbidden } = evaluate(situation)
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

  it('to be held where the override has a mistake', () => {
    const overrideSpec = { template: { spec: { containers: [{ name: 'cart', imagePullPolicy: 7 }] } } }
    const found = need({ ...converged(), experiment: anExperiment({ overrideSpec, status: leftAt(3) }) })
    expect(found).to.have.property('is', 'hold')
  })
})
